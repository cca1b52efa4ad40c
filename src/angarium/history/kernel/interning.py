"""Dense numbers for names, and for pairs of numbers: what stands for a name within the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from angarium.history.intake.batch import Names

Numbers = NDArray[np.int64]
_SPARSE = 1 << 16


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
        found: Numbers = self._table(names.values)[names.codes]
        return found

    def _table(self, values: Sequence[str]) -> Numbers:
        """For each value its number, and at the end that of no name. Columns share lists of values."""
        known = self._tables.get(id(values))
        if known is None or known[0] is not values:
            table = np.array([*(self.of(str(each)) for each in values), -1], np.int64)
            known = self._tables[id(values)] = (values, table)
            if len(self._tables) > 64:
                self._tables = {id(values): known}
        return known[1]


@dataclass
class Pairs:
    """Pairs of numbers (from -1 on) with a number for each, from 0 on."""

    values: list[tuple[int, int]] = field(default_factory=list)
    _numbers: dict[tuple[int, int], int] = field(default_factory=dict)

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
        if not len(ones):
            return ones
        width = int(others.max()) + 2
        both = (ones + 1) * width + (others + 1)
        most = int(both.max()) + 1
        if most <= max(_SPARSE, 8 * len(both)):
            there = np.flatnonzero(np.bincount(both, minlength=most))
            table = np.zeros(most, np.int64)
            table[there] = self._numbers_of(there, width)
            numbers: Numbers = table[both]
            return numbers
        there, places = np.unique(both, return_inverse=True)
        found: Numbers = self._numbers_of(there, width)[places]
        return found

    def _numbers_of(self, both: NDArray[Any], width: int) -> Numbers:
        pairs = zip((both // width - 1).tolist(), (both % width - 1).tolist(), strict=True)
        return np.array([self.of(one, other) for one, other in pairs], np.int64)
