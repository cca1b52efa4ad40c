"""Progress on standard error: one line that overwrites itself on a terminal, else a line now and then."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
