"""What an expression of a model means while it is being compiled.

A *place* is somewhere in the state, of any type; a scalar value is one integer expression; records and
compound options are trees of those. Compound values never exist at run time: they are taken apart here
into one integer per leaf.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from angarium.checker.ir import types
from angarium.checker.ir.fold import TRUE, between, binary, conjunction, if_else, negation
from angarium.checker.ir.syntax import (
    Check,
    Const,
    Expr,
    For,
    If,
    Local,
    Read,
    Reduce,
    Require,
    Stmt,
    Within,
    Write,
)
from angarium.checker.ir.traversal import may_fail
from angarium.checker.ir.types import Type, element_cells, is_scalar, leaves, scalar, size, universe

NUMBER = types.Int(-(1 << 62), 1 << 62)
"""The type of a number whose range nobody declared, such as a sum."""

CELL = ".cell"
"""The variable of loops over cells: no name of a model can be that."""
Cell = types.Bool | types.Int | types.Enumeration | types.Index | types.Option


@dataclass(frozen=True, slots=True)
class ScalarValue:
    """One integer."""

    type: Cell
    expr: Expr


@dataclass(frozen=True, slots=True)
class Place:
    """A location in the state: the variables whose names begin with `name`, at a row-by-row index."""

    type: Type
    name: str
    index: Expr
    at: int = 0

    def field(self, name: str, type_: Type) -> Place:
        return Place(type_, f"{self.name}.{name}", self.index, self.at)

    def item(self, type_: Type, count: int, offset: Expr, suffix: str = "") -> Place:
        index = binary("+", binary("*", self.index, Const(count)), offset)
        return Place(type_, self.name + suffix, index, self.at)

    @property
    def length(self) -> Place:
        """Of a sequence."""
        assert isinstance(self.type, types.Seq)
        return self.field("len", types.Int(0, self.type.capacity))

    def element(self, position: Expr) -> Place:
        """Of a sequence."""
        assert isinstance(self.type, types.Seq)
        return self.item(self.type.item, self.type.capacity, position, ".at")

    def member(self, value: Value) -> Place:
        """Of a set: the cell that says whether a value is in, which must be one that could be."""
        assert isinstance(self.type, types.SetOf)
        return self.possible(row(element_cells(self.type.item), leaf_expressions(value)))

    def possible(self, number: Expr) -> Place:
        """Of a set: the cell of one of all the elements that could be in it."""
        assert isinstance(self.type, types.SetOf)
        return self.item(types.Bool(), universe(self.type.item), number, ".has")


@dataclass(frozen=True, slots=True)
class RecordValue:
    """A record taken apart."""

    type: types.Record
    fields: tuple[tuple[str, Value], ...]

    def field(self, name: str) -> Value:
        return dict(self.fields)[name]


@dataclass(frozen=True, slots=True)
class OptionValue:
    """An optional compound taken apart: whether it is there, and what it is."""

    type: types.Option
    some: Expr
    item: Value


@dataclass(frozen=True, slots=True)
class Nothing:
    """None."""


@dataclass(frozen=True, slots=True)
class Display:
    """`[a, b]`, `{a, b}`, `[]` or `set()`, to be stored in a sequence or a set."""

    items: tuple[Value, ...]
    kind: type[types.Seq | types.SetOf] | None = None
    """Which of both it is, if it is written in the model."""


@dataclass(frozen=True, slots=True)
class SetValue:
    """A set that is computed: what decides whether one of all possible elements is in it."""

    item: types.Element
    has: Callable[[Value], Expr]
    before: tuple[tuple[str, Expr], ...] = ()
    """What is evaluated before anything is asked."""
    is_chosen: bool = False
    """Whether it depends on a choice of the step alone, so that it stays what it is."""

    @property
    def type(self) -> types.SetOf:
        return types.SetOf(self.item)


@dataclass(frozen=True, slots=True)
class TableValue:
    """A constant of the file that is a row of values, or of rows: `COST = (3, 1, 2)`."""

    items: tuple[Value, ...]


Value = ScalarValue | Place | RecordValue | OptionValue | Nothing | Display | SetValue | TableValue


def is_inside(value: ScalarValue, type_: types.Scalar) -> bool:
    """Whether a value is known to be in the range of another type than its own; None is in none."""
    if isinstance(value.expr, Const) and not isinstance(value.type, types.Option):
        return type_.low <= value.expr.value <= type_.high
    return type_.low <= value.type.low and value.type.high <= type_.high


def within(value: ScalarValue, type_: types.Scalar, what: str, at: int) -> Expr:
    """The integer of a value that must be one of a type; what it is, for the error where it is not."""
    if is_inside(value, type_):
        return value.expr
    return Within(value.expr, type_.low, type_.high, what, at)


def read(place: Place) -> ScalarValue:
    """The cell at a scalar place."""
    return ScalarValue(scalar(place.type), Read(place.name, place.index, place.at))


def load(value: Value) -> Value:
    """A place's value, taken apart as far as it can be; sequences, sets and arrays stay places."""
    if not isinstance(value, Place):
        return value
    if is_scalar(value.type):
        return read(value)
    match value.type:
        case types.Record(_, fields):
            return RecordValue(
                value.type, tuple((name, load(value.field(name, type_))) for name, type_ in fields)
            )
        case types.Option(item):
            some = read(value.field("some", types.Bool())).expr
            return OptionValue(value.type, some, load(value.field("item", item)))
    return value


