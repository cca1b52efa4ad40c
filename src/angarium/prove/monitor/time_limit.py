"""Ending what takes too long, also a call that never answers."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

_AGAIN = 1.0
"""Seconds until the timer rings again: where nothing can be raised, as while memory is tidied, it is lost."""


class TimeIsUp(KeyboardInterrupt):
    """Raised by a timer wherever the program is; who lets Ctrl-C through, lets this through as well."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Interrupt the block if it takes longer; only a main thread can be interrupted."""
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _ring(_number: int, _frame: FrameType | None) -> NoReturn:
    raise TimeIsUp
