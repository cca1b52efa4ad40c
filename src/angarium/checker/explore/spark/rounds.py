"""A round: all owners expand a level, and take in what was found for them.

On Spark it is one job with one shuffle. An *anchor* is a row for each owner; the table of anchors is cached,
a partition for each. Expanding is a map over the anchors. Where there are several machines, letters go to
their owners by a join with the same anchors, which stand where they should already, so that only letters
move, and a task prefers the machine that has its owner's anchor: visited states stay where they are. On one
machine they are where they are anyway, and the join is left out. The lineage of a round begins with the
anchors and the files of the level before, however many rounds there were.

Spark spreads rows by hash, so an owner's key is a number whose hash leads to the owner's partition.
"""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count
from typing import TYPE_CHECKING

import pyarrow as pa

from angarium.checker.explore.spark.job import Job
from angarium.checker.explore.spark.tasks import Letter, Note, absorb, expand
from angarium.spark.failures import carried

if TYPE_CHECKING:
    from pyspark import Broadcast
    from pyspark.sql import DataFrame, SparkSession

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
