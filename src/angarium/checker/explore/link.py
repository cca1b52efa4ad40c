"""The ledger of a native search: every step, as the search finds it, and the graph that comes of it.

Its memory is reserved like the log's, as much as the machine has, and taken when it is written. If there is
not enough of it the ledger is given up, and the search goes on without: what is claimed of single states is
decided all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from angarium.checker.explore import link_core
from angarium.checker.explore.engine import Cells
from angarium.checker.explore.graph import Graph, Wish, instances
from angarium.checker.explore.native_memory import (
    WORD,
    Array,
    Store,
    address,
    physical_memory,
    release,
    reserve,
    reserve_most,
)
from angarium.checker.ir.transition import TransitionSystem

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
