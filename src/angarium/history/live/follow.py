"""Following a stream that recorders write: `follow` judges what comes until it ends.

What is new is judged in numbered batches, by the folds of the audit, and everything is written so that a
process that is killed, at any moment, goes on where it was, with nothing lost and nothing doubled.

The stream ends when a file `_END` is in the folder, or when nothing new came for a while, if that was asked
for. Then everything is judged that waited for the watermark, and no-loss. Ctrl-C ends nothing: the next start
with the same checkpoint goes on.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from angarium.core.errors import UsageError
from angarium.core.extras import demand
from angarium.history.live import metrics, written
from angarium.history.live.batches import Batches
from angarium.history.live.folder import Folder, claimed, replaced
from angarium.history.live.progress import Progress
from angarium.history.live.settings import Live, StoppedError
from angarium.history.live.sources import READ, FolderSource, Journal, Source
from angarium.history.live.topic import SCHEME, TopicSource
from angarium.history.parameters import Parameters
from angarium.spark.place import Place

_TURN = 0.2
"""Seconds between two looks at whether the stream has ended."""
Observer = Callable[[Progress], None]


def follow(
    source: Path | str,
    checkpoint: Path,
    parameters: Parameters,
    live: Live | None = None,
    *,
    observer: Observer = lambda progress: None,
    stop: threading.Event | None = None,
    place: Place | None = None,
) -> Progress:
    """Judge what comes into a folder, or a topic, until it ends or somebody stops it; how far it came.

    `place`: where Spark is that opens the folder, if this is an address that Python cannot open.

    `observer` is called after every batch. `stop` ends the work as Ctrl-C does: at the next start, with the
    same checkpoint, it goes on. HistoryError ANG134 if the checkpoint is of another audit.
    """
    live = live or Live()
    demand("follow")
    followed = str(source)
    if "://" not in followed:
        _check(Path(source), checkpoint)
        followed = str(Path(source).resolve())
    with claimed(checkpoint, followed, parameters, live) as own:
        stop = stop or threading.Event()
        opening = _Opening(followed, own, live, stop, place)
        following = _Following(opening, own, parameters, live, observer, stop)
        with closing(following.source), metrics.served(live.port, following.text):
            return following.run()


def findings(checkpoint: Path) -> list[dict[str, Any]]:
    """Everything that was found so far: rows of `tables.EXPLAINED`."""
    return list(written.read(checkpoint / "findings", Folder(checkpoint).progress().batch))


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


@dataclass(frozen=True)
class _Opening:
    """How a source is opened, from where it was read to."""

    followed: str
    own: Folder
    live: Live
    stop: threading.Event
    place: Place | None

    def at(self, position: Mapping[str, int]) -> Source:
        if self.followed.startswith(f"{SCHEME}://"):
            return TopicSource(self.followed, dict(position), self.stop)
        journal = Journal(self.own.files, position.get(READ, 0))
        if "://" in self.followed:
            return self._remote(journal)
        return FolderSource(Path(self.followed), journal, self.live.files_per_batch)

    def _remote(self, journal: Journal) -> Source:
        from angarium.history.live.remote import RemoteSource
        from angarium.spark.session import session

        spark = session(self.place or Place())
        return RemoteSource(spark, self.followed, journal, self.live.files_per_batch)


class _Following:
    """A stream that is being followed."""

    def __init__(
        self,
        opening: _Opening,
        own: Folder,
        parameters: Parameters,
        live: Live,
        observer: Observer,
        stop: threading.Event,
    ) -> None:
        self.own, self.live, self.observer, self.stop = own, live, observer, stop
        self.batches = Batches(own, parameters, live, stop)
        self.source = opening.at(self.progress.position)
        self.latest = time.monotonic()

    @property
    def progress(self) -> Progress:
        return self.batches.progress

    def run(self) -> Progress:
        """Follow the stream to its end, or until it is stopped."""
        try:
            while not self.progress.ended and not self.stop.is_set():
                self._turn()
        except (KeyboardInterrupt, StoppedError):
            pass  # what the batch under way has begun is done once more at the next start
        return self.progress

    def text(self) -> str:
        """The metrics."""
        return metrics.text(self.progress, time.time_ns())

    def _turn(self) -> None:
        """Judge what is new; if there is nothing, that may be the end."""
        begin, ended = time.monotonic(), self._ended()
        if fresh := self.source.fresh():
            self._tell(self.batches.process(fresh.pieces, fresh.position))
            self.latest = time.monotonic()
        elif ended:
            self._tell(self.batches.finish())
            return
        while not ended and self._waits(begin):
            ended = self._ended()

    def _waits(self, begin: float) -> bool:
        """Wait a little; whether it is still too early for the next batch."""
        left = begin + self.live.every - time.monotonic()
        return left > 0 and not self.stop.wait(min(left, _TURN))

    def _tell(self, progress: Progress) -> None:
        replaced(self.own.metrics, self.text())
        self.observer(progress)

    def _ended(self) -> bool:
        """Whether nothing more will come; what had come before is still to be looked for."""
        idle = self.live.until_idle
        return self.source.ended or (idle is not None and time.monotonic() - self.latest > idle)
