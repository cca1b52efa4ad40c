"""The reference engine counts what can be counted by hand, and stops where it is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from angarium.checker.explore.engine import Progress
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.ir.transition import TransitionSystem
from angarium.core.control import Limits
from angarium.core.errors import LimitError
from tests.zoo import counter, division, handoff, overflow, symmetric

SEARCH = ReferenceEngine().search


@pytest.mark.parametrize(
    ("system", "states", "transitions", "depth"),
    [
        (counter(), 4, 3, 4),
        (handoff(), 6, 5, 6),
        (overflow(), 9, 12, 5),
        (symmetric(), 16, 15, 4),
        (division(), 3, 4, 3),
    ],
    ids=lambda value: value.name if isinstance(value, TransitionSystem) else None,
)
def test_counts(system: TransitionSystem, states: int, transitions: int, depth: int) -> None:
    coverage = SEARCH(system).coverage
    assert (coverage.states, coverage.transitions, coverage.depth) == (states, transitions, depth)
    assert (coverage.complete, coverage.cut, coverage.frontier) == (True, None, 0)


def test_runs_are_shortest_and_real() -> None:
    runs = SEARCH(counter()).runs
    assert {name: len(run) for name, run in runs.items()} == {
        "two": 3,
        "small": 4,
        "stays-in-range": 4,
    }
    assert len(SEARCH(counter(stops=True)).runs["unfinished"]) == 4
    assert runs["two"] == [(0,), (1,), (2,)]


def test_symmetry_merges_renamed_states_and_keeps_real_runs() -> None:
    outcome = SEARCH(symmetric(), symmetry=True)
    coverage = outcome.coverage
    assert (coverage.states, coverage.transitions, coverage.depth) == (4, 6, 4)
    assert outcome.runs["room"][-1] == (3, 0, 1, 2)


def test_symmetry_renames_only_what_is_declared_interchangeable() -> None:
    assert SEARCH(symmetric(interchangeable=False), symmetry=True).coverage.states == 16


def test_too_many_renamings_are_refused() -> None:
    with pytest.raises(LimitError, match="9 of Worker"):
        SEARCH(symmetric(9), symmetry=True)


def test_the_search_ends_with_the_level_on_which_everything_is_hit() -> None:
    hopeless = replace(overflow(), guarantees=())
    coverage = SEARCH(hopeless).coverage
    assert (coverage.complete, coverage.cut) == (False, None)
    assert (coverage.depth, coverage.states) == (3, 8)


@pytest.mark.parametrize(
    ("limits", "cut"),
    [
        (Limits(max_states=3), "limit of 3 states"),
        (Limits(max_bytes=10), "limit of 10 bytes"),
        (Limits(timeout=0), "time limit of 0 s"),
    ],
)
def test_a_limit_cuts_the_search(limits: Limits, cut: str) -> None:
    coverage = SEARCH(handoff(), limits=limits).coverage
    assert (coverage.complete, coverage.cut) == (False, cut)


def test_a_limit_that_is_just_enough_does_not_cut() -> None:
    assert SEARCH(handoff(), limits=Limits(max_states=6)).coverage.complete


def test_an_interrupt_cuts_the_search() -> None:
    def interrupt(progress: Progress) -> None:
        raise KeyboardInterrupt

    coverage = SEARCH(handoff(), observe=interrupt).coverage
    assert (coverage.complete, coverage.cut, coverage.frontier) == (False, "interrupted", 1)


def test_the_observer_sees_every_level() -> None:
    seen: list[Progress] = []
    SEARCH(symmetric(), observe=seen.append)
    assert seen[-1].levels == (1, 3, 6, 6)
    assert [progress.frontier for progress in seen] == [3, 6, 6, 0]
