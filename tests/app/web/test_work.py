"""Computations beside the page: in processes with limits, and each client in turn."""

from __future__ import annotations

import operator
import os
import time
from collections.abc import Awaitable, Callable, Iterator

import anyio
import pytest

from angarium.app.web import workers
from angarium.app.web.turns import AT_ONCE, EACH, WAITING_EACH, Turns, client_of
from angarium.app.web.work import Work
from angarium.core.errors import WebError


@pytest.fixture
def work() -> Iterator[Work]:
    made = Work()
    yield made
    made.end()


def given(work: Work, function: Callable[..., object], *args: object) -> object:
    async def ask() -> object:
        return await work.compute("somebody", function, *args)

    return anyio.run(ask)


def refusal(work: Work, function: Callable[..., object], *args: object) -> WebError:
    with pytest.raises(WebError) as refused:
        given(work, function, *args)
    return refused.value


# --- processes ----------------------------------------------------------------------------------


def test_what_a_function_gives_arrives_and_the_process_is_asked_again(work: Work) -> None:
    first, second = given(work, os.getpid), given(work, os.getpid)

    assert first == second != os.getpid()


def test_what_is_wrong_with_a_question_arrives_as_it_was_told(work: Work) -> None:
    from angarium.app.web.subjects import load

    problem = refusal(work, load, None, "no-such-system", {})

    assert (problem.code, problem.status) == ("ANG153", 404)
    assert "no-such-system" in problem.what and problem.possible and problem.remedy


def test_what_nobody_thought_of_is_a_bug_and_says_which(
    work: Work, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(workers.BugError, match="ZeroDivisionError"):
        given(work, divmod, 1, 0)

    assert "ZeroDivisionError" in capfd.readouterr().err


def test_what_takes_too_long_is_killed_and_the_next_is_answered(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    given(work, int)
    monkeypatch.setattr(workers, "SECONDS", 0.2)
    problem = refusal(work, pow, 7, 10**9)  # deaf to signals: it is one step of Python's

    assert (problem.code, problem.status) == ("ANG154", 422)
    assert "longer than 0.2 s" in problem.what
    monkeypatch.undo()
    assert given(work, int, "7") == 7


def test_what_takes_too_much_memory_is_killed(work: Work) -> None:
    problem = refusal(work, operator.mul, b"x", 1 << 31)

    assert (problem.code, problem.status) == ("ANG154", 422)
    assert "more than 768 MiB" in problem.what


def test_so_is_what_asks_the_system_for_more_than_there_is(work: Work) -> None:
    assert refusal(work, bytearray, 1 << 60).status == 422


def test_a_process_that_dies_is_told_and_replaced(work: Work) -> None:
    problem = refusal(work, os._exit, 3)

    assert (problem.code, problem.status) == ("ANG154", 503)
    assert given(work, int, "7") == 7


def test_nothing_is_computed_any_more_when_the_page_ends(work: Work) -> None:
    async def end_soon() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(_refused, work.compute)
            await anyio.sleep(0.3)
            work.end()

    began = time.monotonic()
    anyio.run(end_soon)
    assert time.monotonic() - began < workers.SECONDS
    assert refusal(work, int).status == 503


async def _refused(compute: Callable[..., Awaitable[object]]) -> None:
    with pytest.raises(WebError, match="being ended"):
        await compute("somebody", time.sleep, 600)


# --- turns --------------------------------------------------------------------------------------


class Clients:
    """Clients whose computations last until they are ended."""

    def __init__(self, group: anyio.abc.TaskGroup) -> None:
        self.turns, self.group = Turns(), group
        self.served: list[str] = []
        self.sent_away: list[WebError] = []
        self._ends: list[tuple[str, anyio.Event]] = []

    async def ask(self, client: str, times: int = 1) -> None:
        for _ in range(times):
            self.group.start_soon(self._ask, client)
            await anyio.wait_all_tasks_blocked()

    async def end(self, client: str) -> None:
        """End the oldest computation of a client."""
        ended = next(each for each in self._ends if each[0] == client)
        self._ends.remove(ended)
        ended[1].set()
        await anyio.wait_all_tasks_blocked()

    async def _ask(self, client: str) -> None:
        try:
            async with self.turns.turn(client):
                self.served.append(client)
                self._ends.append((client, anyio.Event()))
                await self._ends[-1][1].wait()
        except WebError as problem:
            self.sent_away.append(problem)


def with_clients(happens: Callable[[Clients], Awaitable[None]]) -> Clients:
    async def everybody() -> Clients:
        async with anyio.create_task_group() as group:
            clients = Clients(group)
            await happens(clients)
            group.cancel_scope.cancel()
        return clients

    return anyio.run(everybody)


def test_one_client_never_takes_all_processes() -> None:
    async def happens(clients: Clients) -> None:
        await clients.ask("greedy", WAITING_EACH)
        assert clients.served == ["greedy"] * EACH
        await clients.ask("other")

    assert with_clients(happens).served == ["greedy"] * EACH + ["other"]
    assert EACH < AT_ONCE


def test_those_who_wait_are_served_by_turns() -> None:
    async def happens(clients: Clients) -> None:
        for client in "aabb":
            await clients.ask(client)
        for client in "accaa":
            await clients.ask(client)
        for ended in "aabb":
            await clients.end(ended)

    assert with_clients(happens).served == [*"aabb", *"caca"]


def test_who_finds_its_line_full_is_sent_away_and_others_are_not() -> None:
    async def happens(clients: Clients) -> None:
        await clients.ask("greedy", EACH + WAITING_EACH + 1)
        await clients.ask("other", EACH)

    clients = with_clients(happens)
    assert [(each.code, each.status) for each in clients.sent_away] == [("ANG154", 503)]
    assert clients.served.count("other") == AT_ONCE - EACH


def test_who_goes_away_leaves_its_place() -> None:
    async def happens(clients: Clients) -> None:
        await clients.ask("a", EACH)
        with anyio.move_on_after(0.01):
            async with clients.turns.turn("a"):
                pytest.fail("it is nobody's turn")
        await clients.ask("a")
        await clients.end("a")

    assert with_clients(happens).served == ["a"] * (EACH + 1)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::ffff", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("socket", "", False),
    ],
)
def test_a_client_is_known_by_its_address(one: str, other: str, same: bool) -> None:
    assert (client_of(one) == client_of(other)) is same
