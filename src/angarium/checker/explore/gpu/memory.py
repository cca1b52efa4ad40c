"""A card's memory for a search: the log of all states, the table, and what all threads share.

A table of so many slots has a log with room for so many states as it can be full of. Both are made anew when
the search grows: the old table is given up first, because all that is in it is in the log, and so a search
can grow to nearly all that the card has. Where the next size would not fit, the table may become fuller.

States of the log that a card has no room for: in this machine's memory first, then on its disk.

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
from numpy.typing import NDArray

from angarium.checker.backend.kernel import FAILURE_BIT
from angarium.checker.backend.layout import Layout, Words
from angarium.checker.explore import core
from angarium.checker.explore.gpu import card_core
from angarium.checker.explore.gpu.cards import Card
from angarium.checker.explore.gpu.program import Program
from angarium.checker.explore.native_memory import WORD, physical_memory, reserve
from angarium.core.control import Cut, CutBy, CutError
from angarium.core.errors import LimitError

LOAD, LAST_LOAD = 0.7, 0.9
"""How full the table may be before it grows, and where there is no room to grow."""
SMALLEST_TABLE = 8
MOST_THREADS = 1 << 30
"""Of a launch."""
WINDOW = 1 << 27
"""States of a window into a log that lies elsewhere."""
LEAST_WINDOW = 1 << 10
"""With fewer of them nothing would be gained."""
SHARE_FOR_THREADS, FEWEST_THREADS = 0.1, 1024
"""The part of the memory that threads may have for what their states lead to, and how many there must be."""


@dataclass(frozen=True, slots=True)
class Room:
    """How large table and log may be."""

    bytes: int
    words: int
    """Of a state."""

    def states(self, slots: int, known: int) -> int:
        """For how many states there is a log beside so many slots, where a log of so many is to be copied."""
        load = LOAD if self.fits(2 * slots, int(slots * LOAD)) else LAST_LOAD
        row = WORD * self.words
        room = min(self.bytes - WORD * slots, self.bytes - row * known) // row
        return max(0, min(int(slots * load), slots - 1, room))

    def beside(self, slots: int) -> int:
        """For how many states there is room in each of two windows into a log that lies elsewhere."""
        return max(0, self.bytes - WORD * slots) // (2 * WORD * self.words)

    def fits(self, slots: int, known: int) -> bool:
        """Whether there is room for such a table with a log worth having."""
        row, states = WORD * self.words, int(slots * LOAD)
        return max(WORD * slots, row * known) + row * states <= self.bytes


def threads_with_room(card: Card, room: int, each: int, fan_out: int) -> int:
    """How many threads may have so many bytes each for the successors of a state."""
    threads = min(card.threads, int(room * SHARE_FOR_THREADS) // each)
    if threads < FEWEST_THREADS and threads < card.threads:
        raise LimitError(
            "ANG050",
            f"a state can have {fan_out:,} successors, which take {each:,} bytes in each"
            f" thread of {card.name}",
            possible=f"there is room for {threads:,} such threads, and it takes {FEWEST_THREADS:,}",
            remedy="use the engine local, or give the model smaller parameters",
        )
    return threads


@dataclass
class Store:
    """The states found so far."""

    card: Card
    program: Program
    room: Room
    fields: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(card_core.CARD_SIZE, np.uint64))
    """What all threads share, as it was when last read."""
    starts: list[int] = field(default_factory=lambda: [0])
    """Where each level begins, and where the last one that was expanded ends."""
    slots: int = 0
    capacity: int = 0
    """States that the log has room for."""
    head: int = 0
    """How many states have been expanded."""
    spill: Spill | None = None
    """The log up to the card's part of it, once it lies elsewhere."""
    window: int = 0
    """How many states the card's part has room for then, and the piece that is fetched."""

    def __post_init__(self) -> None:
        self.shared = self.card.allocate(self.fields.nbytes)
        self.table = self.log = self.fetched = 0
        self.threads = self._rooms() if self.program.is_roomy else MOST_THREADS
        if self.program.symmetry:
            parts = [self._placed(part) for part in self.program.symmetry.parts]
            table = self._placed(self.program.symmetry.table_at(parts))
            self.fields[core.RENAMINGS] = table
        self.card.write(self.shared, self.fields)

    def _rooms(self) -> int:
        """Memory of the card for the successors of so many threads' states."""
        program = self.program
        threads = threads_with_room(self.card, self.room.bytes, program.bytes_per_thread, program.fan_out)
        self.fields[card_core.ROOMS] = self.card.allocate(threads * program.bytes_per_thread)
        return threads

    def _placed(self, array: NDArray[np.int64]) -> int:
        """A copy on the card."""
        place = self.card.allocate(array.nbytes)
        self.card.write(place, np.ascontiguousarray(array))
        return place

    # --- growth -----------------------------------------------------------------------

    def may_have(self, slots: int) -> bool:
        return self.room.fits(slots, self.capacity) and self.room.states(slots, self.capacity) > self.states

    def use(self, slots: int) -> None:
        """A log for so many slots, with the states that there are, and an empty table."""
        capacity = self.room.states(slots, self.capacity)
        self._drop_table()
        log = self.card.allocate(capacity * self.row)
        if self.log:
            self.card.copy(self.log, log, self.states * self.row)
            self.card.free(self.log)
        self.log, self.capacity = log, capacity
        self.table, self.slots = self.card.allocate(slots * WORD), slots
        self.card.clear(self.table, slots * WORD)
        self.set(core.LOG, log)
        self.set(card_core.SOURCE, log)
        self._tell_table()

    def _tell_table(self) -> None:
        self.set(core.TABLE, self.table)
        self.set(core.MASK, self.slots - 1)
        self.set(core.SHIFT, 64 - (self.slots - 1).bit_length())

    # --- a log that lies elsewhere ----------------------------------------------------

    @property
    def may_spill(self) -> bool:
        """Whether the log is needed as a queue only: not where the table refers to it."""
        return self.layout.words == 1 and self.program.wish is None and not self.spill

    def begin_spilling(self) -> bool:
        """Keep the log elsewhere, and make the table as large as may be; whether it is another one.

        Only windows into the log stay on the card: one for what is found, one for what is read.
        """
        slots = self.slots
        while self.room.beside(2 * slots) >= min(WINDOW, max(LEAST_WINDOW, self.states // 8)):
            slots *= 2
        self.window = min(WINDOW, self.room.beside(slots))
        if self.window < LEAST_WINDOW and slots == self.slots:
            return False
        spill = Spill(self.layout.words)
        try:
            self._flush(spill)
        except BaseException:
            spill.close()
            raise
        self.spill = spill
        self._drop_table()
        self.card.free(self.log)
        self.log, self.fetched = (self.card.allocate(self.window * self.row) for _ in range(2))
        self.table, self.slots = self.card.allocate(slots * WORD), slots
        self.card.clear(self.table, slots * WORD)
        self._tell_table()
        self._move_window()
        return True

    def make_room(self) -> None:
        """Keep elsewhere what is in the card's part of the log."""
        assert self.spill
        if self.spill.states + self.window < self._most:
            self._flush(self.spill)
            self._move_window()

    def _flush(self, spill: Spill) -> None:
        """Copy all states of the card's part of the log."""
        first = spill.states
        for start in range(first, self.states, WINDOW):
            part = spill.space(min(WINDOW, self.states - start))
            self.card.read(self.log + (start - first) * self.row, part)
            spill.append(part)

    @property
    def _most(self) -> int:
        """States that the table may have."""
        return min(int(self.slots * LAST_LOAD), self.slots - 1)

    def _move_window(self) -> None:
        assert self.spill
        self.capacity = min(self.spill.states + self.window, self._most)
        self.set(core.LOG, (self.log - self.spill.states * self.row) % 2**64)

    def within_reach(self, first: int, end: int) -> int:
        """Let threads read states from a number on; how far they can, at most to the end."""
        if self.spill is None or first >= self.spill.states:
            self.set(card_core.SOURCE, int(self.fields[core.LOG]))
            return end
        end = min(end, self.spill.states, first + self.window)
        self.card.write(self.fetched, self.spill.read(first, end - first))
        self.set(card_core.SOURCE, (self.fetched - first * self.row) % 2**64)
        return end

    def _drop_table(self) -> None:
        if self.slots:
            self.card.free(self.table)
        self.slots = 0

    def set(self, field: int, value: int) -> None:
        """Let all threads know."""
        self.fields[field] = value
        self.card.write(self.shared + WORD * field, self.fields[field : field + 1])

    def begin(self, states: Words) -> None:
        """The initial states are the first level."""
        self.card.write(self.log, np.ascontiguousarray(states))
        self.set(core.NEXT, len(states))
        self.set(core.LEVEL_END, len(states))

    def refresh(self) -> None:
        """Read what the threads have counted."""
        self.card.read(self.shared, self.fields)

    # --- what is known ----------------------------------------------------------------

    @property
    def layout(self) -> Layout:
        return self.program.layout

    @property
    def row(self) -> int:
        """Bytes of a state in the log."""
        return WORD * self.layout.words

    @property
    def states(self) -> int:
        return int(self.fields[core.NEXT])

    @property
    def spilled(self) -> int:
        """How many of them lie elsewhere."""
        return self.spill.states if self.spill else 0

    @property
    def transitions(self) -> int:
        return int(self.fields[card_core.STEPS])

    @property
    def depth(self) -> int:
        """How many levels have been expanded."""
        return len(self.starts) - 1

    @property
    def level_end(self) -> int:
        return int(self.fields[core.LEVEL_END])

    @property
    def bytes(self) -> int:
        return WORD * self.slots + self.states * self.row

    @property
    def level_starts(self) -> NDArray[np.int64]:
        return np.array(self.starts, np.int64)

    @property
    def failed(self) -> bool:
        """Whether a step, a guarantee or a condition failed somewhere."""
        return bool(int(self.fields[core.HITS]) >> FAILURE_BIT)

    def first_hit(self, bit: int) -> int | None:
        """One of the first states that hit a guarantee."""
        if not int(self.fields[core.HITS]) >> bit & 1:
            return None
        return int(self.fields[core.FIRST_HITS + bit])

    def state(self, number: int) -> Words:
        """One state of the log."""
        found: Words = self.read(number, 1)[0]
        return found

    def read(self, first: int, count: int) -> Words:
        """Some states of the log."""
        elsewhere = max(0, min(self.spilled - first, count))
        found = np.empty((count, self.layout.words), np.uint64)
        if elsewhere and self.spill:
            found[:elsewhere] = self.spill.read(first, elsewhere)
        if elsewhere < count:
            place = self.log + (first + elsewhere - self.spilled) * self.row
            self.card.read(place, found[elsewhere:])
        return found


# --- what is put aside ----------------------------------------------------------------------------


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
