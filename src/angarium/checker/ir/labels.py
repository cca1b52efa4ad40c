"""Values and cells as people read them: `q1`, `waiting[q1]`, `PUB m1`.

A value of an `Index` type is labelled by the first letter of the type's name, in lower case, and a
number from 1. Index types that begin alike get as many letters as tell them apart; one that has a label of
its own gets that. A place in the state is written as one would in Python: the cell number 5 of the variable
`waiting.at.id` may be `waiting[q2][1].id`.

A structured value, which a `State` of a story is made of, is one of these:

    bool, integer       itself
    enumeration, index  its name or label, a string
    option              None, or the value
    record              `Fields`, a dict by field
    array               a dict by label
    sequence            a list
    set                 a tuple, in the order of its type

So each kind can be told from the others, and `json.dumps` takes all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from angarium.checker.ir.transition import Message, TransitionSystem, Variable
from angarium.checker.ir.types import (
    Array,
    Bool,
    Enumeration,
    Index,
    Int,
    Option,
    Record,
    Scalar,
    Seq,
    SetOf,
    Type,
    element_cells,
    leaves,
    unravel,
)

Value = Any
"""One of these."""


class Fields(dict[str, Value]):
    """A record's fields."""


def kinds_of_records(values: Iterable[Value]) -> list[tuple[str, ...]]:
    """The names of the fields of every kind of record in some values, each kind once."""
    found: dict[tuple[str, ...], None] = {}
    waiting = list(values)
    while waiting:
        match waiting.pop():
            case Fields() as record:
                found[tuple(record)] = None
                waiting += record.values()
            case dict() as array:
                waiting += array.values()
            case list() | tuple() as items:
                waiting += items
    return sorted(found)


def restored(value: Value, records: Collection[tuple[str, ...]]) -> Value:
    """A value that was read from JSON, with its records as `Fields`. A set comes back as a list."""
    match value:
        case dict():
            items = {name: restored(item, records) for name, item in value.items()}
            return Fields(items) if tuple(value) in records else items
        case list() | tuple():
            return type(value)(restored(item, records) for item in value)
        case _:
            return value


def show(value: Value) -> str:
    """A value on one line."""
    match value:
        case Fields():
            return f"({', '.join(f'{name}={show(item)}' for name, item in value.items())})"
        case dict():
            return f"{{{', '.join(f'{key}: {show(item)}' for key, item in value.items())}}}"
        case list():
            return f"[{', '.join(map(show, value))}]"
        case tuple():
            return f"{{{', '.join(map(show, value))}}}"
        case _:
            return str(value)


def brief(value: Value) -> str:
    """A value in as few words as tell it: a record `PUB m1 attempt=2`, in a list `[(PUB m1), (FIN m2)]`."""
    match value:
        case Fields():
            return " ".join(_words(value)) or "()"
        case dict():
            return f"{{{', '.join(f'{key}: {_item(item)}' for key, item in value.items())}}}"
        case list():
            return f"[{', '.join(map(_item, value))}]"
        case tuple():
            return f"{{{', '.join(map(_item, value))}}}"
        case _:
            return str(value)


def _words(fields: Fields) -> Iterator[str]:
    """What is absent is left out; a name or label speaks for itself, unless another is of its kind."""
    kinds = Counter(_kind(item) for item in fields.values() if isinstance(item, str))
    for name, item in fields.items():
        match item:
            case None:
                pass
            case bool():
                yield name if item else f"not {name}"
            case str() if kinds[_kind(item)] == 1:
                yield item
            case _:
                yield f"{name}={_item(item)}"


def _kind(label: str) -> str:
    """Labels of one kind differ in their number only."""
    return label.rstrip("0123456789")


def _item(value: Value) -> str:
    text = brief(value)
    return f"({text})" if isinstance(value, Fields) and " " in text else text


