"""Dense numbers for names, and for pairs of numbers: what stands for a name within the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from angarium.history.intake.batch import Names
from angarium.history.kernel.library import KERNEL
from angarium.history.kernel.pairs_core import P_COUNT

Numbers = NDArray[np.int64]


@dataclass
class Interned:
    """Names with their numbers, from 0 on."""

    values: list[str] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)
    _tables: dict[int, tuple[Sequence[str], Numbers]] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_tables": {}}

    def of(self, name: str) -> int:
        """The number of a name."""
        number = self._numbers.setdefault(name, len(self.values))
        if number == len(self.values):
            self.values.append(name)
        return number

    def known(self, name: str) -> int | None:
        """The number of a name, if it has one."""
        return self._numbers.get(name)

    def column(self, names: Names | None, count: int) -> Numbers:
        """The numbers of a column; -1 where there is no name."""
        if names is None:
            return np.full(count, -1, np.int64)
        found: Numbers = self.table(names.values)[1:][names.codes]
        return found

    def table(self, values: Sequence[str]) -> Numbers:
        """For each value its number, with that of no name in front and at the end. Columns share lists of
        values."""
        known = self._tables.get(id(values))
        if known is None or known[0] is not values:
            table = np.array([-1, *(self.of(str(each)) for each in values), -1], np.int64)
            known = self._tables[id(values)] = (values, table)
            if len(self._tables) > 64:
                self._tables = {id(values): known}
        return known[1]


@dataclass
class Pairs:
    """Pairs of numbers (from -1 on) with a number for each, from 0 on.

    The kernel numbers the pairs of columns, in a table that is made when it is needed; `values` is the truth.
    """

    values: list[tuple[int, int]] = field(default_factory=list)
    _numbers: dict[tuple[int, int], int] = field(default_factory=dict)
    _kernel: _Table | None = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_kernel": None}

    def of(self, one: int, other: int) -> int:
        """The number of a pair."""
        number = self._numbers.setdefault((one, other), len(self.values))
        if number == len(self.values):
            self.values.append((one, other))
        return number

    def known(self, one: int, other: int) -> int | None:
        return self._numbers.get((one, other))

    def column(self, ones: Numbers, others: Numbers) -> Numbers:
        """The numbers of the pairs in two columns."""
        found = np.empty(len(ones), np.int64)
        ones, others = np.ascontiguousarray(ones), np.ascontiguousarray(others)
        KERNEL.call("number_pairs", self.table(len(ones)), ones, others, len(ones), found)
        self.fresh()
        return found

    def table(self, room: int) -> NDArray[np.uint64]:
        """The kernel's table, with room for so many pairs more."""
        wanted = len(self.values) + room
        if self._kernel is None or self._kernel.room < wanted:
            self._kernel = _Table(max(2 * len(self.values), wanted))
        self._kernel.enter(self.values)
        return self._kernel.words

    def fresh(self) -> list[tuple[int, int]]:
        """The pairs that the kernel has numbered."""
        assert self._kernel is not None
        found = self._kernel.pairs_from(len(self.values))
        self._numbers |= {pair: number for number, pair in enumerate(found, len(self.values))}
        self.values += found
        return found


class _Table:
    """A table of pairs, as `pairs_core` has it."""

    def __init__(self, room: int) -> None:
        self.room = room
        size = 1 << (2 * max(room, 4)).bit_length()
        self._slots, self._pairs = np.zeros((size, 2), np.uint64), np.zeros((room + 1, 2), np.int64)
        addresses = (int(each.ctypes.data) for each in (self._slots, self._pairs))
        self.words = np.array([size - 1, *addresses, 0], np.uint64)

    @property
    def count(self) -> int:
        return int(self.words[P_COUNT])

    def enter(self, values: Sequence[tuple[int, int]]) -> None:
        """Enter what was numbered elsewhere."""
        if more := values[self.count :]:
            ones, others = (np.ascontiguousarray(each) for each in np.array(more, np.int64).T)
            KERNEL.call("number_pairs", self.words, ones, others, len(more), np.empty(len(more), np.int64))

    def pairs_from(self, first: int) -> list[tuple[int, int]]:
        return [(one, other) for one, other in self._pairs[first : self.count].tolist()]