def present(place: Place, item: types.Type) -> Place:
    """The item of an optional place; if it is None, its index is -1, which is outside any variable."""
    some = read(place.field("some", types.Bool())).expr
    return Place(item, f"{place.name}.item", if_else(some, place.index, Const(-1)), place.at)


def lowest_value(type_: Type) -> Value:
    """What an absent value of the type is stored as."""
    if is_scalar(type_):
        return ScalarValue(scalar(type_), Const(scalar(type_).low))
    match type_:
        case types.Record(_, fields):
            return RecordValue(type_, tuple((name, lowest_value(t)) for name, t in fields))
        case types.Option(item):
            return OptionValue(type_, Const(0), lowest_value(item))
    return Display(())


def store(place: Place, value: Value, at: int) -> list[Stmt]:
    """Statements that put a value, already fitted to the place's type, into a place."""
    value = load(value)
    match value:
        case ScalarValue(_, expr):
            return [Write(place.name, place.index, expr, at)]
        case RecordValue(type_, fields):
            typed = dict(type_.fields)
            return [s for n, v in fields for s in store(place.field(n, typed[n]), v, at)]
        case OptionValue(type_, some, item):
            flag = Write(place.field("some", types.Bool()).name, place.index, some, at)
            return [flag, *store(place.field("item", type_.item), item, at)]
        case Display(items):
            return _store_display(place, items, at)
        case Place():
            return _copy(place, value, at)
    raise AssertionError(value)


def _store_display(place: Place, items: tuple[Value, ...], at: int) -> list[Stmt]:
    statements = clear(place, at)
    if isinstance(place.type, types.Seq):
        for position, item in enumerate(items):
            statements += store(place.element(Const(position)), item, at)
        return [*statements, *_write(place.length, Const(len(items)), at)]
    assert isinstance(place.type, types.SetOf)
    for item in items:
        statements += _write(place.member(element(item, place.type.item, "an element", at)), TRUE, at)
    return statements


def may_be_in(value: Value, item: types.Element) -> Expr:
    """Whether a value is one that a set could have; what a record is made of always is."""
    if not isinstance(value, ScalarValue) or isinstance(item, types.Record) or is_inside(value, item):
        return TRUE
    return between(value.expr, item)


def element(value: Value, item: types.Element, what: str, at: int) -> Value:
    """A value that must be one that a set could have; what a record is made of always is."""
    if not isinstance(value, ScalarValue) or isinstance(item, types.Record):
        return value
    return ScalarValue(value.type, within(value, item, what, at))


def _write(place: Place, value: Expr, at: int) -> list[Stmt]:
    return [Write(place.name, place.index, value, at)]


def clear(place: Place, at: int) -> list[Stmt]:
    """Set every cell of a place to its lowest value."""
    statements: list[Stmt] = []
    for leaf in leaves(place.type):
        statements += _each_cell(place, leaf, Const(leaf.type.low), at)
    return statements


def _copy(target: Place, source: Place, at: int) -> list[Stmt]:
    statements: list[Stmt] = []
    for leaf in leaves(target.type):
        value = Read(source.name + leaf.suffix, _cell(source, leaf), at)
        statements += _each_cell(target, leaf, value, at)
    return statements


def _cell(place: Place, leaf: types.Leaf) -> Expr:
    return binary("+", binary("*", place.index, Const(leaf.cells)), Local(CELL))


def _each_cell(place: Place, leaf: types.Leaf, value: Expr, at: int) -> list[Stmt]:
    if leaf.cells == 0:
        return []
    if leaf.cells == 1 and isinstance(value, Const):
        return [Write(place.name + leaf.suffix, place.index, value, at)]
    body = Write(place.name + leaf.suffix, _cell(place, leaf), value, at)
    return [For(CELL, Const(0), Const(leaf.cells), (body,))]


def equal(left: Value, right: Value) -> Expr:
    """Whether two values of fitting types are equal."""
    left, right = load(left), load(right)
    match left, right:
        case (Nothing(), Nothing()):
            return TRUE
        case (Nothing(), _):
            return is_none(right)
        case (_, Nothing()):
            return is_none(left)
        case (ScalarValue(), ScalarValue()):
            return _equal_scalars(left, right)
        case (RecordValue(), RecordValue()):
            return conjunction(equal(value, right.field(name)) for name, value in left.fields)
        case (OptionValue(), OptionValue()):
            absent = binary("and", negation(left.some), negation(right.some))
            both = conjunction((left.some, right.some, equal(left.item, right.item)))
            return binary("or", absent, both)
        case (OptionValue(), _):
            return binary("and", left.some, equal(left.item, right))
        case (_, OptionValue()):
            return binary("and", right.some, equal(left, right.item))
        case (Place(), Place()):
            return _equal_places(left, right)
    raise AssertionError((left, right))


