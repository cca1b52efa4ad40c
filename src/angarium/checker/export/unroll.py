"""A system without comprehensions, loops and names for constants, for targets that lack them.

Parameters that are given as one value, and locals that can have only one, become constants. A
loop becomes its rounds in a row. Where its bounds depend on the state, the intervals of the
bounds say which rounds are possible, and each is guarded. A comprehension becomes a sum, `and`,
`or` or choice over its items. What is evaluated, and in what order as far as that can be seen,
stays the same, so that what failed before fails afterwards.

A call of a helper stays if the target keeps it (to define the helper once), else the helper's
expression takes its place, inside `LetIn` for its arguments. Names that are made here have a `~`
in them, so they differ from all names of a model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from angarium.checker.ir.fold import FALSE, TRUE
from angarium.checker.ir.intervals import Interval, Ranges, Scope
from angarium.checker.ir.normal_form import (
    FAILS,
    binary,
    choose,
    conjunction,
    conjuncts,
    disjunction,
    negate,
    rebuild,
)
from angarium.checker.ir.syntax import (
    Block,
    Call,
    Check,
    Const,
    Expr,
    For,
    If,
    Let,
    LetIn,
    Local,
    Read,
    Reduce,
    Require,
    Stmt,
    Write,
)
from angarium.checker.ir.transition import Action, TransitionSystem
from angarium.core.errors import ExportError, Place

ROUNDS = 4096
"""More rounds of a loop, or items of a comprehension, than this are refused."""


@dataclass(frozen=True)
class Env:
    """What the names of the source stand for, and where each local of the result lies."""

    names: Mapping[str, Expr]
    scope: Scope

    def bind(self, name: str, value: Expr) -> Env:
        return replace(self, names={**self.names, name: value})

    def local(self, name: str, made: str, interval: Interval) -> Env:
        """With a name for a local; if only one value is possible, the name is that value."""
        low, high = interval
        value = Const(low) if low == high else Local(made)
        return Env({**self.names, name: value}, {**self.scope, made: interval})


class Unroller:
    """Unrolls the parts of one system for one target."""

    def __init__(
        self,
        system: TransitionSystem,
        target: str,
        keep: Callable[[Call, Scope], bool] | None = None,
    ) -> None:
        self.system, self.target = system, target
        self.ranges = Ranges(
            {each.name: Interval(each.low, each.high) for each in system.variables}, self._call_interval
        )
        self._keep = keep or _constant_arguments
        self._helpers: dict[tuple[str, tuple[Interval, ...]], Expr] = {}
        self._made = count(1)

    def refuse(self, construct: str, at: int = 0, remedy: str = "") -> ExportError:
        return refusal(self.system, self.target, construct, at=at, remedy=remedy)

    # --- helpers ----------------------------------------------------------------------

    def helper(self, name: str, arguments: tuple[Interval, ...]) -> tuple[Expr, Scope]:
        """A helper's unrolled expression for arguments in these intervals, and their scope."""
        helper = self.system.helper[name]
        env = Env({}, {})
        for parameter, interval in zip(helper.parameters, arguments, strict=True):
            env = env.local(parameter.name, parameter.name, interval)
        key = name, arguments
        if key not in self._helpers:
            self._helpers[key] = self.expr(helper.body, env)
        return self._helpers[key], env.scope

    def inline(self, call: Call, scope: Scope) -> Expr:
        """The helper's expression with the arguments bound."""
        helper = self.system.helper[call.helper]
        env, lets = Env({}, scope), []
        for parameter, argument in zip(helper.parameters, call.arguments, strict=True):
            env, let = self._bound(parameter.name, argument, env)
            lets += let
        return _wrap(lets, self.expr(helper.body, env))

    def _call_interval(self, call: Call, scope: Scope) -> Interval:
        intervals = tuple(self.ranges.of(each, scope) for each in call.arguments)
        return self.ranges.of(*self.helper(call.helper, intervals))

    # --- expressions ------------------------------------------------------------------

    def expr(self, expr: Expr, env: Env) -> Expr:
        """The expression, unrolled."""
        match expr:
            case Local(name):
                return env.names.get(name, expr)
            case LetIn(name, value, body):
                inner, lets = self._bound(name, self.expr(value, env), env)
                return _wrap(lets, self.expr(body, inner))
            case Call():
                call = rebuild(expr, lambda part: self.expr(part, env))
                assert isinstance(call, Call)
                return call if self._keep(call, env.scope) else self.inline(call, env.scope)
            case Reduce():
                return self._reduce(expr, env)
        return rebuild(expr, lambda part: self.expr(part, env))

    def _bound(self, name: str, value: Expr, env: Env) -> tuple[Env, list[tuple[str, Expr]]]:
        """A name for a value: for the value itself if that is short, else for a new local."""
        if self._is_short(value):
            return env.bind(name, value), []
        made = f"{name}~{next(self._made)}"
        interval = self.ranges.of(value, env.scope)
        return Env({**env.names, name: Local(made)}, {**env.scope, made: interval}), [(made, value)]

    def _is_short(self, value: Expr) -> bool:
        match value:
            case Const() | Local():
                return True
            case Read(variable, Const(index)):
                return 0 <= index < self.system.variable[variable.partition("~")[0]].cells
        return False

    def _reduce(self, expr: Reduce, env: Env) -> Expr:
        bounds = [("low", self.expr(expr.low, env)), ("high", self.expr(expr.high, env))]
        lets: list[tuple[str, Expr]] = []
        for name, value in bounds:
            env, let = self._bound(f"{expr.name}~{name}", value, env)
            lets += let
        items = list(self._items(expr, env))
        empty = FAILS if expr.empty is None else self.expr(expr.empty, env)
        return _wrap(lets, _COMBINE[expr.op](items, empty))

    def _items(self, expr: Reduce, env: Env) -> Iterator[tuple[Expr, Expr]]:
        """The condition and the value of each item that is possible."""
        low, high = env.names[f"{expr.name}~low"], env.names[f"{expr.name}~high"]
        for number, inside in self._rounds(low, high, env, expr.at):
            inner = env.bind(expr.name, Const(number))
            where = conjunction(inside, self.expr(expr.where, inner))
            if where != FALSE:
                yield where, self.expr(expr.body, inner)

    def _rounds(self, low: Expr, high: Expr, env: Env, at: int) -> Iterator[tuple[int, Expr]]:
        """The numbers that a loop may go through, each with the condition that it does."""
        (first, last), end = self.ranges.of(low, env.scope), self.ranges.of(high, env.scope)
        if end[1] - first > ROUNDS:
            raise self.refuse(f"a loop of {end[1] - first} rounds (more than {ROUNDS})", at)
        for number in range(first, end[1]):
            begun = TRUE if number >= last else binary("<=", low, Const(number))
            going = TRUE if number < end[0] else binary(">", high, Const(number))
            yield number, conjunction(begun, going)

    # --- statements -------------------------------------------------------------------

    def instance(self, action: Action, arguments: Sequence[Interval]) -> tuple[Block, Scope]:
        """An action's unrolled body for parameters in these intervals, and their scope."""
        env, lets = Env({}, {}), []
        for parameter, interval in zip(action.parameters, arguments, strict=True):
            env = env.local(parameter.name, parameter.name, interval)
            if interval[0] == interval[1]:
                lets.append(Let(parameter.name, Const(interval[0])))
        return (*lets, *self.block(action.body, env)), env.scope

    def block(self, block: Block, env: Env) -> Block:
        """The statements, unrolled: `Let`, `Write`, `If`, `Require` and `Check` remain."""
        return self._block(block, env)[0]

    def _block(self, block: Block, env: Env) -> tuple[Block, Env]:
        done: list[Stmt] = []
        for statement in block:
            more, env = self._statement(statement, env)
            done += more
        return tuple(done), env

    def _statement(self, statement: Stmt, env: Env) -> tuple[Block, Env]:
        match statement:
            case Let(name, value):
                return self._let(name, self.expr(value, env), env)
            case Write(variable, index, value, at):
                return (Write(variable, self.expr(index, env), self.expr(value, env), at),), env
            case If(condition, then, otherwise):
                return self._if(self.expr(condition, env), then, otherwise, env)
            case For():
                return self._for(statement, env)
            case Require(condition):
                terms = conjuncts(self.expr(condition, env))
                return tuple(Require(term) for term in terms), env
            case Check(condition, message, at):
                return (Check(self.expr(condition, env), message, at),), env

    def _let(self, name: str, value: Expr, env: Env) -> tuple[Block, Env]:
        return (Let(name, value),), env.local(name, name, self.ranges.of(value, env.scope))

    def _if(self, condition: Expr, then: Block, otherwise: Block, env: Env) -> tuple[Block, Env]:
        if isinstance(condition, Const):
            return self._block(then if condition.value else otherwise, env)
        first, after_first = self._block(then, env)
        second, after_second = self._block(otherwise, env)
        return (If(condition, first, second),), _join(after_first, after_second)

    def _for(self, loop: For, env: Env) -> tuple[Block, Env]:
        done: list[Stmt] = []
        bounds: list[Expr] = []
        for bound in (self.expr(loop.low, env), self.expr(loop.high, env)):
            name = f"{loop.name}~{next(self._made)}"
            lets, env = self._let(name, bound, env)
            done += lets
            bounds.append(env.names[name])
        for number, inside in self._rounds(bounds[0], bounds[1], env, 0):
            body = (Let(loop.name, Const(number)), *loop.body)
            more, env = self._if(inside, body, (), env)
            done += more
        return tuple(done), env