# --- labels -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Labels:
    """The labels of one system."""

    system: TransitionSystem

    @cached_property
    def prefixes(self) -> dict[str, str]:
        """The letters in front of the number, for each Index type's name."""
        given = {index.name: index.label for index in index_types(self.system)}
        words = {name: label or name for name, label in given.items()}
        return {name: label or prefix(name, words) for name, label in given.items()}

    def value(self, type_: Scalar | Option, number: int) -> bool | int | str | None:
        """A cell's number as the value that it stands for."""
        match type_:
            case Bool():
                return bool(number)
            case Int():
                return number
            case Enumeration(_, members):
                return members[number]
            case Index(name):
                return f"{self.prefixes[name]}{number + 1}"
            case Option(item):
                return None if number == type_.low else self.value(_one_cell(item), number)

    def text(self, type_: Scalar | Option, number: int) -> str:
        """The same as a word."""
        return str(self.value(type_, number))

    def place(self, variable: Variable, index: int) -> str:
        """Where in the structured state a cell is."""
        indices = unravel(index, variable.dims)
        for name, type_ in self.system.state:
            for leaf in leaves(type_):
                if name + leaf.suffix == variable.name:
                    return name + self._path(type_, leaf.suffix, indices)
        keys = variable.keys or (None,) * len(indices)
        return variable.name + "".join(map(self._key, keys, indices))

    def _path(self, type_: Type, suffix: str, indices: Sequence[int]) -> str:
        match type_:
            case Record(_, fields):
                name, item, rest = _field(fields, suffix)
                return f".{name}{self._path(item, rest, indices)}"
            case Array(index, item):
                return self._key(index, indices[0]) + self._path(item, suffix, indices[1:])
            case Seq(item) if suffix.startswith(".at"):
                rest = suffix.removeprefix(".at")
                return self._key(None, indices[0]) + self._path(item, rest, indices[1:])
            case SetOf(item):
                return self._element(item, indices)
            case Option(item) if suffix.startswith(".item"):
                return self._path(item, suffix.removeprefix(".item"), indices)
            case _:
                return ""

    def _key(self, type_: Scalar | Option | None, position: int) -> str:
        return f"[{position if type_ is None else self.text(type_, type_.low + position)}]"

    def _element(self, item: Type, positions: Sequence[int]) -> str:
        cells = zip(element_cells(item), positions, strict=True)
        return f"[{', '.join(self.text(type_, type_.low + position) for type_, position in cells)}]"


def index_types(system: TransitionSystem) -> Iterator[Index]:
    """All Index types that a system mentions; some of them several times."""
    for type_ in _cell_types(system):
        item = type_.item if isinstance(type_, Option) else type_
        if isinstance(item, Index):
            yield item


def _cell_types(system: TransitionSystem) -> Iterator[Scalar | Option]:
    for variable in system.variables:
        yield variable.type
        yield from filter(None, variable.keys)
    yield from (parameter.type for parameter in system.setup)
    for action in system.actions:
        yield from (parameter.type for parameter in action.parameters)
        yield from action.actor.types if action.actor else ()
        for message in action.messages:
            yield from _message_types(message)


def _message_types(message: Message) -> Iterator[Scalar | Option]:
    yield from message.keys
    for lifeline in filter(None, (message.sender, message.receiver)):
        yield from lifeline.types
    if message.type:
        yield from (leaf.type for leaf in leaves(message.type))


def prefix(name: str, words: Mapping[str, str]) -> str:
    """As much of a name as tells it apart from the words that others are labelled from."""
    word = name.lower()
    others = [other.lower() for key, other in words.items() if key != name]
    lengths = range(1, len(word) + 1)
    told_apart = (n for n in lengths if all(other[:n] != word[:n] for other in others))
    return word[: next(told_apart, len(word))]


def _one_cell(type_: Type) -> Scalar:
    assert isinstance(type_, Bool | Int | Enumeration | Index), type_
    return type_


def _field(fields: Sequence[tuple[str, Type]], suffix: str) -> tuple[str, Type, str]:
    """The field that a suffix such as `.head.len` begins with, and what is left of the suffix."""
    word = suffix.split(".", 2)[1]
    item = dict(fields)[word]
    return word, item, suffix[len(word) + 1 :]
