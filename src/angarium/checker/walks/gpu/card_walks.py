"""Random walks on a graphics card: the same walks as on the processor, number for number.

A walk depends on the seed and its own number alone, and its random numbers are integers: so it is the same
walk wherever it is made, and all its figures are. What differs is how many are under way at a time: as many
as the card has threads. The figures of a chunk come to this machine's memory, where observations are
evaluated as always.

What runs on a card to make walks of a system: its kernel and the walk loop, as one text for one target.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from angarium.checker.backend.kernel import check_instances, fan_out, layout_of, without_beginning
from angarium.checker.backend.layout import Layout
from angarium.checker.explore.gpu.cards import Array, Card
from angarium.checker.explore.gpu.engine import first_card
from angarium.checker.explore.gpu.memory import threads_with_room
from angarium.checker.explore.gpu.program import MOST_OF_ITS_OWN, one_text, translated
from angarium.checker.explore.gpu.search import room_of
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.walks import walk_core
from angarium.checker.walks import walk_core as core
from angarium.checker.walks.figures import Hit, Observing, Walked
from angarium.checker.walks.gpu import card_walk_core
from angarium.checker.walks.native_walks import Chunk, Observer, Tables, Watch, made_by
from angarium.checker.walks.plan import Plan
from angarium.checker.walks.questions import Questions
from angarium.checker.walks.results import Sample, Simulation
from angarium.checker.walks.summary import Effort, summarise
from angarium.core.control import Cut, CutBy, cut_of
from angarium.core.errors import LimitError
from angarium.native import jit, ptx
from angarium.native.jit import Library
from angarium.native.lowlevel import constants_in
from angarium.native.targets import CARD, PROCESSOR, Target

CHUNK = 1 << 19
"""Walks whose figures stand in the card's memory at once, if there is room for them."""
MOST_STEPS = 2**32 - 1
"""Of a walk: a hit is one number of steps and walk."""
SHARE_FOR_FIGURES = 0.5
_NOTHING = 2**64 - 1


def simulate(
    system: TransitionSystem,
    plan: Plan,
    *,
    subject: str,
    observe: Observer | None = None,
    timeout: float | None = None,
    card: Callable[[], Card] = first_card,
) -> tuple[Simulation, Sample]:
    """Make all walks of a plan; what they show, and their figures."""
    if plan.steps > MOST_STEPS:
        raise LimitError(
            "ANG054",
            f"a walk of {plan.steps:,} steps is too long for the engine gpu",
            possible=f"at most {MOST_STEPS:,}",
            remedy="give fewer --steps, or leave out --engine gpu",
        )
    cpu_started, watch, there = time.process_time(), Watch(observe, timeout), card()
    try:
        walker = CardWalker(system, plan, there, watch)
        walked = made_by(walker, 0, plan.runs, walker.most)
    finally:
        there.close()
    effort = Effort("gpu", 1, watch.seconds, time.process_time() - cpu_started)
    return summarise(system, plan, walked, effort, subject=subject), walked.sample