def _join(one: Env, other: Env) -> Env:
    """What is known after one of two branches."""
    names, scope = {**one.names, **other.names}, {**one.scope, **other.scope}
    for name in one.names.keys() & other.names.keys():
        if one.names[name] != other.names[name]:
            names[name] = Local(name)
    for name in one.scope.keys() & other.scope.keys():
        scope[name] = one.scope[name].join(other.scope[name])
    return Env(names, scope)


def _constant_arguments(call: Call, scope: Scope) -> bool:
    return all(isinstance(each, Const) for each in call.arguments)


def _wrap(lets: list[tuple[str, Expr]], body: Expr) -> Expr:
    for name, value in reversed(lets):
        body = LetIn(name, value, body)
    return body


# --- comprehensions ---------------------------------------------------------------------

_Items = list[tuple[Expr, Expr]]


def _sum(items: _Items, empty: Expr) -> Expr:
    total: Expr = FALSE
    for where, value in items:
        total = binary("+", total, choose(where, value, FALSE))
    return total


def _any(items: _Items, empty: Expr) -> Expr:
    return disjunction(*(conjunction(where, value) for where, value in items))


def _all(items: _Items, empty: Expr) -> Expr:
    return conjunction(*(disjunction(negate(where), value) for where, value in items))


def _least(items: _Items, empty: Expr) -> Expr:
    return _best(items, empty, greatest=False)


