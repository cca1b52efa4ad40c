"""The engine that chooses: when it is the card, when it is not, and that it says why."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest

from angarium.checker.explore import auto
from angarium.checker.explore.auto import AutoEngine
from angarium.checker.explore.engine import Outcome
from angarium.checker.explore.gpu.cards import EmulatedGrid
from angarium.checker.explore.gpu.engine import GpuEngine
from angarium.checker.explore.native import NativeEngine
from angarium.core.control import Limits, cut_by_time
from angarium.core.errors import CardError
from tests.checker.backend.systems import counters
from tests.checker.explore.test_native import endless

FOUND = (7**4, 4 * 6 * 7**3)


class Card(GpuEngine):
    """An emulated one that counts how often it is used."""

    used = 0

    def __init__(self) -> None:
        super().__init__(EmulatedGrid)

    def search(self, *given: Any, **more: Any) -> Outcome:  # noqa: ANN401 - passed on
        Card.used += 1
        return super().search(*given, **more)


class Refusing(GpuEngine):
    def search(self, *given: Any, **more: Any) -> Outcome:  # noqa: ANN401 - not looked at
        raise CardError("ANG160", "no graphics card here is new enough")


class Slow(NativeEngine):
    """An engine for which so much patience is never enough."""

    def search(self, *given: Any, **more: Any) -> Outcome:  # noqa: ANN401 - passed on
        outcome = super().search(*given, **more)
        if more["limits"].timeout != auto.PATIENCE:
            return outcome
        coverage = replace(outcome.coverage, complete=False, cut=cut_by_time(auto.PATIENCE))
        return replace(outcome, coverage=coverage)


@pytest.fixture(autouse=True)
def unused() -> None:
    Card.used = 0


def counts(outcome: Outcome) -> tuple[int, int]:
    assert outcome.coverage.complete
    return outcome.coverage.states, outcome.coverage.transitions


def test_a_small_search_stays_on_the_processor() -> None:
    outcome = AutoEngine(lambda: True, Card).search(counters(4, 6))
    assert (counts(outcome), outcome.chosen, Card.used) == (FOUND, None, 0)


def test_a_large_one_goes_to_the_card_and_says_why() -> None:
    outcome = AutoEngine(lambda: True, Card, Slow()).search(counters(4, 6))
    assert (counts(outcome), Card.used) == (FOUND, 1)
    assert outcome.chosen == ("gpu", "not over after 3 s on the processor")


def test_a_card_that_cannot_take_it_leaves_it_to_the_processor() -> None:
    outcome = AutoEngine(lambda: True, Refusing, Slow()).search(counters(4, 6))
    assert (counts(outcome), outcome.chosen) == (FOUND, ("local", "no graphics card here is new enough"))


def test_without_a_driver_no_time_is_lost() -> None:
    outcome = AutoEngine(lambda: False, Card, Slow()).search(counters(4, 6))
    assert (counts(outcome), outcome.chosen, Card.used) == (FOUND, None, 0)


def test_who_has_less_time_than_it_takes_to_know_stays_on_the_processor() -> None:
    outcome = AutoEngine(lambda: True, Card).search(endless(), limits=Limits(timeout=0.01))
    assert (outcome.coverage.cut, Card.used) == ("time limit of 0.01 s", 0)


def test_the_limit_of_time_counts_from_the_beginning() -> None:
    """Of the card's search as well; it is not a limit of each."""
    limits: list[Limits] = []

    class Noting(Card):
        def search(self, *given: Any, **more: Any) -> Outcome:  # noqa: ANN401 - passed on
            limits.append(more["limits"])
            return super().search(*given, **more)

    before = time.perf_counter()
    AutoEngine(lambda: True, Noting, Slow()).search(counters(4, 6), limits=Limits(timeout=600))
    (given,) = limits
    assert given.timeout == 600
    assert given.begin is not None
    assert before <= given.begin < time.perf_counter()
