"""Computations, in threads of their own so that the page goes on answering; at most two at once.

A thread cannot be stopped from outside, so each computation has limits of its own: the searches their time
and room, the interpreter its time and its number of steps. More requests than can wait are sent away.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import ParamSpec, TypeVar

from anyio import CapacityLimiter, to_thread

from angarium.errors import WebError
from angarium.explore.engine import Progress

AT_ONCE, WAITING = 2, 16
P = ParamSpec("P")
Answer = TypeVar("Answer")
leaving = threading.Event()
"""Is set when the server ends: nobody waits for what is still being computed."""
_here = [0]
"""How many compute or wait; changed by the thread of the server only."""


async def compute(function: Callable[P, Answer], *args: P.args, **extra: P.kwargs) -> Answer:
    """What a function gives, from another thread."""
    with _room():
        return await to_thread.run_sync(partial(function, *args, **extra), limiter=_limiter())


@contextmanager
def _room() -> Iterator[None]:
    if _here[0] >= AT_ONCE + WAITING:
        raise WebError(
            "ANG154",
            "the page has too much to do",
            possible=f"{AT_ONCE} computations at once, and {WAITING} that wait",
            remedy="wait a little and ask again",
            status=503,
        )
    _here[0] += 1
    try:
        yield
    finally:
        _here[0] -= 1


def unless_leaving(progress: Progress) -> None:
    """Watches a search, and stops it as the keyboard would when the server ends."""
    if leaving.is_set() and not progress.judging:
        raise KeyboardInterrupt


@lru_cache(maxsize=1)
def _limiter() -> CapacityLimiter:
    return CapacityLimiter(AT_ONCE)
