"""One search on Spark: round after round, until there is no more to find or somebody stops it.

Shortest runs to a state are found again in the levels on disk. A state is kept with the owner of its parent,
not with the parent itself: that is two bytes instead of eight, and enough. Only that owner's part of the
level before is expanded once more, to see which of its states leads there; and so on back to an initial
state.

In a round all owners expand a level, and take in what was found for them. On Spark it is one job with one
shuffle. An *anchor* is a row for each owner; the table of anchors is cached, a partition for each. Expanding
is a map over the anchors. Where there are several machines, letters go to their owners by a join with the
same anchors, which stand where they should already, so that only letters move, and a task prefers the machine
that has its owner's anchor: visited states stay where they are. On one machine they are where they are
anyway, and the join is left out. The lineage of a round begins with the anchors and the files of the level
before, however many rounds there were.

Spark spreads rows by hash, so an owner's key is a number whose hash leads to the owner's partition.
"""

from __future__ import annotations

import shutil
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import chain, count
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa

from angarium.checker.backend.kernel import FAILURE_BIT, Kernel, compile_system
from angarium.checker.backend.layout import Words
from angarium.checker.explore.engine import Outcome, Progress
from angarium.checker.explore.interpret import initial_states
from angarium.checker.explore.native_runs import readable
from angarium.checker.explore.native_watch import Watch
from angarium.checker.explore.spark.job import Job
from angarium.checker.explore.spark.levels import STATES, Levels, state_table, write_table
from angarium.checker.explore.spark.stored import Stored
from angarium.checker.explore.spark.tasks import Letter, Note, absorb, expand
from angarium.checker.ir.transition import STAYS_IN_RANGE, Cells
from angarium.core.control import Cut, CutError, cut_by_memory, cut_by_states, cut_of
from angarium.spark.failures import carried
from angarium.spark.session import Place, cancel_jobs

if TYPE_CHECKING:
    from pyspark import Broadcast
    from pyspark.sql import DataFrame, SparkSession


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
        self._rounds: OnSpark | None = None
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
            return here(self._job, self._level)
        if self._rounds is None:
            self._rounds = self._awaited(lambda: OnSpark(self._spark, self._job))
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


# --- shortest runs --------------------------------------------------------------------------


CHUNK = 1 << 12


def run_to(job: Job, level: int, owner: int, position: int, initial: Words) -> list[Cells]:
    """The states of a shortest run from an initial state to a state of a level."""
    kernel = compile_system(job.system, symmetry=job.symmetry)
    back = list(_back(kernel, Levels(job.folder), level, owner, position))
    return readable(kernel, kernel.layout, back[::-1], initial)


def _back(kernel: Kernel, levels: Levels, level: int, owner: int, position: int) -> Iterator[Words]:
    part = levels.part(level, owner)
    target = part.states[position]
    yield target
    while level > 0:
        level, owner = level - 1, int(part.parents[position])
        part = levels.part(level, owner)
        states = part.states
        position = _parent(kernel, states, target)
        target = states[position]
        yield target


def _parent(kernel: Kernel, states: Words, target: Words) -> int:
    """The position of a state that has the target as a successor."""
    for start in range(0, len(states), CHUNK):
        expansion = kernel.successors(states[start : start + CHUNK])
        found = np.flatnonzero((kernel.canonical(expansion.successors) == target).all(axis=1))
        if len(found):
            return start + int(np.searchsorted(expansion.ends, found[0], side="right"))
    raise AssertionError("a state's parent is among those of its owner")


# --- rounds ---------------------------------------------------------------------------------------


SENT = "key int, owner int, source int, records binary, note string"
ANSWERED = "note string"
TASKS_TO_TIDY = 4
"""For each core, so that every machine gets some."""


def here(job: Job, level: int) -> list[Note]:
    """A round in this process."""
    notes = [Note(owner) for owner in range(job.owners)]
    drawers: list[list[Letter]] = [[] for _ in notes]
    for note in notes:
        for owner, records in expand(job, level, note.owner, note):
            drawers[owner].append((note.owner, memoryview(bytes(records))))
    for note in notes:
        absorb(job, level + 1, note.owner, drawers[note.owner], note)
    return notes


