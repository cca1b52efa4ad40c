"""What walks meet is told as a story, which can be followed like any other."""

from __future__ import annotations

import pytest

from angarium.checker.explore.addresses import parse_address
from angarium.checker.explore.stories import replay
from angarium.checker.ir.syntax import Const, Write
from angarium.checker.ir.transition import Parameter
from angarium.checker.ir.types import Int
from angarium.checker.walks import reference
from angarium.checker.walks.figures import Hit
from angarium.checker.walks.native_walks import simulate, walk
from angarium.checker.walks.plan import SCHEDULES, Plan
from angarium.checker.walks.summary import story
from angarium.core.result import Story, Verdict
from angarium.systems.registry import load
from tests.checker.walks.observed import observed
from tests.zoo import Local, counter, op, read, system


def path_of(told: Story) -> list[int]:
    return list(parse_address(told.address).path)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_duplicate_is_told_and_can_be_replayed(schedule: str) -> None:
    queue = load("examples/at_least_once.py")

    found, _ = simulate(queue, Plan(runs=200, schedule=schedule), subject="queue")
    verdicts = {each.guarantee: each for each in found.verdicts}
    told = verdicts["no-duplicates"].story

    assert verdicts["no-duplicates"].verdict is Verdict.VIOLATED
    assert told is not None
    assert "No message is delivered twice" in told.summary
    assert replay(queue, path_of(told)).guarantee == "no-duplicates"
    assert verdicts["no-loss"].verdict is Verdict.UNKNOWN


def test_the_story_is_that_of_the_shortest_walk() -> None:
    queue = load("examples/at_least_once.py")
    plan = Plan(runs=60)
    walked = walk(queue, plan, 0, 60, threads=3, _chunk=11)
    each_alone = [reference.walk(queue, plan, number, 1).hits for number in range(60)]

    hits = [each["no-duplicates"] for each in each_alone if "no-duplicates" in each]

    assert walked.hits["no-duplicates"] == min(hits)
    told = story(queue, plan, "no-duplicates", min(hits), subject="queue")
    assert len(told.steps) == min(hits).steps


def test_a_story_begins_where_its_walk_did() -> None:
    start = Parameter("start", Int(0, 4))
    setup = (Write("n", Const(0), Local("start")),)
    guarantees = counter(9).guarantees
    many = system(
        "starts", [("n", Int(0, 9))], counter(9).actions, guarantees, setup=[start], setup_body=setup
    )
    hit = walk(many, Plan(), 0, 30).hits["stays-in-range"]

    told = story(many, Plan(), "stays-in-range", hit, subject="starts")

    assert parse_address(told.address).path[0] == 4
    assert told.initial["n"] == 4
    assert [step.state["n"] for step in told.steps] == [5, 6, 7, 8, 9]


def test_a_step_out_of_range_is_told() -> None:
    found, _ = simulate(counter(), Plan(runs=1), subject="counter")

    told = found.verdicts[0].story
    assert told is not None
    assert "tick() fails: n would become 4" in told.summary
    assert len(told.steps) == 3


def test_a_goal_that_cannot_be_evaluated_is_told() -> None:
    impossible = observed(counter(5, stops=True), goal=op(op(Const(6), "//", op(read("n"), "-", 2)), ">", 9))

    told = story(impossible, Plan(), "stays-in-range", Hit(2, 0), subject="counter")

    assert told.summary == "what the walks look for cannot be evaluated here: division by zero: 6 // 0"
    assert [step.state["n"] for step in told.steps] == [1, 2]


def test_a_rate_that_cannot_be_is_told() -> None:
    negative = observed(counter(5, stops=True), rates=[("tick", op(Const(1), "-", op(read("n"), "*", 2)))])
    plan = Plan(schedule="rates")
    hit = walk(negative, plan, 0, 5).hits["stays-in-range"]

    told = story(negative, plan, "stays-in-range", hit, subject="counter")

    assert told.summary.startswith("the rate of tick fails: ")
    assert "-1" in told.summary
