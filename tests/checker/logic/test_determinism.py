"""Divergence freedom and determinism, on small processes."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given

from angarium.checker.logic.decision import Run
from angarium.checker.logic.determinism import deterministic, free_of_divergence
from tests.checker.logic.eventful import (
    INTERNAL,
    SEEDS,
    THOROUGHLY,
    Steps,
    after,
    any_steps,
    follow,
    offered,
    offers_after,
    process,
    traces,
)


def test_a_cycle_with_something_visible_is_none() -> None:
    assert free_of_divergence(process([[("-", 1)], [("-", 2)], [("a", 0)]])).holds


def test_standing_still_is_none() -> None:
    assert free_of_divergence(process([[("-", 1)], []])).holds


def test_the_story_is_the_nearest_cycle() -> None:
    decision = free_of_divergence(
        process([[("a", 1), ("b", 3)], [("-", 2)], [("a", 2), ("-", 1)], [("-", 4)], [("-", 3)]])
    )

    assert not decision.holds
    assert decision.run == Run(0, (0, 0, 1), cycle=1)
    assert decision.summary == "these steps go on for ever, and none is seen"


def test_a_step_that_changes_nothing_is_a_cycle() -> None:
    assert free_of_divergence(process([[("a", 1)], [("-", 1)]])).run == Run(0, (0, 0), cycle=1)


def test_nothing_at_all_may_be_visible() -> None:
    graph = replace(process([[("-", 1)], [("-", 0)]]), events=np.zeros(0, np.uint64))

    assert free_of_divergence(graph).run == Run(0, (0, 0), cycle=0)


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
    decision = free_of_divergence(process(states))

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


LONGEST = 6


@pytest.mark.parametrize(
    "states",
    [
        [[("a", 1), ("b", 1)], []],
        [[("-", 1)], [("a", 0)]],
        [[("-", 1), ("-", 2)], [("a", 0)], [("a", 3)], [("-", 0)]],
        [[("a", 1), ("a", 2)], [("b", 0)], [("b", 3)], [("a", 2), ("a", 1)]],
    ],
)
def test_deterministic(states: list[Steps]) -> None:
    assert deterministic(process(states)).holds


def test_an_event_is_refused_that_could_happen() -> None:
    decision = deterministic(process([[("a", 1), ("a", 2)], [("b", 0)], []]))

    assert decision.run == Run(0, (1,))
    assert decision.summary == "after a: b can happen, or be refused, as it is in the last state"


def test_an_event_happens_that_could_be_refused() -> None:
    decision = deterministic(process([[("-", 1), ("-", 2)], [], [("a", 0)]]))

    assert decision.run == Run(0, (1, 0))
    assert decision.summary == "at the start: a can happen, as it does here, or be refused"


def test_different_initial_states_are_a_choice_that_is_not_seen() -> None:
    decision = deterministic(process([[("a", 0)], [("b", 1)]], initial=2))

    assert not decision.holds
    assert decision.run is not None and decision.run.start == 1


def test_what_diverges_is_not_deterministic() -> None:
    decision = deterministic(process([[("a", 1)], [("-", 1)]]))

    assert decision.run == Run(0, (0, 0), cycle=1)
    assert decision.summary == (
        "these steps go on for ever, and none is seen, so that nothing is certain to follow"
    )


def test_there_is_room_for_many_states() -> None:
    ring = [[("a", (state + 1) % 9000), ("b", state)] for state in range(9000)]

    assert deterministic(process(ring)).holds
    assert not deterministic(process([*ring[:-1], [("a", 0), ("a", 9000), ("b", 8999)], []])).holds


@THOROUGHLY
@given(SEEDS)
def test_it_is_as_it_should_be(random: Random) -> None:
    states = any_steps(random, states=5)
    decision = deterministic(process(states))

    if decision.holds:
        assert not diverges(states)
        for trace in traces(states, 1, LONGEST):
            possible = {letter for letter in "ab" if after(states, 1, trace + letter)}
            assert offers_after(states, 1, trace) == {frozenset(possible)}
    elif not diverges(states):
        assert decision.run is not None
        trace, state = follow(states, decision.run)
        offers = offered(states, state)
        refused = offers is not None and any(
            after(states, 1, trace + letter) for letter in {"a", "b"} - offers
        )
        happens = (
            any(trace[-1] not in offers for offers in offers_after(states, 1, trace[:-1])) if trace else False
        )
        assert refused or happens