class CardWalker:
    """Makes walks of one system on a card."""

    def __init__(self, system: TransitionSystem, plan: Plan, card: Card, watch: Watch) -> None:
        self.questions, self.plan, self.card, self.watch = Questions(system, plan.schedule), plan, card, watch
        self.program = WalkProgram(self.questions)
        self.observing = Observing(self.questions)
        self.tables = Tables(self.questions, self.program.layout)
        self.words = self.program.layout.words - self.questions.apart
        self.cut: Cut | None = None
        card.prepare(self.program)
        self.fields = np.zeros(core.SHARED_SIZE, np.uint64)
        self.threads = card.threads
        self._placed: list[int] = []
        self._room = room_of(card, None)
        self._place_tables()

    @property
    def most(self) -> int:
        """Walks of a chunk: as many as the card has room for the figures of."""
        each = 1 + 8 * (1 + len(self.tables.blank) + self.words)
        return max(1, min(CHUNK, int(self._room * SHARE_FOR_FIGURES) // each))

    def _place_tables(self) -> None:
        for place, value in self.tables.fields.items():
            self.fields[place] = value
        for place, array in self.tables.arrays.items():
            self.fields[place] = self._copied(array)
        self.fields[core.SEED], self.fields[core.LIMIT] = self.plan.seed % 2**64, self.plan.steps
        self.fields[core.NOTED], self.fields[core.GOAL] = self.tables.noted, self.questions.goal
        if self.program.is_roomy:
            each = self.program.bytes_per_thread
            self.threads = threads_with_room(self.card, self._room, each, self.program.fan_out)
            self.fields[core.ROOMS] = self._allocated(self.threads * each)
        self.shared = self._allocated(self.fields.nbytes)

    def nothing(self, first: int) -> Walked:
        """No walks at all."""
        return Walked(Chunk.of(0, self.words, self.tables.blank).sample(first, self.observing))

    def chunks(self, first: int, count: int, size: int) -> Iterator[Walked]:
        """Walks, chunk after chunk; after one that was cut there is none."""
        for start in range(first, first + count, size):
            if self.cut:
                return
            yield self._chunk(start, min(size, first + count - start))

    def end(self) -> None:
        """Let no thread go on when the memory is given back."""
        self._stop(1)
        while not self.card.is_done(self.watch.turn):
            pass
        self._stop(0)
        while self._placed:
            self.card.free(self._placed.pop())

    # --- one chunk --------------------------------------------------------------------

    def _chunk(self, first: int, count: int) -> Walked:
        chunk = Chunk.of(count, self.words, self.tables.blank)
        held = len(self._placed)
        try:
            places = self._share(chunk, first, count)
            self._run(count)
            for array, place in places:
                self.card.read(place, array)
        except MemoryError:
            full = Cut(CutBy.FULL, f"the memory of {self.card.name} is full")
            self.cut, chunk = full, Chunk.of(0, self.words, self.tables.blank)
        while len(self._placed) > held:
            self.card.free(self._placed.pop())
        self.watch.walks += chunk.whole
        self.watch.steps += int(self.fields[core.GONE])
        self.watch.tell(0, 0)
        cut = self.cut if chunk.whole < count else None
        return Walked(chunk.sample(first, self.observing), self._hits(first), cut)

    def _share(self, chunk: Chunk, first: int, count: int) -> list[tuple[Array, int]]:
        """Room on the card for what comes to these arrays afterwards."""
        self.fields[core.LEAST :] = _NOTHING
        for place in (core.NEXT, core.STOP, core.MADE, core.GONE):
            self.fields[place] = 0
        self.fields[core.FIRST], self.fields[core.COUNT] = first, count
        arrays: Mapping[int, Array] = {
            core.ENDED: chunk.ended,
            core.LENGTHS: chunk.lengths,
            core.FIGURES: chunk.tallies,
            core.STATES: chunk.states,
        }
        for place, array in arrays.items():
            self.fields[place] = self._copied(array)
        self.card.write(self.shared, self.fields)
        return [(array, int(self.fields[place])) for place, array in arrays.items()]

    def _run(self, count: int) -> None:
        """Walk in all threads, and watch until all are back."""
        try:
            self.card.start("walk_on_card", min(count, self.threads), self.shared)
            while not self.card.is_done(self.watch.turn):
                self._look()
        except KeyboardInterrupt as problem:
            self._cut(cut_of(problem))
            while not self.card.is_done(self.watch.turn):
                pass
        self.card.read(self.shared, self.fields)
        if self.cut:
            self._stop(0)

    def _look(self) -> None:
        late = self.watch.time_is_up()
        if late:
            self._cut(late)
        self.card.read(self.shared, self.fields)
        self.watch.tell(int(self.fields[core.MADE]), int(self.fields[core.GONE]))

    def _cut(self, why: Cut) -> None:
        if self.cut is None:
            self.cut = why
            self._stop(1)

    def _stop(self, wanted: int) -> None:
        """Tell all threads to come back, or that they may go on."""
        self.card.write(self.shared + 8 * core.STOP, np.array([wanted], np.uint64))
        self.card.halt(wanted)

    def _hits(self, first: int) -> dict[str, Hit]:
        """The least hit of each guarantee in a chunk."""
        found = {name: int(self.fields[core.LEAST + bit]) for name, bit in self.tables.bits.items()}
        return {
            name: Hit(least >> core.HALF_BITS, first + (least & core.HALF))
            for name, least in found.items()
            if least != _NOTHING
        }

    # --- memory -----------------------------------------------------------------------

    def _allocated(self, size: int) -> int:
        place = self.card.allocate(size)
        self._placed.append(place)
        return place

    def _copied(self, array: NDArray[np.generic]) -> int:
        """A copy on the card."""
        place = self._allocated(array.nbytes)
        if array.nbytes:
            self.card.write(place, np.ascontiguousarray(array))
        return place


# --- the program ----------------------------------------------------------------------------------


STARTED = {"walk_on_card": 1}
_MODULES = (walk_core, card_walk_core)


@dataclass(frozen=True)
class WalkProgram:
    """A system and what its walks are asked, ready to be compiled for a target."""

    questions: Questions

    def __post_init__(self) -> None:
        check_instances(self.questions.labelled_system)

    @cached_property
    def layout(self) -> Layout:
        """Of a successor: the state, and what is told of the step."""
        return layout_of(self.questions.labelled_system, self.questions.apart)

    @cached_property
    def fan_out(self) -> int:
        return fan_out(self.questions.labelled_system)

    @property
    def bytes_per_thread(self) -> int:
        """Memory for the successors of a state."""
        return 8 * max(1, self.fan_out) * self.layout.words

    @property
    def is_roomy(self) -> bool:
        """Whether that is more than a thread should have of its own."""
        return self.bytes_per_thread > MOST_OF_ITS_OWN

    def library(self) -> Library:
        """Compiled for this machine's processor."""
        return jit.build(lambda: self._text(PROCESSOR), STARTED, made_from=self._made_from)

    def ptx(self, capability: tuple[int, int]) -> bytes:
        """Compiled for a card."""
        return ptx.build(lambda: self._text(CARD), STARTED, capability, made_from=self._made_from)

    @cached_property
    def _constants(self) -> dict[str, int]:
        room = self.bytes_per_thread // 8
        return {
            **constants_in(vars(walk_core)),
            **constants_in(vars(card_walk_core)),
            "WORDS": self.layout.words - self.questions.apart,
            "STRIDE": self.layout.words,
            "BY_ACTION": int(self.questions.schedule == "by-action"),
            "RATES": int(self.questions.schedule == "rates"),
            "ON_CARD": 1,
            "ROOM": room,
            "OWN_ROOM": 1 if self.is_roomy else room,
            "SCRATCH": int(self.is_roomy),
        }

    @property
    def _told(self) -> TransitionSystem:
        return without_beginning(self.questions.labelled_system)

    @property
    def _made_from(self) -> str:
        sources = [inspect.getsource(module) for module in _MODULES]
        return repr((self._told, self.questions.apart, sources, self._constants))

    def _text(self, target: Target) -> str:
        loop = translated(_MODULES, dict.fromkeys(STARTED, self._constants), target)
        return one_text(self._told, self.questions.apart, loop)
