"""A history that is followed while it is written: the rate that two cores sustain, and the lag at that rate.

    uv run python -m benchmarks.live_audit [--rate 20000] [--seconds 120] [--memory 1g] [--master 'local[2]']

A thread plays the recorders: every second it puts a file of Parquet into the folder, with as many events as
were asked for, of messages that are sent, confirmed, delivered and acknowledged; one in a hundred thousand is
delivered once more. What is printed: after every batch how many events are judged, and how far behind the
newest written event the newest judged one is; at the end the rate, and whether what was found is right. A
rate is sustained if the lag does not grow.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from argparse import ArgumentParser
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from angarium.history.live.follow import follow
from angarium.history.live.progress import Progress
from angarium.history.live.settings import END, Live
from angarium.history.parameters import MILLISECOND, SECOND, Parameters
from angarium.spark.session import Place, session

QUEUES, FAULT = 50, 100_000
STEPS = (("send", "invoke", None), ("send", "ok", None), ("receive", "ok", None), ("settle", "invoke", "ack"))
"""The events of a message: operation, phase, settle."""


@dataclass
class Recorder:
    """Writes events as fast as it is told to, and knows how many it wrote, and what must be found."""

    folder: Path
    rate: int
    seconds: int
    written: int = 0
    faults: int = 0
    newest: int = 0
    numbers: dict[str, int] = field(default_factory=lambda: {"p": 0, "c": 0})

    def run(self) -> None:
        begin = time.time()
        for second in range(self.seconds):
            self._write(second, self._events(second))
            time.sleep(max(0.0, begin + second + 1 - time.time()))
        (self.folder / END).touch()

    def _write(self, second: int, table: pa.Table) -> None:
        hidden = self.folder / f".{second:06}.parquet"
        parquet.write_table(table, hidden)
        hidden.rename(self.folder / f"live-{second:06}.parquet")
        self.written += table.num_rows

    def _events(self, second: int) -> pa.Table:
        """The events of one second: all of a message's events are in it."""
        count = self.rate // len(STEPS)
        names = np.arange(count) + second * count
        begin = time.time_ns()
        times = begin + np.linspace(0, 0.9 * SECOND, count).astype(np.int64)
        parts = [self._step(names, times + number * MILLISECOND, *step) for number, step in enumerate(STEPS)]
        again = names % FAULT == FAULT - 1
        parts.append(self._step(names[again], times[again] + 50 * MILLISECOND, "receive", "ok", None))
        self.faults += int(again.sum())
        self.newest = int(times[-1]) + len(STEPS) * MILLISECOND
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


def main() -> int:
    asked = ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--rate", type=int, default=20_000, help="events a second")
    asked.add_argument("--seconds", type=int, default=120)
    asked.add_argument("--memory", default="1g")
    asked.add_argument("--master", default="local[2]")
    given = asked.parse_args()
    spark = session(Place(given.master, given.memory, long=True))
    with tempfile.TemporaryDirectory(prefix="angarium-live-") as scratch:
        folder = Path(scratch) / "in"
        folder.mkdir()
        recorder = Recorder(folder, given.rate, given.seconds)
        thread = threading.Thread(target=recorder.run, daemon=True)
        begin = time.monotonic()

        def told(progress: Progress) -> None:
            lag = max(0, recorder.newest - progress.newest) / SECOND
            print(
                f"{time.monotonic() - begin:7.1f} s  batch {progress.batch:3} took {progress.seconds:5.1f} s"
                f"  {progress.accepted:>10,} of {recorder.written:>10,} events  lag {lag:5.1f} s  "
                f"{progress.retained:>9,} kept",
                flush=True,
            )

        thread.start()
        live = Live(lateness=2 * SECOND, remember=30 * SECOND, every=1.0)
        last = follow(spark, folder, Path(scratch) / "checkpoint", Parameters(), live, observer=told)
        seconds = time.monotonic() - begin
        thread.join()
    found = dict(last.findings)
    right = found == {"duplicates-after-ack": recorder.faults} and last.accepted == recorder.written
    print(
        f"{last.accepted / seconds:,.0f} events/s, all in all; found {found}, {'right' if right else 'WRONG'}"
    )
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
