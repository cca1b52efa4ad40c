"""Which values fit which types, and what may be done with them.

Numbers and indices that are not interchangeable mix freely, as in Python; enumerations, bools and
interchangeable indices only fit themselves. An optional place takes a value or None. Whether a number lies
in the range of its place is not decided here but during the search, where it is the guarantee
`stays-in-range`: by the write itself, and for an option by a `Within` around the number, because the number
below its range is how None is written.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from angarium.checker.frontend.context import Scope
from angarium.checker.frontend.values import (
    NUMBER,
    Display,
    Nothing,
    OptionValue,
    Place,
    RecordValue,
    ScalarValue,
    SetValue,
    TableValue,
    Value,
    is_inside,
    load,
    lowest_value,
    present,
    within,
)
from angarium.checker.ir import types
from angarium.checker.ir.fold import TRUE, binary, if_else
from angarium.checker.ir.syntax import Const, Expr
from angarium.checker.ir.types import Type, is_scalar, scalar


def type_name(value: Value) -> str:
    """How a value's type is called in an error."""
    match value:
        case Nothing():
            return "None"
        case Display():
            return "a set" if value.kind is types.SetOf else "a list"
        case SetValue():
            return f"a set of {value.item}"
        case TableValue():
            return "a table"
        case _:
            return "a number" if value.type == NUMBER else str(value.type)


def fit(value: Value, type_: Type, scope: Scope, node: ast.AST, at: int) -> Value:
    """The value as one of the type, or an error that says why it is none."""
    if isinstance(value, Place) and value.type == types.Option(type_) and not is_scalar(value.type):
        value = present(value, type_)  # out of range if it is None
    fitted = _Fitting(node, at).fit(load(value), type_)
    if fitted is not None:
        return fitted
    if _breaks_symmetry(value, type_):
        raise told_apart(scope, node, type_)
    raise scope.error(
        "ANG106",
        node,
        f"{ast.unparse(node)} is {type_name(value)}, where {type_} is needed",
        "",
        _remedy(value, type_),
    )


def _remedy(value: Value, type_: Type) -> str:
    if isinstance(value, ScalarValue | Place) and isinstance(value.type, types.Option):
        return "only an optional part of the state itself can be used as if it were there"
    return ""


@dataclass(frozen=True, slots=True)
class _Fitting:
    """What is fitted, and where, for the error where it is out of range."""

    node: ast.AST
    at: int

    @property
    def what(self) -> str:
        """How the model writes it: hardly ever asked for, and slow to find out."""
        return ast.unparse(self.node)

    def fit(self, value: Value, type_: Type) -> Value | None:
        if is_scalar(type_):
            return self._scalar(value, scalar(type_))
        match type_, value:
            case types.Option(item), Nothing():
                return OptionValue(type_, Const(0), lowest_value(item))
            case types.Option(), OptionValue() if value.type == type_:
                return value
            case types.Option(item), _:
                inner = self.fit(value, item)
                return inner and OptionValue(type_, TRUE, inner)
            case types.Record(), RecordValue() if value.type == type_:
                return value
            case ((types.Array() | types.Seq() | types.SetOf()), Place()) if value.type == type_:
                return value
            case types.SetOf(item), SetValue() if _elements_fit(value.item, item):
                return value
            case ((types.Seq(item) | types.SetOf(item)), Display(items)) if value.kind in (type(type_), None):
                fitted = [self.fit(load(each), item) for each in items]
                return None if None in fitted else Display(tuple(f for f in fitted if f is not None))
        return None

    def _scalar(self, value: Value, type_: types.Scalar | types.Option) -> Value | None:
        if isinstance(type_, types.Option) and isinstance(value, Nothing):
            return ScalarValue(type_, Const(type_.low))
        if not isinstance(value, ScalarValue):
            return None
        given = value.type.item if isinstance(value.type, types.Option) else value.type
        wanted = scalar(type_.item) if isinstance(type_, types.Option) else type_
        assert not isinstance(wanted, types.Option)
        if not _kinds_fit(given, wanted):
            return None
        if isinstance(value.type, types.Option):
            # Where a plain value is needed, it is out of range there if it is None.
            return recoded(value, value.type, types.Option(wanted), self.what, self.at)
        return self._there(value, wanted) if isinstance(type_, types.Option) else value

    def _there(self, value: ScalarValue, item: types.Scalar) -> ScalarValue:
        """A plain value for an optional place."""
        type_ = value.type if is_inside(value, item) else item
        return ScalarValue(type_, within(value, item, self.what, self.at))


