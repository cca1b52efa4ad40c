"""Sweeps: the grid, and the same figures as simulating each scenario by itself."""

from __future__ import annotations

import time

import pytest

from angarium.checker.frontend.build import build
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.walks.native_walks import simulate
from angarium.checker.walks.plan import Plan
from angarium.checker.walks.results import Simulation
from angarium.checker.walks.sweep import MOST, Axis, SweepRequest, check_axes, points, read_axis, sweep
from angarium.core.control import INTERRUPTED
from angarium.core.errors import ParameterError, UsageError
from angarium.systems.registry import find

SAC = "rabbitmq-sac"
PLAN = Plan(runs=50)


def asked(*axes: Axis, timeout: float | None = None) -> SweepRequest:
    return SweepRequest(SAC, {"apps": "2"}, axes, PLAN, timeout)


def one(system: TransitionSystem, timeout: float | None) -> Simulation:
    return simulate(system, PLAN, subject=SAC, threads=1, timeout=timeout)[0]


# --- the grid -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("queues=2..5", ("2", "3", "4", "5")),
        ("queues=2..9..3", ("2", "5", "8")),
        ("queues=-1..1", ("-1", "0", "1")),
        ("queues=7", ("7",)),
        ("queues = 1, 4..5 ,9", ("1", "4", "5", "9")),
        ("queues=always,poorer", ("always", "poorer")),
    ],
)
def test_values_of_an_axis(text: str, values: tuple[str, ...]) -> None:
    assert read_axis(text) == Axis("queues", values)


@pytest.mark.parametrize(
    "text",
    [
        *"""queues =2..3 queues= queues=5..2 queues=2..5..0 queues=2.. queues=a..b queues=1,,2 queues=2,2
    queues=1..3,2""".split(),
        f"queues=1..{'9' * 5000}",
    ],
    ids=lambda text: text[:20],
)
def test_an_axis_that_cannot_be(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_axis(text)
    assert caught.value.code == "ANG013"
    assert text in caught.value.what
    assert caught.value.possible
    assert caught.value.remedy


def test_a_range_that_is_too_long_is_refused_before_it_is_counted_out() -> None:
    with pytest.raises(UsageError, match="1,000,000,000,001 scenarios"):
        read_axis("queues=0..1000000000000")


def test_a_grid_that_is_too_large_is_refused() -> None:
    axes = [Axis(name, tuple(map(str, range(200)))) for name in ("queues", "apps")]
    with pytest.raises(UsageError, match="40,000 scenarios"):
        check_axes(axes, {}, find(SAC))
    assert MOST == 10_000


def test_a_parameter_that_is_not_there_or_given_twice_is_refused() -> None:
    decl, axis = find(SAC), Axis("queues", ("2",))
    with pytest.raises(ParameterError, match="no parameter 'qeues'") as caught:
        check_axes([Axis("qeues", ("2",))], {}, decl)
    assert "did you mean queues?" in caught.value.possible
    with pytest.raises(UsageError, match="--set and --sweep"):
        check_axes([axis], {"queues": "3"}, decl)
    with pytest.raises(UsageError, match="given more than once"):
        check_axes([axis, axis], {}, decl)


def test_a_scenario_that_cannot_be_built_is_found_before_anything_runs() -> None:
    with pytest.raises(ParameterError, match="queues cannot be '21'"):
        points(asked(read_axis("queues=19..21")), find(SAC))


def test_the_last_parameter_changes_fastest() -> None:
    grid = points(asked(read_axis("queues=1..2"), read_axis("mode=random,sequential")), find(SAC))
    assert list(grid) == [("1", "random"), ("1", "sequential"), ("2", "random"), ("2", "sequential")]
    assert dict(grid["2", "random"].parameters)["mode"] == "random"
    assert dict(grid["2", "random"].parameters)["apps"] == 2


# --- simulating it --------------------------------------------------------------------------


def test_a_sweep_gives_what_each_scenario_gives_by_itself() -> None:
    question = asked(read_axis("queues=1..3"))
    seen: list[tuple[int, int]] = []
    found = sweep(
        question,
        points(question, find(SAC)),
        one,
        threads=1,
        observe=lambda done, planned, _: seen.append((done, planned)),
    )
    assert (found.cut, found.planned, found.engine) == (None, 3, "local")
    assert seen == [(1, 3), (2, 3), (3, 3)]
    alone = one(build(find(SAC), {"apps": "2", "queues": "3"}), None)
    assert found.simulations[("3",)].statistics == alone.statistics
    assert "queues" not in found.parameters
    assert found.parameters["apps"] == 2


def test_a_sweep_that_is_interrupted_keeps_what_is_whole() -> None:
    question = asked(read_axis("queues=1..3"))

    def interrupted(system: TransitionSystem, timeout: float | None) -> Simulation:
        if dict(system.parameters)["queues"] == 2:
            raise KeyboardInterrupt
        return one(system, timeout)

    found = sweep(question, points(question, find(SAC)), interrupted, threads=1)
    assert list(found.simulations) == [("1",)]
    assert found.cut == INTERRUPTED


def test_a_simulation_that_was_cut_is_no_part_of_a_sweep() -> None:
    question = asked(read_axis("queues=1..2"), timeout=1e-9)
    found = sweep(question, points(question, find(SAC)), one, threads=1)
    assert found.simulations == {}
    assert found.cut == "time limit of 1e-09 s"


def test_the_time_that_is_left_is_passed_on() -> None:
    question, left = asked(read_axis("queues=1..2"), timeout=600.0), []

    def slow(system: TransitionSystem, timeout: float | None) -> Simulation:
        left.append(timeout)
        time.sleep(0.05)
        return one(system, None)

    sweep(question, points(question, find(SAC)), slow, threads=1)
    assert left[0] is not None and left[1] is not None
    assert left[1] <= left[0] - 0.05
