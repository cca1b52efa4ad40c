"""The kernel's memory: stores of records, tables of what is known, and what a thread has to itself.

Pages that nobody writes to take no memory, so room is made for the most that there can be.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from angarium.history.kernel import layout as at
from angarium.history.kernel.library import KERNEL

Words = NDArray[np.uint64]
PART = 16_384
"""About so many records are in a part: a megabyte."""
MOST_BITS = 14
RESTING = 16
"""So many parts are gone through before what is in memory of files is let go of: with each page the system
brings the fifteen around it."""
BYTES = 8
_LARGE = 1 << 19
"""Words for which NumPy would ask for huge pages."""


def zeros(count: int) -> Words:
    return np.zeros(max(count, 1), np.uint64)


def room(count: int) -> Words:
    """Words of which nothing is known."""
    return _pages(count) if count >= _LARGE else np.empty(max(count, 1), np.uint64)


def _pages(count: int) -> Words:
    """Words in small pages.

    NumPy asks for huge ones. To clear two megabytes at a time drives all else out of the caches: with them it
    takes three times as long to scatter records.
    """
    if not hasattr(mmap, "MADV_NOHUGEPAGE"):
        return np.empty(count, np.uint64)
    memory = mmap.mmap(-1, count * BYTES, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with suppress(OSError):  # a kernel without huge pages
        memory.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(memory, np.uint64)


def on_disk(count: int, folder: Path) -> mmap.mmap:
    """Words in a file without a name, whose room is taken at once: a disk that is full later would end us."""
    with TemporaryFile(dir=folder) as file:
        os.posix_fallocate(file.fileno(), 0, count * BYTES)
        memory = mmap.mmap(file.fileno(), count * BYTES)
    memory.madvise(mmap.MADV_RANDOM)
    return memory


def address(words: NDArray[np.generic]) -> int:
    return int(words.ctypes.data)


def bits_for(records: int) -> int:
    """How many bits number the parts of so many records."""
    return min(max(0, (max(records, 1) - 1) // PART).bit_length(), MOST_BITS)


class Store:
    """Records, in parts: in memory, or in a file of a folder."""

    def __init__(self, records: int, bits: int, folder: Path | None = None) -> None:
        chunks = records // (at.CHUNK - 1) + (1 << bits) + 1
        self.bits = bits
        self.words = zeros(at.STORE)
        self._heads, self._tails = zeros(1 << bits), zeros(1 << bits)
        size = chunks * at.CHUNK * at.RECORD
        self._file = None if folder is None else on_disk(size, folder)
        self._chunks = room(size) if self._file is None else np.frombuffer(self._file, np.uint64)
        self.words[at.PARTS_BITS], self.words[at.ROOM] = bits, chunks
        for place, memory in (
            (at.HEADS, self._heads), (at.TAILS, self._tails), (at.CHUNKS, self._chunks),
        ):  # fmt: skip
            self.words[place] = address(memory)

    def rest(self) -> None:
        """Let go of what is in memory of a file; whoever looks at it next has it read."""
        if self._file is not None:
            self._file.madvise(mmap.MADV_DONTNEED)

    PARTS = ("heads", "tails", "chunks")

    def used(self) -> Iterator[tuple[str, Words]]:
        """What is in it, by the names of its memory."""
        used = int(self.words[at.USED]) * at.CHUNK * at.RECORD
        yield from zip(self.PARTS, (self._heads, self._tails, self._chunks[:used]), strict=True)

    @staticmethod
    def of(used: Mapping[str, Words]) -> Store:
        """A store with what was in another one."""
        chunks = len(used["chunks"]) // (at.CHUNK * at.RECORD)
        found = Store(chunks * at.CHUNK, len(used["heads"]).bit_length() - 1)
        found._heads[:], found._tails[:] = used["heads"], used["tails"]
        found._chunks[: len(used["chunks"])] = used["chunks"]
        found.words[at.USED] = chunks
        return found

    @property
    def is_full(self) -> bool:
        """Whether a record was refused."""
        return bool(self.words[at.FULL])

    def count(self, part: int) -> int:
        """How many records of a part there are."""
        return KERNEL.call("count_of", np.array([address(self.words)], np.uint64), 1, part)

    def rows_of(self, keys: Words) -> dict[int, int]:
        """The rows of all records with some keys, each with its key."""
        if not len(keys):
            return {}
        size = 1 << int(2 * len(keys)).bit_length()
        table = np.zeros(size, np.uint64)
        KERNEL.call("sow", np.ascontiguousarray(keys), len(keys), table, size)
        rows: dict[int, int] = {}
        parts = 1 << self.bits
        for low in range(0, parts, RESTING if self._file is not None else parts):
            rows |= self._among(low, min(low + RESTING, parts) if self._file is not None else parts, table)
            self.rest()
        return rows

    def _among(self, low: int, high: int, table: Words) -> dict[int, int]:
        """The rows of records of some parts with keys of a table, each with its key."""
        most = len(table)
        while True:
            found = np.zeros((most, 2), np.uint64)
            count = KERNEL.call("among", self.words, low, high, table, len(table), found, most)
            if count <= most:
                return dict(found[:count].tolist())
            most = count

    def scatter(self, columns: Sequence[Words], chosen: NDArray[np.bool_]) -> int:
        """Put the chosen rows of columns into the store; how many they were."""
        whole = [np.ascontiguousarray(each, np.uint64) for each in columns]
        addresses = np.array([address(each) for each in whole], np.uint64)
        return KERNEL.call("scatter", self.words, len(chosen), addresses, chosen.view(np.uint8))


@dataclass
class Stores:
    """Several stores with as many parts each, which are looked at together."""

    each: Sequence[Store]
    only: range | None = None
    """The parts that have records, if not all may."""
    addresses: Words = field(init=False)

    def __post_init__(self) -> None:
        self.addresses = np.array([address(store.words) for store in self.each], np.uint64)

    @property
    def parts(self) -> range:
        return self.only or range(1 << self.each[0].bits)

    def rest(self) -> None:
        """Let go of what is in memory of files."""
        for store in self.each:
            store.rest()

    def count(self, part: int) -> int:
        """How many records of a part there are."""
        return KERNEL.call("count_of", self.addresses, len(self.each), part)


@dataclass
class Context:
    """What the kernel knows: parameters and tables, by the words of the layout."""

    words: Words = field(default_factory=lambda: zeros(at.CONTEXT))
    values: dict[int, int | NDArray[np.generic]] = field(default_factory=dict)

    def set(self, place: int, value: int | NDArray[np.generic]) -> None:
        """A number, or a table, which is kept."""
        self.values[place] = value
        self.words[place] = address(value) if isinstance(value, np.ndarray) else value

    def table(self, place: int) -> NDArray[np.generic]:
        """A table that was set."""
        found = self.values[place]
        assert isinstance(found, np.ndarray)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        """Addresses mean nothing to another process."""
        return _context_of, (self.values,)


def _context_of(values: Mapping[int, int | NDArray[np.generic]]) -> Context:
    found = Context()
    for place, value in values.items():
        found.set(place, value)
    return found


_PER_RECORD = {
    at.PAIRS: 2, at.SPARE: 2, at.ADDRESSES: 1, at.FIRSTS: 1, at.LASTS: 1, at.NEXTS: 1, at.TABLE: 4,
    at.DELIVERIES: at.DELIVERY, at.LINKS: 2 * at.LINK, at.TAKERS: 2 * at.SLOT, at.REACHED: 2 * at.SLOT,
    at.ACKS: 2,
}  # fmt: skip
"""Words of scratch memory for each record of the largest part."""
_FINDINGS = 5
"""A message has at most so many findings for each of its events."""


class Thread:
    """What one thread needs, and what it finds."""

    def __init__(self) -> None:
        self.words = zeros(at.THREAD)
        self._kept: dict[int, NDArray[np.generic]] = {}
        self._size = 0

    def set(self, place: int, value: int | NDArray[np.generic]) -> None:
        if isinstance(value, np.ndarray):
            self._kept[place] = value
            value = address(value)
        self.words[place] = value

    def __getitem__(self, place: int) -> NDArray[np.generic]:
        return self._kept[place]

    def prepare(self, records: int, findings: int = 0) -> None:
        """Make room for a part of so many records, and let go of the findings before."""
        if records > self._size:
            self._size = 2 * records + 64
            for place, width in _PER_RECORD.items():
                self.set(place, room(width * self._size + 4 * at.SLOT * at.DELIVERY))
            self.words[at.LINKS_ROOM] = 2 * self._size
        wanted = max(findings, _FINDINGS * records + 64)
        if wanted > int(self.words[at.FINDINGS_ROOM]):
            self.set(at.FINDINGS, room((wanted + 1) * at.FINDING))
            self.words[at.FINDINGS_ROOM] = wanted
        self.words[at.FOUND] = 0
        self.words[at.CRAMPED] = 0

    @property
    def found(self) -> int:
        return int(self.words[at.FOUND])

    @property
    def is_cramped(self) -> bool:
        """Whether there was not room for all that was found, or noted."""
        return self.found > int(self.words[at.FINDINGS_ROOM]) or bool(self.words[at.CRAMPED])

    def findings(self) -> NDArray[np.uint64]:
        """What was found since it was prepared: a copy, one row a finding."""
        memory = self._kept[at.FINDINGS]
        return memory[: self.found * at.FINDING].reshape(-1, at.FINDING).astype(np.uint64)


def joined(found: Iterable[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    rows = [each for each in found if len(each)]
    return np.concatenate(rows) if rows else np.zeros((0, at.FINDING), np.uint64)
