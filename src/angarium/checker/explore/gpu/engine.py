"""The engine that searches on a graphics card."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace

from angarium.checker.explore.engine import Limits, Observer, Outcome, Progress
from angarium.checker.explore.gpu.cards import Card, EmulatedGrid, RealCard, emulated_memory
from angarium.checker.explore.gpu.linking import Linking
from angarium.checker.explore.gpu.program import compile_program
from angarium.checker.explore.gpu.search import CardSearch, room_of
from angarium.checker.explore.graph import Wish
from angarium.checker.explore.native_watch import Watch
from angarium.checker.ir.transition import TransitionSystem
from angarium.core.control import Cut, CutBy
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
