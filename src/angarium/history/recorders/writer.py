"""The writer of a recorder: numbered events, in files that rotate.

Every event is handed to the operating system before `write` returns. So a process that is killed loses none
of them (a machine that loses its power may), nothing need be flushed, and memory does not grow. The numbers
of a recorder (`seq`) have no gap of themselves, and go on behind the files that are there; whoever may have
missed something leaves one number out on purpose (`skip`), which is what an audit's *complete-log* looks for.

A disk that is full ends a recording, but not in silence: room for one last line is kept from the beginning,
and that line, too, leaves out a number.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from angarium.history.recorders.journals import (
    JSONL,
    Named,
    file_name,
    journal_of,
    last_of,
    locked,
    recover_name,
    seal,
)

STOPPED = "recorder.stopped"
"""A control event: the recorder could not go on. One number is left out before it."""
_RESERVE = 4096
_MODE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Rotation:
    """When a file is finished and another one begins: whatever comes first."""

    events: int = 100_000
    seconds: float = 60.0
    bytes: int = 64 << 20


class NameTakenError(Exception):
    """Somebody else writes under this name, into this folder."""


class Writer:
    """Writes the events of one recorder into a folder. Not for several threads at once."""

    def __init__(
        self,
        folder: Path,
        recorder: str,
        common: Mapping[str, Any],
        *,
        form: str = JSONL,
        rotation: Rotation = Rotation(),  # noqa: B008 (a frozen dataclass)
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._name, self._form, self._rotation = folder, file_name(recorder), form, rotation
        lock = locked(folder, self._name)
        if lock is None:
            raise NameTakenError(recorder)
        self._lock: BinaryIO | None = lock
        recover_name(folder, self._name)
        last = last_of(folder, self._name)
        self.recorder, self.seq, self._number = recorder, last.seq, last.file
        self.resumed = last.seq > 0
        """Whether somebody has written under this name before."""
        self.events = self.files = 0
        self._prefix = json.dumps({**common, "recorder": recorder})[:-1]
        self._concluded = json.dumps({**common, "recorder": f"{recorder}/concluded"})[:-1]
        self._reserve = folder / f".{self._name}.reserve"
        self._keep_room()
        self._journal, self._held, self._size, self._due = -1, 0, 0, 0.0

    def write(self, op_type: str, op_name: str, phase: str, *, at: int = 0, **fields: Any) -> None:  # noqa: ANN401
        """Write an event with the next number. `at`: when, in nanoseconds; now, if it is 0."""
        self._write(op_type, op_name, phase, at or time.time_ns(), self.seq + 1, fields)
        self.seq += 1
        if self._is_full():
            self.rotate()

    def conclude(
        self,
        op_type: str,
        op_name: str,
        phase: str,
        *,
        at: int,
        **fields: Any,  # noqa: ANN401
    ) -> None:
        """Write an event that follows from the numbered one that is written next, and needs no number."""
        self._write(op_type, op_name, phase, at, None, fields)

    def skip(self) -> None:
        """Leave a number out: here something may be missing."""
        self.seq += 1

    def tick(self) -> None:
        """Finish a file whose time is over, though nothing more came."""
        if self._held and time.monotonic() >= self._due:
            self.rotate()

    def rotate(self) -> None:
        """Finish the file that is being written, if there is one."""
        if self._journal >= 0:
            self._finish(self._form)

    def close(self) -> None:
        """Finish everything, and let others write under the name."""
        self.rotate()
        self._reserve.unlink(missing_ok=True)
        self._unlock()

    def abandon(self) -> None:
        """Forget everything without touching a file: it belongs to the process that we were forked from."""
        if self._journal >= 0:
            os.close(self._journal)
        self._journal = -1
        self._unlock()

    def give_up(self, why: str) -> None:
        """End the recording though nothing more can be written, and leave a number out so that it is seen."""
        if self._journal >= 0:
            os.ftruncate(self._journal, self._size)
            self._finish(JSONL)
        self._last_word(why)
        self._unlock()

    def _write(
        self, op_type: str, op_name: str, phase: str, at: int, seq: int | None, fields: Mapping[str, Any]
    ) -> None:
        said = {"op_type": op_type, "op_name": op_name, "phase": phase}
        said |= {name: value for name, value in fields.items() if value is not None}
        begin = self._concluded if seq is None else f'{self._prefix}, "seq": {seq}'
        line = f'{begin}, "time_unix_nano": {at}, {json.dumps(said)[1:]}\n'.encode()
        if self._journal < 0:
            self._begin()
        _write_whole(self._journal, line)
        self._size += len(line)
        self._held += 1
        self.events += 1

    def _begin(self) -> None:
        path = journal_of(self._folder, self._name, self._number + 1)
        self._journal = os.open(path, _MODE, 0o644)
        self._number += 1
        self._held = self._size = 0
        self._due = time.monotonic() + self._rotation.seconds

    def _is_full(self) -> bool:
        most = self._rotation
        return self._held >= most.events or self._size >= most.bytes or time.monotonic() >= self._due

    def _finish(self, form: str) -> None:
        os.close(self._journal)
        self._journal = -1
        path = journal_of(self._folder, self._name, self._number)
        seal(Named(path, self._name, self._number), form)
        self._held = 0
        self.files += 1

    def _keep_room(self) -> None:
        with self._reserve.open("wb") as file:
            file.write(b" " * _RESERVE)
            file.flush()
            os.fsync(file.fileno())

    def _last_word(self, why: str) -> None:
        said = {"op_type": "control", "op_name": STOPPED, "phase": "info", "error_type": why[:1000]}
        number = f'"seq": {self.seq + 2}, "time_unix_nano": {time.time_ns()}'
        line = f"{self._prefix}, {number}, {json.dumps(said)[1:]}\n".encode()
        with self._reserve.open("r+b") as file:
            file.write(line[:_RESERVE])
            file.truncate()
        self._reserve.rename(self._folder / f"{self._name}-{self._number + 1:06}.jsonl")
        self.files += 1

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None


def _write_whole(file: int, line: bytes) -> None:
    written = os.write(file, line)
    while written < len(line):
        written += os.write(file, line[written:])
