"""Which local variables of a process matter where it waits.

A local variable that will not be read again before it is written does not matter: kept in the state, its
old value would only multiply states that behave alike. So on the way to each await the variables that are
dead there are set to their lowest value, and those that matter at no await at all leave the state and
become names inside a step. A variable that matters where the process begins is read before it is written.

The analysis is the textbook's backward data flow, over the compiled steps of one process.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from angarium.checker.frontend.values import NUMBER
from angarium.checker.ir.fold import binary, conjunction
from angarium.checker.ir.syntax import (
    Block,
    Check,
    Const,
    Expr,
    For,
    If,
    Let,
    LetIn,
    Local,
    Read,
    Stmt,
    Within,
    Write,
)
from angarium.checker.ir.traversal import PARTS, expressions, reads, writes

Live = frozenset[str]
Node = TypeVar("Node", Expr, Stmt)


@dataclass(frozen=True, slots=True)
class Tracked:
    """A local variable of one cell: the range of its values, and what it is when it does not matter.

    That is its lowest value; for interchangeable ones it is None, because no value may be special.
    """

    low: int
    high: int
    dead: int
    ranged: bool


@dataclass(frozen=True, slots=True)
class Liveness:
    """What matters at each program counter of a process."""

    counter: str
    tracked: Mapping[str, Tracked]
    """The process's scalar local variables."""
    at: Mapping[int, Live]

    @property
    def kept(self) -> Live:
        """The variables that matter somewhere, and so belong to the state."""
        return frozenset().union(*self.at.values())

    def finish(self, block: Block, start: int) -> Block:
        """A step with dead variables reset, and with those that never matter made names."""
        inside = self.at.get(start, frozenset()) | (writes(block) & self.kept)
        return self._finish(block, inside)

    def _finish(self, block: Block, inside: Live) -> Block:
        return tuple(each for statement in block for each in self._finished(statement, inside))

    def _finished(self, statement: Stmt, inside: Live) -> list[Stmt]:
        match statement:
            case Write(variable, index, Const(counter)) if variable == self.counter:
                dead = sorted(inside - self.at.get(counter, frozenset()))
                resets = [Write(each, index, Const(self.tracked[each].dead)) for each in dead]
                return [*resets, statement]
            case Write(variable, index, value, at) if self._is_name(variable):
                return [*_checked(self._named(index), at), *self._let(variable, self._named(value), at)]
            case If(condition, then, otherwise):
                branches = self._finish(then, inside), self._finish(otherwise, inside)
                return [If(self._named(condition), *branches)]
            case For(name, low, high, body):
                return [For(name, self._named(low), self._named(high), self._finish(body, inside))]
        return [self._named(statement)]

    def _is_name(self, variable: str) -> bool:
        return variable in self.tracked and variable not in self.kept

    def _let(self, variable: str, value: Expr, at: int) -> list[Stmt]:
        """A variable that is a name now keeps its range."""
        known, name = self.tracked[variable], Local(variable)
        constant = isinstance(value, Const) and known.low <= value.value <= known.high
        if constant or not known.ranged:
            return [Let(variable, value)]
        inside = conjunction((binary(">=", name, Const(known.low)), binary("<=", name, Const(known.high))))
        message = f"{variable} would be outside {known.low} .. {known.high}"
        return [Let(variable, value), Check(inside, message, at)]

    def _named(self, node: Node) -> Node:
        """The same, with reads of variables that are names now."""
        if isinstance(node, Read) and self._is_name(node.variable):
            index = self._named(node.index)
            there = Within(index, 0, NUMBER.high, node.variable, node.at)
            return LetIn(THERE, there, Local(node.variable)) if _may_be_wrong(index) else Local(node.variable)
        changed: dict[str, Any] = {}
        for name in PARTS[type(node)]:
            part = getattr(node, name)
            if isinstance(part, tuple):
                changed[name] = tuple(self._named(each) for each in part)
            elif part is not None:
                changed[name] = self._named(part)
        return replace(node, **changed) if changed else node


THERE = ".there"
"""Of a value that is only looked at because it may fail: no name of a model can be that."""


def _may_be_wrong(index: Expr) -> bool:
    """Whether an index is -1 where what it selects is not there, such as a field of None."""
    return any(isinstance(each, Const) and each.value < 0 for each in expressions(index))


def _checked(index: Expr, at: int) -> list[Stmt]:
    if not _may_be_wrong(index):
        return []
    return [Check(binary(">=", index, Const(0)), "there is no such place", at)]


def analyse(counter: str, tracked: Mapping[str, Tracked], steps: Iterable[tuple[int, Block]]) -> Liveness:
    """What matters at each counter, given every step (with the counter from which it starts)."""
    steps = list(steps)
    at: dict[int, Live] = {start: frozenset() for start, _ in steps}
    changed = True
    while changed:
        changed = False
        for start, block in steps:
            live = at[start] | _before(block, frozenset(), counter, frozenset(tracked), at)
            if live != at[start]:
                at[start], changed = live, True
    return Liveness(counter, tracked, at)


def _before(block: Block, after: Live, counter: str, tracked: Live, at: Mapping[int, Live]) -> Live:
    for statement in reversed(block):
        after = _before_statement(statement, after, counter, tracked, at)
    return after


def _before_statement(
    statement: Stmt, after: Live, counter: str, tracked: Live, at: Mapping[int, Live]
) -> Live:
    used = frozenset(reads(statement)) & tracked
    match statement:
        case Write(variable, _, Const(target)) if variable == counter:
            return at.get(target, frozenset()) | used
        case Write(variable):
            return (after - {variable}) | used
        case If(_, then, otherwise):
            branches = [_before(b, after, counter, tracked, at) for b in (then, otherwise)]
            return branches[0] | branches[1] | used
        case For(_, _, _, body):
            once = after | _before(body, after, counter, tracked, at)
            return once | _before(body, once, counter, tracked, at) | used
    return after | used
