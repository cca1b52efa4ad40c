"""The types of a model's state, and how each becomes cells of bounded integers.

Every engine and exporter works on *variables*: flat arrays of integers that share one range. A type is
flattened into one variable per scalar leaf, with the sizes of the arrays around the leaf multiplied
(an array of records becomes one variable per field). The encoding:

    bool                0 or 1
    integer(l, h)       l .. h
    enumeration, index  position, from 0
    optional scalar     the scalar, or its lowest value minus one for None
    optional compound   `.some` (0 or 1) and the leaves of the item, at their lowest values for None
    record              the leaves of its fields
    array               the leaves of its item, once per index value
    sequence            `.len`, and the leaves of its item, once per position; unused positions are lowest
    set                 `.has`, 0 or 1, once per possible element: in a set of records, an array with one
                        dimension for each scalar leaf of the record

So every value has exactly one encoding, and equal states are equal cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod


@dataclass(frozen=True, slots=True)
class Bool:
    """True or False."""

    low: int = 0
    high: int = 1

    def __str__(self) -> str:
        return "bool"


@dataclass(frozen=True, slots=True)
class Int:
    """An integer from low to high, both included."""

    low: int
    high: int

    def __str__(self) -> str:
        return f"integer({self.low}, {self.high})"


@dataclass(frozen=True, slots=True)
class Enumeration:
    """One of a few named values."""

    name: str
    members: tuple[str, ...]
    low: int = 0

    @property
    def high(self) -> int:
        return len(self.members) - 1

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Index:
    """One of `size` things of a kind, such as queues; symmetric if they are interchangeable."""

    name: str
    size: int
    symmetric: bool = False
    low: int = 0
    label: str = field(default="", compare=False, repr=False)
    """What its values are called in stories, before their number; no part of what a system means."""

    @property
    def high(self) -> int:
        return self.size - 1

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Option:
    """A value or None."""

    item: Type

    @property
    def low(self) -> int:
        return scalar(self.item).low - 1

    @property
    def high(self) -> int:
        return scalar(self.item).high

    def __str__(self) -> str:
        return f"option({self.item})"


@dataclass(frozen=True, slots=True)
class Record:
    """Named fields."""

    name: str
    fields: tuple[tuple[str, Type], ...]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Array:
    """One item for each value of the index."""

    index: Index | Enumeration | Bool | Int
    item: Type

    def __str__(self) -> str:
        return f"array({self.index}, {self.item})"


@dataclass(frozen=True, slots=True)
class Seq:
    """Up to `capacity` items in order."""

    item: Type
    capacity: int

    def __str__(self) -> str:
        return f"seq({self.item}, {self.capacity})"


Implied = tuple[tuple[int, tuple[int, ...]], ...]
"""Elements of a set that are in whenever certain others are, each behind those that it follows from."""


@dataclass(frozen=True, slots=True)
class SetOf:
    """A set of scalars, or of records: a bit for each value that could be in."""

    item: Element
    implied: Implied = field(default=(), compare=False, repr=False)
    """What stories leave out; no part of what a system means."""

    def __str__(self) -> str:
        return f"setof({self.item})"


Scalar = Bool | Int | Enumeration | Index
Element = Scalar | Record
"""What a set can hold."""
Type = Bool | Int | Enumeration | Index | Option | Record | Array | Seq | SetOf


def is_scalar(type_: Type) -> bool:
    """Whether a value of the type is one cell."""
    if isinstance(type_, Option):
        return is_scalar(type_.item) and not isinstance(type_.item, Option)
    return isinstance(type_, Bool | Int | Enumeration | Index)


def is_plain(type_: Type) -> bool:
    """Whether a value of the type has a fixed number of cells that are all its own."""
    match type_:
        case Record(_, fields):
            return all(is_plain(item) for _, item in fields)
        case Option(item):
            return is_plain(item)
        case Array() | Seq() | SetOf():
            return False
    return True


def is_flat(type_: Type) -> bool:
    """Whether a value of the type is a scalar, or a record of such: what a set can hold."""
    if isinstance(type_, Record):
        return all(is_flat(item) for _, item in type_.fields)
    return is_scalar(type_)


def scalar(type_: Type) -> Bool | Int | Enumeration | Index | Option:
    """The same type, known to be one cell."""
    if isinstance(type_, Bool | Int | Enumeration | Index | Option):
        return type_
    raise TypeError(f"{type_} is not one cell")


def size(type_: Scalar | Option) -> int:
    """How many values a scalar type has."""
    return type_.high - type_.low + 1


def element_cells(item: Type) -> tuple[Scalar | Option, ...]:
    """The scalar types that an element of a set is made of, in a fixed order."""
    return tuple(leaf.type for leaf in leaves(item))


def unravel(index: int, dims: Sequence[int]) -> list[int]:
    """The position in each dimension of the cell with a number, row by row."""
    positions: list[int] = []
    for extent in reversed(dims):
        index, position = divmod(index, extent)
        positions.insert(0, position)
    return positions


def universe(item: Type) -> int:
    """How many elements a set of this type could have."""
    return prod(map(size, element_cells(item)))


@dataclass(frozen=True, slots=True)
class Leaf:
    """One variable of a flattened type: the suffix of its name, its scalar type, the sizes around it."""

    suffix: str
    type: Bool | Int | Enumeration | Index | Option
    dims: tuple[int, ...]
    keys: tuple[Scalar | Option | None, ...]
    """The type that indexes each dimension; None for positions in a sequence."""

    @property
    def cells(self) -> int:
        return prod(self.dims)


def leaves(type_: Type) -> Iterator[Leaf]:
    """The variables that a type becomes, in a fixed order."""
    yield from _leaves(type_, "", (), ())


def _leaves(
    type_: Type, suffix: str, dims: tuple[int, ...], keys: tuple[Scalar | Option | None, ...]
) -> Iterator[Leaf]:
    match type_:
        case Record(_, fields):
            for name, item in fields:
                yield from _leaves(item, f"{suffix}.{name}", dims, keys)
        case Array(index, item):
            yield from _leaves(item, suffix, (*dims, size(index)), (*keys, index))
        case Seq(item, capacity):
            yield Leaf(f"{suffix}.len", Int(0, capacity), dims, keys)
            yield from _leaves(item, f"{suffix}.at", (*dims, capacity), (*keys, None))
        case SetOf(item):
            cells = element_cells(item)
            yield Leaf(f"{suffix}.has", Bool(), (*dims, *map(size, cells)), (*keys, *cells))
        case Option(item) if not is_scalar(type_):
            yield Leaf(f"{suffix}.some", Bool(), dims, keys)
            yield from _leaves(item, f"{suffix}.item", dims, keys)
        case _:
            yield Leaf(suffix, scalar(type_), dims, keys)
