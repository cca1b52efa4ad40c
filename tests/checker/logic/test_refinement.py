"""Refinement: by hand, and at random against what traces and failures obviously are."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given

from angarium.checker.logic import normalise, refinement
from angarium.checker.logic.refinement import Semantics, decide
from angarium.core.errors import LimitError
from tests.checker.logic.eventful import (
    INTERNAL,
    SEEDS,
    THOROUGHLY,
    Steps,
    after,
    any_steps,
    follow,
    move,
    offered,
    offers_after,
    process,
    reachable,
    traces,
)

LONGEST = 6


def refines(implementation: Sequence[Steps], specification: Sequence[Steps], semantics: Semantics) -> bool:
    return decide(process(implementation), process(specification), semantics).holds


# --- by hand ------------------------------------------------------------------------------------------

BOTH = [[("a", 1), ("b", 1)], []]
"""a or b, whichever is wanted."""
ONE_OF_BOTH = [[("-", 1), ("-", 2)], [("a", 3)], [("b", 3)], []]
"""a or b, as it likes."""
ONLY_A = [[("a", 1)], []]
NOTHING: list[Steps] = [[]]
BUSY = [[("-", 0)]]
"""Nothing but internal steps."""


@pytest.mark.parametrize(
    ("implementation", "specification", "by_traces", "by_failures"),
    [
        (BOTH, BOTH, True, True),
        (ONLY_A, BOTH, True, False),
        (NOTHING, BOTH, True, False),
        (BOTH, ONLY_A, False, False),
        (ONE_OF_BOTH, BOTH, True, False),
        (BOTH, ONE_OF_BOTH, True, True),
        (ONLY_A, ONE_OF_BOTH, True, True),
        (NOTHING, ONE_OF_BOTH, True, False),
        (BUSY, BOTH, True, True),
        (NOTHING, BUSY, True, False),
    ],
)
def test_small_processes(
    implementation: Sequence[Steps], specification: Sequence[Steps], by_traces: bool, by_failures: bool
) -> None:
    assert refines(implementation, specification, "traces") == by_traces
    assert refines(implementation, specification, "failures") == by_failures


def test_the_story_ends_with_the_event_that_is_not_allowed() -> None:
    implementation = process([[("a", 1)], [("-", 2)], [("a", 0), ("c", 0)]])
    specification = process([[("a", 1)], [("a", 0), ("b", 0)]])

    decision = decide(implementation, specification, "traces")

    assert decision.run is not None
    assert decision.run.choices == (0, 0, 1)
    assert decision.summary == "after a: c happens, where the specification allows a or b"


def test_the_story_says_what_should_have_been_offered() -> None:
    implementation = process([[("a", 1)], [("-", 2)], []])
    specification = process([[("a", 1)], [("-", 2), ("-", 3)], [("a", 0), ("b", 0)], [("c", 0)]])

    decision = decide(implementation, specification, "failures")

    assert decision.run is not None
    assert decision.run.choices == (0, 0)
    offered = "after a: the last state offers nothing, where the specification offers at least"
    assert decision.summary in (f"{offered} c, or a and b", f"{offered} a and b, or c")


def test_only_the_least_that_must_be_offered_is_said() -> None:
    specification = process([[("-", 1), ("-", 2)], [("a", 0), ("b", 0)], [("a", 0)]])

    decision = decide(process([[("b", 0)]]), specification, "failures")

    offered = "at the start: the last state offers b"
    assert decision.summary == f"{offered}, where the specification offers at least a"


def test_a_specification_that_never_rests_allows_no_rest() -> None:
    decision = decide(process([[]]), process([[("a", 0), ("-", 0)]]), "failures")

    summary = "at the start: the last state offers nothing, where the specification never comes to rest"
    assert decision.summary == summary


def test_long_traces_and_long_lists_are_cut() -> None:
    chain = [[("a", number + 1)] for number in range(20)]
    implementation, specification = process([*chain, [("b", 20)]]), process([*chain, []])

    decision = decide(implementation, specification, "traces")

    allowed = "b happens, where the specification allows nothing"
    assert decision.summary == f"after ... {', '.join('a' * 12)}: {allowed}"


def test_who_does_nothing_that_is_seen_keeps_every_trace() -> None:
    assert (
        decide(process(BUSY), process(BOTH), "traces").vacuous
        == "nothing that the implementation does is seen"
    )
    assert decide(process(ONLY_A), process(BOTH), "traces").vacuous is None
    assert decide(process(BUSY), process(BOTH), "failures").vacuous is None


def test_any_initial_state_may_be_the_wrong_one() -> None:
    implementation = process([[("a", 0)], [("b", 1)]], initial=2)

    decision = decide(implementation, process([[("a", 0)]]), "traces")

    assert decision.run is not None
    assert (decision.run.start, decision.run.choices) == (1, (0,))


def test_many_pairs_and_many_nodes_make_the_tables_grow() -> None:
    ring = [[("a", (state + 1) % 389), ("-", state)] for state in range(389)]
    other = [[("a", (state + 1) % 397)] for state in range(397)]

    assert refines(ring, other, "traces")
    assert refines(other, ring, "traces")


def _exponential(size: int) -> list[list[tuple[str, int]]]:
    """Whether the letter so many places before the last was an a: a node for each word of that length."""
    first = [("a", 0), ("b", 0), ("a", 1)]
    rest = [[("a", state + 1), ("b", state + 1)] for state in range(1, size)]
    return [first, *rest, []]


def test_too_many_sets_of_states_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    specification = process(_exponential(14))
    assert decide(specification, specification, "traces").holds

    monkeypatch.setattr(normalise, "MOST_ROOM", 1 << 13)
    with pytest.raises(LimitError, match="too many sets of states"):
        decide(specification, specification, "traces")


def test_too_many_pairs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = [[("a", (state + 1) % 389)] for state in range(389)]
    other = [[("a", (state + 1) % 397)] for state in range(397)]

    monkeypatch.setattr(refinement, "MOST_SLOTS", 1 << 15)
    with pytest.raises(LimitError, match="too many pairs of states"):
        decide(process(ring), process(other), "traces")


def test_pauses_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(normalise, "TURN", 3)
    monkeypatch.setattr(refinement, "TURN", 3)
    process_ = process(_exponential(6))

    assert decide(process_, process_, "failures").holds
    assert not decide(process([[("c", 0)]]), process_, "traces").holds


# --- at random ----------------------------------------------------------------------------------------


def any_pair(random: Random) -> tuple[list[Steps], list[Steps]]:
    """Two processes that may refine each other: often the one is a part of the other."""
    specification = any_steps(random)
    fewer = reachable([random.sample(steps, random.randint(0, len(steps))) for steps in specification])
    return random.choice([fewer, any_steps(random)]), specification


@THOROUGHLY
@given(SEEDS)
def test_traces_are_as_they_should_be(random: Random) -> None:
    implementation, specification = any_pair(random)
    starts = random.randint(1, min(2, len(implementation)))
    decision = decide(process(implementation, initial=starts), process(specification), "traces")

    if decision.holds:
        assert all(after(specification, 1, trace) for trace in traces(implementation, starts, LONGEST))
        return
    assert decision.run is not None and decision.run.start < starts
    trace, _ = follow(implementation, decision.run)
    assert not after(specification, 1, trace)
    assert after(specification, 1, trace[:-1])


@THOROUGHLY
@given(SEEDS)
def test_failures_are_as_they_should_be(random: Random) -> None:
    implementation, specification = any_pair(random)
    decision = decide(process(implementation), process(specification), "failures")

    def allowed(trace: str, offers: frozenset[str]) -> bool:
        return any(least <= offers for least in offers_after(specification, 1, trace))

    if decision.holds:
        for trace in traces(implementation, 1, LONGEST):
            assert after(specification, 1, trace)
            assert all(allowed(trace, offers) for offers in offers_after(implementation, 1, trace))
        return
    assert decision.run is not None
    trace, state = follow(implementation, decision.run)
    offers = offered(implementation, state)
    assert not after(specification, 1, trace) or (offers is not None and not allowed(trace, offers))


Pair = tuple[int, frozenset[int]]


@THOROUGHLY
@given(SEEDS)
def test_no_shorter_run_shows_it(random: Random) -> None:
    implementation, specification = any_pair(random)
    decision = decide(process(implementation), process(specification), "traces")

    length = shortest(implementation, specification)
    assert (length is None) == decision.holds
    assert decision.run is None or len(decision.run.choices) == length


@THOROUGHLY
@given(SEEDS)
def test_no_shorter_run_shows_it_by_failures(random: Random) -> None:
    implementation, specification = any_pair(random)
    decision = decide(process(implementation), process(specification), "failures")

    length = shortest_by_failures(implementation, specification)
    assert (length is None) == decision.holds
    assert decision.run is None or len(decision.run.choices) == length


def shortest_by_failures(implementation: list[Steps], specification: list[Steps]) -> int | None:
    """The same, where a run is wrong too that ends where too much is refused."""
    level, seen = {(0, after(specification, 1, ""))}, set[Pair]()
    for length in range(1000):
        if any(
            not members or refuses(implementation, specification, state, members) for state, members in level
        ):
            return length
        seen |= level
        level = {found for pair in level for found in behind(implementation, specification, pair)} - seen
    return None


def refuses(
    implementation: list[Steps], specification: list[Steps], state: int, members: frozenset[int]
) -> bool:
    """Whether a state is at rest, and offers all of no set that the specification may offer at rest."""
    if any(event == INTERNAL for event, _ in implementation[state]):
        return False
    mine = {event for event, _ in implementation[state]}
    theirs = [{event for event, _ in specification[each]} for each in members]
    return not any(INTERNAL not in events and events <= mine for events in theirs)


def shortest(implementation: list[Steps], specification: list[Steps]) -> int | None:
    """The length of a shortest run whose events are not allowed, by all pairs of a state and a set."""
    level, seen = {(0, after(specification, 1, ""))}, set[Pair]()
    for length in range(1000):
        if any(not members for _, members in level):
            return length
        seen |= level
        level = {found for pair in level for found in behind(implementation, specification, pair)} - seen
    return None


def behind(implementation: list[Steps], specification: list[Steps], pair: Pair) -> set[Pair]:
    state, members = pair
    return {
        (target, members if event == INTERNAL else move(specification, members, event))
        for event, target in implementation[state]
    }
