"""Determinism: by hand, and at random against what can be done and refused after each trace."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given

from angarium.checker.logic.decision import Run
from angarium.checker.logic.determinism import decide
from tests.checker.logic.eventful import (
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
from tests.checker.logic.test_divergence import diverges

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
    assert decide(process(states)).holds


def test_an_event_is_refused_that_could_happen() -> None:
    decision = decide(process([[("a", 1), ("a", 2)], [("b", 0)], []]))

    assert decision.run == Run(0, (1,))
    assert decision.summary == "after a: b can happen, or be refused, as it is in the last state"


def test_an_event_happens_that_could_be_refused() -> None:
    decision = decide(process([[("-", 1), ("-", 2)], [], [("a", 0)]]))

    assert decision.run == Run(0, (1, 0))
    assert decision.summary == "at the start: a can happen, as it does here, or be refused"


def test_different_initial_states_are_a_choice_that_is_not_seen() -> None:
    decision = decide(process([[("a", 0)], [("b", 1)]], initial=2))

    assert not decision.holds
    assert decision.run is not None and decision.run.start == 1


def test_what_diverges_is_not_deterministic() -> None:
    decision = decide(process([[("a", 1)], [("-", 1)]]))

    assert decision.run == Run(0, (0, 0), cycle=1)
    assert decision.summary == (
        "these steps go on for ever, and none is seen, so that nothing is certain to follow"
    )


def test_there_is_room_for_many_states() -> None:
    ring = [[("a", (state + 1) % 9000), ("b", state)] for state in range(9000)]

    assert decide(process(ring)).holds
    assert not decide(process([*ring[:-1], [("a", 0), ("a", 9000), ("b", 8999)], []])).holds


@THOROUGHLY
@given(SEEDS)
def test_it_is_as_it_should_be(random: Random) -> None:
    states = any_steps(random, states=5)
    decision = decide(process(states))

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
