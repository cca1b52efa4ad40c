"""Histories against NSQ's model: hand-written ones, all in one job, and a recorded one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from angarium.core.result import Verdict
from angarium.history import schema
from angarium.history.automaton import against as module
from angarium.history.automaton.against import LIVES, Comparison, Life, against, as_table
from angarium.history.automaton.words import WORDS
from angarium.history.checks.facts import Facts, normalised
from angarium.history.parameters import Parameters
from tests.history.hand_written import Event, event, table
from tests.needs import HISTORIES, needs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RECORDED = HISTORIES / "nsq-rdy.jsonl.gz"
TIMEOUT, DEATH = ("no message times out",), ("no consumer dies",)


def send(at: float = 0) -> Event:
    return event(at, "send", "p0", "m")


def take(at: float, consumer: str, **more: object) -> Event:
    return event(at, "take", consumer, "m", **more)


HISTORIES: dict[str, list[Event]] = {
    "plain": [send(), take(2, "c1"), event(3, "ack", "c1", "m")],
    "confirmed late": [send(), take(2, "c1"), event(3, "sent", "p0", "m"), event(4, "acked", "c1", "m")],
    "requeued": [send(), take(2, "c1"), event(3, "requeue", "c1", "m"), take(5, "c2")],
    "timed out": [send(), take(2, "c1"), take(9000, "c2"), event(9001, "ack", "c2", "m")],
    "died": [send(), take(2, "c1"), event(3, "kill", "ctl", client_id="c1"), take(9, "c2")],
    "came back": [send(), take(2, "c1"), event(3, "kill", "ctl", client_id="c1"), take(9, "c1")],
    "died when idle": [
        send(), take(2, "c1"), event(3, "ack", "c1", "m"), event(9999, "kill", "ctl", client_id="c1"),
    ],
    "died in doubt": [
        send(), take(2, "c1"), event(3, "ack", "c1", "m"), event(4, "kill", "ctl", client_id="c1"),
        take(9, "c2"),
    ],
    "two copies": [send(), take(2, "c1"), take(3, "a1", subscription="audit")],
    "phantom": [event(0, "send", "p0", "other"), take(2, "c1")],
    "after ack": [send(), take(2, "c1"), event(3, "acked", "c1", "m"), take(9, "c2")],
    "failed": [send(), event(1, "failed", "p0", "m"), take(2, "c1")],
    "rejected": [send(), take(2, "c1"), event(3, "reject", "c1", "m")],
    "long": [
        send(),
        *(each for at in (2, 4, 6, 8) for each in (take(at, "c1"), event(at + 1, "requeue", "c1", "m"))),
    ],
    "sent twice": [send(), send(1), take(2, "c1"), take(3, "c2")],
    "two clocks": [take(0, "c1", clock_domain="far"), send(20)],
    "one clock": [take(0, "c1"), send(20)],
    "only consumers": [take(2, "c1"), event(3, "ack", "c1", "m")],
}  # fmt: skip


@pytest.fixture(scope="module")
def compared() -> Comparison:
    pytest.importorskip("pyspark")
    from angarium.spark.session import session
    from tests.history.histories import HERE

    events = [{**each, "run_id": run} for run, written in HISTORIES.items() for each in written]
    return against(Facts(table(session(HERE), events), Parameters()), "nsq")


def life(compared: Comparison, run: str) -> Life:
    (found,) = (each for each in compared.lives if each.run_id == run)
    return found


@pytest.mark.parametrize(
    ("run", "word", "assumptions"),
    [
        ("plain", "s d1 a1", ()),
        ("confirmed late", "s d1 f1", ()),
        ("requeued", "s d1 q1 d2", ()),
        ("timed out", "s d1 d2 a2", TIMEOUT),
        ("died", "s d1 e1 d2", DEATH),
        ("came back", "s d1 e1 d2", DEATH),
        ("died when idle", "s d1 a1", ()),
        ("died in doubt", "s d1 u1 e1 d2", DEATH),
        ("only consumers", "s d1 a1", ()),
    ],
)
def test_a_life_and_what_explains_it(
    compared: Comparison, run: str, word: str, assumptions: tuple[str, ...]
) -> None:
    found = life(compared, run)
    assert (found.word, found.verdict, found.assumptions) == (word, Verdict.HOLDS, assumptions)


@pytest.mark.parametrize(
    ("run", "cannot"),
    [
        ("phantom", "a delivery before it was sent"),
        ("one clock", "a delivery before it was sent"),
        ("after ack", "a second delivery after its acknowledgement was confirmed"),
        ("failed", "a delivery after its send had failed"),
        ("rejected", "no such thing as a rejection"),
    ],
)
def test_what_cannot_happen(compared: Comparison, run: str, cannot: str) -> None:
    found = life(compared, run)
    assert found.verdict == Verdict.VIOLATED
    assert cannot in (found.cannot or "")


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        ("long", "nsq is explored for 3 deliveries"),
        ("sent twice", "it was sent more than once"),
        ("two clocks", "clocks differ"),
    ],
)
def test_what_is_not_judged_says_why(compared: Comparison, run: str, reason: str) -> None:
    found = life(compared, run)
    assert found.verdict == Verdict.UNKNOWN
    assert reason in (found.reason or "")


def test_every_subscriber_has_a_life_of_its_own(compared: Comparison) -> None:
    (both,) = (each for each in compared.lives if each.run_id == "two copies")
    assert (both.word, both.count, both.subscriber) == ("s d1", 2, "audit")


def test_every_run_has_a_row_for_the_summary(compared: Comparison) -> None:
    rows = {each.run_id: each for each in compared.judgements}
    assert set(rows) == set(HISTORIES)
    assert {each.guarantee for each in rows.values()} == {"model nsq"}
    plain, phantom, long = rows["plain"], rows["phantom"], rows["long"]
    assert (plain.verdict, plain.judged, plain.unjudged, plain.violations) == (Verdict.HOLDS, 1, 0, 0)
    assert (phantom.verdict, phantom.judged, phantom.violations) == (Verdict.VIOLATED, 1, 1)
    assert (long.verdict, long.judged, long.unjudged, long.violations) == (Verdict.UNKNOWN, 0, 1, 0)


def test_lives_are_a_table(compared: Comparison, spark: SparkSession) -> None:
    found = as_table(spark, compared)
    assert found.schema == spark.createDataFrame([], LIVES).schema
    assert found.where("verdict = 'violated'").count() == 5


def test_of_too_many_different_lives_the_most_frequent_are_judged(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        ("r", word, False, False, cut, count, "orders", f"m{count}", "billing")
        for word, cut, count in (("s d1 a1", False, 7), ("s d1", True, 5), ("s d1 q1 d1", False, 2))
    ]
    monkeypatch.setattr(module, "words", lambda facts: spark.createDataFrame(rows, WORDS))
    monkeypatch.setattr(module, "MOST_WORDS", 2)
    found = against(Facts(spark.createDataFrame([], schema.DDL), Parameters()), "nsq")
    assert [(each.message_id, each.verdict) for each in found.lives] == [
        ("m7", Verdict.HOLDS),
        ("m5", Verdict.UNKNOWN),
    ]
    (judgement,) = found.judgements
    assert (found.left, judgement.judged, judgement.unjudged) == (2, 7, 7)
    assert judgement.reason == ("it is too long to be judged to its end; there are too many different lives")


@pytest.mark.thorough
@needs("histories")
def test_every_life_of_a_recorded_history_is_explained(spark: SparkSession) -> None:
    """nsqd itself counted 21 timeouts: of live consumers, and of what one left behind that was killed."""
    events = spark.read.schema(schema.DDL).json(str(RECORDED))
    compared = against(Facts(normalised(events), Parameters()), "nsq")
    (judgement,) = compared.judgements
    assert (judgement.verdict, judgement.judged, judgement.unjudged) == (Verdict.HOLDS, 10_000, 0)
    needed = Counter[tuple[str, ...]]()
    for each in compared.lives:
        needed[each.assumptions] += each.count
    assert needed == {(): 9979, TIMEOUT: 16, DEATH: 5}
