"""One of several values: the sides of an `if`, the options of `choose`, the items of a tuple, a name's
assignments.

Which of them it is turns out during the search, so all must be encoded alike before one is taken: None is
stored as the number below the range of its option, and so is another number in another option.

    option(integer(1, 3)) or option(integer(5, 7))     ->  option(integer(1, 7)), and None is 0
    integer(0, 3) or None                              ->  option(integer(0, 3)), and None is -1
    a record or None                                   ->  whether it is there, and its fields

A name that a function assigns more than once keeps one place in the transition system, so that branches and
loops can change it; and as its numbers can be anything later, none of them proves an index to be in range.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from functools import reduce

from angarium.checker.frontend.fit import comparable, recoded
from angarium.checker.frontend.values import (
    NUMBER,
    Cell,
    Nothing,
    OptionValue,
    RecordValue,
    ScalarValue,
    TableValue,
    Value,
    load,
    lowest_value,
)
from angarium.checker.ir import types
from angarium.checker.ir.fold import FALSE, TRUE, binary, if_else
from angarium.checker.ir.syntax import Const, Expr
from angarium.checker.ir.types import Scalar
from angarium.checker.language.trees import inside


def merge(condition: Expr, then: Value, otherwise: Value) -> Value | None:
    """One of two values that fit each other, or None if they do not."""
    encoded = alike((then, otherwise))
    return None if encoded is None else pick(condition, *encoded)


def alike(values: Sequence[Value]) -> list[Value] | None:
    """The values with one encoding, or None if they do not fit each other."""
    loaded = [load(value) for value in values]
    scalars = [each for each in loaded if isinstance(each, ScalarValue)]
    nothings = [each for each in loaded if isinstance(each, Nothing)]
    if scalars and len(scalars) + len(nothings) == len(loaded):
        return _scalars_alike(loaded, scalars, bool(nothings))
    if len(nothings) == len(loaded):
        return loaded
    records = [each for each in loaded if isinstance(each, RecordValue)]
    if len(records) == len(loaded):
        return _records_alike(records)
    return _options_alike(loaded)


def _scalars_alike(
    values: Sequence[Value], scalars: Sequence[ScalarValue], optional: bool
) -> list[Value] | None:
    if not all(comparable(scalars[0], each) for each in scalars):
        return None
    type_ = _common([each.type for each in scalars], optional)
    return [encoded(value, type_) for value in values]


def _common(given: Sequence[Cell], optional: bool) -> Cell:
    """A type that all values have, None included if one of them may be None."""
    if optional or any(isinstance(each, types.Option) for each in given):
        items = [types.scalar(each.item) if isinstance(each, types.Option) else each for each in given]
        return types.Option(reduce(_around, items))  # type: ignore[arg-type]
    return given[0] if all(each == given[0] for each in given) else NUMBER


def _around(one: Scalar, other: Scalar) -> Scalar:
    """A type with the values of both."""
    for wide, narrow in ((one, other), (other, one)):
        if wide.low <= narrow.low and narrow.high <= wide.high:
            return wide
    return types.Int(min(one.low, other.low), max(one.high, other.high))


def encoded(value: Value, type_: Cell) -> ScalarValue:
    """A value that a type has, as one of that type."""
    if isinstance(value, Nothing):
        return ScalarValue(type_, Const(type_.low))
    assert isinstance(value, ScalarValue)
    if isinstance(type_, types.Option) and isinstance(value.type, types.Option):
        return recoded(value, value.type, type_)
    return ScalarValue(type_, value.expr)


def _options_alike(values: Sequence[Value]) -> list[Value] | None:
    """Records of which some may be None: what is not there has the lowest values, as where it is stored."""
    type_ = next((_record_of(each) for each in values if _record_of(each)), None)
    if type_ is None or any(_record_of(each) not in (type_, None) for each in values):
        return None
    parts = [_apart(each, type_) for each in values]
    items = _records_alike([item for _, item in parts if isinstance(item, RecordValue)])
    if items is None or len(items) < len(values):
        return None
    return [
        OptionValue(types.Option(type_), some, item) for (some, _), item in zip(parts, items, strict=True)
    ]


def _record_of(value: Value) -> types.Record | None:
    """The record that a value is, or may be."""
    type_ = value.type.item if isinstance(value, OptionValue) else getattr(value, "type", None)
    return type_ if isinstance(type_, types.Record) else None


def _apart(value: Value, type_: types.Record) -> tuple[Expr, Value]:
    """Whether a record is there, and which."""
    match value:
        case OptionValue(_, some, item):
            return some, item
        case Nothing():
            return FALSE, lowest_value(type_)
    return TRUE, value


def _records_alike(records: Sequence[RecordValue]) -> list[Value] | None:
    """Optional fields are encoded as their record declares it, so that a record can be stored as it is."""
    if any(each.type != records[0].type for each in records):
        return None
    columns, declared = [], dict(records[0].type.fields)
    for name, _ in records[0].fields:
        column = alike([as_declared(record.field(name), declared[name]) for record in records])
        if column is None:
            return None
        columns.append((name, column))
    return [
        RecordValue(record.type, tuple((name, column[row]) for name, column in columns))
        for row, record in enumerate(records)
    ]


def as_declared(value: Value, type_: types.Type) -> Value:
    """What a field is made of, as its record declares it if that is an option of one cell."""
    if isinstance(type_, types.Option) and types.is_scalar(type_):
        return encoded(value, type_)
    return value


def pick(condition: Expr, then: Value, otherwise: Value) -> Value:
    """One of two values that are encoded alike."""
    match then, otherwise:
        case ScalarValue(type_, first), ScalarValue(_, second):
            return ScalarValue(type_, if_else(condition, first, second))
        case RecordValue(record, fields), RecordValue():
            return RecordValue(
                record, tuple((name, pick(condition, v, otherwise.field(name))) for name, v in fields)
            )
        case OptionValue(option, some, item), OptionValue(_, other, another):
            return OptionValue(option, if_else(condition, some, other), pick(condition, item, another))
        case TableValue(items), TableValue(others):
            rows = zip(items, others, strict=True)
            return TableValue(tuple(pick(condition, one, another) for one, another in rows))
    return then


def picked(values: Sequence[Value], position: Expr) -> Value:
    """The one of some values, all encoded alike, that stands at a position."""
    chosen = values[-1]
    for number, value in reversed(list(enumerate(values[:-1]))):
        chosen = pick(binary("==", position, Const(number)), value, chosen)
    return chosen


def settled(value: Value) -> Value:
    """A value for a name that is assigned again: its numbers can be anything later."""
    match value:
        case ScalarValue(types.Int(), expr) | ScalarValue(types.Index(symmetric=False), expr):
            return ScalarValue(NUMBER, expr)
        case RecordValue(type_, fields):
            declared = dict(type_.fields)
            return RecordValue(
                type_, tuple((name, settled(as_declared(item, declared[name]))) for name, item in fields)
            )
    return value


def assigned_twice(body: list[ast.stmt], given: Iterable[str] = ()) -> frozenset[str]:
    """Names that a function assigns more than once, counting what it is given, or by an operator."""
    seen: set[str] = set(given)
    twice: set[str] = set()
    for node in (n for statement in body for n in inside(statement)):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                twice |= {name} & seen
                seen.add(name)
            case ast.AugAssign(target=ast.Name(id=name)):
                twice.add(name)
    return frozenset(twice)
