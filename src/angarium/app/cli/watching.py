"""Verbs while they run: what they say meanwhile, and how somebody stops them.

Progress is one line on standard error, which overwrites itself on a terminal, else a line now and then. Some
verbs run until they are stopped: by Ctrl-C, by SIGTERM, or when their time is up.
"""

from __future__ import annotations

import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from angarium.app.cli.output import note

if TYPE_CHECKING:
    from angarium.checker.explore.engine import Progress


PATIENCE = 1.0
"""Seconds before the first line: a short search needs none."""
ON_TERMINAL, ELSEWHERE = 0.2, 5.0
"""Seconds between two lines."""


class Ticker:
    """Shows progress, but not too often."""

    def __init__(self) -> None:
        self._overwrites = sys.stderr.isatty()
        self._due = time.monotonic() + PATIENCE
        self._shown = False

    def __call__(self, progress: Progress) -> None:
        if time.monotonic() >= self._due and (progress.frontier or progress.judging or progress.doing):
            from angarium.app.report.progress import line

            self.offer(line(progress))

    def offer(self, text: str) -> None:
        """Write a line of progress if it is time for one."""
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + (ON_TERMINAL if self._overwrites else ELSEWHERE)
        self._shown = True
        if self._overwrites:
            columns = shutil.get_terminal_size().columns
            note(text[: columns - 1], newline=False, over=True)
        else:
            note(text)

    def clear(self) -> None:
        """Leave a terminal as if nothing had been shown."""
        if self._shown and self._overwrites:
            note("", newline=False, over=True)


@contextmanager
def telling(quiet: bool) -> Iterator[Callable[[str], None] | None]:
    """A function that writes lines of progress now and then, or none."""
    with watching(quiet) as ticker:
        yield None if ticker is None else ticker.offer


@contextmanager
def watching(quiet: bool) -> Iterator[Ticker | None]:
    """An observer for a search, or none."""
    if quiet:
        yield None
        return
    ticker = Ticker()
    try:
        yield ticker
    finally:
        ticker.clear()


# --- stopping -------------------------------------------------------------------------------------


@contextmanager
def asked_to_stop() -> Iterator[threading.Event]:
    """Is set when somebody asks the process to end."""
    asked = threading.Event()
    numbers = signal.SIGINT, signal.SIGTERM
    before = [signal.signal(number, lambda *_: asked.set()) for number in numbers]
    try:
        yield asked
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


@contextmanager
def stopping(timeout: float | None = None) -> Iterator[Callable[[], bool]]:
    """Whether the time is up, or somebody has asked the process to end."""
    deadline = monotonic() + timeout if timeout else float("inf")
    with asked_to_stop() as asked:
        yield lambda: asked.is_set() or monotonic() >= deadline
