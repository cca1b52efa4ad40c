"""A history that is followed while it is written: the rate that two cores sustain, and the lag at that rate.

    uv run python -m benchmarks.live_audit [--rates 5000 10000 15000] [--warm 60] [--seconds 90]
                                           [--memory 1g] [--master 'local[2]']

A thread plays the recorders: every second it puts a file of Parquet into the folder, with as many events as
were asked for, of messages that are sent, confirmed, delivered and acknowledged; one message in a thousand is
delivered once more, which is a finding. One rate after the other is tried, each with a folder of its own,
until one is too high. A rate is sustained if the backlog, which is what is written and not yet judged, does
not grow once all is warm: its largest in the second half of the time is not above its largest in the first.

The lag of a finding is the time from the arrival of the file with the second delivery to the alert.
"""

from __future__ import annotations

import json
import shutil
import statistics
import sys
import threading
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from angarium.history.live.folder import ALERTS
from angarium.history.live.follow import follow
from angarium.history.live.progress import Progress
from angarium.history.live.settings import Live
from angarium.history.parameters import MILLISECOND, SECOND, Parameters
from angarium.spark.scratch import new_scratch
from angarium.spark.session import Place, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUEUES, FAULT = 50, 1_000
SLACK = 1.1
"""A backlog is a whole number of files, and the time of a batch differs a little from the next one's."""
STEPS = (("send", "invoke", None), ("send", "ok", None), ("receive", "ok", None), ("settle", "invoke", "ack"))
"""The events of a message: operation, phase, settle."""


@dataclass
class Recorder:
    """Writes events as fast as it is told to, and knows how many it wrote, and what must be found."""

    folder: Path
    rate: int
    written: int = 0
    arrivals: dict[str, float] = field(default_factory=dict)
    """When the second delivery of a message came."""
    numbers: dict[str, int] = field(default_factory=lambda: {"p": 0, "c": 0})

    def run(self, stop: threading.Event) -> None:
        begin, second = time.monotonic(), 0
        while not stop.wait(max(0.0, begin + second - time.monotonic())):
            self._write(second, self._events(second))
            second += 1

    def _write(self, second: int, table: pa.Table) -> None:
        hidden = self.folder / f".{second:06}.parquet"
        parquet.write_table(table, hidden)
        hidden.rename(self.folder / f"live-{second:06}.parquet")
        self.written += table.num_rows
        now = time.monotonic()
        count = self.rate // len(STEPS)
        names = range(second * count, (second + 1) * count)
        self.arrivals |= {f"m{name}": now for name in names if name % FAULT == FAULT - 1}

    def _events(self, second: int) -> pa.Table:
        """The events of one second: all of a message's events are in it."""
        count = self.rate // len(STEPS)
        names = np.arange(count) + second * count
        begin = time.time_ns()
        times = begin + np.linspace(0, 0.9 * SECOND, count).astype(np.int64)
        parts = [self._step(names, times + number * MILLISECOND, *step) for number, step in enumerate(STEPS)]
        again = names % FAULT == FAULT - 1
        parts.append(self._step(names[again], times[again] + 50 * MILLISECOND, "receive", "ok", None))
        return self._numbered(pa.concat_tables(parts).sort_by("time_unix_nano"))

    @staticmethod
    def _step(names: np.ndarray, times: np.ndarray, op: str, phase: str, settle: str | None) -> pa.Table:
        queues = pa.array(np.char.add("q", (names % QUEUES).astype(str)), pa.string())
        size, sends = len(names), op == "send"
        return pa.table(
            {
                "run_id": pa.repeat("live", size), "recorder": pa.repeat("p" if sends else "c", size),
                "time_unix_nano": times, "system": pa.repeat("rabbitmq", size),
                "op_type": pa.repeat(op, size), "op_name": pa.repeat(op, size),
                "phase": pa.repeat(phase, size), "destination": queues,
                "message_id": pa.array(np.char.add("m", names.astype(str)), pa.string()),
                "client_id": pa.repeat("p", size) if sends else queues,
                "consumer_id": pa.nulls(size, pa.string()) if sends else queues,
                "producer_seq": pa.array(names, pa.int64(), mask=np.full(size, not sends)),
                "settle": pa.repeat(settle, size) if settle else pa.nulls(size, pa.string()),
            }
        )  # fmt: skip

    def _numbered(self, table: pa.Table) -> pa.Table:
        recorders = np.array(table["recorder"].to_pylist())
        seq = np.zeros(len(recorders), np.int64)
        for name in self.numbers:
            mine = recorders == name
            seq[mine] = self.numbers[name] + 1 + np.arange(mine.sum())
            self.numbers[name] += int(mine.sum())
        return table.append_column("seq", pa.array(seq))


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

    @property
    def sustained(self) -> bool:
        middle = self.warm + self.seconds / 2
        early = [backlog for age, backlog in self.backlogs if age < middle]
        late = [backlog for age, backlog in self.backlogs if age >= middle]
        return bool(early and late) and max(late) <= SLACK * max(early)


def followed(spark: SparkSession, rate: int, warm: float, seconds: float) -> Watch:
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
        follow(spark, folder, checkpoint, Parameters(), live, observer=watch.told, stop=stop)
    finally:
        stop.set()
        thread.join()
        shutil.rmtree(scratch)
    return watch


def main() -> int:
    asked = ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--rates", type=int, nargs="+", default=[5_000, 10_000, 15_000, 20_000])
    asked.add_argument("--warm", type=float, default=60, help="seconds that do not count")
    asked.add_argument("--seconds", type=float, default=90, help="seconds that do")
    asked.add_argument("--memory", default="1g")
    asked.add_argument("--master", default="local[2]")
    given = asked.parse_args()
    spark, best = session(Place(given.master, given.memory, long=True)), 0
    for rate in given.rates:
        watch = followed(spark, rate, given.warm, given.seconds)
        lags = watch.lags or [float("nan")]
        print(
            f"{rate:,} events/s: {'sustained' if watch.sustained else 'too many'}; lag of {len(watch.lags)} "
            f"findings: median {statistics.median(lags):.1f} s, worst {max(lags):.1f} s; {watch.wrong} wrong",
            flush=True,
        )
        if watch.wrong or not watch.sustained:
            break
        best = rate
    print(f"sustained: {best:,} events/s")
    return 0 if best and not watch.wrong else 1


if __name__ == "__main__":
    sys.exit(main())
