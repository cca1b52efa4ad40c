"""Proof modules as data: specifications with contracts, and implementations that claim to keep them.

A **specification** has abstract state, and a **contract** for every operation: what a caller must see to
(`require`), what it may rely on (`ensure`), and how the abstract state changes before and after the call. An
**implementation** has its own state and a body for every operation, which cannot see the abstract state.
Its **conjectures** tie the two together. Bodies may call **components**: other specifications, of which
only the contracts are known.

Bodies are lists of statements over `terms`. Expressions are evaluated where they stand, in the state that
the statements before them left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from angarium.contracts.terms import Expr, Sort, Symbol, Variable
from angarium.core.errors import Place


@dataclass(frozen=True, slots=True)
class Require:
    """A duty of the caller."""

    condition: Expr
    text: str
    """The condition as it was written."""
    place: Place


@dataclass(frozen=True, slots=True)
class Ensure:
    """A duty of the implementation."""

    condition: Expr
    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class Let:
    """`name = value`: a local name from here on."""

    variable: Variable
    value: Expr
    place: Place


@dataclass(frozen=True, slots=True)
class Put:
    """A symbol has another value at these arguments, which for a relation is a truth; elsewhere it stays."""

    symbol: Symbol
    arguments: tuple[Expr, ...]
    value: Expr
    place: Place


@dataclass(frozen=True, slots=True)
class Collect:
    """A relation becomes `{variables for variables in domain if condition}`; no domain: of all there are."""

    symbol: Symbol
    variables: tuple[Variable, ...]
    domain: Symbol | None
    condition: Expr
    place: Place


@dataclass(frozen=True, slots=True)
class Branch:
    """`if condition: then else: otherwise`."""

    condition: Expr
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Loop:
    """`while condition:` with what stays true each time round; that it ends is not proved."""

    condition: Expr
    invariants: tuple[Ensure, ...]
    body: tuple[Statement, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Call:
    """An operation of a component; its results get these names."""

    component: str
    operation: str
    arguments: tuple[Expr, ...]
    results: tuple[Variable, ...]
    place: Place


Statement: TypeAlias = Require | Ensure | Let | Put | Collect | Branch | Loop | Call


@dataclass(frozen=True, slots=True)
class Contract:
    """What is specified of an operation: before it is called, and after it has answered."""

    name: str
    description: str
    parameters: tuple[Variable, ...]
    results: tuple[Variable, ...]
    before: tuple[Statement, ...]
    after: tuple[Statement, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Conjecture:
    """Something that is true between calls; its parameters stand for everything of their sorts."""

    name: str
    description: str
    parameters: tuple[Variable, ...]
    condition: Expr
    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class Specification:
    """Abstract state, how it begins, and the contracts of its operations."""

    name: str
    description: str
    sorts: tuple[Sort, ...]
    fixed: tuple[Symbol, ...]
    """What is known of the things of the sorts, such as the number of a message."""
    state: tuple[Symbol, ...]
    initially: tuple[Statement, ...]
    contracts: tuple[Contract, ...]
    conjectures: tuple[Conjecture, ...]

    def contract(self, name: str) -> Contract:
        return next(contract for contract in self.contracts if contract.name == name)


@dataclass(frozen=True, slots=True)
class Body:
    """How an implementation does an operation; its parameters and results are those of the contract."""

    name: str
    statements: tuple[Statement, ...]
    results: tuple[Expr, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Implementation:
    """State of its own, a body for every operation, and conjectures that tie it to the specification."""

    name: str
    description: str
    specification: Specification
    sorts: tuple[Sort, ...]
    """Those of the specification and of the components as well."""
    fixed: tuple[Symbol, ...]
    state: tuple[Symbol, ...]
    """Its own, without that of the specification and of the components."""
    components: tuple[tuple[str, Specification], ...]
    """By their names here. Their symbols are called `name.symbol`, to stand side by side."""
    initially: tuple[Statement, ...]
    bodies: tuple[Body, ...]
    conjectures: tuple[Conjecture, ...]
    grounds: tuple[Specification, ...] = ()
    """The specification and those of the components as they were written: each is a proof of its own."""

    def body(self, name: str) -> Body:
        return next(body for body in self.bodies if body.name == name)