def _equal_scalars(left: ScalarValue, right: ScalarValue) -> Expr:
    same = binary("==", left.expr, right.expr)
    if isinstance(left.type, types.Option) and isinstance(right.type, types.Option):
        if left.type.low == right.type.low:
            return same
        neither = binary("and", negation(is_none(left)), negation(is_none(right)))
        both = binary("and", is_none(left), is_none(right))
        return binary("or", both, binary("and", neither, same))
    for option, other in ((left, right), (right, left)):
        # None is stored as lowest - 1, which a plain number could happen to be.
        plain = not isinstance(other.type, types.Option) and other.type.low <= option.type.low
        if isinstance(option.type, types.Option) and plain:
            return binary("and", negation(is_none(option)), same)
    return same


def _equal_places(left: Place, right: Place) -> Expr:
    parts = []
    for leaf in leaves(left.type):
        cells = (
            Read(left.name + leaf.suffix, _cell(left, leaf)),
            Read(right.name + leaf.suffix, _cell(right, leaf)),
        )
        same = binary("==", *cells)
        parts.append(Reduce("all", CELL, Const(0), Const(leaf.cells), TRUE, same))
    return conjunction(parts)


def is_none(value: Value) -> Expr:
    """Whether an optional value is None."""
    value = load(value)
    match value:
        case Nothing():
            return TRUE
        case ScalarValue(types.Option() as type_, expr):
            return binary("==", expr, Const(type_.low))
        case OptionValue(_, some, _):
            return negation(some)
    return Const(0)


def leaf_expressions(value: Value) -> tuple[Expr, ...]:
    """The integers of a value, in the order of its type's leaves."""
    value = load(value)
    match value:
        case ScalarValue(_, expr):
            return (expr,)
        case RecordValue(_, fields):
            return tuple(e for _, item in fields for e in leaf_expressions(item))
        case OptionValue(_, some, item):
            return (some, *leaf_expressions(item))
    raise AssertionError(value)


def bind(value: Value, name: str) -> tuple[list[tuple[str, Expr]], Value]:
    """Names for the integers of a value, and the value made of those names."""
    value = load(value)
    match value:
        case ScalarValue(type_, expr):
            return [(name, expr)], ScalarValue(type_, Local(name))
        case RecordValue(record, fields):
            bound = [(field, bind(item, f"{name}.{field}")) for field, item in fields]
            pairs = [pair for _, (some_pairs, _) in bound for pair in some_pairs]
            return pairs, RecordValue(record, tuple((field, item) for field, (_, item) in bound))
        case OptionValue(option, some, item):
            pairs, inner = bind(item, f"{name}.item")
            return [(f"{name}.some", some), *pairs], OptionValue(option, Local(f"{name}.some"), inner)
    return [], value


def numbered_element(item: Type, number: Expr) -> Value:
    """The element with a number among all that a set could have."""
    parts: list[Expr] = []
    stride = universe(item)
    for cell in element_cells(item):
        stride //= size(cell)
        position = binary("//", number, Const(stride))
        if parts:  # the first counts to the end of the numbers
            position = binary("%", position, Const(size(cell)))
        parts.append(binary("+", position, Const(cell.low)))
    return made_of(item, iter(parts))


def made_of(type_: Type, parts: Iterator[Expr]) -> Value:
    """A plain value of the integers of its leaves: what `leaf_expressions` takes apart."""
    if isinstance(type_, types.Record):
        fields = ((name, made_of(item, parts)) for name, item in type_.fields)
        return RecordValue(type_, tuple(fields))
    return ScalarValue(scalar(type_), next(parts))


def row(keys: Sequence[Cell], values: Sequence[Expr]) -> Expr:
    """The row-by-row index of some values of index types."""
    index: Expr = Const(0)
    for key, value in zip(keys, values, strict=True):
        offset = binary("-", value, Const(key.low))
        index = binary("+", binary("*", index, Const(size(key))), offset)
    return index


def in_range(value: Value, type_: Type, at: int) -> list[Stmt]:
    """Checks that the integers of a value are in the range of a type."""
    checks: list[Stmt] = []
    for expr, leaf in zip(leaf_expressions(value), leaves(type_), strict=True):
        low, high = leaf.type.low, leaf.type.high
        inside = conjunction((binary(">=", expr, Const(low)), binary("<=", expr, Const(high))))
        if inside != TRUE:
            checks.append(Check(inside, f"a value is outside {leaf.type} ({low} .. {high})", at))
    return checks


def spend(budget: Place, at: int = 0) -> list[Stmt]:
    """Take one from a fault budget; the step is possible only if something is left."""
    left = read(budget).expr
    spent = Write(budget.name, budget.index, binary("-", left, Const(1)), at)
    return [Require(binary(">", left, Const(0))), spent]


def choose_between(condition: Expr, then: list[Stmt], otherwise: list[Stmt]) -> list[Stmt]:
    """An `If`, decided now if that is possible; its condition is evaluated also if nothing follows."""
    if isinstance(condition, Const):
        return then if condition.value else otherwise
    needed = then or otherwise or may_fail(condition, lambda _: True)
    return [If(condition, tuple(then), tuple(otherwise))] if needed else []
