"""Lives against models: what is a run, what needs an assumption to be dropped, what cannot happen at all."""

from __future__ import annotations

import pytest

from angarium.core.errors import HistoryError
from angarium.core.result import Verdict
from angarium.history.automaton.judge import Finding, Judge
from angarium.history.automaton.letters import Letter, readings, told, word
from angarium.history.automaton.projection import lives_of

TIMEOUT, DEATH = "no message times out", "no consumer dies"


@pytest.fixture(scope="module")
def nsq() -> Judge:
    return Judge(lives_of("nsq"))


@pytest.fixture(scope="module")
def group() -> Judge:
    return Judge(lives_of("kafka-group"))


@pytest.mark.parametrize(
    ("text", "dropped"),
    [
        ("s", ()),
        ("s d1", ()),
        ("s d1 a1", ()),
        ("s d1 f1", ()),
        ("s d1 q1 d2 a2", ()),
        ("s d1 q1 d1 q1 d2 f2", ()),
        ("s d1 d2 a2 a1", (TIMEOUT,)),
        ("s d1 d1 a1 a1", (TIMEOUT,)),
        ("s d1 a1 d2 a2", (TIMEOUT,)),
        ("s d1 e1 d2 a2", (DEATH,)),
        ("s d1 e1 d2 e2 d3 a3", (DEATH,)),
        ("s d1 d2 e2 d3", (DEATH,)),  # the first may have died unseen
        ("s d1 d2 e2 d3 a1", (TIMEOUT, DEATH)),
        ("x", ("no nsqd dies",)),
    ],
)
def test_a_life_of_nsq(nsq: Judge, text: str, dropped: tuple[str, ...]) -> None:
    assert nsq.finding(word(text)) == Finding(Verdict.HOLDS, dropped)


@pytest.mark.parametrize(
    ("text", "cannot"),
    [
        ("d1", "a delivery before it was sent cannot happen in nsq, whatever fails"),
        ("x d1", "a delivery after its send had failed cannot happen in nsq, whatever fails"),
        (
            "s d1 f1 d2",
            "a second delivery after its acknowledgement was confirmed cannot happen in nsq, whatever fails",
        ),
        ("s a1", "an acknowledgement after it was sent cannot happen in nsq, whatever fails"),
        ("s d1 q1 a1", "an acknowledgement after it was given back cannot happen in nsq, whatever fails"),
        ("s d1 a2", "an acknowledgement after it was delivered cannot happen in nsq, whatever fails"),
        ("s d1 j1", "nsq has no such thing as a rejection"),
        ("s s", "a send after it was sent cannot happen in nsq, whatever fails"),
    ],
)
def test_what_cannot_happen_in_nsq_is_named(nsq: Judge, text: str, cannot: str) -> None:
    assert nsq.finding(word(text)) == Finding(Verdict.VIOLATED, cannot=cannot)


def test_a_life_that_is_longer_than_the_scenario_is_not_judged(nsq: Judge) -> None:
    found = nsq.finding(word("s d1 q1 d1 q1 d1 q1 d1 a1"))
    assert (found.verdict, found.dropped) == (Verdict.UNKNOWN, ())
    assert found.reason == "nsq is explored for 3 deliveries of a message to 3 consumers"
    assert nsq.finding(word("s d1 d2 d3 d4")).dropped == (TIMEOUT,)


def test_a_long_life_that_goes_wrong_early_is_judged(nsq: Judge) -> None:
    assert nsq.finding(word("s d1 f1 d1 d1 d1 d1")).verdict == Verdict.VIOLATED


def test_an_acknowledgement_in_doubt_counts_or_was_lost(nsq: Judge) -> None:
    assert [told(each) for each in readings(word("s d1 u1 e1 d2"))] == [
        "sent, delivered to A, left behind by A, delivered to B",
        "sent, delivered to A, acknowledged by A, delivered to B",
    ]
    assert nsq.finding(word("s d1 u1")) == Finding(Verdict.HOLDS)
    assert len(list(readings(word("s d1 u1 d2 u2 e1 e2 d3")))) == 4


def test_a_death_that_was_seen_explains_more_than_a_timeout_that_was_not(nsq: Judge) -> None:
    assert nsq.finding(word("s d1 u1 e1 d2")).dropped == (DEATH,)
    assert nsq.finding(word("s d1 u1 d2")).dropped == (TIMEOUT,)


def test_consumers_may_be_named_in_any_way(nsq: Judge) -> None:
    judge = nsq.finding(
        tuple(Letter(each.kind, each.consumer and 4 - each.consumer) for each in word("s d1 d2"))
    )
    assert judge.dropped == (TIMEOUT,)


@pytest.mark.parametrize(
    ("text", "dropped"),
    [
        ("s d1 a1", ()),
        ("s d1 d2 a2", ("no member is too slow",)),
        ("s d1 e1 d2 f2", ("no member dies",)),
    ],
)
def test_a_life_in_a_kafka_group(group: Judge, text: str, dropped: tuple[str, ...]) -> None:
    assert group.finding(word(text)) == Finding(Verdict.HOLDS, dropped)


def test_what_a_group_has_committed_does_not_come_again(group: Judge) -> None:
    found = group.finding(word("s d1 f1 d2"))
    assert found.verdict == Verdict.VIOLATED
    assert "a second delivery after its acknowledgement was confirmed" in (found.cannot or "")


@pytest.fixture(scope="module")
def delivery() -> Judge:
    return Judge(lives_of("kafka-delivery"))


def test_a_second_reading_in_kafka_needs_a_producer_that_repeats_what_was_stored(delivery: Judge) -> None:
    found = delivery.finding(word("s d1 f1 d1 a1"))
    assert found.dropped == ("the producer is idempotent", "no answer to the producer is lost")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("s d1 e1 d2", "kafka-delivery says nothing of the end of a consumer"),
        ("s d1 d2", "kafka-delivery is explored for 2 deliveries of a message to one consumer"),
    ],
)
def test_what_a_model_does_not_have_it_does_not_judge(delivery: Judge, text: str, reason: str) -> None:
    assert delivery.finding(word(text)) == Finding(Verdict.UNKNOWN, reason=reason)


def test_a_model_without_lives_says_which_have_them() -> None:
    with pytest.raises(HistoryError) as error:
        lives_of("rabbitmq-sac")
    assert error.value.code == "ANG135"
    assert "kafka-delivery, kafka-group, nsq" in error.value.possible
