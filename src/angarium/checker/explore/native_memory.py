"""Memory for a search: what all threads share, what each has of its own, the log and the table.

Big memory is reserved by `mmap` without being backed by anything; the system gives real pages,
huge ones if it can, when they are first written. So the log is as large as the machine's memory
from the start and never moves, and costs only what is in it. Where a process may not have that many addresses
(`ulimit -v`), all of it is made smaller.

The ledger of a native search: every step, as the search finds it, and the graph that comes of it.

Its memory is reserved like the log's, as much as the machine has, and taken when it is written. If there is
not enough of it the ledger is given up, and the search goes on without: what is claimed of single states is
decided all the same.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from angarium.checker.backend.kernel import FAILURE_BIT, Kernel
from angarium.checker.backend.layout import Layout
from angarium.checker.explore import core, link_core
from angarium.checker.explore.graph import Graph, Wish, instances
from angarium.checker.ir.transition import Cells, TransitionSystem
from angarium.core.addresses import addresses_left

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


# --- the ledger -----------------------------------------------------------------------------------


HALF = WORD // 2
MOST_STATES = 2**32 - 1
"""A state's number is half a word."""
PIECE = 1 << 20
"""States whose entries are gathered before anybody looks at the clock."""

Gather = Callable[[str, Sequence[int], int, int], object]
"""Calls a native function with some arguments for a range of states, a part in each thread."""


class Ledger:
    """The steps found so far."""

    def __init__(self, system: TransitionSystem, wish: Wish, *, scattered: bool) -> None:
        self._system, self._scattered, self._eventful = system, scattered, bool(wish.events)
        words = physical_memory()
        self._targets, self._labels = reserve_most(words // 2), reserve_most(words // 2)
        self._events = reserve_most(words if wish.events else 0)
        self._begins, self._atoms = reserve_most(words), reserve_most(words)
        self._degrees = reserve_most(words // 2 if scattered else 0)
        self.fields = np.zeros(link_core.LEDGER_SIZE, np.uint64)
        arrays = (self._targets, self._labels, self._events, self._begins, self._degrees, self._atoms)
        self.fields[: len(arrays)] = [address(array) for array in arrays]
        self.fields[link_core.STUTTER] = instances(system.actions)
        self.fields[link_core.FIRST_ATOM] = len(system.guarantees)
        self.fields[link_core.ATOM_MASK] = (1 << len(wish.conditions)) - 1

    # --- room -------------------------------------------------------------------------

    @property
    def entries(self) -> int:
        return int(self.fields[link_core.ENTRIES])

    @property
    def most_states(self) -> int:
        return min(MOST_STATES, len(self._begins) - 1, len(self._atoms))

    @property
    def bytes_per_state(self) -> int:
        return 2 * WORD + HALF * self._scattered

    @property
    def bytes_per_entry(self) -> int:
        return 2 * HALF + WORD * self._eventful

    @property
    def is_full(self) -> bool:
        return self.entries >= int(self.fields[link_core.MOST_ENTRIES])

    def limit(self, most_bytes: int, slack: int) -> None:
        """At how many entries the native loop comes back: threads add what they hold."""
        arrays = (2 * len(self._targets), 2 * len(self._labels), *[len(self._events)] * self._eventful)
        most = min(*arrays, most_bytes // self.bytes_per_entry) - slack
        self.fields[link_core.MOST_ENTRIES] = max(0, most)

    # --- the graph --------------------------------------------------------------------

    def graph(self, store: Store, initial: int, gather: Gather) -> Graph:
        """The graph of a complete search."""
        rows = self._begins[: store.states + 1]
        rows[store.states] = self.entries
        if self._scattered:
            rows = self._gather_all(store.states, gather)
        return Graph(
            system=self._system,
            rows=rows,
            targets=_halves(self._targets, self.entries),
            labels=_halves(self._labels, self.entries),
            atoms=self._atoms[: store.states],
            initial=initial,
            cells=_reader(store),
            events=self._events[: self.entries if self._eventful else 0],
        )

    def _gather_all(self, states: int, gather: Gather) -> Array:
        """Bring all entries into the order of the states; where each one's begin."""
        rows = reserve(states + 1)[: states + 1]
        np.cumsum(_halves(self._degrees, states), dtype=np.uint64, out=rows[1:])
        self._degrees = reserve(0)
        self._targets = self._gathered("gather", self._targets, 2, rows, gather)
        self._labels = self._gathered("gather", self._labels, 2, rows, gather)
        if self._eventful:
            self._events = self._gathered("gather_words", self._events, 1, rows, gather)
        return rows

    def _gathered(self, name: str, source: Array, per_word: int, rows: Array, gather: Gather) -> Array:
        """The entries in order; memory that they came from is given back as soon as it can be."""
        target = reserve(-(-self.entries // per_word))
        arguments = [address(each) for each in (self._begins, rows, source, target)]
        for start, end, needed in self._pieces(len(rows) - 1):
            gather(name, arguments, start, end)
            release(source, needed // per_word)
        return target

    def _pieces(self, states: int) -> Iterator[tuple[int, int, int]]:
        """Ranges of states, with the first entry that those behind need."""
        starts = np.arange(0, states, PIECE)
        least = np.minimum.reduceat(self._begins[:states], starts)
        behind = [*np.minimum.accumulate(least[::-1])[::-1][1:].tolist(), self.entries]
        for start, needed in zip(starts.tolist(), behind, strict=True):
            yield start, min(states, start + PIECE), needed


def _halves(array: Array, count: int) -> NDArray[np.uint32]:
    halves: NDArray[np.uint32] = array.view(np.uint32)
    return halves[:count]


def _reader(store: Store) -> Callable[[Sequence[int]], list[Cells]]:
    """The states of some numbers, from the log: of all that a search had, only that is kept."""
    layout, states = store.layout, store.log[: store.states * store.words].reshape(-1, store.words)

    def cells(numbers: Sequence[int]) -> list[Cells]:
        return [tuple(each) for each in layout.unpack_all(states[np.asarray(numbers, np.int64)]).tolist()]

    return cells
