"""A history that is followed while it is written: what a batch costs at a rate, and the lag of findings.

One rate after the other is tried, each with a folder of its own, until one is too high. A rate is sustained
if the backlog, which is what is written and not yet judged, does not grow once all is warm: its largest in
the second half of the time is not above its largest in the first.

The lag of a finding is the time from the arrival of the file with the second delivery to the alert. Processor
time is that of the audit, by second of the stream; the recorders are another process. Batches are told on
stderr.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from angarium.history.live.folder import ALERTS
from angarium.history.live.follow import follow
from angarium.history.live.progress import Progress
from angarium.history.live.settings import Live
from angarium.history.parameters import SECOND, Parameters
from angarium.spark.scratch import new_scratch
from benchmarks.common.measure import free_cores
from benchmarks.common.row import Row, if_free
from benchmarks.inputs import live_history
from benchmarks.inputs.live_history import Recorder

SLACK = 1.1
"""A backlog is a whole number of files, and the time of a batch differs a little from the next one's."""


@dataclass(frozen=True, slots=True)
class Size:
    rates: tuple[int, ...]
    """Events a second."""
    warm: float
    """Seconds that do not count."""
    seconds: float
    """Seconds that do."""


PROMISED = 50_000
"""Events a second that one core keeps up with."""
MOST_LAG, MOST_CPU = 5.0, 1.0
"""Seconds that a finding may take, and processor seconds for each second of the stream."""
FULL = Size(rates=(5_000, PROMISED, 100_000), warm=40.0, seconds=30.0)
TINY = Size(rates=(100,), warm=0.0, seconds=1.0)


def rows(size: Size) -> Iterator[Row]:
    for rate in size.rates:
        watch = followed(rate, size.warm, size.seconds)
        promised = rate == PROMISED
        promise = f"{MOST_LAG:.0f} s, {MOST_CPU:.0f} s of CPU" if promised else ""
        row = Row(
            f"{rate:,} events a second, followed", str(watch), promise, watch.kept if promised else None
        )
        yield if_free(row, watch.free + watch.cpu, MOST_CPU)
        assert not watch.wrong, f"{watch.wrong} findings that are none"
        if not watch.sustained:
            break


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
    told_once: set[str] = field(default_factory=set)
    backlogs: list[tuple[float, int]] = field(default_factory=list)
    lags: list[float] = field(default_factory=list)
    wrong: int = 0
    worked: list[tuple[float, float]] = field(default_factory=list)
    """After each batch: the time, and the processor time until then."""

    def told(self, progress: Progress) -> None:
        lags, age = list(self._lags(time.time())), time.monotonic() - self.begin
        written = sum(1 for _ in self.recorder.folder.glob("live-*.parquet"))
        backlog = self.recorder.due(written - 1) - progress.accepted
        print(
            f"{age:7.1f} s  batch {progress.batch:3} took {progress.seconds:5.1f} s  backlog {backlog:>9,}"
            f"  {progress.retained:>9,} kept  lag {statistics.median(lags) if lags else 0:5.1f} s",
            file=sys.stderr,
            flush=True,
        )
        if age >= self.warm:
            self.worked.append((age, time.process_time()))
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
                if alert["id"] in self.told_once or alert["guarantee"] != "duplicates-after-ack":
                    self.wrong += 1
                else:
                    yield now - self.recorder.arrival(alert["message_id"])
                self.told_once.add(alert["id"])
            self.read = file.tell()

    def __str__(self) -> str:
        said = "sustained" if self.sustained else "too many"
        if not self.lags:
            return f"{said}, no findings"
        lag = f"lag {statistics.median(self.lags):.1f} s, at worst {max(self.lags):.1f} s"
        return f"{said}, {lag}, {self.cpu:.2f} s of CPU a second"

    @property
    def cpu(self) -> float:
        """Processor seconds for a second of the stream."""
        (begin, before), (end, after) = self.worked[0], self.worked[-1]
        return (after - before) / (end - begin) if end > begin else 0.0

    @cached_property
    def free(self) -> float:
        """The cores that nobody uses, when it is over."""
        return free_cores()

    @property
    def kept(self) -> bool:
        return self.sustained and max(self.lags, default=0.0) <= MOST_LAG and self.cpu <= MOST_CPU

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
    watch = Watch(recorder, checkpoint / ALERTS, warm, seconds, stop)
    words = [folder, rate, recorder.begin, int(warm + seconds) + 10]
    with subprocess.Popen([sys.executable, "-m", live_history.__name__, *map(str, words)]) as recording:
        try:
            live = Live(lateness=2 * SECOND, remember=30 * SECOND, every=1.0)
            follow(folder, checkpoint, Parameters(), live, observer=watch.told, stop=stop)
        finally:
            recording.kill()
    shutil.rmtree(scratch)
    return watch
