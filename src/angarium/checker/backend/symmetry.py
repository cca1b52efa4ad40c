"""Interchangeable values: one representative for all states that differ only in names.

The values of a symmetric `Index` type can be renamed without changing what a state means. A
renaming is a permutation of each such type: it moves the cells of the dimensions that the type
indexes and renames the cells that hold a value of it (None stays None). The representative of a
state is the least of all its renamings, as packed words; so two states have the same one exactly
if a renaming leads from one to the other.

Positions behind the end of a sequence, and the parts of an absent compound option, hold the
lowest value whatever that is called; they are not renamed. The cell that says whether a cell is
in use (a length, or `.some`) is its *guard*; the innermost one is enough, because the guards of
unused parts are 0 themselves.

The tables are made here once for a system; `canonicalise` goes through them in native code.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from angarium.checker.backend.layout import Layout
from angarium.checker.backend.layout import Words as Packed
from angarium.checker.ir.transition import TransitionSystem, Variable
from angarium.checker.ir.types import Array, Index, Option, Record, Seq, Type, is_scalar, size
from angarium.core.errors import LimitError
from angarium.native.functions import compile_functions
from angarium.native.jit import Library
from angarium.native.lowlevel import Words, constants_in, local, offset, words

MAX_RENAMINGS = 40_320
Renaming = dict[Index, tuple[int, ...]]

# --- native code: see `lowlevel` ------------------------------------------------------

WORDS = CELLS = 0
"""How many words and cells a state has; constants of the native code."""
RENAMINGS, PLACES, SOURCES, STARTS, NUMBERS, RANGE = range(6)
"""The fields of the table."""
PLACE = 6
"""The words that describe a cell: word, shift, mask, guard, item, and the number for "unused"."""


def canonicalise(table: Words, states: Words, count: int) -> None:
    """Replace each state by its representative."""
    cells = local(CELLS)
    best = local(WORDS)
    trial = local(WORDS)
    for state in range(count):
        given = offset(states, state * WORDS)
        unpack(words(table[PLACES]), given, cells)
        for word in range(WORDS):
            best[word] = given[word]
        for renaming in range(1, table[RENAMINGS]):
            if rename(table, renaming, cells, best, trial):
                for word in range(WORDS):
                    best[word] = trial[word]
        for word in range(WORDS):
            given[word] = best[word]


def unpack(places: Words, given: Words, cells: Words) -> None:
    """The numbers of a state's cells; an unused one as the number that always becomes lowest."""
    for cell in range(CELLS):
        place = offset(places, cell * PLACE)
        cells[cell] = (given[place[0]] >> place[1]) & place[2]
    for cell in range(CELLS):
        place = offset(places, cell * PLACE)
        if place[5] and cells[place[3]] <= place[4]:
            cells[cell] = place[5]


def rename(table: Words, renaming: int, cells: Words, best: Words, trial: Words) -> int:
    """Rename the cells into packed words; 1 if they are less than the best so far."""
    sources = offset(words(table[SOURCES]), renaming * CELLS)
    numbers = offset(words(table[NUMBERS]), renaming * table[RANGE])
    places = words(table[PLACES])
    starts = words(table[STARTS])
    less = 0
    cell = 0
    for word in range(WORDS):
        packed = 0
        while cell < CELLS and places[cell * PLACE] == word:
            number = cells[sources[cell]]
            if starts[cell]:
                number = numbers[starts[cell] + number]
            packed = packed | (number << places[cell * PLACE + 1])
            cell += 1
        if less == 0 and packed > best[word]:
            return 0
        if packed < best[word]:
            less = 1
        trial[word] = packed
    return less


# --- the tables -----------------------------------------------------------------------


