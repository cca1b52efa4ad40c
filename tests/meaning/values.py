"""What a declaration of state says, and the values that it allows, each checked when it is stored.

A *kind* is what `integer(0, 3)`, `Item | None` or `array(Item, Packet)` stands for. `fit` makes of a value
one that is of the kind, a copy where the value has parts, and raises `OutOfRangeError` where there is none:
the counterpart of `stays-in-range`. Records are values: what is read is as it was when it was read, and
writing to a field (`self.packet.kind = ...`) puts a changed record in its place.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar

Value = Any
"""Whatever a model computes with: its values, and its functions."""
Frozen = Any
"""A value that can be hashed."""


class OutOfRangeError(Exception):
    """A value, an index or a length is none that was declared."""


class MistypedError(Exception):
    """A value of another type: the front end refuses such a model."""


# --- kinds ------------------------------------------------------------------------------------------


class Kind:
    """Which values a place can hold."""

    name = ""
    """Of the place, where it is declared in the class."""

    def start(self) -> Value:
        raise NotImplementedError

    def fit(self, value: Value) -> Value:
        raise NotImplementedError

    def values(self) -> list[Value]:
        """All values of a scalar, in order."""
        raise MistypedError(f"{self} has too many values to count")

    def there(self, value: Value) -> Value:
        """The value, if it is not None."""
        if value is None:
            raise OutOfRangeError("None, where a value is needed")
        return value


@dataclass
class Whole(Kind):
    """integer(low, high)."""

    low: int
    high: int
    first: int | None = None

    def start(self) -> int:
        return self.low if self.first is None else self.first

    def fit(self, value: Value) -> int:
        if not isinstance(self.there(value), int):
            raise MistypedError(f"{value!r} is not a number")
        if not self.low <= value <= self.high:
            raise OutOfRangeError(f"{value} is outside {self.low} .. {self.high}")
        return int(value)

    def values(self) -> list[int]:
        return list(range(self.low, self.high + 1))


@dataclass
class Budget(Whole):
    """budget(limit)."""


@dataclass
class Truth(Kind):
    """bool."""

    first: bool = False

    def start(self) -> bool:
        return self.first

    def fit(self, value: Value) -> bool:
        if not isinstance(self.there(value), bool):
            raise MistypedError(f"{value!r} is not a truth")
        return value

    def values(self) -> list[bool]:
        return [False, True]


@dataclass
class Member(Kind):
    """A class that derives from Enum."""

    of: type[Enum]
    first: Enum | None = None

    def start(self) -> Enum:
        return self.values()[0] if self.first is None else self.first

    def fit(self, value: Value) -> Enum:
        if not isinstance(self.there(value), self.of):
            raise MistypedError(f"{value!r} is not a {self.of.__name__}")
        return value

    def values(self) -> list[Enum]:
        return list(self.of)


class Values(type):
    """`for q in Queue`, once it is known how many there are."""

    size: int

    def __iter__(cls) -> Iterator[Value]:
        return iter([cls(number) for number in range(cls.size)])


class Truths(metaclass=Values):
    """`bool` in a model: it can be gone through."""

    size = 2

    def __new__(cls, value: Value) -> bool:  # type: ignore[misc]
        return bool(value)


class Index(int, metaclass=Values):
    """A kind of thing that there are several of."""

    size: ClassVar[int] = 0

    def __init_subclass__(cls, *, symmetric: bool = False, label: str = "") -> None:
        super().__init_subclass__()

    def __new__(cls, number: int) -> Index:
        if number is None or not 0 <= number < cls.size:
            raise OutOfRangeError(f"there is no {cls.__name__} {number}")
        return super().__new__(cls, number)


@dataclass
class Place(Kind):
    """A class that derives from Index."""

    of: type[Index]
    first: int | None = None

    def start(self) -> Index:
        return self.of(self.first or 0)

    def fit(self, value: Value) -> Index:
        if not isinstance(self.there(value), int) or isinstance(value, bool):
            raise MistypedError(f"{value!r} is not a {self.of.__name__}")
        return self.of(value)

    def values(self) -> list[Index]:
        return list(self.of)


@dataclass
class Maybe(Kind):
    """option(item), or `item | None`."""

    item: Kind
    first: Value = None

    def start(self) -> Value:
        return None if self.first is None else self.item.fit(self.first)

    def fit(self, value: Value) -> Value:
        return None if value is None else self.item.fit(value)

    def values(self) -> list[Value]:
        return [None, *self.item.values()]


@dataclass
class Fields(Kind):
    """A class that derives from Record."""

    of: type[Record]

    def start(self) -> Record:
        return self.of(**{name: kind.start() for name, kind in self.of._fields().items()})

    def fit(self, value: Value) -> Record:
        if not isinstance(self.there(value), self.of):
            raise MistypedError(f"{value!r} is not a {self.of.__name__}")
        return self.of(**{name: kind.fit(value._parts[name]) for name, kind in self.of._fields().items()})


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
        if not isinstance(value, SetOf | set):
            raise MistypedError(f"{value!r} is not a set")
        return SetOf(self, value._parts if isinstance(value, SetOf) else value)


@dataclass
class Wire(Line):
    """channel(item, capacity): its buffer is a sequence."""

    faults: dict[str, Budget] = field(default_factory=dict)

    def _made(self, items: Iterable[Value]) -> Channel:
        return Channel(self, items)


def annotations(of: Value, names: dict[str, Value]) -> dict[str, Value]:
    """What the annotations of a class or function stand for."""
    given = vars(of).get("__annotations__", {}) if isinstance(of, type) else of.__annotations__
    return {name: eval(hint, names) if isinstance(hint, str) else hint for name, hint in given.items()}


def kind_of(what: Value) -> Kind:
    """What a declaration or an annotation stands for."""
    match what:
        case Kind():
            return what
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
    """Named fields. Whether they are in their ranges is asked where the record is stored."""

    _parts: dict[str, Value]
    _kinds: dict[str, Kind]
    _names: dict[str, Value]

    def __init__(self, *given: Value, **named: Value) -> None:
        kinds = self._fields()
        values = {**dict(zip(kinds, given, strict=False)), **named}
        if set(values) != set(kinds):
            raise MistypedError(f"{type(self).__name__} is made from {', '.join(kinds)}")
        object.__setattr__(self, "_parts", {name: self._hold(name, copied(values[name])) for name in kinds})

    @classmethod
    def _fields(cls) -> dict[str, Kind]:
        """What each field is."""
        if "_kinds" not in vars(cls):
            hints = annotations(cls, cls._names)
            declared = {name: value for name, value in vars(cls).items() if isinstance(value, Kind)}
            order = [*hints, *(name for name in declared if name not in hints)]
            cls._kinds = {name: declared.get(name) or kind_of(hints[name]) for name in order}
        return cls._kinds

    def __getattribute__(self, name: str) -> Value:
        parts = object.__getattribute__(self, "__dict__").get("_parts", {})
        return parts[name] if name in parts else object.__getattribute__(self, name)

    def __setattr__(self, name: str, value: Value) -> None:
        if name == "_home":
            object.__setattr__(self, name, value)
            return
        changed = type(self)(**{**self._parts, name: value})
        if self._home is None:
            object.__setattr__(self, "_parts", Fields(type(self)).fit(changed)._parts)
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


class Array(Held):
    """One item for each value of an index."""

    def __init__(self, kind: Rows, parts: dict[Value, Value]) -> None:
        self._kind = kind
        self._parts = {key: self._hold(key, kind.item.fit(part)) for key, part in parts.items()}

    def __class_getitem__(cls, _: Value) -> type[Array]:
        return cls

    def __getitem__(self, key: Value) -> Value:
        return self._parts[self._kind.key.fit(key)]

    def __setitem__(self, key: Value, value: Value) -> None:
        key = self._kind.key.fit(key)
        self._parts[key] = self._hold(key, self._kind.item.fit(value))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Array) and self._parts == other._parts


@dataclass(frozen=True)
class FromEnd:
    """A position counted from the end, as a negative number in the text says."""

    number: int


LAST = FromEnd(1)


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
        return isinstance(other, SetOf) and self._parts == other._parts

    def add(self, item: Value) -> None:
        self._parts.add(self._kind.item.fit(item))

    def discard(self, item: Value) -> None:
        self._parts.discard(item)

    def clear(self) -> None:
        self._parts.clear()


# --- states -----------------------------------------------------------------------------------------


def copied(value: Value) -> Value:
    """The value that a name is given: a record of its own, at no place of the state."""
    return type(value)(**value._parts) if isinstance(value, Record) else value


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
            return frozenset(map(freeze, value._parts))
        case Enum():
            return value.name
        case bool() | None:
            return value
    return int(value)
