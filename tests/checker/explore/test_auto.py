"""The engine that chooses: when it is the card, when it is not, and that it says why."""

from __future__ import annotations

from typing import Any

import pytest

from angarium.checker.explore import auto
from angarium.checker.explore.auto import AutoEngine
from angarium.checker.explore.engine import Limits, Outcome
from angarium.checker.explore.gpu.cards import EmulatedGrid
from angarium.checker.explore.gpu.engine import GpuEngine
from angarium.core.errors import CardError
from tests.checker.backend.systems import counters
from tests.checker.explore.test_native import endless

FOUND = (10**6, 6 * 9 * 10**5)


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


@pytest.fixture(autouse=True)
def unused() -> None:
    Card.used = 0


def counts(outcome: Outcome) -> tuple[int, int]:
    assert outcome.coverage.complete
    return outcome.coverage.states, outcome.coverage.transitions


def test_a_small_search_stays_on_the_processor() -> None:
    outcome = AutoEngine(lambda: True, Card).search(counters(6, 9))
    assert (counts(outcome), outcome.chosen, Card.used) == (FOUND, None, 0)


def test_a_large_one_goes_to_the_card_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "PATIENCE", 1e-3)
    outcome = AutoEngine(lambda: True, Card).search(counters(6, 9))
    assert (counts(outcome), Card.used) == (FOUND, 1)
    assert outcome.chosen == ("gpu", "not over after 0.001 s on the processor")


def test_a_card_that_cannot_take_it_leaves_it_to_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "PATIENCE", 1e-3)
    outcome = AutoEngine(lambda: True, Refusing).search(counters(6, 9))
    assert (counts(outcome), outcome.chosen) == (FOUND, ("local", "no graphics card here is new enough"))


def test_without_a_driver_no_time_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "PATIENCE", 1e-3)
    outcome = AutoEngine(lambda: False, Card).search(counters(6, 9))
    assert (counts(outcome), outcome.chosen, Card.used) == (FOUND, None, 0)


def test_who_has_less_time_than_it_takes_to_know_stays_on_the_processor() -> None:
    outcome = AutoEngine(lambda: True, Card).search(endless(), limits=Limits(timeout=0.01))
    assert (outcome.coverage.cut, Card.used) == ("time limit of 0.01 s", 0)


def test_the_limit_of_time_counts_from_the_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "PATIENCE", 0.05)
    outcome = AutoEngine(lambda: True, Card).search(endless(), limits=Limits(timeout=0.4, max_bytes=2**32))
    assert (outcome.coverage.cut, Card.used) == ("time limit of 0.4 s", 1)