class Symmetry:
    """The renamings of a system's states, ready for native code."""

    def __init__(self, system: TransitionSystem, layout: Layout) -> None:
        self._words = layout.words
        self.renamings = list(renamings(symmetric_types(system)))
        self._cells = _cells(system, layout)
        self._position = {each.index: n for n, each in enumerate(self._cells)}
        self._starts, self._range = self._regions()
        self.parts = [self._places(), self._sources(), self._start_list(), self._numbers()]
        self._table = self.table_at([part.ctypes.data for part in self.parts])

    @property
    def constants(self) -> dict[str, int]:
        """Of the native `canonicalise`."""
        return {**constants_in(globals()), "WORDS": self._words, "CELLS": len(self._cells)}

    @property
    def address(self) -> int:
        """Where it is."""
        return _library(self._words, len(self._cells)).addresses["canonicalise"]

    def table_at(self, places: Sequence[int]) -> NDArray[np.int64]:
        """Its first argument, if the parts are at these addresses."""
        return np.array([len(self.renamings), *places, self._range], np.int64)

    @property
    def table(self) -> int:
        """The address of its first argument."""
        return int(self._table.ctypes.data)

    def canonical(self, states: Packed) -> Packed:
        """The representatives of packed states."""
        result = np.array(states, np.uint64, order="C")
        _CANONICALISE(self.address)(self.table, result.ctypes.data, len(result))
        return result

    def _regions(self) -> tuple[dict[Type, int], int]:
        """Where each type's numbers begin in the table of a renaming; 0 is left free."""
        starts: dict[Type, int] = {}
        end = 1
        for cell in self._cells:
            if _renamed(cell.type) and cell.type not in starts:
                starts[cell.type] = end
                end += _range(cell.type) + 1
        return starts, end

    def _places(self) -> NDArray[np.int64]:
        rows = np.zeros((len(self._cells), PLACE), np.int64)
        for row, cell in zip(rows, self._cells, strict=True):
            row[:3] = cell.word, cell.shift, cell.mask
            if cell.guard is not None and cell.type in self._starts:
                guard, item = cell.guard
                row[3:] = self._position[guard], item, _range(cell.type)
        return rows

    def _start_list(self) -> NDArray[np.int64]:
        return np.array([self._starts.get(cell.type, 0) for cell in self._cells], np.int64)

    def _sources(self) -> NDArray[np.int64]:
        """For each renaming and cell, the cell that moves there."""
        table = np.empty((len(self.renamings), len(self._cells)), np.int64)
        for row, renaming in zip(table, self.renamings, strict=True):
            for n, cell in enumerate(self._cells):
                row[self._position[cell.index + cell.move(renaming)]] = n
        return table

    def _numbers(self) -> NDArray[np.int64]:
        """For each renaming and type, what each stored number becomes."""
        table = np.zeros((len(self.renamings), self._range), np.int64)
        for row, renaming in zip(table, self.renamings, strict=True):
            for type_, start in self._starts.items():
                none, index = isinstance(type_, Option), _renamed(type_)
                assert index is not None
                row[start + none : start + _range(type_)] = np.add(renaming[index], none)
        return table


def symmetric_types(system: TransitionSystem) -> list[Index]:
    """The interchangeable types that the variables mention."""
    found = {_renamed(key) for v in system.variables for key in v.keys if _renamed(key)}
    found |= {_renamed(v.type) for v in system.variables if _renamed(v.type)}
    return sorted((each for each in found if isinstance(each, Index)), key=lambda t: t.name)


def renamings(types: Sequence[Index]) -> Iterator[Renaming]:
    """All renamings, the identity first; refused if they are too many to try on every state."""
    number = prod(factorial(each.size) for each in types)
    if number > MAX_RENAMINGS:
        sizes = ", ".join(f"{each.size} of {each.name}" for each in types)
        raise LimitError(
            "ANG051",
            f"interchangeable values can be renamed in {number:,} ways: {sizes}",
            possible=f"at most {MAX_RENAMINGS:,} ways",
            remedy="choose fewer of them, or search without symmetry",
        )
    for chosen in product(*(permutations(range(each.size)) for each in types)):
        yield dict(zip(types, chosen, strict=True))


