"""Divergence: a cycle of internal steps, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
from hypothesis import given

from angarium.checker.logic.decision import Run
from angarium.checker.logic.divergence import decide
from tests.checker.logic.eventful import INTERNAL, SEEDS, THOROUGHLY, Steps, any_steps, process


def test_a_cycle_with_something_visible_is_none() -> None:
    assert decide(process([[("-", 1)], [("-", 2)], [("a", 0)]])).holds


def test_standing_still_is_none() -> None:
    assert decide(process([[("-", 1)], []])).holds


def test_the_story_is_the_nearest_cycle() -> None:
    decision = decide(
        process([[("a", 1), ("b", 3)], [("-", 2)], [("a", 2), ("-", 1)], [("-", 4)], [("-", 3)]])
    )

    assert not decision.holds
    assert decision.run == Run(0, (0, 0, 1), cycle=1)
    assert decision.summary == "these steps go on for ever, and none is seen"


def test_a_step_that_changes_nothing_is_a_cycle() -> None:
    assert decide(process([[("a", 1)], [("-", 1)]])).run == Run(0, (0, 0), cycle=1)


def test_nothing_at_all_may_be_visible() -> None:
    graph = replace(process([[("-", 1)], [("-", 0)]]), events=np.zeros(0, np.uint64))

    assert decide(graph).run == Run(0, (0, 0), cycle=0)


def diverges(states: list[Steps]) -> bool:
    """Whether somewhere as many internal steps follow each other as there are states."""
    level = set(range(len(states)))
    for _ in states:
        level = {target for state in level for event, target in states[state] if event == INTERNAL}
    return bool(level)


@THOROUGHLY
@given(SEEDS)
def test_it_is_found_if_and_only_if_it_is_there(random: Random) -> None:
    states = any_steps(random, states=6, letters="a-")
    decision = decide(process(states))

    assert decision.holds == (not diverges(states))
    if decision.run is None:
        return
    cycle, visited, events = decision.run.cycle, [decision.run.start], list[str]()
    for choice in decision.run.choices:
        event, target = states[visited[-1]][choice]
        visited.append(target)
        events.append(event)
    assert cycle is not None and visited[cycle] == visited[-1]
    assert set(events[cycle:]) == {INTERNAL}
