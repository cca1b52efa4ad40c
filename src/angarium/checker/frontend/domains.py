"""What can be looped over, quantified over or chosen from: a bounded run of integers, each with a meaning.

for q in Queue                   every value of an index, an enumeration or bool
for i in range(n)                numbers
for item in self.waiting[q]      the items of a sequence, in order
for a in self.members            the elements of a set
for x in (a, b, c)               these values
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from angarium.checker.frontend.alternatives import alike, pick
from angarium.checker.frontend.context import Compiler
from angarium.checker.frontend.evaluation import Bindings, evaluated, held, there
from angarium.checker.frontend.fit import number
from angarium.checker.frontend.fold import FALSE, TRUE, binary
from angarium.checker.frontend.values import (
    NUMBER,
    Place,
    ScalarValue,
    Value,
    bind,
    load,
    lowest_value,
    read,
)
from angarium.checker.ir import types
from angarium.checker.ir.syntax import Const, Expr
from angarium.checker.ir.types import size


@dataclass(frozen=True, slots=True)
class Domain:
    """The integers low .. high - 1; which of them count, and what each stands for."""

    low: Expr
    high: Expr
    type: types.Scalar
    """Of the integer itself, for labels."""
    counts: Callable[[Expr], Expr]
    value: Callable[[Expr], Value]
    before: Bindings = field(default_factory=list)
    """What is evaluated before the first of them."""
    place: Place | None = None
    """The sequence or set, if it is one."""


def _always(_: Expr) -> Expr:
    return TRUE


def domain(expressions: Compiler, node: ast.expr, *, lasting: bool = False) -> Domain:
    """The domain that an expression after `in` stands for; lasting if the state may change meanwhile."""
    match node:
        case ast.Name(id=name) if name not in expressions.scope.names:
            type_ = expressions.context.model.named_type(name, node, expressions.scope.module)
            if isinstance(type_, types.Index | types.Enumeration | types.Bool):
                return of_type(type_)
        case ast.Call(func=ast.Name(id="range"), args=args) if 1 <= len(args) <= 2:
            return _range(expressions, args)
        case ast.Tuple(elts=[_, *_] as items) | ast.List(elts=[_, *_] as items):
            return of_values(expressions, items, lasting=lasting)
    value = expressions.try_value(node)
    if isinstance(value, Place) and isinstance(value.type, types.Seq | types.SetOf):
        before, place = held(expressions, value) if lasting else ([], value)
        if isinstance(value.type, types.Seq) and value.type.capacity == 0:
            before = there(expressions, value)  # no round looks at it
        return replace(_of_place(place), before=before, place=place)
    raise expressions.scope.error(
        "ANG104",
        node,
        f"{ast.unparse(node)} cannot be looped over",
        "possible: an Index, an Enum, range(...), a sequence, a set, or values in parentheses",
    )


def of_type(type_: types.Scalar) -> Domain:
    """Every value of a scalar type."""
    return Domain(
        Const(type_.low),
        Const(type_.high + 1),
        type_,
        _always,
        lambda i: ScalarValue(type_, i),
    )


def _range(expressions: Compiler, args: list[ast.expr]) -> Domain:
    bounds = [number(expressions.value(arg), expressions.scope, arg) for arg in args]
    low, high = bounds if len(bounds) == 2 else (Const(0), bounds[0])
    type_ = NUMBER
    if isinstance(low, Const) and isinstance(high, Const):
        type_ = types.Int(low.value, max(high.value - 1, low.value))
    return Domain(low, high, type_, _always, lambda i: ScalarValue(type_, i))


def of_values(expressions: Compiler, items: list[ast.expr], *, lasting: bool = False) -> Domain:
    """These values, one after the other."""
    given = [load(expressions.value(item)) for item in items]
    before, values = _bound(expressions, given) if lasting else evaluated(expressions, given)
    encoded = alike(values)
    if encoded is None:
        unlike = (item for item, v in zip(items, values, strict=True) if alike((values[0], v)) is None)
        wrong = next(unlike, items[-1])
        what = f"{ast.unparse(wrong)} does not fit the first of the values"
        raise expressions.scope.error("ANG106", wrong, what)
    return Domain(
        Const(0),
        Const(len(encoded)),
        types.Int(0, len(encoded) - 1),
        _always,
        lambda i: _pick(encoded, i),
        before,
    )


def _bound(expressions: Compiler, given: list[Value]) -> tuple[Bindings, list[Value]]:
    """Names for all of the values."""
    bound = [bind(value, expressions.scope.fresh("item")) for value in given]
    return [pair for pairs, _ in bound for pair in pairs], [value for _, value in bound]


def _pick(values: list[Value], position: Expr) -> Value:
    chosen = values[-1]
    for number_, value in reversed(list(enumerate(values[:-1]))):
        chosen = pick(binary("==", position, Const(number_)), value, chosen)
    return chosen


def _of_place(place: Place) -> Domain:
    if isinstance(place.type, types.Seq) and place.type.capacity == 0:
        never = lowest_value(place.type.item)
        return Domain(Const(0), Const(0), types.Int(0, 0), lambda _: FALSE, lambda _: never)
    if isinstance(place.type, types.Seq):
        capacity, length = place.type.capacity, read(place.length).expr
        return Domain(
            Const(0),
            Const(capacity),
            types.Int(0, capacity - 1),
            lambda i: binary("<", i, length),
            lambda i: load(place.element(i)),
        )
    assert isinstance(place.type, types.SetOf)
    item = place.type.item
    return Domain(
        Const(item.low),
        Const(item.low + size(item)),
        item,
        lambda i: read(place.member(i)).expr,
        lambda i: ScalarValue(item, i),
    )
