"""Random walks in native code, on as many threads as asked for.

Python's part is to prepare memory and to watch; see `explore.native`. The walks of a chunk are numbered, and
each thread takes the next number, so which thread makes which walk is left to chance, and nothing depends on
it. Behind each chunk all its figures are evaluated at once.

The first chunk is small. If many walks are left behind it, the kernel is worth compiling thoroughly.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from angarium.checker.backend.kernel import FAILURE_BIT, Kernel, compile_system
from angarium.checker.backend.layout import Layout, Words
from angarium.checker.explore.interpret import initial_states
from angarium.checker.explore.native_memory import address
from angarium.checker.ir.transition import STAYS_IN_RANGE, TransitionSystem
from angarium.checker.walks import walk_core as core
from angarium.checker.walks.figures import Hit, Observing, Walked, together
from angarium.checker.walks.plan import Plan
from angarium.checker.walks.questions import NEVER, Questions
from angarium.checker.walks.results import Sample, Simulation
from angarium.checker.walks.summary import Effort, summarise
from angarium.core.control import Cut, cut_by_time, cut_of
from angarium.native.functions import compile_functions
from angarium.native.jit import Library
from angarium.native.lowlevel import constants_in

CHUNK = 1 << 14
"""Walks whose last states stand in memory at once."""
TRIAL = 256
"""Walks after which it is known how long the others will take."""
WORTH_COMPILING = 20.0
"""Seconds of walks that a thoroughly compiled kernel shortens by more than it takes to compile."""
TURN = 0.1
"""Seconds between two looks at running walks."""
KINDS = {"times": core.TIMES, "steps": core.STEPS, "time": core.TIME}

Observer = Callable[[int, int, float], None]
"""Is told how many walks and how many steps have been made, and in how many seconds."""


@dataclass
class Watch:
    """The clock, and who wants to know."""

    observe: Observer | None = None
    timeout: float | None = None
    walks: int = 0
    steps: int = 0
    """In chunks that are finished."""
    started: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.started

    @property
    def turn(self) -> float:
        """How long to wait before looking again."""
        left = TURN if self.timeout is None else self.timeout - self.seconds
        return min(TURN, left) if left > 0 else TURN

    def time_is_up(self) -> Cut | None:
        if self.timeout is None or self.seconds < self.timeout:
            return None
        return cut_by_time(self.timeout)

    def tell(self, walks: int, steps: int) -> None:
        """Say how far the present chunk is."""
        if self.observe:
            self.observe(self.walks + walks, self.steps + steps, self.seconds)


def simulate(
    system: TransitionSystem,
    plan: Plan,
    *,
    subject: str,
    threads: int = 1,
    observe: Observer | None = None,
    timeout: float | None = None,
) -> tuple[Simulation, Sample]:
    """Make all walks of a plan; what they show, and their figures."""
    cpu_started, watch = time.process_time(), Watch(observe, timeout)
    walked = walk(system, plan, 0, plan.runs, threads=threads, watch=watch)
    effort = Effort("local", threads, watch.seconds, time.process_time() - cpu_started)
    return summarise(system, plan, walked, effort, subject=subject), walked.sample


def walk(
    system: TransitionSystem,
    plan: Plan,
    first: int,
    count: int,
    *,
    threads: int = 1,
    watch: Watch | None = None,
    _chunk: int = CHUNK,
) -> Walked:
    """The walks of a plan from the number `first` on, so many of them."""
    return made_by(Walker(system, plan, threads, watch or Watch()), first, count, _chunk)


def made_by(walker: AnyWalker, first: int, count: int, chunk: int) -> Walked:
    """The walks that a walker makes, chunk after chunk, as long as it is not interrupted."""
    parts = [walker.nothing(first)]
    try:
        parts.extend(walker.chunks(first, count, chunk))
    except KeyboardInterrupt as problem:
        return replace(together(parts), cut=cut_of(problem))
    finally:
        walker.end()
    made = together(parts)
    return replace(made, cut=walker.cut) if made.end < first + count else made


class AnyWalker(Protocol):
    """Makes walks of one system."""

    cut: Cut | None

    def nothing(self, first: int) -> Walked:
        """No walks at all."""

    def chunks(self, first: int, count: int, size: int) -> Iterator[Walked]:
        """Walks, chunk after chunk; after one that was cut there is none."""

    def end(self) -> None:
        """Give back what was taken."""


# --- native functions -----------------------------------------------------------------


@cache
def walk_library(words: int, stride: int, schedule: str) -> Library:
    """The walk loop for states of so many words, and successors of so many."""
    constants = {
        **constants_in(vars(core)),
        "WORDS": words,
        "STRIDE": stride,
        "BY_ACTION": int(schedule == "by-action"),
        "RATES": int(schedule == "rates"),
    }
    return compile_functions((core,), {"walk": constants})


@dataclass(frozen=True)
class Chunk:
    """Memory for the figures of some walks."""

    ended: NDArray[np.uint8]
    """Why each walk ended, + 1; 0 while it has not."""
    lengths: Words
    tallies: Words
    states: Words

    @staticmethod
    def of(count: int, words: int, blank: Words) -> Chunk:
        return Chunk(
            np.zeros(count, np.uint8),
            np.zeros(count, np.uint64),
            np.tile(blank, (count, 1)),
            np.zeros((count, words), np.uint64),
        )

    @property
    def whole(self) -> int:
        """How many walks came to their end before the first that did not."""
        return int(np.argmin(self.ended)) if not self.ended.all() else len(self.ended)

    def sample(self, first: int, observing: Observing) -> Sample:
        """The figures of those, of which the first has this number."""
        whole = self.whole
        values, known = observing.figures(self.states[:whole], self.tallies[:whole])
        return Sample(
            first=first,
            ends=self.ended[:whole] - 1,
            steps=self.lengths[:whole].astype(np.int64),
            columns=observing.columns,
            values=values,
            known=known,
        )


class Walker:
    """Makes walks of one system."""

    def __init__(self, system: TransitionSystem, plan: Plan, threads: int, watch: Watch) -> None:
        self.questions, self.plan, self.watch = Questions(system, plan.schedule), plan, watch
        self.observing = Observing(self.questions)
        self.kernel = compile_system(self.questions.labelled_system, apart=self.questions.apart)
        self.stride = self.kernel.layout.words
        self.words = self.stride - self.questions.apart
        self.tables = Tables(self.questions, self.kernel.layout)
        self.own = [Own(self.kernel) for _ in range(threads)]
        self.pool = ThreadPoolExecutor(threads)
        self.shared = np.zeros(core.SHARED_SIZE, np.uint64)
        self.cut: Cut | None = None
        self._halting = ExitStack()
        library = walk_library(self.words, self.stride, plan.schedule)
        self._walk = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_uint64, ctypes.c_uint64)(
            library.addresses["walk"]
        )

    def chunks(self, first: int, count: int, size: int) -> Iterator[Walked]:
        """Walks, chunk after chunk; after one that was cut there is none."""
        begun, trial = self.watch.seconds, min(TRIAL, size, count)
        if trial:
            yield self._chunk(first, trial)
            self._speed_up((self.watch.seconds - begun) / trial * (count - trial))
        for start in range(first + trial, first + count, size):
            if self.cut:
                return
            yield self._chunk(start, min(size, first + count - start))

    def _speed_up(self, seconds: float) -> None:
        """Have a better kernel, if so many seconds of walks are worth it."""
        if seconds > WORTH_COMPILING and not self.cut:
            told, apart = self.questions.labelled_system, self.questions.apart
            compiling = self.pool.submit(compile_system, told, apart=apart, thorough=True)
            self._await([compiling])
            self.kernel = compiling.result()

    def end(self) -> None:
        """Let no thread go on when the memory is given back."""
        self._stop(None)
        self.pool.shutdown()
        self._halting.close()

    # --- one chunk --------------------------------------------------------------------

    def _chunk(self, first: int, count: int) -> Walked:
        chunk = Chunk.of(count, self.words, self.tables.blank)
        self._share(chunk, first, count)
        self._memory = chunk  # threads may still write to it, whatever ends this function
        self._look()
        try:
            self._run()
        except KeyboardInterrupt as problem:
            self._stop(cut_of(problem))
            # It may have come anywhere, also between the start of a thread and our knowing of it.
            self.pool.shutdown()
        self._halting.close()
        walked = self.walked(chunk, first)
        self.watch.walks += chunk.whole
        self.watch.steps += sum(each.take_steps() for each in self.own)
        self.watch.tell(0, 0)
        return walked

    def _share(self, chunk: Chunk, first: int, count: int) -> None:
        fields = {
            core.KERNEL: self.kernel.address,
            core.SEED: self.plan.seed % 2**64,
            core.FIRST: first,
            core.COUNT: count,
            core.LIMIT: self.plan.steps,
            core.NOTED: self.tables.noted,
            core.GOAL: self.questions.goal,
            core.ENDED: address(chunk.ended),
            core.LENGTHS: address(chunk.lengths),
            core.FIGURES: address(chunk.tallies),
            core.STATES: address(chunk.states),
            core.NEXT: 0,
            **self.tables.fields,
        }
        for place, value in fields.items():
            self.shared[place] = value

    def _run(self) -> None:
        """Walk in all threads."""
        shared = address(self.shared)
        self._await([self.pool.submit(self._walk, shared, address(each.fields)) for each in self.own])

    def _await(self, running: Sequence[Future[Any]]) -> None:
        """Watch until all threads are back."""
        while wait(running, timeout=self.watch.turn).not_done:
            self._look()
            self.watch.tell(sum(each.walks for each in self.own), sum(each.steps for each in self.own))

    def _look(self) -> None:
        late = self.watch.time_is_up()
        if late:
            self._stop(late)

    def _stop(self, why: Cut | None) -> None:
        self.cut = self.cut or why
        self.shared[core.STOP] = 1
        self._halting.enter_context(self.kernel.library.halting())()

    def nothing(self, first: int) -> Walked:
        """No walks at all."""
        return self.walked(Chunk.of(0, self.words, self.tables.blank), first)

    def walked(self, chunk: Chunk, first: int) -> Walked:
        """What is known of the walks that came to their end before the first that did not."""
        cut = self.cut if chunk.whole < len(chunk.ended) else None
        return Walked(chunk.sample(first, self.observing), self._hits(), cut)

    def _hits(self) -> dict[str, Hit]:
        found = {name: min(each.hit(bit) for each in self.own) for name, bit in self.tables.bits.items()}
        return {name: hit for name, hit in found.items() if hit.steps <= self.plan.steps}


class Tables:
    """What the walk loop looks up."""

    def __init__(self, questions: Questions, layout: Layout) -> None:
        guarantees = (each.name for each in questions.given.guarantees)
        self.bits = {**{name: bit for bit, name in enumerate(guarantees)}, STAYS_IN_RANGE: FAILURE_BIT}
        tallies = questions.walks.tallies
        never = [0 if each.kind == "times" else NEVER for each in tallies]
        self.blank = np.array(never, np.uint64)
        told = (0,) * questions.apart
        initial = layout.pack_all([(*cells, *told) for cells in initial_states(questions.system)])
        kinds = np.array([KINDS[each.kind] for each in tallies], np.uint64)
        counted, counts = questions.counted
        waited = np.array(questions.waited, np.uint64)
        arrays = (initial, questions.actions, counted, counts, kinds, waited)
        places = (core.INITIAL, core.ACTIONS, core.COUNTED, core.COUNTS, core.KINDS, core.CONDITIONS)
        self.arrays = dict(zip(places, arrays, strict=True))
        """Each by the field that has its address."""
        self.fields = {place: address(array) for place, array in self.arrays.items()}
        self.fields[core.INITIALS], self.fields[core.TALLIES] = len(initial), len(tallies)
        self.fields[core.WAITED] = int(np.bitwise_or.reduce(waited, initial=0))

    @property
    def noted(self) -> int:
        """The bits of all guarantees."""
        return sum(1 << bit for bit in self.bits.values())


class Own:
    """What a thread has of its own: where a walk is, and what was met."""

    def __init__(self, kernel: Kernel) -> None:
        words = kernel.layout.words
        self._arrays = [np.zeros(size, np.uint64) for size in (words, max(1, kernel.fan_out) * words, 1, 1)]
        self.fields = np.zeros(core.OWN_SIZE, np.uint64)
        self.fields[: len(self._arrays)] = [address(array) for array in self._arrays]
        self.fields[core.HIT_STEPS :] = 2**64 - 1

    @property
    def walks(self) -> int:
        return int(self.fields[core.WALKED])

    @property
    def steps(self) -> int:
        return int(self.fields[core.STEPPED])

    def take_steps(self) -> int:
        """How many steps were made in this chunk; from here on those of the next are counted."""
        steps, self.fields[core.STEPPED], self.fields[core.WALKED] = self.steps, 0, 0
        return steps

    def hit(self, bit: int) -> Hit:
        """The least hit of a guarantee; there is none if it takes more steps than a walk has."""
        return Hit(int(self.fields[core.HIT_STEPS + bit]), int(self.fields[core.HIT_WALKS + bit]))
