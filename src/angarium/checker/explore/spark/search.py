"""One search on Spark: round after round, until there is no more to find or somebody stops it."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from angarium.checker.backend.kernel import FAILURE_BIT
from angarium.checker.backend.layout import Words
from angarium.checker.explore.engine import Outcome, Progress
from angarium.checker.explore.interpret import initial_states
from angarium.checker.explore.native_watch import Watch
from angarium.checker.explore.spark import rounds
from angarium.checker.explore.spark.job import Job
from angarium.checker.explore.spark.levels import STATES, Levels, state_table, write_table
from angarium.checker.explore.spark.runs import run_to
from angarium.checker.explore.spark.stored import Stored
from angarium.checker.explore.spark.tasks import Note
from angarium.checker.ir.transition import STAYS_IN_RANGE
from angarium.core.control import Cut, CutError, cut_by_memory, cut_by_states, cut_of
from angarium.spark.session import Place, cancel_jobs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WORTH_A_JOB = 100_000
"""A job costs as much as expanding so many states here."""
FEW = 1 << 20
"""So many states may be brought to this machine, if it is not one of those that search."""
T = TypeVar("T")


@dataclass
class Counted:
    """What is known when a level is complete."""

    sizes: list[int]
    """How many states each level has; the last one is not expanded yet."""
    transitions: int = 0
    bytes: int = 0
    hits: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """For each guarantee's bit, the level, owner and position of a state that hits it."""

    def add(self, notes: list[Note]) -> None:
        """What was counted in a round."""
        level = len(self.sizes) - 1
        for note in sorted(notes, key=lambda each: each.owner):
            self.transitions += note.transitions
            for bit, position in note.hits.items():
                self.hits.setdefault(bit, (level, note.owner, position))
        self.sizes.append(sum(note.states for note in notes))
        self.bytes = sum(note.bytes for note in notes)

    def record(self) -> dict[str, Any]:
        hits = {str(bit): where for bit, where in self.hits.items()}
        return {"sizes": self.sizes, "transitions": self.transitions, "bytes": self.bytes, "hits": hits}

    @classmethod
    def read(cls, record: dict[str, Any]) -> Counted:
        hits = {int(bit): tuple(where) for bit, where in record["hits"].items()}
        return cls(record["sizes"], record["transitions"], record["bytes"], hits)


@dataclass(frozen=True, slots=True)
class Choices:
    """How a search is made; nothing here changes what it finds."""

    place: Place = field(default_factory=Place)
    """Where Spark is."""
    worth_a_job: int = WORTH_A_JOB
    """States of a level that are expanded on Spark."""
    room: int | None = None
    """How many bytes of a graph may be brought into memory; else half of what the search may take."""