def recoded(
    value: ScalarValue, old: types.Option, new: types.Option, what: str = "", at: int = 0
) -> ScalarValue:
    """An optional value in another range, where None is another number."""
    if old.low == new.low and old.high <= new.high:
        return ScalarValue(new, value.expr)
    missing = binary("==", value.expr, Const(old.low))
    item = types.scalar(new.item)
    assert not isinstance(item, types.Option)
    there = within(ScalarValue(types.scalar(old.item), value.expr), item, what, at)
    return ScalarValue(new, if_else(missing, Const(new.low), there))


def _kinds_fit(given: Type, wanted: Type) -> bool:
    match given, wanted:
        case types.Bool(), types.Bool():
            return True
        case (types.Enumeration(), types.Enumeration()) | (types.Index(), types.Index()):
            same = given == wanted
            return same or not (
                _symmetric(given) or _symmetric(wanted) or isinstance(given, types.Enumeration)
            )
        case ((types.Int() | types.Bool() | types.Index()), types.Int()):
            return not _symmetric(given)
        case types.Int(), types.Index():
            return not _symmetric(wanted)
    return False


def _elements_fit(given: types.Element, wanted: types.Element) -> bool:
    """Whether what a computed set could hold is what another can hold."""
    if isinstance(given, types.Int) and isinstance(wanted, types.Int):
        return wanted.low <= given.low and given.high <= wanted.high
    return given == wanted


def _symmetric(type_: Type) -> bool:
    return isinstance(type_, types.Index) and type_.symmetric


def _breaks_symmetry(value: Value, type_: Type) -> bool:
    wanted = type_.item if isinstance(type_, types.Option) else type_
    given = value.type if isinstance(value, ScalarValue) else None
    numeric = (types.Int, types.Index)
    return (_symmetric(wanted) and isinstance(given, numeric)) or (
        given is not None and _symmetric(given) and isinstance(wanted, numeric)
    )


def told_apart(scope: Scope, node: ast.AST, type_: Type) -> Exception:
    """The error for code in which one interchangeable value is not like another."""
    return scope.error(
        "ANG109",
        node,
        f"{ast.unparse(node)} tells interchangeable values apart ({type_})",
        "possible with interchangeable values: ==, !=, in, indexing, loops and comprehensions over all",
        "remove symmetric=True from the index, or do not compute with its values",
    )


def number(value: Value, scope: Scope, node: ast.AST) -> Expr:
    """The integer of a value that may be computed with."""
    value = load(value)
    if isinstance(value, ScalarValue):
        if _symmetric(value.type):
            raise told_apart(scope, node, value.type)
        if isinstance(value.type, types.Int | types.Bool | types.Index):
            return value.expr
    raise scope.error(
        "ANG106",
        node,
        f"{ast.unparse(node)} is {type_name(value)}, where a number is needed",
        "",
        _remedy(value, NUMBER),
    )


def comparable(left: Value, right: Value) -> bool:
    """Whether == makes sense between two values."""
    left, right = load(left), load(right)
    if isinstance(left, Nothing) or isinstance(right, Nothing):
        other = right if isinstance(left, Nothing) else left
        return isinstance(other, Nothing | OptionValue) or isinstance(
            getattr(other, "type", None), types.Option
        )
    if isinstance(left, ScalarValue) and isinstance(right, ScalarValue):
        a = left.type.item if isinstance(left.type, types.Option) else left.type
        b = right.type.item if isinstance(right.type, types.Option) else right.type
        return _kinds_fit(a, b) or _kinds_fit(b, a)
    if isinstance(left, Display | TableValue) or isinstance(right, Display | TableValue):
        return False
    a_type = left.type.item if isinstance(left, OptionValue) else left.type
    b_type = right.type.item if isinstance(right, OptionValue) else right.type
    return a_type == b_type