def _greatest(items: _Items, empty: Expr) -> Expr:
    return _best(items, empty, greatest=True)


def _best(items: _Items, empty: Expr, *, greatest: bool) -> Expr:
    """The first item that is as good as all others: each pair is compared, nothing nested."""
    contenders, result = list(enumerate(items)), empty
    if items and items[-1][0] == TRUE:
        result = contenders.pop()[1][1]
    for position, (where, value) in reversed(contenders):
        rivals = items[:position] + items[position + 1 :]
        wins = (
            disjunction(negate(there), binary(">=" if greatest else "<=", value, rival))
            for there, rival in rivals
        )
        result = choose(conjunction(where, *wins), value, result)
    return result


_COMBINE: dict[str, Callable[[_Items, Expr], Expr]] = {
    "sum": _sum,
    "any": _any,
    "all": _all,
    "min": _least,
    "max": _greatest,
}


def refusal(
    system: TransitionSystem, target: str, construct: str, *, at: int = 0, remedy: str = ""
) -> ExportError:
    """The error to raise where a target's language has no exact way to say something."""
    position = system.positions.get(at)
    place = Place(position.file, position.line, position.column, position.text) if position else None
    what = f"{target} cannot express {construct} of the model {system.name}"
    return ExportError("ANG040", what, remedy=remedy, place=place)