# --- cells ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell that is stored: its number among all cells, its place, type, keys and guard."""

    index: int
    word: int
    shift: int
    mask: int
    type: Type
    keys: tuple[tuple[Index, int, int], ...]
    """Each symmetric index type of the cell, its value here, and how far apart two values are."""
    guard: tuple[int, int] | None

    def move(self, renaming: Renaming) -> int:
        """By how much a renaming moves the cell."""
        return sum((renaming[key][value] - value) * stride for key, value, stride in self.keys)


def _cells(system: TransitionSystem, layout: Layout) -> list[_Cell]:
    """All stored cells, word by word."""
    spares = [spare for name, type_ in system.state for spare in _spares(type_, name, 1)]
    places = iter(enumerate(layout.places))
    found = []
    for variable in system.variables:
        spare = _innermost(variable, spares)
        for position in range(variable.cells):
            index, (word, shift, mask, _) = next(places)
            keys = tuple(_keys(variable, position))
            guard = spare.guard(system, variable, position) if spare else None
            found.append(_Cell(index, word, shift, mask, variable.type, keys, guard))
    return sorted((cell for cell in found if cell.mask), key=lambda cell: (cell.word, cell.shift))


def _keys(variable: Variable, position: int) -> Iterator[tuple[Index, int, int]]:
    stride = 1
    for extent, key in zip(reversed(variable.dims), reversed(variable.keys), strict=True):
        index = _renamed(key)
        if key is not None and index is not None:
            value = key.low + position // stride % extent
            if value >= index.low:  # None is renamed by nobody
                yield index, value, stride
        stride *= extent


def _renamed(type_: Type | None) -> Index | None:
    """The symmetric type whose values a cell holds, if it does."""
    item = type_.item if isinstance(type_, Option) else type_
    return item if isinstance(item, Index) and item.symmetric else None


def _range(type_: Type) -> int:
    """How many numbers a stored value can have; the next one stands for an unused cell."""
    assert isinstance(type_, Index | Option)
    return size(type_)


@dataclass(frozen=True, slots=True)
class _Spare:
    """Items of which only the first few are in use: their names' beginning, and who counts them."""

    item: str
    counter: str
    rows: int
    capacity: int

    def guard(self, system: TransitionSystem, variable: Variable, position: int) -> tuple[int, int]:
        """The cell that counts, and the item's number: in use if the count is greater."""
        row_size = variable.cells // self.rows
        row, place = divmod(position, row_size)
        return system.offset[self.counter] + row, place * self.capacity // row_size


def _innermost(variable: Variable, spares: Sequence[_Spare]) -> _Spare | None:
    names = (variable.name, f"{variable.name}.")
    around = [s for s in spares if s.item == names[0] or names[1].startswith(f"{s.item}.")]
    around = [s for s in around if s.counter != variable.name]
    return max(around, key=lambda spare: len(spare.item), default=None)


def _spares(type_: Type, name: str, rows: int) -> Iterator[_Spare]:
    match type_:
        case Record(_, fields):
            for field, item in fields:
                yield from _spares(item, f"{name}.{field}", rows)
        case Array(index, item):
            yield from _spares(item, name, rows * size(index))
        case Seq(item, capacity):
            yield _Spare(f"{name}.at", f"{name}.len", rows, capacity)
            yield from _spares(item, f"{name}.at", rows * capacity)
        case Option(item) if not is_scalar(type_):
            yield _Spare(f"{name}.item", f"{name}.some", rows, 1)
            yield from _spares(item, f"{name}.item", rows)


_CANONICALISE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)


@cache
def _library(word_count: int, cells: int) -> Library:
    constants = {**constants_in(globals()), "WORDS": word_count, "CELLS": cells}
    return compile_functions((sys.modules[__name__],), {"canonicalise": constants})
