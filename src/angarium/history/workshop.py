"""Where an audit works: a folder, tables that are kept, and how Spark is told to go about its work.

Spark divides what it sorts into a fixed number of parts, and writes a program for every plan before it runs
it. Both are right for millions of events and take longer than the work itself for a few thousand, so they
are said anew for each piece of work, by how many events it looks at.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from angarium.spark.bridge import let_go
from angarium.spark.failures import is_sparks
from angarium.spark.lineage import kept
from angarium.spark.scratch import new_scratch
from angarium.spark.session import meanwhile

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

EVENTS_A_TASK = 1_000_000
"""So many events are sorted at a time: a task then needs little memory, however long the history is."""
WORTH_A_PROGRAM = 200_000
"""Spark's programs take longer to compile than fewer events take to be looked at."""
INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
COMPILED = {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"}
_PARTITIONS = "spark.sql.shuffle.partitions"
_BYTES_A_TASK = "spark.sql.files.maxPartitionBytes"
_LEAST, _MOST = 1 << 20, 128 << 20
_PIECES = 4
"""Pieces of all files for each core."""


class Workshop:
    """What an audit keeps while it is used, and Spark's settings meanwhile."""

    def __init__(self, spark: SparkSession, scratch: Path | None, events: int, size: int | None) -> None:
        self.folder = new_scratch("audit", scratch)
        self._spark = spark
        self.events = events
        self._tables: list[DataFrame] = []
        settings = _settings(spark.sparkContext.defaultParallelism, events, size)
        self._before = {name: spark.conf.get(name) for name in settings}
        for name, value in settings.items():
            spark.conf.set(name, value)

    @contextmanager
    def suiting(self, events: int, sorted_rows: int | None = None) -> Iterator[None]:
        """While Spark divides and runs its work as it suits so many events, or as many rows of them."""
        self._suit(events, events if sorted_rows is None else sorted_rows)
        try:
            yield
        finally:
            self._suit(self.events, self.events)

    def _suit(self, events: int, rows: int) -> None:
        cores = self._spark.sparkContext.defaultParallelism
        for name, value in {_PARTITIONS: _parts(cores, rows), **_programs(events)}.items():
            self._spark.conf.set(name, value)

    def keep(self, table: DataFrame) -> DataFrame:
        """The table, which is computed when it is first asked for, and not again."""
        self._tables.append(table)
        return kept(table)

    def release(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        with _whatever_remains_of_spark():
            for table in self._tables:
                table.unpersist()
            for name, value in self._before.items():
                if value is not None:
                    self._spark.conf.set(name, value)
        self._tables.clear()
        let_go()


def _parts(cores: int, events: int) -> str:
    """As many as are worked on at a time, or a multiple of it: else some wait at the end for the others."""
    rounds = -(-events // (EVENTS_A_TASK * cores))
    return str(cores * max(1, rounds))


def read_evenly(spark: SparkSession, size: int) -> AbstractContextManager[None]:
    """While files of so many bytes are read in pieces that keep all cores busy to the end."""
    share = size // (_PIECES * spark.sparkContext.defaultParallelism)
    return meanwhile(spark, {_BYTES_A_TASK: _piece(share)})


def _piece(share: int) -> str:
    """Bytes that one task reads: about a share."""
    return str(min(max(share, _LEAST), _MOST))


def _settings(cores: int, events: int, size: int | None) -> dict[str, str]:
    """How finely Spark divides its work, and whether it writes a program for every plan before it runs it."""
    divided = {_PARTITIONS: _parts(cores, events)}
    if size is not None:
        divided[_BYTES_A_TASK] = _piece(size * EVENTS_A_TASK // max(events, 1))
    return divided | _programs(events)


def _programs(events: int) -> dict[str, str]:
    return INTERPRETED if events < WORTH_A_PROGRAM else COMPILED


@contextmanager
def _whatever_remains_of_spark() -> Iterator[None]:
    """Letting go must not fail because Spark, or the connection to it, is gone already."""
    try:
        yield
    except Exception as problem:
        if not is_sparks(problem):
            raise
