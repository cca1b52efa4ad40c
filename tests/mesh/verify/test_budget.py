"""Sets of failures within a budget."""

from __future__ import annotations

import pytest

from angarium.core.errors import UsageError
from angarium.mesh.mesh import Broker, Failures, Link, Mesh
from angarium.mesh.verify.budget import NONE, ONE, Budget, Size, counted, read_budget

TRIANGLE = Mesh(
    "triangle",
    (Broker("a"), Broker("b"), Broker("c")),
    (
        Link("a->b", "a", "b", cable="a-b"),
        Link("b->a", "b", "a", cable="a-b"),
        Link("b->c", "b", "c"),
        Link("inner", "c", "c", counts=False),
    ),
)


def test_one_is_every_single_link_and_every_single_broker() -> None:
    found = list(ONE.failures(TRIANGLE))

    assert found == [
        (Size(links=1), Failures(cables=frozenset({"a-b"}))),
        (Size(links=1), Failures(cables=frozenset({"b->c"}))),
        (Size(brokers=1), Failures(brokers=frozenset({"a"}))),
        (Size(brokers=1), Failures(brokers=frozenset({"b"}))),
        (Size(brokers=1), Failures(brokers=frozenset({"c"}))),
    ]


def test_two_budgets_are_spent_at_the_same_time_and_smaller_failures_come_first() -> None:
    sizes = [size for size, _ in read_budget("links=1,brokers=1").failures(TRIANGLE)]

    assert sizes == [*[Size(links=1)] * 2, *[Size(brokers=1)] * 3, *[Size(1, 1)] * 6]


@pytest.mark.parametrize("text", ["one", "none", "links=2", "brokers=3", "links=2,brokers=1", "links=9"])
def test_the_count_is_that_of_the_sets(text: str) -> None:
    budget = read_budget(text)

    assert budget.count(TRIANGLE) == len(list(budget.failures(TRIANGLE)))


def test_words_for_budgets() -> None:
    assert read_budget("one") == ONE
    assert read_budget("none") == NONE
    assert read_budget("links=2") == Budget((Size(links=1), Size(links=2)))
    assert [str(size) for size in read_budget("brokers=1, links=1").sizes] == [
        "1 link",
        "1 broker",
        "1 link + 1 broker",
    ]


@pytest.mark.parametrize("text", ["", "links", "links=", "links=-1", "hops=2", "links=x", "one,none"])
def test_what_is_no_budget_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="does not say what may fail") as caught:
        read_budget(text)

    assert caught.value.code == "ANG013"


def test_the_option_that_was_given_is_the_one_that_is_named() -> None:
    with pytest.raises(UsageError, match=r"(?s)--recovery 'oen' does not say.*--recovery links=2"):
        read_budget("oen", option="--recovery")


@pytest.mark.parametrize("number", ["101", "9" * 20, "9" * 5000])
def test_more_at_the_same_time_than_anybody_could_look_at_is_refused_at_once(number: str) -> None:
    with pytest.raises(UsageError, match="more than 100 brokers") as caught:
        read_budget(f"links=1,brokers={number}")

    assert caught.value.code == "ANG013"
    assert len(str(caught.value)) < 500


def test_numbers_that_nobody_would_read_are_told_as_powers_of_ten() -> None:
    assert [counted(166_667_500), counted(10**15), counted(123 * 10**98)] == [
        "166,667,500",
        "about 10^15",
        "about 10^100",
    ]
