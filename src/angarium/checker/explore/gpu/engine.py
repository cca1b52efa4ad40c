"""The engine that searches on a graphics card.

The graph of a search is every step, written down when all states are known.

All states are expanded twice more, a piece at a time: first to count the steps of each, which says where its
entries are in the graph, then to look up the number of each successor. A piece's entries go to this
machine's memory, where guarantees over time are judged; so the card needs room for one piece only.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from angarium.checker.backend.layout import Words
from angarium.checker.explore import native_memory
from angarium.checker.explore.engine import Observer, Outcome, Progress
from angarium.checker.explore.gpu import card_core
from angarium.checker.explore.gpu.cards import Card, EmulatedGrid, RealCard, emulated_memory
from angarium.checker.explore.gpu.program import compile_program
from angarium.checker.explore.gpu.search import CardSearch, room_of
from angarium.checker.explore.graph import Graph, Wish, instances
from angarium.checker.explore.native_memory import halves, reserve
from angarium.checker.explore.native_watch import Watch, cut_by_numbers
from angarium.checker.ir.transition import Cells, TransitionSystem
from angarium.core.control import Cut, CutBy, CutError, Limits, cut_of
from angarium.core.errors import CardError
from angarium.native import cuda, ptx
from angarium.native.card_driver import is_emulated

_NO_LIMITS = Limits()


def first_card() -> Card:
    """The first card of this machine that is new enough, or the one that is emulated, if that is wanted."""
    if is_emulated():
        return EmulatedGrid(len(os.sched_getaffinity(0)))
    return RealCard(_new_enough()[0])


@dataclass(frozen=True, slots=True)
class Usable:
    """A card that a search could use."""

    name: str
    memory: int
    """Bytes, that others may use too."""


def usable_cards() -> list[Usable]:
    """Those of this machine; an error says why there is none."""
    if is_emulated():
        return [Usable(EmulatedGrid.name, emulated_memory())]
    return [Usable(each.name, each.memory) for each in _new_enough()]


def room_here(most: int | None = None) -> int:
    """Bytes that a search may take of the first card, if it may take so many at most."""
    card = first_card()
    try:
        return room_of(card, most)
    finally:
        card.close()


def _new_enough() -> list[cuda.Found]:
    cards = cuda.found()
    usable = [each for each in cards if each.is_new_enough]
    if usable:
        return usable
    there = ", ".join(f"{each.name} ({each.capability[0]}.{each.capability[1]})" for each in cards)
    raise CardError(
        "ANG160",
        "no graphics card here is new enough",
        possible=f"there is {there or 'none'}; needed is compute capability {ptx.OLDEST[0]}.{ptx.OLDEST[1]}",
        remedy="leave out --engine gpu: the engine local needs no card",
    )


class GpuEngine:
    """Explores on a graphics card."""

    name = "gpu"

    def __init__(self, card: Callable[[], Card] = first_card, *, _capacity: int | None = None) -> None:
        self._card, self._capacity = card, _capacity

    def search(
        self,
        system: TransitionSystem,
        *,
        limits: Limits = _NO_LIMITS,
        threads: int = 1,
        symmetry: bool = False,
        observe: Observer | None = None,
        graph: Wish | None = None,
    ) -> Outcome:
        """Explore until nothing is new, every guarantee is hit, or a limit is met."""
        assert not (graph and symmetry), "the graph is one of states, not of representatives"
        watch = Watch(limits, observe)
        program = compile_program(system, symmetry=symmetry, wish=graph)
        card = self._card()
        try:
            card.prepare(program)
            with closing(CardSearch(card, program, watch, self._capacity)) as search:
                search.explore()
                found = search.outcome()
                return _with_graph(search, found) if graph else found
        except MemoryError:  # there is not even room to begin
            full = Cut(CutBy.FULL, f"the memory of {card.name} is full")
            return Outcome(watch.coverage(Progress(0, 0, 0, 0, 0, watch.seconds), full))
        finally:
            card.close()


def _with_graph(search: CardSearch, found: Outcome) -> Outcome:
    """The same with the graph, if every state is known and nothing failed."""
    if not found.coverage.complete or search.store.failed or found.graph_cut:
        return found
    graph, cut = Linking(search).graph()
    watch = search.watch
    coverage = replace(found.coverage, seconds=watch.seconds, cpu_seconds=watch.cpu_seconds)
    return replace(
        found, coverage=coverage, graph=graph, graph_cut=cut, visited=None if graph else found.visited
    )


# --- the graph --------------------------------------------------------------------------------------


PIECE = 1 << 21
"""States of a piece."""


class Linking:
    """The graph of one search."""

    def __init__(self, search: CardSearch) -> None:
        assert search.program.wish is not None
        self.search, self.store, self.card = search, search.store, search.card
        self.system, self.wish = search.program.system, search.program.wish

    def graph(self) -> tuple[Graph | None, Cut | None]:
        """The graph of a complete search in which nothing failed; or why there is none."""
        if self.store.states > native_memory.MOST_STATES:
            return None, cut_by_numbers(native_memory.MOST_STATES)
        try:
            return self._graph(), None
        except KeyboardInterrupt as problem:
            return None, cut_of(problem)
        except MemoryError:
            return None, self.search.no_memory
        except CutError as late:
            return None, late.cut

    def _graph(self) -> Graph:
        states = self.store.states
        self.store.set(card_core.STUTTER, instances(self.system.actions))
        self.store.set(card_core.FIRST_ATOM, len(self.system.guarantees))
        self.store.set(card_core.ATOM_MASK, (1 << len(self.wish.conditions)) - 1)
        degrees, atoms = halves(states), reserve(states)[:states]
        for start, end in self._pieces():
            self._count(start, end, degrees, atoms)
        rows = reserve(states + 1)[: states + 1]
        np.cumsum(degrees, dtype=np.uint64, out=rows[1:])
        entries = int(rows[states])
        targets, labels = halves(entries), halves(entries)
        events = reserve(entries)[:entries] if self.wish.events else reserve(0)[:0]
        for start, end in self._pieces():
            self._link(start, end, rows, (targets, labels, events))
        return Graph(
            system=self.system,
            rows=rows,
            targets=targets,
            labels=labels,
            atoms=atoms,
            initial=len(self.search.initial),
            cells=self._reader(),
            events=events,
        )

    def _pieces(self) -> Iterator[tuple[int, int]]:
        """Ranges of states."""
        for start in range(0, self.store.states, PIECE):
            late = self.search.watch.time_is_up()
            if late:
                raise CutError(late)
            yield start, min(start + PIECE, self.store.states)

    def _count(self, start: int, end: int, degrees: NDArray[np.uint32], atoms: Words) -> None:
        with self._places(degrees[start:end], atoms[start:end]) as places:
            self._run("count_steps", start, end, *places)

    def _run(self, name: str, start: int, end: int, *places: int) -> None:
        """Start a function for a piece; what it has written is worth something only if it was not cut."""
        try:
            self.search.launch(name, start, end, *places)
        except BaseException:
            self.search.break_off()
            raise
        if self.search.cut:
            self.search.break_off()
            raise CutError(self.search.cut)

    def _link(self, start: int, end: int, rows: Words, entries: Sequence[NDArray[Any]]) -> None:
        first, last = int(rows[start]), int(rows[end])
        parts = [each[first:last] for each in entries]
        with self._places(*parts) as places:
            own = rows[start:end] - rows[start]
            begins = self.card.allocate(own.nbytes)
            try:
                self.card.write(begins, own)
                self._run("link_states", start, end, begins, *places)
            finally:
                self.card.free(begins)

    @contextmanager
    def _places(self, *arrays: NDArray[Any]) -> Iterator[list[int]]:
        """Room on the card for what comes to these arrays afterwards."""
        places: list[int] = []
        try:
            for each in arrays:
                places.append(self.card.allocate(each.nbytes))
            yield places
            for place, each in zip(places, arrays, strict=True):
                self.card.read(place, each)
        finally:
            for place in places:
                self.card.free(place)

    def _reader(self) -> Callable[[Sequence[int]], list[Cells]]:
        """The states of some numbers, from a copy of the log."""
        layout, states = self.store.layout, self.store.read(0, self.store.states)

        def cells(numbers: Sequence[int]) -> list[Cells]:
            return [tuple(each) for each in layout.unpack_all(states[np.asarray(numbers, np.int64)]).tolist()]

        return cells