class OnSpark:
    """Rounds on Spark."""

    def __init__(self, spark: SparkSession, job: Job) -> None:
        self._spark, self._job = spark, job
        self._shipped: Broadcast[Job] = spark.sparkContext.broadcast(job)
        self._keys = keys(job.owners)
        columns = {"key": pa.array(self._keys, pa.int32()), "owner": pa.array(range(job.owners), pa.int32())}
        self._anchors = spark.createDataFrame(pa.table(columns)).repartition(job.owners, "key").cache()

    def __call__(self, level: int) -> list[Note]:
        """A round; what each owner says of it."""
        sent = self._anchors.mapInArrow(_Expand(self._shipped, level, self._keys), SENT)
        answered = self._delivered(sent).mapInArrow(_Absorb(self._shipped, level + 1), ANSWERED)
        return [Note.read(row.note) for row in answered.collect()]

    def _delivered(self, sent: DataFrame) -> DataFrame:
        """Letters, each in the partition of its owner."""
        if self._job.near:
            return sent.repartition(self._job.owners, "key")
        return sent.join(self._anchors.select("key").hint("shuffle_hash"), "key")

    def close(self) -> None:
        """Leave nothing in the memory of Spark's machines, nor on their disks."""
        self._anchors.unpersist()
        if not self._job.near:
            tasks = TASKS_TO_TIDY * self._spark.sparkContext.defaultParallelism
            self._spark.range(0, tasks, 1, tasks).mapInArrow(_Tidy(self._shipped), "id long").collect()
        self._shipped.destroy()


class _Tidy:
    """Remove what a search has left on a machine; a task that comes to a tidy one has nothing to do."""

    def __init__(self, job: Broadcast[Job]) -> None:
        self._job = job

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        shutil.rmtree(self._job.value.scratch, ignore_errors=True)
        yield from batches


def keys(owners: int) -> list[int]:
    """For each owner a number that Spark's hash sends to the partition of that number."""
    found: dict[int, int] = {}
    for number in count():
        found.setdefault(_hash(number) % owners, number)
        if len(found) == owners:
            return [found[owner] for owner in range(owners)]
    raise AssertionError("numbers do not end")


def _hash(number: int) -> int:
    """Spark's hash of an integer, which is Murmur3 with the seed 42; as `pmod` takes it."""
    mixed = _turned(number * 0xCC9E2D51, 15) * 0x1B873593
    mixed = _turned(42 ^ (mixed & _WORD), 13) * 5 + 0xE6546B64
    mixed = (mixed & _WORD) ^ 4
    mixed = ((mixed ^ mixed >> 16) * 0x85EBCA6B) & _WORD
    mixed = ((mixed ^ mixed >> 13) * 0xC2B2AE35) & _WORD
    mixed ^= mixed >> 16
    return mixed - (1 << 32) if mixed >> 31 else mixed


_WORD = (1 << 32) - 1


def _turned(number: int, bits: int) -> int:
    """A word of 32 bits, rotated to the left."""
    number &= _WORD
    return (number << bits | number >> (32 - bits)) & _WORD


class _Expand:
    """The first half of a round, in a Python process of Spark."""

    def __init__(self, job: Broadcast[Job], level: int, keys: Sequence[int]) -> None:
        self._job, self._level, self._keys = job, level, keys

    def __call__(self, anchors: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with carried():
            for batch in anchors:
                for owner in batch.column("owner").to_pylist():
                    yield from self._letters(owner)

    def _letters(self, owner: int) -> Iterator[pa.RecordBatch]:
        note = Note(owner)
        for target, records in expand(self._job.value, self._level, owner, note):
            yield self._row(target, owner, bytes(records), None)
        yield self._row(owner, owner, b"", note.text())

    def _row(self, owner: int, source: int, records: bytes, note: str | None) -> pa.RecordBatch:
        columns = {
            "key": pa.array([self._keys[owner]], pa.int32()),
            "owner": pa.array([owner], pa.int32()),
            "source": pa.array([source], pa.int32()),
            "records": pa.array([records], pa.binary()),
            "note": pa.array([note], pa.string()),
        }
        return pa.RecordBatch.from_pydict(columns)


class _Absorb:
    """The second half of a round, in a Python process of Spark."""

    def __init__(self, job: Broadcast[Job], level: int) -> None:
        self._job, self._level = job, level

    def __call__(self, arrived: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        first = next(arrived, None)
        if first is None:
            return
        note = Note(first.column("owner")[0].as_py())
        letters = _letters(chain([first], arrived), note)
        with carried():
            absorb(self._job.value, self._level, note.owner, letters, note)
        # If another attempt has done this part, there is still the note of the first half to be read.
        deque(letters, maxlen=0)
        yield pa.RecordBatch.from_arrays([pa.array([note.text()])], ["note"])


def _letters(batches: Iterable[pa.RecordBatch], note: Note) -> Iterator[Letter]:
    """The letters among the rows; what the owner said of the first half goes to the note."""
    for batch in batches:
        for source, records, said in zip(*map(batch.column, ("source", "records", "note")), strict=True):
            if said.is_valid:
                before = Note.read(said.as_py())
                note.expanded, note.transitions, note.hits = before.expanded, before.transitions, before.hits
            else:
                yield source.as_py(), memoryview(records.as_buffer())
