"""What the passes share while one model is compiled: its elaboration, its source positions, its helpers."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from angarium.checker.frontend.elaborate import Elaboration
from angarium.checker.frontend.values import Place, Value
from angarium.checker.ir import types
from angarium.checker.ir.syntax import Call, Expr, Read, Stmt
from angarium.checker.ir.transition import Helper, Position
from angarium.checker.ir.traversal import expressions, may_fail
from angarium.checker.language.source import Module
from angarium.core.errors import ModelError

END = 0
"""The program counter of a process that has finished."""


@dataclass(slots=True)
class Context:
    """One compilation."""

    model: Elaboration
    positions: dict[int, Position] = field(default_factory=dict)
    helpers: dict[str, Helper] = field(default_factory=dict)
    helper_names: dict[tuple[str, int], str] = field(default_factory=dict)
    """What the helper made of each function (file and line) is called."""
    helper_types: dict[str, types.Scalar | types.Option] = field(default_factory=dict)
    processes: dict[str, tuple[types.Scalar, ...]] = field(default_factory=dict)
    """The parameters of each process."""
    crash_counters: dict[str, int] = field(default_factory=dict)
    """The program counter of each process that may crash, when it is down."""
    _failing: dict[str, bool] = field(default_factory=dict)
    """Whether each helper may fail."""
    _places: dict[tuple[str, int, int], int] = field(default_factory=dict)
    _calling: list[tuple[str, int, str]] = field(default_factory=list)
    """The functions whose bodies are being compiled: file, line and name."""
    _counting: Counting | None = None

    @property
    def module(self) -> Module:
        return self.model.module

    def at(self, node: ast.AST, module: Module | None = None) -> int:
        """The number of a node's position."""
        place = (module or self.module).place(node)
        key = (place.file, place.line, place.column)
        if key not in self._places:
            number = len(self._places) + 1
            self._places[key] = number
            self.positions[number] = Position(*key, place.source.strip())
        return self._places[key]

    @contextmanager
    def calling(
        self, function: ast.FunctionDef, home: Module, node: ast.AST, module: Module
    ) -> Iterator[None]:
        """While a function's body is compiled; a function that calls itself would never end.

        A method and a function of a file may have one name: it is where they stand that tells them apart.
        """
        called = (home.file, function.lineno, function.name)
        if called in self._calling:
            names = [name for _, _, name in self._calling[self._calling.index(called) :]]
            raise module.error(
                "ANG108",
                node,
                f"{function.name} calls itself: {' -> '.join([*names, function.name])}",
                "",
                "write a comprehension over a bounded range instead of a recursion",
            )
        self._calling.append(called)
        try:
            yield
        finally:
            self._calling.pop()

    @property
    def counting(self) -> Counting | None:
        """How the observation counts in which we are; None elsewhere, and in functions that it calls."""
        return None if self._calling else self._counting

    @contextmanager
    def counting_with(self, counting: Counting | None) -> Iterator[None]:
        """While an observation is compiled, or a condition in it (None), in which nothing is counted."""
        before, self._counting = self._counting, counting
        try:
            yield
        finally:
            self._counting = before

    def may_fail(self, expr: Expr) -> bool:
        """Whether an expression may have no value, or a helper that it calls."""
        return may_fail(expr, self._helper_fails)

    def _helper_fails(self, name: str) -> bool:
        if name not in self._failing:
            self._failing[name] = self.may_fail(self.helpers[name].body)
        return self._failing[name]

    def reads_of_helper(self, name: str) -> set[str]:
        """The variables that a helper reads, through other helpers too."""
        return self.reads(self.helpers[name].body)

    def reads(self, node: Expr | Stmt) -> set[str]:
        """The variables that an expression or a statement (not its blocks) reads, through helpers too."""
        found: set[str] = set()
        for each in expressions(node):
            if isinstance(each, Read):
                found.add(each.variable)
            elif isinstance(each, Call):
                found |= self.reads_of_helper(each.helper)
        return found


@dataclass(slots=True)
class Scope:
    """The names that a piece of code can use, and a supply of fresh ones."""

    module: Module
    names: dict[str, Value] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    kept: dict[str, str] = field(default_factory=dict)
    """What names that are assigned again are called in the transition system."""
    fixed: frozenset[str] = frozenset()
    """The variables of loops around this code, which only their loops assign."""

    def fresh(self, name: str) -> str:
        """A name like this one that nothing else in the same action uses."""
        number, candidate = 1, name
        while candidate in self.taken:
            number += 1
            candidate = f"{name}_{number}"
        self.taken.add(candidate)
        return candidate

    def inner(self, names: dict[str, Value] | None = None, module: Module | None = None) -> Scope:
        """A scope inside this one: what it binds is not seen outside."""
        if names is not None:
            return Scope(module or self.module, dict(names), self.taken)
        return Scope(module or self.module, dict(self.names), self.taken, self.kept, self.fixed)

    def error(self, code: str, node: ast.AST, what: str, possible: str = "", remedy: str = "") -> ModelError:
        return self.module.error(code, node, what, possible, remedy)


@dataclass(slots=True)
class Compiler(ABC):
    """The expression compiler, as its parts see it: expressions are made of expressions.

    A part for one kind of expression (a call, a comprehension, `in`) compiles what stands inside it by the
    compiler that it was called by. So it need not know the parts for other kinds; `expressions.Expressions`
    knows them all.
    """

    context: Context
    scope: Scope

    def inside(self, scope: Scope | None = None) -> Compiler:
        """The same compiler in another scope; without one, in a scope inside its own."""
        return type(self)(self.context, scope or self.scope.inner())

    @abstractmethod
    def value(self, node: ast.expr) -> Value:
        """What an expression means."""

    @abstractmethod
    def try_value(self, node: ast.expr) -> Value | None:
        """What an expression means, or None if it means nothing on its own."""

    @abstractmethod
    def number(self, node: ast.expr) -> Expr:
        """An expression that must be a number."""

    @abstractmethod
    def condition(self, node: ast.expr) -> Expr:
        """An expression that must be true or false."""

    @abstractmethod
    def place(self, node: ast.expr) -> Place:
        """An expression that must be somewhere in the state."""

    @abstractmethod
    def fitted(self, value: Value, type_: types.Type, node: ast.expr) -> Value:
        """A value, which the model writes so, as one of a type."""


Counting = Callable[[Compiler, ast.Call, str], Value]
"""What a word of observations counts, such as `times`."""
