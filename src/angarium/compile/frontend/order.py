"""Loops over interchangeable values: what they do must not depend on the order of the values.

Renaming the values changes the order in which a loop runs over them. So symmetry is sound only if rounds can
be swapped, and that is certain if they do not meet: of every variable that the loop changes, each round
touches only cells that have its own value at one and the same index position.

    for c in C: self.m[c][x] = self.m[c][y]     # rounds have rows of their own
    for c in C: self.m[c][x] = self.m[y][c]     # the round of x reads what that of y may have written

A round that gives up the step (`require`) and another that fails it do not commute either: what happens first
decides whether the failure counts.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from math import prod

from angarium.compile.frontend.context import Context, Scope
from angarium.compile.frontend.scan import expressions, statements, writes
from angarium.model import types
from angarium.model.transition import (
    Binary,
    Call,
    Check,
    Const,
    Expr,
    IfElse,
    Let,
    Local,
    Read,
    Require,
    Stmt,
    Write,
)
from angarium.model.types import leaves


def check_order(
    context: Context,
    scope: Scope,
    node: ast.For,
    type_: types.Scalar,
    name: str,
    body: list[Stmt],
    outer: frozenset[str],
) -> None:
    """A loop over interchangeable values must not depend on their order."""
    if not isinstance(type_, types.Index) or not type_.symmetric or type_.size < 2:
        return
    inside = list(statements(tuple(body)))
    if _gives_up_or_fails(inside):
        raise _depends(
            scope, node, type_, "a round that gives up the step and one that fails it do not commute",
            "put require(all(... for ... in ...)) before the loop",
        )  # fmt: skip
    own = _names_of(name, inside)
    carries = any(isinstance(each, Let) and each.name in outer for each in inside)
    if carries or any(_rounds_meet(context, each, type_, own, inside) for each in writes(tuple(body))):
        raise _depends(
            scope, node, type_, "possible in such a loop: changes of parts of the state that the loop's "
            "variable selects, always at the same index position",
            "write a comprehension, or remove symmetric=True from the index",
        )  # fmt: skip


def _depends(scope: Scope, node: ast.For, type_: types.Index, possible: str, remedy: str) -> Exception:
    what = f"this loop over {type_} may depend on the order of interchangeable values"
    return scope.error("ANG109", node, what, possible, remedy)


def _gives_up_or_fails(inside: list[Stmt]) -> bool:
    return any(isinstance(each, Require) for each in inside) and any(map(_may_fail, inside))


def _may_fail(statement: Stmt) -> bool:
    """Whether a statement might fail the step, as far as one can see easily."""
    if isinstance(statement, Check) or (
        isinstance(statement, Write) and not isinstance(statement.value, Const)
    ):
        return True
    for each in expressions(statement):
        match each:
            case Read(_, index) if any(isinstance(part, IfElse) for part in expressions(index)):
                return True
            case Binary("//" | "%") | Call():
                return True
    return False


def _names_of(name: str, inside: list[Stmt]) -> frozenset[str]:
    """The loop's variable, and names that are bound to nothing else: arguments of functions called in it."""
    bound: dict[str, list[Expr]] = {}
    for each in inside:
        if isinstance(each, Let):
            bound.setdefault(each.name, []).append(each.value)
    own = {name}
    for alias, values in bound.items():  # in the order of the text: an alias stands behind its origin
        if len(values) == 1 and isinstance(values[0], Local) and values[0].name in own:
            own.add(alias)
    return frozenset(own)


def _rounds_meet(
    context: Context, variable: str, type_: types.Index, own: frozenset[str], inside: list[Stmt]
) -> bool:
    """Whether two rounds may touch one cell of a variable that the loop changes."""
    strides = _strides(context, variable, type_)
    shared = set(strides)
    for statement in inside:
        if isinstance(statement, Write) and statement.variable == variable:
            shared &= _selected(statement.index, own, strides)
        for each in expressions(statement):
            if isinstance(each, Read) and each.variable == variable:
                shared &= _selected(each.index, own, strides)
            if isinstance(each, Call) and variable in context.reads_of_helper(each.helper):
                return True
    return not shared


def _strides(context: Context, variable: str, type_: types.Index) -> dict[int, int]:
    """For each index position of this type, how far apart its neighbours are: cells lie row by row.

    What processes keep has no such position that a loop could run over: each has its own cells only.
    """
    name = variable.partition(".")[0]
    shape = context.model.state.get(name)
    for leaf in leaves(shape.type) if shape is not None else ():
        if name + leaf.suffix == variable:
            strides = {at: prod(leaf.dims[at + 1 :]) for at in range(len(leaf.dims))}
            return {at: stride for at, stride in strides.items() if leaf.keys[at] == type_}
    return {}


def _selected(index: Expr, own: frozenset[str], strides: dict[int, int]) -> set[int]:
    """The positions of an index at which the loop's variable itself stands.

    An index is the sum of what stands at each position, times its stride. Nothing can be computed with
    interchangeable values, so how often the variable counts in the sum is a sum of strides; and as every
    position of this type has at least two values, only one set of positions has that sum.
    """
    times = sum(count for part, count in _terms(index) if isinstance(part, Local) and part.name in own)
    found: set[int] = set()
    for position, stride in sorted(strides.items(), key=lambda each: -each[1]):
        if stride and times >= stride:
            times -= stride
            found.add(position)
    return found if times == 0 else set()


def _terms(expr: Expr, times: int = 1) -> Iterator[tuple[Expr, int]]:
    """An expression as a sum; an index that may be wrong is taken as right, as the other fails."""
    match expr:
        case Binary("+", left, right):
            yield from _terms(left, times)
            yield from _terms(right, times)
        case Binary("-", left, right):
            yield from _terms(left, times)
            yield from _terms(right, -times)
        case Binary("*", left, Const(value)):
            yield from _terms(left, times * value)
        case IfElse(_, whole, Const(-1)):
            yield from _terms(whole, times)
        case _:
            yield expr, times
