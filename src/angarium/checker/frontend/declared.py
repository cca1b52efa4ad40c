"""What is declared, once its sizes are known: types with start values, and values known before the search.

The passes that find this out need each other: a type's size is a constant, and a constant may be a term of a
type. `Declarations` is what they have in common; `elaborate.Elaboration` is made of all of them.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Protocol

from angarium.checker.frontend.universe import Universe
from angarium.checker.ir import types
from angarium.checker.ir.types import Type, leaves
from angarium.checker.language.source import Module

TOO_LARGE = 1 << 62
"""Engines compute with 64 bits, and with one to spare: numbers of the language are smaller than this."""


@dataclass(frozen=True, slots=True)
class Static:
    """A value known before the search: a number, or a member of an enumeration or index."""

    type: types.Scalar
    value: int


@dataclass(frozen=True, slots=True)
class ChannelSpec:
    """What a channel carries, and which fault budgets it may use up."""

    item: Type
    capacity: int
    keys: tuple[types.Scalar, ...] = ()
    faults: tuple[tuple[str, str], ...] = ()
    """Pairs of `loses`, `duplicates` or `reorders` and the name of a budget."""
    intruder: str | None = None
    """The knowledge of the one who sits on it."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A type with the start values of its leaves."""

    type: Type
    start: tuple[tuple[int, ...], ...]
    channel: ChannelSpec | None = None
    universe: Universe | None = None
    """What can be known, where the declaration is that of somebody's knowledge."""


def lowest(type_: Type) -> tuple[tuple[int, ...], ...]:
    """The start values of a type about which nothing else was said: None, empty, first, lowest."""
    return tuple((leaf.type.low,) * leaf.cells for leaf in leaves(type_))


class Declarations(Protocol):
    """The parameters, constants and types of a model, as far as they are known."""

    parameters: dict[str, Static]
    settings: dict[str, list[str]]
    index_sizes: dict[str, int]
    evaluating: set[tuple[str, str]]
    """Constants of a file whose value is just being looked up."""
    universes: dict[types.Enumeration, Universe]

    @property
    def module(self) -> Module: ...

    def named_type(self, name: str, node: ast.AST, module: Module | None = None) -> Type | None:
        """The type that a name stands for, if it is one."""

    def annotated(self, node: ast.expr, module: Module) -> Shape:
        """The type that an annotation stands for."""

    def static(self, node: ast.expr, module: Module | None = None) -> Static:
        """The value of an expression over parameters and constants."""
