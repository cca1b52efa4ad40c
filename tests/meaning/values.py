"""Values that have parts: records, arrays, sequences, sets and channels, each part checked when it is stored.

Records are values: what is read is as it was when it was read, and writing to a field
(`self.packet.kind = ...`) puts a changed record in its place.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from itertools import product

from tests.meaning.scalars import (
    Budget,
    Frozen,
    Index,
    Kind,
    Maybe,
    Member,
    MistypedError,
    OutOfRangeError,
    Place,
    Truth,
    Truths,
    Value,
    annotations,
)

# --- kinds ------------------------------------------------------------------------------------------


@dataclass
class Fields(Kind):
    """A class that derives from Record."""

    of: type[Record]

    def start(self) -> Record:
        return self.of(**{name: kind.start() for name, kind in self.of._fields().items()})

    def fit(self, value: Value) -> Record:
        if not isinstance(self.there(value), self.of):
            raise MistypedError(f"{value!r} is not a {self.of.__name__}")
        return cloned(value)

    def values(self) -> list[Record]:
        fields = self.of._fields()
        chosen = product(*(kind.values() for kind in fields.values()))
        return [self.of(**dict(zip(fields, each, strict=True))) for each in chosen]


@dataclass
class Rows(Kind):
    """array(index, item)."""

    key: Kind
    item: Kind

    def start(self) -> Array:
        return Array(self, {key: self.item.start() for key in self.key.values()})

    def fit(self, value: Value) -> Array:
        if not isinstance(value, Array):
            raise MistypedError(f"{value!r} is not an array")
        return Array(self, dict(value._parts))


@dataclass
class Line(Kind):
    """seq(item, capacity)."""

    item: Kind
    room: int | None = None

    @property
    def capacity(self) -> int:
        if self.room is None:
            assert isinstance(self.item, Place)
            return self.item.of.size
        return self.room

    def start(self) -> Seq:
        return self._made(())

    def fit(self, value: Value) -> Seq:
        if not isinstance(value, Seq | list):
            raise MistypedError(f"{value!r} is not a sequence")
        items = value._parts if isinstance(value, Seq) else value
        if len(items) > self.capacity:
            raise OutOfRangeError(f"no room for {len(items)} items")
        return self._made(items)

    def _made(self, items: Iterable[Value]) -> Seq:
        return Seq(self, items)


@dataclass
class Bag(Kind):
    """setof(item)."""

    item: Kind

    def start(self) -> SetOf:
        return SetOf(self, ())

    def fit(self, value: Value) -> SetOf:
        if not isinstance(value, SetOf | set | frozenset):
            raise MistypedError(f"{value!r} is not a set")
        return SetOf(self, plain_set(value))


@dataclass
class Wire(Line):
    """channel(item, capacity): its buffer is a sequence."""

    faults: dict[str, Budget] = field(default_factory=dict)
    intruder: Kind | None = None
    """The knowledge of somebody who sits on it."""

    def _made(self, items: Iterable[Value]) -> Channel:
        return Channel(self, items)


def kind_of(what: Value) -> Kind:
    """What a declaration or an annotation stands for."""
    match what:
        case Kind():
            return what
        case type(_as_kind=as_kind):
            return as_kind()  # type: ignore[no-any-return]
        case types.UnionType(__args__=(item, none)) if none is type(None):
            return Maybe(kind_of(item))
    for base, kind in ((Truths, lambda _: Truth()), (Index, Place), (Enum, Member), (Record, Fields)):
        if isinstance(what, type) and issubclass(what, base):
            return kind(what)
    raise MistypedError(f"{what!r} does not say which values are possible")


# --- values that have parts -------------------------------------------------------------------------


class Held:
    """A value with parts, which knows the place that it is in."""

    _home: tuple[Value, Value] | None = None

    def _hold(self, key: Value, value: Value) -> Value:
        """A part that was fitted, told where it is now."""
        if isinstance(value, Record):
            value._home = (self, key)
        return value


class Record(Held):
    """Named fields, which are in their ranges as soon as the record is made."""

    _parts: dict[str, Value]
    _kinds: dict[str, Kind]
    _names: dict[str, Value]

    def __init__(self, *given: Value, **named: Value) -> None:
        kinds = self._fields()
        values = {**dict(zip(kinds, given, strict=False)), **named}
        if set(values) != set(kinds):
            raise MistypedError(f"{type(self).__name__} is made from {', '.join(kinds)}")
        parts = {name: self._hold(name, kind.fit(values[name])) for name, kind in kinds.items()}
        object.__setattr__(self, "_parts", parts)

    @classmethod
    def _fields(cls) -> dict[str, Kind]:
        """What each field is."""
        if "_kinds" not in vars(cls):
            hints = annotations(cls, cls._names)
            declared = {name: value for name, value in vars(cls).items() if isinstance(value, Kind)}
            order = [*hints, *(name for name in declared if name not in hints)]
            cls._kinds = {name: declared.get(name) or kind_of(hints[name]) for name in order}
            for name in vars(cls).keys() & cls._kinds:
                delattr(cls, name)  # what a field is must not hide what a record's own is
        return cls._kinds

    def __getattr__(self, name: str) -> Value:
        try:
            return self.__dict__["_parts"][name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Value) -> None:
        if name == "_home":
            object.__setattr__(self, name, value)
            return
        changed = type(self)(**{**self._parts, name: value})
        if self._home is None:
            object.__setattr__(self, "_parts", changed._parts)
        else:
            put(*self._home, changed)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and type(self) is type(other) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(tuple(self._parts.values()))


def put(container: Value, key: Value, value: Value) -> None:
    """Store a value in a field of the model or of a record, or as an item."""
    if isinstance(container, Array | Seq):
        container[key] = value
    else:
        setattr(container, key, value)


@dataclass(frozen=True)
class FromEnd:
    """A position counted from the end, as a negative number in the text says."""

    number: int


LAST = FromEnd(1)


def constant(position: Value) -> Value:
    """A position that is known from the text."""
    return FromEnd(-position) if isinstance(position, int) and position < 0 else position


class Array(Held):
    """One item for each value of an index."""

    def __init__(self, kind: Rows, parts: dict[Value, Value]) -> None:
        self._kind = kind
        self._parts = {key: self._hold(key, kind.item.fit(part)) for key, part in parts.items()}

    def __class_getitem__(cls, _: Value) -> type[Array]:
        return cls

    def __getitem__(self, key: Value) -> Value:
        return self._parts[self._key(key)]

    def __setitem__(self, key: Value, value: Value) -> None:
        key = self._key(key)
        self._parts[key] = self._hold(key, self._kind.item.fit(value))

    def _key(self, key: Value) -> Value:
        """What selects an item: here, nothing counts from the end."""
        return self._kind.key.fit(-key.number if isinstance(key, FromEnd) else key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Array) and self._parts == other._parts


class Seq(Held):
    """Items in order, up to a capacity. A position that is computed does not count from the end."""

    def __init__(self, kind: Line, parts: Iterable[Value]) -> None:
        self._kind = kind
        self._parts: list[Value] = []
        for part in list(parts):
            self._parts.append(self._item(part))

    def __class_getitem__(cls, _: Value) -> type[Seq]:
        return cls

    def _item(self, value: Value) -> Value:
        return self._hold(len(self._parts), self._kind.item.fit(value))

    def _settle(self) -> None:
        for position, part in enumerate(self._parts):
            self._hold(position, part)

    def _position(self, key: Value) -> int:
        if key is None:
            raise OutOfRangeError("None is no position")
        position = len(self._parts) - key.number if isinstance(key, FromEnd) else key
        if not 0 <= position < len(self._parts):
            raise OutOfRangeError(f"there is no item at {position}")
        return int(position)

    def __getitem__(self, key: Value) -> Value:
        return self._parts[self._position(key)]

    def __setitem__(self, key: Value, value: Value) -> None:
        position = self._position(key)
        self._parts[position] = self._hold(position, self._kind.item.fit(value))

    def __len__(self) -> int:
        return len(self._parts)

    def __iter__(self) -> Iterator[Value]:
        return iter(self._parts)

    def __contains__(self, item: Value) -> bool:
        return item in self._parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Seq) and self._parts == other._parts

    def append(self, item: Value) -> None:
        self.insert(len(self._parts), item)

    def insert(self, position: int, item: Value) -> None:
        if len(self._parts) >= self._kind.capacity:
            raise OutOfRangeError(f"no room for more than {self._kind.capacity}")
        if not 0 <= position <= len(self._parts):
            raise OutOfRangeError(f"there is no place before {position}")
        self._parts.insert(position, self._item(item))
        self._settle()

    def pop(self, position: Value = LAST) -> Value:
        part = self._parts.pop(self._position(position))
        self._settle()
        return part

    def remove(self, item: Value) -> None:
        if item not in self._parts:
            raise OutOfRangeError("no such item")
        self.discard(item)

    def discard(self, item: Value) -> None:
        if item in self._parts:
            self._parts.remove(item)
        self._settle()

    def clear(self) -> None:
        self._parts.clear()


class Channel(Seq):
    """A buffer; what is sent and received is done by whoever walks the processes."""


class SetOf:
    """A set of scalars; it is gone through in the order of its kind."""

    def __init__(self, kind: Bag, parts: Iterable[Value]) -> None:
        self._kind, self._parts = kind, {kind.item.fit(part) for part in parts}

    def __class_getitem__(cls, _: Value) -> type[SetOf]:
        return cls

    def __len__(self) -> int:
        return len(self._parts)

    def __iter__(self) -> Iterator[Value]:
        return (value for value in self._kind.item.values() if value in self._parts)

    def __contains__(self, item: Value) -> bool:
        return item in self._parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SetOf | set | frozenset) and self._parts == plain_set(other)

    def __le__(self, other: Value) -> bool:
        return self._parts <= plain_set(other)

    def __lt__(self, other: Value) -> bool:
        return self._parts < plain_set(other)

    def __ge__(self, other: Value) -> bool:
        return self._parts >= plain_set(other)

    def __gt__(self, other: Value) -> bool:
        return self._parts > plain_set(other)

    def __or__(self, other: Value) -> set[Value]:
        return self._parts | plain_set(other)

    def __and__(self, other: Value) -> set[Value]:
        return self._parts & plain_set(other)

    def __sub__(self, other: Value) -> set[Value]:
        return self._parts - plain_set(other)

    def __rsub__(self, other: Value) -> set[Value]:
        return plain_set(other) - self._parts

    __ror__, __rand__ = __or__, __and__

    def _frozen(self) -> Frozen:
        return frozenset(map(freeze, self._parts))

    def add(self, item: Value) -> None:
        self._parts.add(self._kind.item.fit(item))

    def discard(self, item: Value) -> None:
        self._parts.discard(item)

    def clear(self) -> None:
        self._parts.clear()


def plain_set(value: Value) -> set[Value]:
    """A set of the state or of Python's, as Python's."""
    return value._parts if isinstance(value, SetOf) else set(value)


# --- states -----------------------------------------------------------------------------------------


def copied(value: Value) -> Value:
    """The value that a name is given: a record of its own, at no place of the state."""
    if isinstance(value, tuple):
        return Table(copied(each) for each in value)
    return cloned(value) if isinstance(value, Record) else value


class Table(tuple[Value, ...]):
    """A constant of the file. A computed position does not count from the end."""

    def __getitem__(self, position: Value) -> Value:
        if isinstance(position, FromEnd):
            position = len(self) - position.number
        if position is None or not 0 <= position < len(self):
            raise OutOfRangeError(f"there is no item at {position}")
        return super().__getitem__(position)


def cloned(value: Value) -> Value:
    """The same value in another state; what is in its range there need not be asked again."""
    if not isinstance(value, Record | Array | Seq | SetOf):
        return value
    new = object.__new__(type(value))
    object.__setattr__(new, "_parts", value._parts.copy())
    if not isinstance(value, Record):
        new._kind = value._kind
    if not isinstance(value, SetOf):
        for key, part in list(
            value._parts.items() if not isinstance(value, Seq) else enumerate(value._parts)
        ):
            new._parts[key] = new._hold(key, cloned(part))
    return new


def freeze(value: Value) -> Frozen:
    """A value that cannot change: indices as numbers, members by name, everything with parts as tuples."""
    match value:
        case Record():
            return ("record", tuple((name, freeze(part)) for name, part in value._parts.items()))
        case Array():
            return ("array", tuple(map(freeze, value._parts.values())))
        case Seq():
            return ("seq", tuple(map(freeze, value._parts)))
        case SetOf():
            return value._frozen()
        case Enum():
            return value.name
        case bool() | None:
            return value
        case int():
            return int(value)
    return value._frozen()
