"""Native walks and those of the reference are the same walks, to the last figure."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from angarium.checker.ir.syntax import Call, Const, Write
from angarium.checker.ir.transition import Parameter, TransitionSystem
from angarium.checker.ir.types import Int
from angarium.checker.walks import reference
from angarium.checker.walks.figures import Walked
from angarium.checker.walks.native_walks import walk
from angarium.checker.walks.plan import SCHEDULES, Plan
from angarium.checker.walks.results import End
from angarium.systems.registry import load
from tests.checker.explore.random_systems import systems
from tests.checker.walks.observed import observed, sac
from tests.effort import examples
from tests.zoo import Local, counter, division, handoff, op, overflow, read, symmetric, system

PATIENT = settings(
    max_examples=examples(30),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)

every_schedule = pytest.mark.parametrize("schedule", SCHEDULES)


def agree(one: Walked, other: Walked) -> None:
    """Both have the same figures, as numbers of the same kind, and met the same."""
    for name in ("ends", "steps", "values", "known"):
        mine, theirs = getattr(one.sample, name), getattr(other.sample, name)
        assert mine.dtype == theirs.dtype, name
        np.testing.assert_array_equal(mine, theirs, name)
    assert one.sample.columns == other.sample.columns
    assert one.hits == other.hits


def compare(given_system: TransitionSystem, plan: Plan, first: int = 0) -> Walked:
    """The walks of a plan, which are the same from the twin, in many chunks, and on three threads."""
    slowly = reference.walk(given_system, plan, first, plan.runs)
    for threads, chunk in ((1, 1000), (3, 7), (2, 1)):
        agree(walk(given_system, plan, first, plan.runs, threads=threads, _chunk=chunk), slowly)
    return slowly


@every_schedule
@pytest.mark.parametrize("mode", ["random", "sequential"])
def test_rabbitmq(mode: str, schedule: str) -> None:
    walked = compare(sac(2, 3, mode), Plan(runs=17, steps=200, seed=5, schedule=schedule), first=40)

    assert set(walked.sample.ends) == {End.GOAL}
    assert len(np.unique(walked.sample.values, axis=0)) > 5
    assert walked.sample.known[:, 0].all()


@every_schedule
def test_rabbitmq_up_to_a_limit(schedule: str) -> None:
    walked = compare(sac(2, 2, "sequential"), Plan(runs=30, steps=9, seed=2, schedule=schedule))

    assert {End.LIMIT, End.GOAL} >= set(walked.sample.ends)
    assert End.LIMIT in walked.sample.ends


@every_schedule
@pytest.mark.parametrize(
    ("subject", "parameters", "steps"),
    [
        ("nsq", {"messages": "2", "channels": "1", "consumers": "1", "nsqd_crash": "1"}, 25),
        ("kafka", {}, 25),
        ("examples/at_least_once.py", {}, 40),
    ],
)
def test_bundled_systems(subject: str, parameters: dict[str, str], steps: int, schedule: str) -> None:
    compare(observed(load(subject, parameters)), Plan(runs=6, steps=steps, seed=11, schedule=schedule))


@every_schedule
@pytest.mark.parametrize("each", [counter(), handoff(), overflow(), symmetric(), division()])
def test_the_zoo(each: TransitionSystem, schedule: str) -> None:
    compare(observed(each), Plan(runs=20, steps=7, schedule=schedule))


@every_schedule
def test_several_initial_states(schedule: str) -> None:
    start = Parameter("start", Int(0, 4))
    tick = counter(9, stops=True).actions
    setup = (Write("n", Const(0), Local("start")),)
    many = observed(system("starts", [("n", Int(0, 9))], tick, setup=[start], setup_body=setup))

    walked = compare(many, Plan(runs=40, schedule=schedule))

    assert set(walked.sample.steps.tolist()) == {5, 6, 7, 8, 9}


def test_a_rate_that_cannot_be_fails_the_step() -> None:
    negative = observed(counter(5, stops=True), rates=[("tick", op(Const(2), "-", read("n")))])

    walked = compare(negative, Plan(runs=3, schedule="rates"))

    assert walked.sample.steps.tolist() == [2, 2, 2], "at 2 the rate is 0, and nothing happens any more"
    assert "stays-in-range" not in walked.hits

    divided = observed(counter(5, stops=True), rates=[("tick", op(Const(2), "//", op(read("n"), "-", 3)))])
    walked = compare(divided, Plan(runs=3, schedule="rates"))

    assert walked.hits["stays-in-range"] == (0, 0), "2 // -3 is negative"


def test_a_goal_that_cannot_be_evaluated_is_out_of_range() -> None:
    impossible = observed(counter(5, stops=True), goal=op(op(Const(6), "//", op(read("n"), "-", 2)), ">", 9))

    assert compare(impossible, Plan(runs=2)).hits["stays-in-range"] == (2, 0)


@PATIENT
@given(systems())
def test_random_systems(given_system: TransitionSystem) -> None:
    first = given_system.variables[0]
    watched = observed(
        given_system,
        goal=op(read(first.name), ">", first.high - 1),
        until=op(read(first.name), "!=", first.initial[0]),
    )
    for schedule in SCHEDULES:
        plan = Plan(runs=3, steps=8, seed=4, schedule=schedule)
        agree(walk(watched, plan, 0, 3, threads=1), reference.walk(watched, plan, 0, 3))


def test_a_condition_that_never_comes_has_no_figure() -> None:
    never = observed(counter(4, stops=True), until=op(read("n"), "==", 100))

    walked = compare(never, Plan(runs=2, schedule="rates"))

    known = dict(zip((name for name, _ in walked.sample.columns), walked.sample.known[0], strict=True))
    assert known == {
        "times(tick)": True, "steps": True, "time": True, "steps until": False, "time until": False,
        "together": True,
    }  # fmt: skip


def test_only_rates_have_a_clock() -> None:
    walked = compare(sac(2, 2), Plan(runs=5, schedule="uniform"))

    columns = [name for name, _ in walked.sample.columns]
    assert not walked.sample.known[:, columns.index("time")].any()
    assert walked.sample.known[:, columns.index("steps")].all()


def test_helpers_that_only_walks_call() -> None:
    assert compare(observed(load("rabbitmq-sac", {"queues": "2"}), goal=Call("balanced", ())), Plan(runs=4))
