"""Following a folder into which recorders write: `follow` judges what comes until the stream ends.

Spark finds new files, remembers which were read, and gives them in numbered batches. The gate marks what is
late or comes again; each batch is judged by the checks of the audit, and everything is written so that a
process that is killed, at any moment, goes on where it was, with nothing lost and nothing doubled.

The stream ends when a file `_END` is in the folder, or when nothing new came for a while, if that was asked
for. Then everything is judged that waited for the watermark, and no-loss. Ctrl-C ends nothing: the next start
with the same checkpoint goes on.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from angarium.core.errors import UsageError
from angarium.history import tables
from angarium.history.live import metrics
from angarium.history.live.batches import Batches
from angarium.history.live.folder import Folder, claimed, replaced
from angarium.history.live.gate import gated, use_rocksdb
from angarium.history.live.opening import rows_of
from angarium.history.live.progress import Progress
from angarium.history.live.settings import END, Live
from angarium.history.parameters import Parameters
from angarium.spark.bridge import guard_way_back, let_go
from angarium.spark.failures import translated

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

_TURN = 0.2
"""Seconds between two looks at the folder."""
Observer = Callable[[Progress], None]


def follow(
    spark: SparkSession,
    folder: Path,
    checkpoint: Path,
    parameters: Parameters,
    live: Live | None = None,
    *,
    observer: Observer = lambda progress: None,
    stop: threading.Event | None = None,
) -> Progress:
    """Judge what comes into a folder until the stream ends, or until somebody stops it; how far it came.

    `observer` is called after every batch. `stop` ends the work as Ctrl-C does: at the next start, with the
    same checkpoint, it goes on. HistoryError ANG134 if the checkpoint is of another audit.
    """
    live = live or Live()
    _check(folder, checkpoint)
    with claimed(checkpoint, folder, parameters, live) as own:
        following = _Following(spark, folder, own, parameters, live, observer, stop or threading.Event())
        with metrics.served(live.port, following.text), translated():
            return following.run()


def findings(spark: SparkSession, checkpoint: Path) -> DataFrame:
    """Everything that was found so far: `tables.EXPLAINED`."""
    folder = Folder(checkpoint)
    parts = folder.parts("findings", folder.progress().batch)
    if not parts:
        return spark.createDataFrame([], tables.EXPLAINED)
    return spark.read.schema(tables.EXPLAINED).parquet(*parts)


def _check(folder: Path, checkpoint: Path) -> None:
    if not folder.is_dir():
        raise UsageError(
            "ANG010",
            f"there is no folder {folder}",
            possible="possible: a folder into which recorders write",
            remedy="make it, or correct the path",
        )
    if checkpoint.resolve().is_relative_to(folder.resolve()):
        raise UsageError(
            "ANG013",
            f"the checkpoint {checkpoint} is inside the followed folder {folder}",
            possible="possible: a folder beside it, for all files in a followed folder are read as events",
            remedy="name another folder for the checkpoint",
        )


class _Following:
    """A folder that is being followed."""

    def __init__(
        self,
        spark: SparkSession,
        folder: Path,
        own: Folder,
        parameters: Parameters,
        live: Live,
        observer: Observer,
        stop: threading.Event,
    ) -> None:
        self.spark, self.folder, self.own, self.live = spark, folder, own, live
        self.batches = Batches(spark, own, parameters, live)
        self.observer, self.stop = observer, stop
        self.progress = own.progress()
        self.working = threading.Lock()
        self.latest = time.monotonic()

    def run(self) -> Progress:
        """Follow the folder to its end, or until it is stopped."""
        if self.progress.ended:
            return self.progress
        query, ended = self._started(), False
        try:
            ended = self._wait(query)
        except KeyboardInterrupt:
            pass  # stopped, as by `stop`
        finally:
            query.stop()
        with self.working:  # a batch that was under way has seen by now that it is over
            if ended:
                self._tell(self.batches.finish())
        return self.progress

    def text(self) -> str:
        """The metrics."""
        return metrics.text(self.progress, time.time_ns())

    def _started(self) -> StreamingQuery:
        use_rocksdb(self.spark)
        guard_way_back(self.spark)
        rows = gated(rows_of(self.spark, self.folder, self.live.files_per_batch), self.live)
        writer = rows.writeStream.foreachBatch(self._batch).option("checkpointLocation", self.own.spark)
        return writer.trigger(processingTime=f"{int(self.live.every * 1000)} milliseconds").start()

    def _batch(self, rows: DataFrame, number: int) -> None:
        with self.working:
            before = self.progress.batch
            self._tell(self.batches.process(rows, number))
            let_go()
            if self.progress.batch != before:
                self.latest = time.monotonic()

    def _tell(self, progress: Progress) -> None:
        self.progress = progress
        replaced(self.own.metrics, self.text())
        self.observer(progress)

    def _wait(self, query: StreamingQuery) -> bool:
        """Wait until the stream has ended (true), or somebody stops it (false)."""
        while not self.stop.wait(_TURN):
            if query.exception():
                query.awaitTermination()  # it throws what went wrong
            if self._ended():
                return self._caught_up(query)
        return False

    def _caught_up(self, query: StreamingQuery) -> bool:
        """Wait until all that is there has been judged (true), or somebody stops it (false).

        Another thread asks Java, which answers when all is done: this one must hear Ctrl-C.
        """
        asking = threading.Thread(target=_all_available, args=[query], daemon=True)
        asking.start()
        while asking.is_alive():
            if self.stop.wait(_TURN):
                return False
        if query.exception():
            query.awaitTermination()  # it throws what went wrong
        return True

    def _ended(self) -> bool:
        idle = self.live.until_idle
        quiet = idle is not None and time.monotonic() - self.latest > idle and not self.working.locked()
        return quiet or (self.folder / END).exists()


def _all_available(query: StreamingQuery) -> None:
    """Wait until a query has done all that is there, or has failed or was stopped, which it says itself."""
    with suppress(Exception):
        query.processAllAvailable()
