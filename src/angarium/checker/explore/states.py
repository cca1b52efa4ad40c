"""Cells and readable states: from one to the other, and what changed between two.

The cells of a structured value lie in one variable per leaf of its type, row by row (see
`angarium.checker.ir.types`). Going down through an array or a sequence, the position in the leaf's
variable becomes `position * size + i`; so a name and a position are all that is needed to find a
value. Variables that belong to no structured name, such as the place that a process is at, do not
appear in the readable state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from angarium.checker.ir.labels import Fields, Labels, Value
from angarium.checker.ir.transition import Cells, TransitionSystem
from angarium.checker.ir.types import (
    Array,
    Bool,
    Enumeration,
    Implied,
    Index,
    Int,
    Option,
    Record,
    Scalar,
    Seq,
    SetOf,
    Type,
    element_cells,
    is_scalar,
    leaves,
    scalar,
    size,
    universe,
    unravel,
)
from angarium.core.result import Change, State


def decode(system: TransitionSystem, cells: Sequence[int]) -> State:
    """The readable state that the cells encode; local variables that do not matter are None."""
    reader = _Reader(Labels(system), cells, system.offset)
    state = {name: reader.value(type_, name, 0) for name, type_ in system.state}
    for process, dead in system.dead.items():
        state[process] = _without_dead(state[process], dead)
    return state


def _without_dead(value: Value, dead: Mapping[str, Sequence[str]]) -> Value:
    if isinstance(value, Fields):
        for path in dead.get(str(value["pc"]), ()):
            _forget(value, path.split("."))
        return value
    assert isinstance(value, dict)
    return {key: _without_dead(item, dead) for key, item in value.items()}


def _forget(fields: Fields, path: Sequence[str]) -> None:
    """Make a field None, and a record of which nothing is left too."""
    first, *rest = path
    inner = fields.get(first)
    if rest and isinstance(inner, Fields):
        _forget(inner, rest)
        if any(item is not None for item in inner.values()):
            return
    fields[first] = None


def decode_value(labels: Labels, type_: Type, cells: Sequence[int]) -> Value:
    """One value from the cells of its leaves, leaf after leaf."""
    offsets, position = {}, 0
    for leaf in leaves(type_):
        offsets[leaf.suffix] = position
        position += leaf.cells
    return _Reader(labels, cells, offsets).value(type_, "", 0)


def encode(system: TransitionSystem, state: State) -> Cells:
    """The cells of a readable state; variables that do not appear in it stay initial."""
    writer = _Writer(Labels(system), list(system.default_state), system)
    for name, type_ in system.state:
        writer.clear(type_, name)
        writer.put(type_, name, 0, state[name])
    return tuple(writer.cells)


def changes(before: State, after: State) -> list[Change]:
    """What differs: sequences, sets and plain records as a whole, arrays place by place."""
    return [change for name in after for change in _changes(name, before[name], after[name])]


def _changes(where: str, before: Value, after: Value) -> Iterator[Change]:
    if before == after:
        return
    if isinstance(after, dict) and isinstance(before, dict) and _is_divisible(after):
        for key in after:
            place = f"{where}.{key}" if isinstance(after, Fields) else f"{where}[{key}]"
            yield from _changes(place, before[key], after[key])
    else:
        yield Change(where, before, after)


def _is_divisible(value: dict[str, Value]) -> bool:
    """A record of plain values is read as one; an array or a larger record in its parts."""
    compound = any(isinstance(item, dict | list | tuple) for item in value.values())
    return compound or not isinstance(value, Fields)


@dataclass(frozen=True, slots=True)
class _Reader:
    labels: Labels
    cells: Sequence[int]
    offset: dict[str, int]

    def value(self, type_: Type, name: str, position: int) -> Value:
        match type_:
            case Record(_, fields):
                return Fields({f: self.value(item, f"{name}.{f}", position) for f, item in fields})
            case Array(index, item):
                first = position * size(index)
                return {
                    self.labels.text(index, number): self.value(item, name, first + i)
                    for i, number in enumerate(values_of(index))
                }
            case Seq(item, capacity):
                places = range(position * capacity, position * capacity + self.at(f"{name}.len", position))
                return [self.value(item, f"{name}.at", place) for place in places]
            case SetOf(item, implied):
                return tuple(self.members(item, f"{name}.has", position * universe(item), implied))
            case Option(item) if not is_scalar(type_):
                some = self.at(f"{name}.some", position)
                return self.value(item, f"{name}.item", position) if some else None
            case _:
                return self.labels.value(scalar(type_), self.at(name, position))

    def members(self, item: Type, name: str, first: int, implied: Implied) -> Iterator[Value]:
        """The elements of a set, without those that follow from others."""
        known = {n for n, causes in implied if all(self.at(name, first + cause) for cause in causes)}
        cells = element_cells(item)
        for i in range(universe(item)):
            if self.at(name, first + i) and i not in known:
                positions = zip(cells, unravel(i, [size(cell) for cell in cells]), strict=True)
                yield decode_value(self.labels, item, [cell.low + position for cell, position in positions])

    def at(self, name: str, position: int) -> int:
        return self.cells[self.offset[name] + position]


@dataclass(frozen=True, slots=True)
class _Writer:
    labels: Labels
    cells: list[int]
    system: TransitionSystem

    def clear(self, type_: Type, name: str) -> None:
        """Everything at its lowest, as in unused positions."""
        for leaf in leaves(type_):
            for position in range(leaf.cells):
                self.set(name + leaf.suffix, position, leaf.type.low)

    def put(self, type_: Type, name: str, position: int, value: Value) -> None:
        match type_:
            case Record(_, fields):
                for field, item in fields:
                    self.put(item, f"{name}.{field}", position, value[field])
            case Array(index, item):
                for i, number in enumerate(values_of(index), position * size(index)):
                    self.put(item, name, i, value[self.labels.text(index, number)])
            case Seq(item, capacity):
                self.set(f"{name}.len", position, len(value))
                for i, each in enumerate(value, position * capacity):
                    self.put(item, f"{name}.at", i, each)
            case SetOf(item, implied):
                self.put_members(item, f"{name}.has", position * universe(item), value, implied)
            case Option(item) if not is_scalar(type_):
                self.set(f"{name}.some", position, int(value is not None))
                if value is not None:
                    self.put(item, f"{name}.item", position, value)
            case _:
                self.set(name, position, self.number(scalar(type_), value))

    def put_members(
        self, item: Type, name: str, first: int, members: Iterable[Value], implied: Implied
    ) -> None:
        there = {self.element(item, each) for each in members}
        for number, causes in implied:
            if there.issuperset(causes):
                there.add(number)
        for number in there:
            self.set(name, first + number, 1)

    def element(self, item: Type, value: Value) -> int:
        """Which of all possible elements a value is."""
        whole = 0
        for cell, number in zip(element_cells(item), self.numbers(item, value), strict=True):
            whole = whole * size(cell) + number - cell.low
        return whole

    def numbers(self, type_: Type, value: Value) -> Iterator[int]:
        """The numbers of the scalars that a plain value is made of."""
        if isinstance(type_, Record):
            for field, item in type_.fields:
                yield from self.numbers(item, value[field])
        else:
            yield self.number(scalar(type_), value)

    def number(self, type_: Scalar | Option, value: Value) -> int:
        """The number that a value is labelled from."""
        return next(n for n in values_of(type_) if self.labels.value(type_, n) == value)

    def set(self, name: str, position: int, number: int) -> None:
        self.cells[self.system.offset[name] + position] = number


def values_of(type_: Bool | Int | Enumeration | Index | Option) -> range:
    """The numbers that a scalar can be."""
    return range(type_.low, type_.high + 1)
