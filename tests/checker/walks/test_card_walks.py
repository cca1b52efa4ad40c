"""Walks on a card, on the emulated grid: the same walks as on the processor, to the last figure."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from angarium.checker.explore.gpu import program as search_program
from angarium.checker.explore.gpu.cards import EmulatedGrid
from angarium.checker.ir.transition import Guarantee, TransitionSystem
from angarium.checker.walks.gpu import card_walks
from angarium.checker.walks.gpu import card_walks as walk_program
from angarium.checker.walks.gpu.card_walks import WalkProgram, simulate
from angarium.checker.walks.native_walks import Watch
from angarium.checker.walks.native_walks import simulate as simulate_here
from angarium.checker.walks.plan import SCHEDULES, Plan
from angarium.checker.walks.questions import Questions
from angarium.checker.walks.results import Sample, Simulation
from angarium.core.errors import LimitError
from angarium.core.result import Verdict
from angarium.native import ptx
from angarium.systems.registry import load
from tests.checker.walks.observed import sac
from tests.checker.walks.test_agreement import INDEPENDENT
from tests.zoo import op, read


class Grid(EmulatedGrid):
    def __init__(self) -> None:
        super().__init__(3)


def on_card(system: TransitionSystem, plan: Plan, timeout: float | None = None) -> tuple[Simulation, Sample]:
    return simulate(system, plan, subject=system.name, timeout=timeout, card=Grid)


def assert_same(system: TransitionSystem, plan: Plan) -> None:
    (found, sample), (expected, figures) = (
        on_card(system, plan),
        simulate_here(system, plan, subject=system.name, threads=1),
    )
    for one, other in ((sample.values, figures.values), (sample.known, figures.known)):
        assert np.array_equal(one, other)
    assert np.array_equal(sample.ends, figures.ends)
    assert np.array_equal(sample.steps, figures.steps)
    assert (found.walks, found.statistics) == (expected.walks, expected.statistics)
    assert found.verdicts == expected.verdicts
    assert (found.engine, found.extent.steps) == ("gpu", expected.extent.steps)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_walks_are_those_of_the_processor(schedule: str) -> None:
    assert_same(sac(3, 2), Plan(500, 200, 7, schedule))


@pytest.mark.parametrize("name", ["nsq", "kafka-delivery", "transport", "overlay"])
def test_walks_of_bundled_systems_are_too(name: str) -> None:
    assert_same(load(name, {}), Plan(200, 300, 3))


def test_violations_that_walks_meet_are_told_by_the_same_stories() -> None:
    system = replace(sac(3, 2), guarantees=(Guarantee("few", "invariant", op(read("next_id"), "<", 2)),))
    assert_same(system, Plan(800, 400))
    found, _ = on_card(system, Plan(800, 400))
    assert found.worst is Verdict.VIOLATED


def test_in_pieces_they_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card_walks, "CHUNK", 37)
    assert_same(sac(2, 2), Plan(150, 100))


def test_steps_that_need_much_room_lie_in_the_memory_of_the_card(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk_program, "MOST_OF_ITS_OWN", 0)
    assert_same(sac(2, 2), Plan(150, 100))
    assert search_program.MOST_OF_ITS_OWN > 0


def test_releases_are_distributed_as_in_an_independent_simulation() -> None:
    mode, schedule, mean, error, sd, _ = INDEPENDENT[0]
    found, _ = on_card(sac(10, 10, mode), Plan(4_000, schedule=schedule))
    total = next(each for each in found.statistics if each.observation == "times(release)")
    assert abs(total.mean - mean) < 4 * sqrt(total.sd**2 / 4_000 + error**2)
    assert total.sd == pytest.approx(sd, rel=0.1)


# --- limits -----------------------------------------------------------------------------------


def test_a_limit_of_time_leaves_whole_walks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card_walks, "CHUNK", 100)
    monkeypatch.setattr(Watch, "seconds", property(lambda watch: 9.0 if watch.walks else 0.0))
    monkeypatch.setattr(CountingGrid, "late", True)
    found, sample = simulate(sac(2, 2), Plan(100_000, 100), subject="x", timeout=5.0, card=CountingGrid)
    assert str(found.cut) == "time limit of 5 s"
    assert 100 <= found.walks < 100_000
    assert len(sample.ends) == found.walks


class CountingGrid(Grid):
    """A grid that is looked at before it is done."""

    late = False

    def is_done(self, seconds: float) -> bool:
        if self.late and self._running:
            type(self).late = False
            super().is_done(seconds)
            return False
        CountingGrid.late = True
        return super().is_done(seconds)


def test_an_interrupt_gives_what_was_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(Grid):
        def start(self, name: str, count: int, *arguments: int) -> None:
            super().start(name, count, *arguments)
            raise KeyboardInterrupt

    found, sample = simulate(sac(4, 4), Plan(50_000, 10_000), subject="x", card=Interrupted)
    assert str(found.cut) == "interrupted"
    assert len(sample.ends) == found.walks < 50_000


def test_a_card_without_memory_says_so() -> None:
    class Full(Grid):
        def allocate(self, size: int) -> int:
            if size > 10_000:
                raise MemoryError
            return super().allocate(size)

    found, _ = simulate(sac(2, 2), Plan(50_000, 100), subject="x", card=Full)
    assert (str(found.cut), found.walks) == ("the memory of an emulated grid is full", 0)


def test_walks_that_are_too_long_to_be_counted_are_refused() -> None:
    with pytest.raises(LimitError, match="a walk of 4,294,967,296 steps is too long for the engine gpu"):
        on_card(sac(2, 2), Plan(1, 2**32))


# --- code -------------------------------------------------------------------------------------


@pytest.mark.parametrize("capability", [each[0] for each in ptx.GENERATIONS])
def test_the_loop_becomes_an_entry_for_each_generation(capability: tuple[int, int]) -> None:
    code = WalkProgram(Questions(sac(2, 2), "by-action")).ptx(capability).decode()
    assert ".entry start_walk_on_card(" in code
