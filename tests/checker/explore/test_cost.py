"""What a search takes by computation, against what the engine says that it took."""

from __future__ import annotations

from dataclasses import replace

import pytest

from angarium.checker.backend.layout import Layout
from angarium.checker.explore import estimate
from angarium.checker.explore.estimate import Begun, Range
from angarium.checker.explore.graph import Wish
from angarium.checker.explore.native import HASTY, LOAD, NativeEngine
from angarium.systems.registry import load

BEGUN = Begun(states=1000, transitions=3000, frontier=500, bytes=80_000, seconds=2.0, words=3)


@pytest.mark.parametrize("over_time", [0, 2])
@pytest.mark.parametrize("queues", ["2", "3"])
def test_memory_is_what_the_engine_takes(queues: str, over_time: int) -> None:
    system = replace(load("rabbitmq-sac", {"queues": queues}), guarantees=(), temporal=())
    found = NativeEngine().search(system, threads=2, graph=Wish() if over_time else None).coverage
    begun = Begun(
        found.states,
        found.transitions,
        found.frontier,
        found.bytes,
        found.seconds,
        Layout(system.variables).words,
        over_time,
        shared=True,
    )
    said = estimate.memory(begun, Range(found.states, found.states, found.states))
    # A small table grows fourfold; while a table grows the old one is there too; standing still is a step.
    spare = 4 if found.states < HASTY * LOAD else 1
    assert said.likely is not None
    assert 0.99 * found.bytes / spare <= said.likely <= 1.8 * found.bytes


def test_tables_double_where_the_engine_doubles_them() -> None:
    assert estimate.LOAD == LOAD
    assert estimate.table_slots(1) == 1 << 16
    assert estimate.table_slots(int(LOAD * (1 << 20)) - 1) == 1 << 20
    assert estimate.table_slots(int(LOAD * (1 << 20)) + 1) == 1 << 21


def test_steps_are_counted_from_states_that_were_expanded() -> None:
    assert estimate.transitions(BEGUN, Range(1000, 10_000, 20_000)) == Range(3000, 60_000, 120_000)


def test_time_has_an_allowance_and_judging_adds_to_it() -> None:
    plain = estimate.time(BEGUN, Range(1000, 10_000, 20_000))
    judged = estimate.time(replace(BEGUN, over_time=4), Range(1000, 10_000, 20_000))
    assert plain == Range(2, 26, 73)
    assert judged.low == plain.low
    assert (judged.likely, judged.high) == (56, 361)


def test_another_engine_takes_memory_in_proportion() -> None:
    begun = replace(BEGUN, engine="spark")
    assert estimate.memory(begun, Range(1000, 2000, 3000)) == Range(80_000, 160_000, 240_000)


def test_a_card_has_table_and_log_and_a_table_that_is_nearly_full() -> None:
    begun = replace(BEGUN, engine="gpu", over_time=1)
    table = 8 * 2**33
    assert estimate.memory(begun, Range(5_000_000_000)).low == table + 8 * 3 * 5_000_000_000


def test_what_has_no_bound_takes_no_bounded_time_or_memory() -> None:
    for figure in (estimate.transitions, estimate.memory, estimate.time):
        said = figure(BEGUN, Range(1000))
        assert (said.likely, said.high) == (None, None)
        assert said.low > 0
