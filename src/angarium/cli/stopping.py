"""Verbs that run until somebody stops them: on Ctrl-C or SIGTERM, or when their time is up."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic


@contextmanager
def stopping(timeout: float | None = None) -> Iterator[Callable[[], bool]]:
    """Whether the time is up, or somebody has asked the process to end."""
    asked: list[int] = []
    deadline = monotonic() + timeout if timeout else float("inf")
    numbers = signal.SIGINT, signal.SIGTERM
    before = [signal.signal(number, lambda number, _: asked.append(number)) for number in numbers]
    try:
        yield lambda: bool(asked) or monotonic() >= deadline
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
