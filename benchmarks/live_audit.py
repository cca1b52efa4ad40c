"""A history that is followed while it is written: the rate that two cores sustain, and the lag at that rate.

One rate after the other is tried, each with a folder of its own, until one is too high. A rate is sustained
if the backlog, which is what is written and not yet judged, does not grow once all is warm: its largest in
the second half of the time is not above its largest in the first.

The lag of a finding is the time from the arrival of the file with the second delivery to the alert. Batches
are told on stderr.
"""

from __future__ import annotations

import json
import shutil
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from angarium.history.live.folder import ALERTS
from angarium.history.live.follow import follow
from angarium.history.live.progress import Progress
from angarium.history.live.settings import Live
from angarium.history.parameters import SECOND, Parameters
from angarium.spark.scratch import new_scratch
from benchmarks.common.row import Row
from benchmarks.inputs.live_history import Recorder

SLACK = 1.1
"""A backlog is a whole number of files, and the time of a batch differs a little from the next one's."""


@dataclass(frozen=True, slots=True)
class Size:
    rates: tuple[int, ...]
    """Events a second; the first is promised."""
    warm: float
    """Seconds that do not count."""
    seconds: float
    """Seconds that do."""
    memory: str
    master: str


FULL = Size(rates=(5_000, 10_000, 15_000, 20_000), warm=60.0, seconds=90.0, memory="1g", master="local[2]")
TINY = Size(rates=(100,), warm=0.0, seconds=1.0, memory="1g", master="local[2]")


def rows(size: Size) -> Iterator[Row]:
    best = 0
    for rate in size.rates:
        watch = followed(rate, size.warm, size.seconds)
        yield Row(f"{rate:,} events a second, followed", str(watch))
        assert not watch.wrong, f"{watch.wrong} findings that are none"
        if not watch.sustained:
            break
        best = rate
    yield Row("events a second that are sustained", f"{best:,}", f"{size.rates[0]:,}", best > 0)


@dataclass
class Watch:
    """What is seen of a followed folder after every batch."""

    recorder: Recorder
    alerts: Path
    warm: float
    seconds: float
    stop: threading.Event
    begin: float = field(default_factory=time.monotonic)
    read: int = 0
    backlogs: list[tuple[float, int]] = field(default_factory=list)
    lags: list[float] = field(default_factory=list)
    wrong: int = 0

    def told(self, progress: Progress) -> None:
        now = time.monotonic()
        lags = list(self._lags(now))
        backlog, age = self.recorder.written - progress.accepted, now - self.begin
        print(
            f"{age:7.1f} s  batch {progress.batch:3} took {progress.seconds:5.1f} s  backlog {backlog:>9,}"
            f"  {progress.retained:>9,} kept  lag {statistics.median(lags) if lags else 0:5.1f} s",
            file=sys.stderr,
            flush=True,
        )
        if age >= self.warm:
            self.backlogs.append((age, backlog))
            self.lags += lags
        if age >= self.warm + self.seconds:
            self.stop.set()

    def _lags(self, now: float) -> Iterator[float]:
        """How late the findings of the batch are, each of them one that was to be found."""
        if not self.alerts.exists():
            return  # nothing is known for certain before there is a watermark
        with self.alerts.open(encoding="utf-8") as file:
            file.seek(self.read)
            for line in iter(file.readline, ""):
                alert = json.loads(line)
                arrival = self.recorder.arrivals.pop(alert["message_id"], None)
                if arrival is None or alert["guarantee"] != "duplicates-after-ack":
                    self.wrong += 1
                else:
                    yield now - arrival
            self.read = file.tell()

    def __str__(self) -> str:
        said = "sustained" if self.sustained else "too many"
        if not self.lags:
            return f"{said}, no findings"
        return f"{said}, lag {statistics.median(self.lags):.1f} s, at worst {max(self.lags):.1f} s"

    @property
    def sustained(self) -> bool:
        middle = self.warm + self.seconds / 2
        early = [backlog for age, backlog in self.backlogs if age < middle]
        late = [backlog for age, backlog in self.backlogs if age >= middle]
        return bool(early and late) and max(late) <= SLACK * max(early)


def followed(rate: int, warm: float, seconds: float) -> Watch:
    """A folder into which events come at a rate, followed for some time."""
    scratch, stop = new_scratch("live"), threading.Event()
    folder, checkpoint = scratch / "in", scratch / "checkpoint"
    folder.mkdir()
    recorder = Recorder(folder, rate)
    thread = threading.Thread(target=recorder.run, args=[stop], daemon=True)
    watch = Watch(recorder, checkpoint / ALERTS, warm, seconds, stop)
    thread.start()
    try:
        live = Live(lateness=2 * SECOND, remember=30 * SECOND, every=1.0)
        follow(folder, checkpoint, Parameters(), live, observer=watch.told, stop=stop)
    finally:
        stop.set()
        thread.join()
        shutil.rmtree(scratch)
    return watch
