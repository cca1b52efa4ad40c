"""The order in which processes are written can be seen nowhere: not at their start, not after they met."""

from __future__ import annotations

import pytest

from angarium.checker.explore.interpret import initial_states
from angarium.checker.explore.native import NativeEngine
from angarium.core.errors import ModelError
from tests.models import explore, system

STATE = """
n = integer(0, 9)
flag: bool = False
rows = array(Item, integer(0, 9))
table = array(Item, array(Colour, bool))
alike = array(Twin, bool)
line = seq(Item, 9)
def first(self) -> int:
    return self.n
"""
WAIT = "\n    await until(True)\n"
SEEN = {
    "written and read": ("self.n = 1", "self.flag = self.n == 1"),
    "written and read in a function": ("self.n = 1", "self.flag = self.first() == 1"),
    "written twice": ("self.n = 1", "self.n = 2"),
    "a cell of a row": ("self.rows[Item(0)] = 1", "self.rows[Item(self.n)] = 2"),
    "a line": ("self.line.append(Item(0))", "self.line.append(Item(1))"),
}


@pytest.mark.parametrize(("one", "other"), SEEN.values(), ids=SEEN)
@pytest.mark.parametrize("wait", [WAIT, "\n"], ids=["awaits", "never awaits"])
def test_processes_that_meet_before_their_first_await_are_refused(one: str, other: str, wait: str) -> None:
    body = f"async def p(self) -> None:\n    {one}{wait}async def q(self) -> None:\n    {other}{wait}"

    with pytest.raises(ModelError, match="begins first would decide") as caught:
        system(STATE + body)

    assert caught.value.code == "ANG104"
    assert caught.value.place is not None
    assert "await until(True)" in str(caught.value)


@pytest.mark.parametrize(
    ("argument", "code"),
    [
        ("i: Item", "self.n += i"),
        ("i: Item", "self.rows[Item((i + 1) % 3)] = i"),
        ("i: Item", "self.rows[i] = self.rows[Item(0)] + i"),
        ("i: Item", "self.line.append(i)"),
        ("i: Item", "self.table[i][Colour.RED] = not self.table[Item(2)][Colour.RED]"),
        ("t: Twin", "self.n += 1"),
        ("t: Twin", "self.alike[t] = any(self.alike[u] for u in Twin)"),
    ],
)
def test_instances_that_meet_before_their_first_await_are_refused(argument: str, code: str) -> None:
    body = f"async def p(self, {argument}) -> None:\n    {code}{WAIT}"

    with pytest.raises(ModelError, match="another instance of it") as caught:
        system(STATE + body)

    assert caught.value.place is not None
    assert caught.value.place.source.strip() == code


@pytest.mark.parametrize(
    ("argument", "code"),
    [
        ("i: Item", "self.rows[i] = self.rows[i] + i"),
        ("i: Item, c: Colour", "self.table[i][c] = True"),
        ("i: Item", "self.table[i][Colour.RED] = self.table[i][Colour.BLUE]"),
        ("t: Twin", "self.alike[t] = not self.alike[t]"),
        ("i: Item", "self.flag = True"),
        ("i: Item", "x = i + self.n\n    self.rows[i] = x"),
    ],
)
def test_instances_with_cells_of_their_own_begin_in_the_initial_state(argument: str, code: str) -> None:
    compiled = system(STATE + f"async def p(self, {argument}) -> None:\n    {code}{WAIT}")

    assert len(initial_states(compiled)) == 1


MEETING = """
wire = channel(Item)
x = integer(0, 9)
y = integer(0, 9)
async def giver(self) -> None:
    await self.wire.send(Item(0))
    {giver}
async def taker(self) -> None:
    await self.wire.receive()
    {taker}
"""


def test_both_orders_are_explored_after_a_rendezvous_if_they_can_be_seen() -> None:
    body = MEETING.format(giver="self.x = 1", taker="self.y = self.x")
    claims = "@reaches\ndef saw(self) -> bool:\n    return self.y == 1\n"
    claims += "@reaches\ndef missed(self) -> bool:\n    return self.x == 1 and self.y == 0\n"

    outcome = explore(body + claims)

    assert set(outcome.runs) == {"saw", "missed"}
    assert outcome.coverage.states == 3
    assert NativeEngine().search(system(body + claims)).coverage.states == 3


@pytest.mark.parametrize(
    ("giver", "taker"),
    [("self.x = 1", "self.y = 1"), ("pass", "self.y = self.x"), ("self.x = self.x + 1", "pass")],
)
def test_one_order_is_enough_after_a_rendezvous_if_it_cannot_be_seen(giver: str, taker: str) -> None:
    (action,) = system(MEETING.format(giver=giver, taker=taker)).actions

    assert action.parameters == ()


@pytest.mark.parametrize(
    "body",
    [
        "async def p(self) -> None:\n    self.flag = finished(self.p)\n    await until(True)",
        "async def p(self) -> None:\n    await until(True)\n"
        "async def q(self) -> None:\n    self.flag = finished(self.p)\n    await until(True)",
        "async def p(self) -> None:\n    await until(True)\n"
        "@initial\ndef begin(self) -> None:\n    self.flag = finished(self.p)",
    ],
)
def test_whether_a_process_is_finished_cannot_be_asked_before_all_have_begun(body: str) -> None:
    with pytest.raises(ModelError, match="before all processes have begun"):
        system(STATE + body)
