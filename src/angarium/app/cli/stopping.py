"""Verbs that run until somebody stops them: on Ctrl-C or SIGTERM, or when their time is up."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic


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