class Search:
    """One search."""

    def __init__(self, spark: SparkSession, job: Job, watch: Watch, choices: Choices) -> None:
        self._spark, self._job, self._watch, self._choices = spark, job, watch, choices
        self._levels = Levels(job.folder)
        self._pool = ThreadPoolExecutor(1)
        self._rounds: rounds.OnSpark | None = None
        self._cut: Cut | None = None
        declared = {each.name: bit for bit, each in enumerate(job.system.guarantees)}
        self._bits = {**declared, STAYS_IN_RANGE: FAILURE_BIT}
        self._initial = job.code.layout.pack_all(initial_states(job.system))
        self._counted = self._begin()

    def _begin(self) -> Counted:
        """Go on behind the last complete level, if there is one."""
        last = self._levels.last()
        if last is None:
            return self._first_level()
        self._levels.drop_behind(last[0])
        return Counted.read(last[1])

    def _first_level(self) -> Counted:
        """The initial states, each with its owner."""
        code, owners = self._job.code, self._job.owners
        canonical = self._job.code.kernel.canonical(self._initial) if self._job.symmetry else self._initial
        states = np.array(list(dict.fromkeys(map(tuple, canonical.tolist()))), np.uint64)
        whose = np.empty(len(states), np.uint64)
        code.library.call("assign", states, len(states), owners, whose)
        for owner in range(owners):
            self._write_initial(owner, states[whose == owner])
        counted = Counted([len(states)])
        self._levels.finish(0, counted.record())
        return counted

    def _write_initial(self, owner: int, states: Words) -> None:
        attempt = uuid.uuid4().hex
        table = state_table(states, np.full(len(states), owner, np.int32), 0, attempt)
        with self._levels.writing(0, owner, attempt) as folder:
            write_table(folder / STATES, table)
            self._levels.take(folder, 0, owner)

    # --- searching --------------------------------------------------------------------

    def made(self) -> Outcome:
        """Explore, and answer."""
        try:
            self.explore()
            return self.outcome()
        finally:
            self._end()

    def explore(self) -> None:
        """Make rounds until there is no more to find, or until told to stop."""
        try:
            while not self._is_over():
                self._counted.add(self._whole(self._round()))
                self._levels.finish(self._level, self._counted.record())
                self._tell()
        except KeyboardInterrupt as problem:
            self._cut = cut_of(problem)
        except CutError as late:
            self._cut = late.cut

    def _is_over(self) -> bool:
        if self._frontier == 0 or self._all_hit:
            return True
        self._cut = self._watch.time_is_up() or self._too_many()
        return self._cut is not None

    @property
    def _all_hit(self) -> bool:
        """Whether there is nothing more to decide; a graph is wished for to the end."""
        return self._job.wish is None and set(self._bits.values()) <= set(self._counted.hits)

    def _too_many(self) -> Cut | None:
        limits, counted = self._watch.limits, self._counted
        if limits.max_states is not None and self._states > limits.max_states:
            return cut_by_states(limits.max_states)
        if limits.max_bytes is not None and counted.bytes > limits.max_bytes:
            return cut_by_memory(limits.max_bytes)
        return None

    def _round(self) -> list[Note]:
        if self._frontier < self._choices.worth_a_job and (self._job.near or self._states < FEW):
            return rounds.here(self._job, self._level)
        if self._rounds is None:
            self._rounds = self._awaited(lambda: rounds.OnSpark(self._spark, self._job))
        make = self._rounds
        return self._awaited(lambda: make(self._level))

    def _whole(self, notes: list[Note]) -> list[Note]:
        """The same notes, if every owner has one and all states of the level were expanded."""
        expanded = sum(note.expanded for note in notes)
        if len(notes) != self._job.owners or expanded != self._frontier:
            raise RuntimeError(
                f"{len(notes)} of {self._job.owners} owners expanded {expanded} of {self._frontier} states:"
                " this is a bug"
            )
        return notes

    def _awaited(self, work: Callable[[], T]) -> T:
        """Let a thread do something on Spark, and watch until it is done."""
        running = self._pool.submit(work)
        try:
            while wait([running], timeout=self._watch.turn).not_done:
                late = self._watch.time_is_up()
                if late:
                    raise CutError(late)
                self._tell()
        except BaseException:
            cancel_jobs()
            wait([running])
            raise
        return running.result()

    def _end(self) -> None:
        """Leave nothing in Spark's memory."""
        if self._rounds is not None:
            self._rounds.close()
        self._pool.shutdown()

    # --- the answer -------------------------------------------------------------------

    @property
    def _level(self) -> int:
        """The latest complete level."""
        return len(self._counted.sizes) - 1

    @property
    def _states(self) -> int:
        return sum(self._counted.sizes)

    @property
    def _frontier(self) -> int:
        return self._counted.sizes[-1]

    def _tell(self) -> None:
        if self._watch.observe:
            self._watch.observe(self._progress())

    def _progress(self) -> Progress:
        counted = self._counted
        return Progress(
            self._states,
            counted.transitions,
            self._level,
            self._frontier,
            counted.bytes,
            self._watch.seconds,
            counted.sizes[:-1],
        )

    def outcome(self) -> Outcome:
        """What was covered, and a run for each guarantee that was hit."""
        hits = {name: self._counted.hits.get(bit) for name, bit in self._bits.items()}
        runs = {name: run_to(self._job, *hit, self._initial) for name, hit in hits.items() if hit}
        coverage = self._watch.coverage(self._progress(), self._cut)
        if not coverage.complete or self._job.wish is None or FAILURE_BIT in self._counted.hits:
            return Outcome(coverage, runs)
        stored = self._stored()
        if stored.fits:
            return Outcome(coverage, runs, stored.gathered())
        return Outcome(coverage, runs, stored=stored)

    def _stored(self) -> Stored:
        room = self._choices.room or self._watch.most_bytes // 2
        counts = (self._level, self._states, self._counted.transitions)
        return Stored(self._job, *counts, room, self._choices.place)
