"""A round: all owners expand a level, and take in what was found for them.

On Spark it is one job with one shuffle. An *anchor* is a row for each owner; the table of anchors is cached,
a partition for each. Expanding is a map over the anchors. Letters go to their owners by a join with the same
anchors, which stand where they should already, so that only letters move, and a task prefers the machine
that has its owner's anchor: visited states stay where they are. The lineage of a round begins with the
anchors and the files of the level before, however many rounds there were.

Spark spreads rows by hash, so an owner's key is a number whose hash leads to the owner's partition.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import pyarrow as pa

from angarium.explore.spark.job import Job
from angarium.explore.spark.tasks import Letter, Note, absorb, expand
from angarium.spark.failures import carried

if TYPE_CHECKING:
    from pyspark import Broadcast
    from pyspark.sql import SparkSession

SENT = "key int, source int, records binary, note string"
ANSWERED = "note string"


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
        self._keys = _keys(spark, job.owners)
        rows = [(key, owner) for owner, key in enumerate(self._keys)]
        anchors = spark.createDataFrame(rows, "key int, owner int")
        self._anchors = anchors.repartition(job.owners, "key").cache()
        self._anchors.count()

    def __call__(self, level: int) -> list[Note]:
        """A round; what each owner says of it."""
        sent = self._anchors.mapInArrow(_Expand(self._shipped, level, self._keys), SENT)
        arrived = sent.join(self._anchors.hint("shuffle_hash"), "key")
        answered = arrived.mapInArrow(_Absorb(self._shipped, level + 1), ANSWERED)
        return [Note.read(row.note) for row in answered.collect()]

    def close(self) -> None:
        self._anchors.unpersist()
        self._shipped.destroy()


def _keys(spark: SparkSession, owners: int) -> list[int]:
    """For each owner a number that Spark's hash sends to the partition of that number."""
    from pyspark.sql import functions as f

    found: dict[int, int] = {}
    numbers = spark.range(owners * 64).select(f.col("id").cast("int").alias("key"))
    for row in numbers.select("key", f.expr(f"pmod(hash(key), {owners})").alias("place")).collect():
        found.setdefault(row.place, row.key)
    return [found[owner] for owner in range(owners)]


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
            yield _row(self._keys[target], owner, bytes(records), None)
        yield _row(self._keys[owner], owner, b"", note.text())


def _row(key: int, source: int, records: bytes, note: str | None) -> pa.RecordBatch:
    columns = [
        pa.array([key], pa.int32()),
        pa.array([source], pa.int32()),
        pa.array([records], pa.binary()),
        pa.array([note], pa.string()),
    ]
    return pa.RecordBatch.from_arrays(columns, ["key", "source", "records", "note"])


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
                note.transitions, note.hits = before.transitions, before.hits
            else:
                yield source.as_py(), memoryview(records.as_buffer())
