"""What can be said where: the names, the state and the helpers that are in sight of an expression."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import count

from angarium.checker.language.source import Module
from angarium.contracts.module import Specification
from angarium.contracts.reading.names import Sorts
from angarium.contracts.terms import Expr, Sort, Symbol, Variable
from angarium.core.errors import ModelError, did_you_mean


@dataclass(frozen=True, slots=True)
class Scope:
    """The surroundings of an expression or statement."""

    module: Module
    sorts: Sorts
    own: Mapping[str, Symbol]
    """`self.name`."""
    parts: Mapping[str, Specification] = field(default_factory=dict)
    """`self.name.symbol` and, of components, `self.name.operation(...)`."""
    helpers: Mapping[str, ast.FunctionDef] = field(default_factory=dict)
    names: Mapping[str, Expr] = field(default_factory=dict)
    abstract: str | None = None
    """The part that is the specification: its state is for conjectures and invariants, not for code."""
    steps: bool = False
    """Whether the next element of an order may be asked for: in code, where it names one element."""
    runs: bool = False
    """Whether this stands for something that is run: it cannot look at abstract state, be it that of the
    specification or of components, because real code does not have it."""
    inlined: tuple[str, ...] = ()
    """The helpers that are being read, to notice recursion."""
    numbers: count[int] = field(default_factory=count)

    def error(self, code: str, node: ast.AST, what: str, possible: str = "", remedy: str = "") -> ModelError:
        return self.module.error(code, node, what, possible, remedy)

    def text(self, node: ast.expr) -> str:
        """An expression as it was written, in one line."""
        return " ".join((ast.get_source_segment(self.module.text, node) or ast.unparse(node)).split())

    def bound(self, name: str, sort: Sort) -> Variable:
        """A variable for a quantifier, with a name that nothing else has."""
        return Variable(f"{name}#{next(self.numbers)}", sort)

    def knowing(self, names: Mapping[str, Expr]) -> Scope:
        return replace(self, names={**self.names, **names})

    def within_all(self) -> Scope:
        """The same surroundings inside `all`, `any` and comprehensions."""
        return replace(self, steps=False)

    def claiming(self) -> Scope:
        """The same surroundings for something that is claimed, not run."""
        return replace(self, steps=False, runs=False)

    def running(self) -> Scope:
        """The same surroundings for code."""
        return replace(self, steps=True, runs=True)

    def only(self, names: Mapping[str, Expr]) -> Scope:
        """The same surroundings with these names and no others."""
        return replace(self, names=dict(names))

    def symbol(self, node: ast.expr) -> Symbol | None:
        """The symbol that `self.name` or `self.part.name` stands for, if that is what is written."""
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if name not in self.parts:
                return self._own(node, name)
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id="self"), attr=part), attr=name):
                return self._of_part(node, part, name) if part in self.parts else None
        return None

    def _own(self, node: ast.Attribute, name: str) -> Symbol:
        if name in self.own:
            return self.own[name]
        raise self.error(
            "ANG105", node, f"self.{name} is not known", did_you_mean(name, [*self.own, *self.helpers]),
            "declare it in the class: a set, a dict or a sort",
        )  # fmt: skip

    def _of_part(self, node: ast.Attribute, part: str, name: str) -> Symbol:
        if self.runs:
            raise self.error(
                "ANG081", node, f"code cannot look at abstract state: {ast.unparse(node)}",
                "possible: the implementation's own state, and operations of components",
                "use it in conjectures and invariants only",
            )  # fmt: skip
        symbols = {symbol.name.rpartition(".")[2]: symbol for symbol in self.parts[part].state}
        if name in symbols:
            return symbols[name]
        raise self.error("ANG105", node, f"{ast.unparse(node)} is not known", did_you_mean(name, symbols))
