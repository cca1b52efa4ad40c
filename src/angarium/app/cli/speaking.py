"""Lines for readers who may not read: they are written by a thread of their own, which may wait.

A pipe that nobody empties is full one day, a terminal can be stopped by Ctrl-S, and a disk is full. Whoever
has something better to do than to wait for that hands lines over here. Of those that wait only so many are
kept; how many were left out is said as soon as there is room again.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from queue import Full, Queue
from threading import Thread

MOST_WAITING = 1000
"""Lines that are kept for a reader who does not read."""
FAREWELL = 2.0
"""In seconds: so long, at most, the end waits for what is not written yet."""


class Speaker:
    """Writes lines to standard output, and never keeps whoever says them."""

    def __init__(self, left_out: Callable[[int], str]) -> None:
        """`left_out` says that so many lines were not kept."""
        self._left_out, self._missing = left_out, 0
        self._waiting: Queue[bytes | None] = Queue(MOST_WAITING)
        self._encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        self._output = _copy_of_output()
        self._thread = Thread(target=self._write_all, daemon=True)
        self._thread.start()

    def say(self, line: str) -> None:
        """Write a line, sooner or later."""
        lines = [self._left_out(self._missing), line] if self._missing else [line]
        if self._waiting.qsize() + len(lines) > MOST_WAITING:
            self._missing += 1
            return
        self._missing = 0
        for each in lines:
            self._waiting.put(f"{each}\n".encode(self._encoding, errors="backslashreplace"))

    def end(self) -> None:
        """Nothing more is said; what waits is written if that does not take long."""
        with suppress(Full):
            self._waiting.put_nowait(None)
            self._thread.join(FAREWELL)

    def _write_all(self) -> None:
        while (data := self._waiting.get()) is not None:
            with suppress(OSError):  # nobody reads any more, or the disk is full: there is nobody to tell
                while data and self._output is not None:
                    data = data[os.write(self._output, data) :]
        if self._output is not None:
            os.close(self._output)


def _copy_of_output() -> int | None:
    """A file of our own, since Python waits for its own one at the end; None if there is no output."""
    try:
        return os.dup(sys.stdout.fileno())
    except (AttributeError, OSError):
        return None
