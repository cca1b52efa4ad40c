"""Bodies for targets that execute statements in order: every failure is a `Check` that stands before what
would fail.

`Require` statements are left out (the guard of the step has them), and so are the checks of what the guard
has already passed: everything before the last `Require`.

After unrolling, most locals are constants or were put where they are used, and their `Let` has no effect:
`without_dead_lets` reads a block backwards with the names that are still needed, and leaves the others out.
An `If` without statements goes too; whether its condition could fail is asked before.
"""

from __future__ import annotations

from collections.abc import Iterator

from angarium.checker.export.defined import Definedness, Facts, facts_of, free, given
from angarium.checker.export.symbolic import used, variables
from angarium.checker.export.unroll import Unroller
from angarium.checker.ir.fold import TRUE
from angarium.checker.ir.intervals import Interval, Scope
from angarium.checker.ir.normal_form import negate
from angarium.checker.ir.syntax import Block, Check, Expr, If, Let, Require, Stmt, Write


def checked(unroller: Unroller, block: Block, scope: Scope) -> tuple[Block, Scope]:
    """An unrolled body with explicit checks, and where each of its locals lies at the end."""
    passed = max((_passed(n, each) for n, each in enumerate(block)), default=0)
    checks = _Checks(unroller, dict(scope))
    before = checks.block(block[:passed], checks=False)
    return before + checks.block(block[passed:], checks=True), checks.scope


def _passed(position: int, statement: Stmt) -> int:
    """How many statements the guard has passed, if this one is the last with a `Require`."""
    if isinstance(statement, Require):
        return position + 1
    return position if _requires(statement) else 0


def _requires(statement: Stmt) -> bool:
    match statement:
        case If(_, then, otherwise):
            return any(_requires(each) for each in (*then, *otherwise))
    return isinstance(statement, Require)


class _Checks:
    def __init__(self, unroller: Unroller, scope: dict[str, Interval]) -> None:
        self._unroller, self._defined, self.scope = unroller, Definedness(unroller), scope
        self._facts: Facts = frozenset()

    def block(self, block: Block, *, checks: bool) -> Block:
        done: list[Stmt] = []
        for statement in block:
            condition = given(self._facts, self._condition(statement))
            if checks and condition != TRUE:
                done.append(Check(condition, ""))
            self._facts |= facts_of(condition)
            done += self._statement(statement, checks)
        return tuple(done)

    def _condition(self, statement: Stmt) -> Expr:
        """The condition under which a statement does not fail."""
        match statement:
            case Write():
                return self._defined.write(statement, self.scope)
            case Let(_, expr) | If(expr, _, _) | Check(expr) | Require(expr):
                return self._defined.of(expr, self.scope)
        raise TypeError(f"{statement} is unrolled before it is checked")

    def _statement(self, statement: Stmt, checks: bool) -> Iterator[Stmt]:
        match statement:
            case Let(name, value):
                simple = self._simple(value)
                self.scope[name] = self._unroller.ranges.of(simple, self.scope)
                self._forget(name)
                yield Let(name, simple)
            case Write(variable, index, value, at):
                self._forget(variable)
                yield Write(variable, self._simple(index), self._simple(value), at)
            case If(condition, then, otherwise):
                yield self._if(self._simple(condition), then, otherwise, checks)
            case Require(condition):
                self._facts |= facts_of(self._simple(condition))
            case Check(condition, message, at):
                left = given(self._facts, self._simple(condition))
                self._facts |= facts_of(left)
                if checks and left != TRUE:
                    yield Check(left, message, at)

    def _if(self, condition: Expr, then: Block, otherwise: Block, checks: bool) -> If:
        scope, facts = dict(self.scope), self._facts
        self._facts = facts | facts_of(condition)
        first = self.block(then, checks=checks)
        after, known = self.scope, self._facts
        self.scope, self._facts = scope, facts | facts_of(negate(condition))
        second = self.block(otherwise, checks=checks)
        self._facts &= known
        for name, interval in after.items():
            self.scope[name] = interval.join(self.scope.get(name, interval))
        return If(condition, first, second)

    def _forget(self, name: str) -> None:
        """Drop what is known of a local or variable that changes."""
        self._facts = frozenset(
            fact for fact in self._facts if name not in used(fact) | variables(self._unroller, fact)
        )

    def _simple(self, expr: Expr) -> Expr:
        return self._defined.simplify(expr, self.scope)


def without_dead_lets(block: Block) -> Block:
    """The block without the lets that nothing uses."""
    return _prune(block, set())[0]


def _prune(block: Block, live: set[str]) -> tuple[Block, set[str]]:
    kept: list[Stmt] = []
    for statement in reversed(block):
        more, live = _statement(statement, live)
        kept += reversed(more)
    return tuple(reversed(kept)), live


def _statement(statement: Stmt, live: set[str]) -> tuple[Block, set[str]]:
    match statement:
        case Let(name, value):
            return ((statement,), live - {name} | free(value)) if name in live else ((), live)
        case If(condition, then, otherwise):
            return _if(If(condition, then, otherwise), live)
        case Write(_, index, value):
            return (statement,), live | free(index) | free(value)
        case Require(condition) | Check(condition):
            return (statement,), live | free(condition)
    raise TypeError(f"{statement} is unrolled before it is pruned")


def _if(branch: If, live: set[str]) -> tuple[Block, set[str]]:
    then, first = _prune(branch.then, live)
    otherwise, second = _prune(branch.otherwise, live)
    if not then and not otherwise:
        return (), live
    return (If(branch.condition, then, otherwise),), first | second | free(branch.condition)
