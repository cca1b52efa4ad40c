"""The queue in the small: each off-by-one of `delete_all` has its story, and every guarantee can break."""

from __future__ import annotations

import pytest

from angarium.core.result import Report
from tests.systems import changed
from tests.systems.changed import Change, as_settings, story, violated

UNDER_THE_FIRST_NUMBER = ("self.map[self.number_of(m)] = m", "self.map[Number(0)] = m")
NOTHING_IS_FORGOTTEN = ("                self.contents.discard(m)\n", "                pass\n")


def checked(*changes: Change, **settings: object) -> Report:
    return changed.checked("queue", changes, as_settings(**settings))


def told(report: Report, guarantee: str) -> list[tuple[str, ...]]:
    """The steps of a story, each with its arguments."""
    return [(step.action, *map(str, step.arguments.values())) for step in story(report, guarantee).steps]


def test_the_published_queue_keeps_its_contract_and_both_conjectures() -> None:
    report = checked()

    assert [each.guarantee for each in report.verdicts] == [
        *("stays-in-range", "empty-if-said-so", "not-empty-if-said-so", "picked-is-in-the-queue"),
        *("keyed-by-number", "represents"),
    ]
    assert violated(report) == set()


@pytest.mark.parametrize(
    ("settings", "answer"),
    [
        ({"erase_to": 0}, "not-empty-if-said-so"),
        ({"erase_to": 2}, "empty-if-said-so"),
        ({"erase_from": 1}, "not-empty-if-said-so"),
    ],
    ids=["to seq", "to seq + 2", "from 1"],
)
def test_an_off_by_one_breaks_the_second_conjecture_and_then_the_answers(
    settings: dict[str, object], answer: str
) -> None:
    assert violated(checked(**settings)) == {"represents", "picked-is-in-the-queue", answer}


def test_one_message_with_the_first_number_is_enough_to_see_that_erasing_ends_too_early() -> None:
    assert told(checked(erase_to=0), "represents") == [("enqueue", "m1"), ("delete_all", "number1")]


def test_erasing_too_far_takes_the_message_behind() -> None:
    assert told(checked(erase_to=2), "represents") == [("enqueue", "m2"), ("delete_all", "number1")]


def test_a_message_under_a_number_that_is_not_its_own_is_noticed() -> None:
    assert "keyed-by-number" in violated(checked(UNDER_THE_FIRST_NUMBER))


def test_a_specification_that_forgets_nothing_is_noticed() -> None:
    assert violated(checked(NOTHING_IS_FORGOTTEN)) == {
        *("empty-if-said-so", "picked-is-in-the-queue", "represents")
    }


def test_a_caller_who_uses_a_number_twice_breaks_the_contract() -> None:
    careless = ("self.number_of(other) == self.number_of(m) for other", "False for other")

    assert "represents" in violated(checked(careless))
