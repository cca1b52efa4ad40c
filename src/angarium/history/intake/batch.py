"""Some thousand rows of a history as columns: names as numbers with a list of what they stand for.

A column that no row has is not there. Rows are numbered through all files, in the order of reading; those
that are in quarantine have a number, too, and are not among the `events`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from angarium.history import schema

NULL = -(1 << 63)
"""A number that is not there."""
Codes = NDArray[np.int32]
KINDS = {column.name: column.type for column in schema.COLUMNS}


@dataclass(eq=False)
class Names:
    """A column of names: for each row the place of its name among the values, -1 for none."""

    codes: Codes
    values: Sequence[str]

    def __getitem__(self, row: int) -> str | None:
        code = int(self.codes[row])
        return None if code < 0 else str(self.values[code])


class Texts(Sequence[str]):
    """Names that lie behind each other in memory, as UTF-8; they become texts when they are asked for."""

    def __init__(self, data: NDArray[np.uint8], ends: NDArray[np.uint32]) -> None:
        """`ends`: where each name begins, and where the last one ends."""
        self._data, self._ends = data, ends

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401 (a sequence's)
        start, end = self._ends[place], self._ends[place + 1]
        return self._data[start:end].tobytes().decode()

    def __iter__(self) -> Iterator[str]:
        data = self._data.tobytes()
        for start, end in pairwise(self._ends.tolist()):
            yield data[start:end].decode()

    def utf8(self) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
        """All names behind each other, and where each begins; the last entry is where they end."""
        return self._data if len(self._data) else np.zeros(1, np.uint8), self._ends


@dataclass(eq=False)
class Batch:
    """Rows of one file."""

    first: int
    """The number of its first row."""
    count: int
    names: Mapping[str, Names]
    numbers: Mapping[str, NDArray[np.int64]]
    truths: Mapping[str, NDArray[np.int8]]
    """-1: not there; 0, 1."""
    lists: Mapping[str, Mapping[int, tuple[str, ...]]] = field(default_factory=dict)
    """By column and place: only where there is a list."""
    file: int = 0
    events: NDArray[np.bool_] | None = None
    """Which rows are events; None: all are."""

    def row(self, place: int) -> dict[str, Any]:
        """A row as a dictionary of what is there."""
        found: dict[str, Any] = {}
        for name in schema.NAMES:
            if name in self.names:
                found[name] = self.names[name][place]
            elif name in self.numbers:
                value = int(self.numbers[name][place])
                found[name] = None if value == NULL else value
            elif name in self.truths:
                truth = int(self.truths[name][place])
                found[name] = None if truth < 0 else bool(truth)
            elif name in self.lists:
                listed = self.lists[name].get(place)
                found[name] = None if listed is None else list(listed)
        return {name: value for name, value in found.items() if value is not None}


def batch_of(rows: Sequence[Mapping[str, Any]], first: int = 0, file: int = 0) -> Batch:
    """A batch of rows as dictionaries."""
    names, numbers, truths, lists = {}, {}, {}, {}
    there = dict.fromkeys(name for row in rows for name, value in row.items() if value is not None)
    for name in there:
        values = [row.get(name) for row in rows]
        match KINDS.get(name):
            case schema.TEXT:
                names[name] = coded(values)
            case schema.TRUTH:
                truths[name] = np.array([-1 if each is None else int(each) for each in values], np.int8)
            case schema.TEXTS:
                lists[name] = {at: tuple(each) for at, each in enumerate(values) if each is not None}
            case schema.LONG | schema.INT:
                numbers[name] = np.array([NULL if each is None else each for each in values], np.int64)
    return Batch(first, len(rows), names, numbers, truths, lists, file)


def coded(values: Iterable[str | None]) -> Names:
    """A column of names, from the names themselves."""
    known: dict[str, int] = {}
    codes = [-1 if each is None else known.setdefault(each, len(known)) for each in values]
    return Names(np.array(codes, np.int32), list(known))
