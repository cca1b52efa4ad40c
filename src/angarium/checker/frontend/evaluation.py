"""What Python evaluates is evaluated, also where its value turns out not to matter.

`x in line` evaluates x although the line may be empty, `a == b` evaluates both although None is equal to
nothing else. A transition system looks only at what it needs. So what may fail gets a name before:

    self.q[0] in self.line     ->  LetIn(side, q[0], any(at[i] == side for i < len))

What cannot fail stays where it is: nobody can tell when it was evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from angarium.checker.frontend.context import Compiler
from angarium.checker.frontend.values import (
    NUMBER,
    OptionValue,
    Place,
    RecordValue,
    ScalarValue,
    TableValue,
    Value,
    load,
    within,
)
from angarium.checker.ir.fold import binary
from angarium.checker.ir.syntax import Const, Expr, LetIn, Local, Read, Within
from angarium.checker.ir.traversal import expressions as inside
from angarium.checker.ir.traversal import reads_state
from angarium.checker.ir.types import Bool, Int, Seq, leaves

Bindings = list[tuple[str, Expr]]


def let_in(bindings: Bindings, body: Expr) -> Expr:
    """An expression behind the names that it uses."""
    for name, value in reversed(bindings):
        body = LetIn(name, value, body)
    return body


def wrapped(bindings: Bindings, value: Value) -> Value:
    """A value behind the names that it uses: all of them are evaluated with each part of it."""
    match value:
        case ScalarValue(type_, expr):
            return ScalarValue(type_, let_in(bindings, expr))
        case RecordValue(type_, fields):
            return RecordValue(type_, tuple((name, wrapped(bindings, v)) for name, v in fields))
        case OptionValue(type_, some, item):
            return OptionValue(type_, let_in(bindings, some), wrapped(bindings, item))
        case Place(type_, name, index, at):
            return Place(type_, name, let_in(bindings, index), at)
        case TableValue(items):
            return TableValue(tuple(wrapped(bindings, each) for each in items))
    return value


def strictly(expressions: Compiler, values: Sequence[Value], result: Callable[[list[Value]], Expr]) -> Expr:
    """What is computed of some values, once all of them have been evaluated."""
    bindings, named = evaluated(expressions, values)
    return let_in(bindings, result(named))


def evaluated(expressions: Compiler, values: Iterable[Value]) -> tuple[Bindings, list[Value]]:
    """Names for what may fail in some values, from left to right, and the values made of those names."""
    bindings: Bindings = []
    return bindings, [_named(expressions, value, bindings) for value in values]


def _named(expressions: Compiler, value: Value, bindings: Bindings) -> Value:
    match value:
        case Place():
            bindings += there(expressions, value)
        case ScalarValue(type_, expr) if expressions.context.may_fail(expr):
            bindings.append((expressions.scope.fresh("side"), expr))
            return ScalarValue(type_, Local(bindings[-1][0]))
        case RecordValue(type_, fields):
            named = [(name, _named(expressions, item, bindings)) for name, item in fields]
            return RecordValue(type_, tuple(named))
        case OptionValue(type_, some, item):
            present = _named(expressions, ScalarValue(Bool(), some), bindings)
            assert isinstance(present, ScalarValue)
            return OptionValue(type_, present.expr, _named(expressions, item, bindings))
    return value


def there(expressions: Compiler, place: Place) -> Bindings:
    """A look at the first cell of a place that may not be there, which then fails."""
    if isinstance(place.type, Seq) and place.type.capacity == 0:
        return _selected(expressions, place)
    for leaf in leaves(place.type):
        index = binary("*", place.index, Const(leaf.cells))
        first = Read(place.name + leaf.suffix, index, place.at)
        if leaf.cells:
            return [(expressions.scope.fresh("there"), first)] if expressions.context.may_fail(first) else []
    return []


def _selected(expressions: Compiler, place: Place) -> Bindings:
    """A look at the index of a place that has no cells: one that may be wrong is -1 where it is."""
    index = Within(place.index, 0, NUMBER.high, place.name, place.at)
    may_be_wrong = any(isinstance(each, Const) and each.value < 0 for each in inside(place.index))
    return [(expressions.scope.fresh("there"), index)] if may_be_wrong else []


def held(expressions: Compiler, place: Place) -> tuple[Bindings, Place]:
    """A place that stays the same one while its index changes: Python looks an object up once.

    It is looked at before: its index is a name then, of which is known that it is right.
    """
    if not reads_state(place.index) and not _mentions(place.index, set(expressions.scope.kept.values())):
        return [], place
    looked_at, name = there(expressions, place), expressions.scope.fresh("row")
    return [*looked_at, (name, place.index)], replace(place, index=Local(name))


def _mentions(index: Expr, names: set[str]) -> bool:
    """Whether one of some names takes part in an index, or a field of the record that it stands for."""
    mentioned = (each.name for each in inside(index) if isinstance(each, Local))
    return any(name.partition(".")[0] in names for name in mentioned)


def field_if_there(expressions: Compiler, option: OptionValue, name: str, what: str, at: int) -> Value:
    """A field of a record that may be None, which then fails."""
    assert isinstance(option.item, RecordValue)
    certain = within(ScalarValue(Bool(), option.some), Int(1, 1), what, at)
    there = [(expressions.scope.fresh("there"), certain)]
    return wrapped(there, field_of(expressions, option.item, name))


def field_of(expressions: Compiler, record: RecordValue, name: str) -> Value:
    """A field of a record that was just made: the other fields are evaluated too."""
    others = [load(item) for field, item in record.fields if field != name]
    return wrapped(evaluated(expressions, others)[0], record.field(name))
