"""Memory for a search: what all threads share, what each has of its own, the log and the table.

Big memory is reserved by `mmap` without being backed by anything; the system gives real pages,
huge ones if it can, when they are first written. So the log is as large as the machine's memory
from the start and never moves, and costs only what is in it. Where a process may not have that many addresses
(`ulimit -v`), all of it is made smaller.
"""

from __future__ import annotations

import mmap
import os
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from angarium.checker.backend.kernel import FAILURE_BIT, Kernel
from angarium.checker.backend.layout import Layout
from angarium.checker.explore import core
from angarium.core.addresses import addresses_left

if TYPE_CHECKING:
    from angarium.checker.explore.link import Ledger

Array = NDArray[np.uint64]
WORD = 8
SMALLEST_TABLE = 8
_NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000)
_LEAST = 1 << 20
_RESERVATIONS = 10
"""How often that much is reserved at most: for the log, the columns of the ledger, the table and more."""


def reserve(size: int) -> Array:
    """So many words, all 0, that take memory only where they are written."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
    try:
        memory = mmap.mmap(-1, max(size, 1) * WORD, flags=flags)
    except (OSError, ValueError, OverflowError):
        raise MemoryError from None
    if hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, np.uint64)


def halves(count: int) -> NDArray[np.uint32]:
    """So many numbers of 32 bits, likewise."""
    return reserve(count // 2 + 1).view(np.uint32)[:count]


def reserve_most(size: int) -> Array:
    """As many words as possible, at most so many."""
    while True:
        try:
            return reserve(size)
        except MemoryError:
            if size <= _LEAST:
                raise
            size //= 2


def release(array: Array, size: int) -> None:
    """Give back the memory of the first so many words; what was in them is lost."""
    whole = size * WORD // mmap.PAGESIZE * mmap.PAGESIZE
    if whole and hasattr(mmap, "MADV_DONTNEED"):
        assert isinstance(array.base, memoryview)
        array.base.obj.madvise(mmap.MADV_DONTNEED, 0, whole)


def physical_memory() -> int:
    """The machine's memory in words, or what part of it this process may have at most."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // WORD
    left = addresses_left()
    return machine if left is None else max(_LEAST, min(machine, left // WORD // _RESERVATIONS))


def address(array: NDArray[np.generic]) -> int:
    return int(array.ctypes.data)


def block_of(kernel: Kernel) -> int:
    """How many states are expanded at a time."""
    return max(1, min(64, 8192 // max(1, kernel.fan_out)))


def shared_fields(kernel: Kernel, block: int) -> Array:
    """What the functions of `core` share, with the kernel in its place."""
    fields = np.zeros(core.SHARED_SIZE, np.uint64)
    fields[core.KERNEL], fields[core.BLOCK] = kernel.address, block
    if kernel.symmetry:
        fields[core.CANONICAL], fields[core.RENAMINGS] = kernel.symmetry.address, kernel.symmetry.table
    return fields


class Own:
    """What a thread has of its own: a block's successors and what was counted."""

    def __init__(self, kernel: Kernel, block: int) -> None:
        most = max(1, block * kernel.fan_out)
        words = kernel.layout.words
        sizes = (most * words, most, block, block, block * words)
        self._arrays = [np.zeros(size, np.uint64) for size in sizes]
        self.fields = np.zeros(core.OWN_SIZE, np.uint64)
        self.fields[: len(self._arrays)] = [address(array) for array in self._arrays]

    @property
    def transitions(self) -> int:
        return int(self.fields[core.TRANSITIONS])


class Store:
    """The states found so far."""

    ledger: Ledger | None = None
    """Where steps are written down, if they are."""

    def __init__(self, kernel: Kernel, layout: Layout, block: int, capacity: int) -> None:
        self.layout, self.words = layout, layout.words
        room = physical_memory() // self.words
        self.log = reserve_most(room * self.words)
        self.most = len(self.log) // self.words
        self.levels = reserve_most(self.most + 2)
        self.shared = shared_fields(kernel, block)
        self._set(core.LOG, address(self.log))
        self._set(core.LEVELS, address(self.levels))
        self.table = self.old_table = reserve(0)
        self.use_table(capacity)

    def _set(self, field: int, value: int) -> None:
        self.shared[field] = value

    def use_table(self, capacity: int) -> None:
        """Begin with an empty table of at least so many slots, a power of two."""
        bits = (max(capacity, SMALLEST_TABLE) - 1).bit_length()
        # Threads read from the old table while states move; an interrupt must not take it away.
        self.old_table, self.table = self.table, reserve(1 << bits)
        self._set(core.TABLE, address(self.table))
        self._set(core.MASK, len(self.table) - 1)
        self._set(core.SHIFT, 64 - bits)

    def drop_old_table(self) -> None:
        """Give its memory back."""
        self.old_table = reserve(0)

    def drop_table(self) -> None:
        """Give its memory back at the end of a search."""
        self.table = reserve(0)

    def keep(self, ledger: Ledger) -> None:
        """Write down steps from now on."""
        self.ledger = ledger
        self._set(core.LEDGER, address(ledger.fields))

    def drop_ledger(self) -> None:
        """Write down no more steps, and forget those that were."""
        self.ledger = None
        self._set(core.LEDGER, 0)

    def limit(self, states: int, most_bytes: int, slack: int) -> None:
        """At how many states, or how many entries of the ledger, the native loop comes back."""
        if self.ledger:
            states = min(states, self.ledger.most_states)
            taken = WORD * len(self.table) + states * self.bytes_per_state
            self.ledger.limit(most_bytes - taken, slack)
        self._set(core.LIMIT, states)

    def begin(self, states: Array) -> None:
        """The initial states are the first level."""
        self.log[: states.size] = states.ravel()
        self._set(core.NEXT, len(states))
        self._set(core.LEVEL_END, len(states))

    def state(self, number: int) -> Array:
        """One state of the log."""
        return self.log[number * self.words : (number + 1) * self.words]

    # --- what is known ----------------------------------------------------------------

    @property
    def states(self) -> int:
        return int(self.shared[core.NEXT])

    @property
    def depth(self) -> int:
        """How many levels have been expanded."""
        return int(self.shared[core.DEPTH])

    @property
    def frontier(self) -> int:
        """How many states have not been expanded."""
        return self.states - min(int(self.shared[core.HEAD]), int(self.shared[core.LEVEL_END]))

    @property
    def bytes(self) -> int:
        entries = self.ledger.entries * self.ledger.bytes_per_entry if self.ledger else 0
        return WORD * len(self.table) + self.states * self.bytes_per_state + entries

    @property
    def bytes_per_state(self) -> int:
        return WORD * self.words + (self.ledger.bytes_per_state if self.ledger else 0)

    @property
    def level_starts(self) -> Array:
        """Where each level begins, and where the last one ends."""
        return self.levels[: self.depth + 1]

    @property
    def level_sizes(self) -> list[int]:
        return [int(size) for size in np.diff(self.level_starts.astype(np.int64))]

    @property
    def expanding(self) -> int:
        """How many states the level has that is being expanded."""
        return max(0, int(self.shared[core.LEVEL_END]) - int(self.level_starts[-1]))

    @property
    def failed(self) -> bool:
        """Whether a step, a guarantee or a condition failed somewhere."""
        return bool(int(self.shared[core.HITS]) >> FAILURE_BIT)

    def first_hit(self, bit: int) -> int | None:
        """The first state that hits a guarantee."""
        if not int(self.shared[core.HITS]) >> bit & 1:
            return None
        return int(self.shared[core.FIRST_HITS + bit])
