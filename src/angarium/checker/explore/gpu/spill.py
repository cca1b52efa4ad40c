"""States of the log that a card has no room for: in this machine's memory first, then on its disk.

A search whose table holds the states themselves needs the log only as a queue, and afterwards to find runs
again. Both read it from front to back, in large pieces; so nothing is lost where it lies elsewhere.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO

import numpy as np

from angarium.checker.backend.layout import Words
from angarium.checker.explore.native_memory import WORD, physical_memory, reserve
from angarium.core.control import Cut, CutBy, CutError

SHARE_OF_MEMORY = 0.6
"""The part of this machine's memory that such states take at most."""
LARGE = 1 << 22
"""Bytes that are worth pages of their own."""
KEPT_FREE = 0.05
"""The part of the disk that is left to others."""

FULL = Cut(CutBy.FULL, "the memory and the disk of this machine are full")


@dataclass
class Spill:
    """A log without its end, which only grows."""

    words: int
    """Of a state."""
    states: int = 0
    room: int = field(default_factory=lambda: int(WORD * physical_memory() * SHARE_OF_MEMORY))
    """Bytes in this machine's memory."""
    _parts: list[tuple[int, Words]] = field(default_factory=list)
    """Each with the number of its first state."""
    _file: IO[bytes] | None = None
    _on_disk: int = 0
    """The number of the first state that is on disk, once there is one."""

    def space(self, count: int) -> Words:
        """Room for the next states."""
        if self._file is None and (self.states + count) * self.row > self.room:
            self._file, self._on_disk = tempfile.TemporaryFile(prefix="angarium-states-"), self.states  # noqa: SIM115
        size = count * self.words
        if self._file is None and size * WORD >= LARGE:
            return reserve(size)[:size].reshape(count, self.words)
        return np.empty((count, self.words), np.uint64)

    def append(self, states: Words) -> None:
        """Keep states that were written where there was space for them; CutError if the disk is full."""
        if self._file is None:
            self._parts.append((self.states, states))
        else:
            self._write(self._file, states)
        self.states += len(states)

    def _write(self, file: IO[bytes], states: Words) -> None:
        disk = shutil.disk_usage(tempfile.gettempdir())
        try:
            if disk.free - states.nbytes < disk.total * KEPT_FREE:
                raise OSError(errno.ENOSPC, "too little of the disk is free")
            file.seek((self.states - self._on_disk) * self.row)
            states.tofile(file)
        except OSError:
            raise CutError(FULL) from None

    @property
    def row(self) -> int:
        """Bytes of a state."""
        return WORD * self.words

    def read(self, first: int, count: int) -> Words:
        """Some of its states."""
        found = np.empty((count, self.words), np.uint64)
        for start, states in self._overlapping(first, first + count):
            found[start - first : start - first + len(states)] = states
        return found

    def _overlapping(self, first: int, end: int) -> Iterator[tuple[int, Words]]:
        """Those of a range, piece by piece, each with the number of its first."""
        for begin, states in self._parts:
            low, high = max(first, begin), min(end, begin + len(states))
            if low < high:
                yield low, states[low - begin : high - begin]
        if self._file is not None and end > self._on_disk:
            low = max(first, self._on_disk)
            size = (end - low) * self.row
            data = os.pread(self._file.fileno(), size, (low - self._on_disk) * self.row)
            yield low, np.frombuffer(data, np.uint64).reshape(-1, self.words)

    def close(self) -> None:
        """Give everything back."""
        self._parts.clear()
        if self._file is not None:
            self._file.close()
            self._file = None
