"""Loops over interchangeable values: what they do must not depend on the order of the values.

Renaming the values changes the order in which a loop runs over them. So symmetry is sound only if rounds can
be swapped, and that is certain if they do not meet: of every variable that the loop changes, each round
touches only cells that have its own value at one and the same index position.

    for c in C: self.m[c][x] = self.m[c][y]     # rounds have rows of their own
    for c in C: self.m[c][x] = self.m[y][c]     # the round of x reads what that of y may have written

Which *cells* an index selects is seen without running: cells lie row by row, so an index is the sum of what
stands at each position, times a stride. From that sum one can read back at which positions a certain name
stands; two parts of a model that have different values at one position never touch the same cell.

A round that gives up the step (`require`) and another that fails it do not commute either: what happens
first decides whether the failure counts.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from math import prod

from angarium.checker.frontend.context import Context, Scope
from angarium.checker.ir import types
from angarium.checker.ir.syntax import (
    Binary,
    Call,
    Check,
    Const,
    Expr,
    IfElse,
    Let,
    LetIn,
    Local,
    Not,
    Read,
    Require,
    Stmt,
    Write,
)
from angarium.checker.ir.traversal import expressions, statements, writes
from angarium.checker.ir.types import leaves


def names_of(name: str, inside: Iterable[Stmt]) -> frozenset[str]:
    """A name, and names that are bound to nothing else: arguments of functions to which it was given."""
    bound: dict[str, list[Expr]] = {}
    for each in inside:
        if isinstance(each, Let):
            bound.setdefault(each.name, []).append(each.value)
    own = {name}
    for alias, values in bound.items():  # in the order of the text: an alias stands behind its origin
        if len(values) == 1 and isinstance(values[0], Local) and values[0].name in own:
            own.add(alias)
    return frozenset(own)


def fits(context: Context, variable: str, value: int) -> bool:
    """Whether a variable of the declared state can hold a number."""
    leaf = _leaf(context, variable)
    return leaf is not None and leaf.type.low <= value <= leaf.type.high


def _leaf(context: Context, variable: str) -> types.Leaf | None:
    """What a variable is in the declared state; None for what processes keep."""
    name = variable.partition(".")[0]
    shape = context.model.state.get(name)
    found = leaves(shape.type) if shape is not None else ()
    return next((leaf for leaf in found if name + leaf.suffix == variable), None)


def strides_of(context: Context, variable: str, type_: types.Scalar) -> dict[int, int]:
    """For each index position of this type, how far apart neighbours are; none for what processes keep."""
    leaf = _leaf(context, variable)
    if leaf is None:
        return {}
    strides = {at: prod(leaf.dims[at + 1 :]) for at in range(len(leaf.dims))}
    return {at: stride for at, stride in strides.items() if leaf.keys[at] == type_}


def selected(
    index: Expr, own: frozenset[str], strides: dict[int, int], *, is_plain: bool = False
) -> set[int]:
    """The positions of an index at which one of these names itself stands.

    How often the name counts in the sum is a sum of strides; and as every position of its type has at least
    two values, only one set of positions has that sum. Where something can be computed with the name
    (`i + 1`), the index is one that may be wrong, so that `is_plain` asks for one that cannot.
    """
    if is_plain and any(isinstance(each, IfElse) for each in expressions(index)):
        return set()
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
    if _gives_up_or_fails(context, inside):
        raise _depends(
            scope, node, type_, "a round that gives up the step and one that fails it do not commute",
            "put require(all(... for ... in ...)) before the loop",
        )  # fmt: skip
    own = names_of(name, inside)
    carries = any(isinstance(each, Let) and each.name in outer for each in inside)
    if carries or any(_rounds_meet(context, each, type_, own, inside) for each in writes(tuple(body))):
        raise _depends(
            scope, node, type_, "possible in such a loop: changes of parts of the state that the loop's "
            "variable selects, always at the same index position",
            "write a comprehension, or remove symmetric=True from the index",
        )  # fmt: skip


def check_elements(scope: Scope, node: ast.For, item: types.Type) -> None:
    """A loop over a set of records runs in the order of what they hold: nothing there may be renamed."""
    for leaf in leaves(item) if isinstance(item, types.Record) else ():
        type_ = leaf.type.item if isinstance(leaf.type, types.Option) else leaf.type
        if isinstance(type_, types.Index) and type_.symmetric and type_.size > 1:
            raise _depends(
                scope, node, type_, "possible with such a set: comprehensions, choose(...), x in ...",
                "write a comprehension, or remove symmetric=True from the index",
            )  # fmt: skip


def _depends(scope: Scope, node: ast.For, type_: types.Index, possible: str, remedy: str) -> Exception:
    what = f"this loop over {type_} may depend on the order of interchangeable values"
    return scope.error("ANG109", node, what, possible, remedy)


def _gives_up_or_fails(context: Context, inside: list[Stmt]) -> bool:
    if not any(isinstance(each, Require) for each in inside):
        return False
    return any(_may_fail(context, each) for each in inside)


def _may_fail(context: Context, statement: Stmt) -> bool:
    """Whether a statement might fail the step; only what is plainly fine is taken to be."""
    if isinstance(statement, Check):
        return True
    if isinstance(statement, Write):
        inside = isinstance(statement.value, Const) and fits(
            context, statement.variable, statement.value.value
        )
        if not inside or not _is_safe(statement.index):
            return True
    return not all(map(_is_fine, expressions(statement)))


def _is_fine(expr: Expr) -> bool:
    """Whether an expression, of whose parts the same is known, has a value in every state."""
    match expr:
        case Read(_, index):
            return _is_safe(index)
        case Binary(op):
            return op not in ("//", "%")
        case Const() | Local() | Not() | IfElse() | LetIn():
            return True
    return False


def _is_safe(index: Expr) -> bool:
    """Whether an index cannot be the one that stands for a wrong one."""
    parts = list(expressions(index))
    return not any(isinstance(each, IfElse) for each in parts) and Const(-1) not in parts


def _rounds_meet(
    context: Context, variable: str, type_: types.Index, own: frozenset[str], inside: list[Stmt]
) -> bool:
    """Whether two rounds may touch one cell of a variable that the loop changes."""
    strides = strides_of(context, variable, type_)
    shared = set(strides)
    for statement in inside:
        if isinstance(statement, Write) and statement.variable == variable:
            shared &= selected(statement.index, own, strides)
        for each in expressions(statement):
            if isinstance(each, Read) and each.variable == variable:
                shared &= selected(each.index, own, strides)
            if isinstance(each, Call) and variable in context.reads_of_helper(each.helper):
                return True
    return not shared
