"""A history that is written while it is followed.

A process plays the recorders: every second it puts a file of Parquet into the folder, with as many events as
were asked for, of messages that are sent, confirmed, delivered and acknowledged; one message in a thousand is
delivered once more, which is a finding.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from angarium.history.parameters import MILLISECOND, SECOND

QUEUES, FAULT = 50, 1_000
STEPS = (("send", "invoke", None), ("send", "ok", None), ("receive", "ok", None), ("settle", "invoke", "ack"))
"""The events of a message: operation, phase, settle."""


@dataclass
class Recorder:
    """Writes events as fast as it is told to."""

    folder: Path
    rate: int
    begin: int = field(default_factory=time.time_ns)
    """The time of the first event."""
    numbers: dict[str, int] = field(default_factory=lambda: {"p": 0, "c": 0})

    @property
    def messages(self) -> int:
        """In each second."""
        return self.rate // len(STEPS)

    def run(self, seconds: int) -> None:
        for second in range(seconds):
            time.sleep(max(0, self.begin + (second + 1) * SECOND - time.time_ns()) / SECOND)
            self.write(second)

    def write(self, second: int) -> None:
        hidden = self.folder / f".{second:06}.parquet"
        parquet.write_table(self._events(second), hidden)
        hidden.rename(self.file(second))

    def file(self, second: int) -> Path:
        return self.folder / f"live-{second:06}.parquet"

    def arrival(self, message: str) -> float:
        """When the second delivery of a message came."""
        return self.file(int(message[1:]) // self.messages).stat().st_mtime

    def due(self, second: int) -> int:
        """How many events there are up to the end of a second."""
        messages = (second + 1) * self.messages
        return messages * len(STEPS) + messages // FAULT

    def _events(self, second: int) -> pa.Table:
        """The events of one second: all of a message's events are in it."""
        count = self.messages
        names = np.arange(count) + second * count
        begin = self.begin + second * SECOND
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


if __name__ == "__main__":
    Recorder(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])).run(int(sys.argv[4]))
