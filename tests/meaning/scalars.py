"""Values of one cell: numbers, truths, members of enumerations, indices, and what may be missing.

A *kind* is what `integer(0, 3)`, `Item | None` or `array(Item, Packet)` stands for. `fit` makes of a value
one that is of the kind, a copy where the value has parts, and raises `OutOfRangeError` where there is none:
the counterpart of `stays-in-range`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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


def annotations(of: Value, names: dict[str, Value]) -> dict[str, Value]:
    """What the annotations of a class or function stand for."""
    given = vars(of).get("__annotations__", {}) if isinstance(of, type) else of.__annotations__
    return {name: eval(hint, names) if isinstance(hint, str) else hint for name, hint in given.items()}
