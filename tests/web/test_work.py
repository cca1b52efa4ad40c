"""Computations beside the page: two at once, some that wait, and no more."""

from __future__ import annotations

import threading

import anyio
import pytest

from angarium.errors import WebError
from angarium.explore.engine import Progress
from angarium.web.work import AT_ONCE, WAITING, compute, leaving, unless_leaving


def test_no_more_than_two_compute_at_once_and_those_who_cannot_wait_are_sent_away() -> None:
    go_on = threading.Event()
    now, most, sent_away = [0], [0], list[WebError]()
    lock = threading.Lock()

    def work() -> None:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
            if now[0] == AT_ONCE:
                go_on.set()
        assert go_on.wait(60)
        with lock:
            now[0] -= 1

    async def ask() -> None:
        try:
            await compute(work)
        except WebError as problem:
            sent_away.append(problem)

    async def everybody() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(AT_ONCE + WAITING + 1):
                group.start_soon(ask)

    anyio.run(everybody)

    assert most[0] == AT_ONCE
    assert [(each.code, each.status) for each in sent_away] == [("ANG154", 503)]


def test_what_a_function_raises_arrives() -> None:
    async def ask() -> None:
        await compute(int, "no number")

    with pytest.raises(ValueError, match="no number"):
        anyio.run(ask)


def test_a_search_is_stopped_when_the_server_ends() -> None:
    progress = Progress(1, 1, 1, 1, 1, 0.1)
    unless_leaving(progress)
    leaving.set()
    try:
        with pytest.raises(KeyboardInterrupt):
            unless_leaving(progress)
    finally:
        leaving.clear()
