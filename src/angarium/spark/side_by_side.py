"""Several pieces of work at a time in one session, each in a thread of its own.

While Spark carries out a small query, most of the machine waits for the next one to be planned. Work that
comes to many small queries is done sooner if some of them are on their way at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any

from angarium.spark.session import cancel_jobs

_AGAIN = 1.0
"""Seconds after which jobs are cancelled that have begun meanwhile."""
Start = Callable[..., Future[Any]]
"""Called with a function and its arguments: begins it, as soon as there is room, and gives what will come."""


@contextmanager
def side_by_side(at_once: int) -> Iterator[Start]:
    """A way to start work of which so many pieces are done at a time; all of it is done at the end.

    What goes wrong in one of them, or here, Ctrl-C above all, cancels what the others do.
    """
    running: set[Future[Any]] = set()

    def start(work: Callable[..., Any], *arguments: object) -> Future[Any]:
        nonlocal running
        while len(running) >= at_once:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            _raise_from(done)
        running.add(begun := pool.submit(work, *arguments))
        return begun

    with ThreadPoolExecutor(at_once) as pool:
        try:
            yield start
            _raise_from(running)
        except BaseException:
            cancel_jobs()
            while wait(running, _AGAIN).not_done:  # one that was between two jobs has begun the next
                cancel_jobs()
            raise


def _raise_from(done: set[Future[Any]]) -> None:
    for each in done:
        each.result()
