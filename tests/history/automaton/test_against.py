"""Histories against NSQ's model: hand-written ones, all in one job, and a recorded one."""

from __future__ import annotations

from collections import Counter

import pytest

from angarium.core.result import Verdict
from angarium.history.automaton import words
from angarium.history.automaton.against import Comparison, Life, against
from angarium.history.automaton.words import lived
from angarium.history.intake.batch import batch_of
from angarium.history.intake.source import Kept
from angarium.history.kernel.audit import audited
from angarium.history.kernel.lives import Spelled
from angarium.history.kernel.numbering import Tables
from angarium.history.kernel.process import InProcess
from angarium.history.parameters import Parameters
from tests.history.hand_written import Event, event, numbered
from tests.history.histories import recorded
from tests.needs import needs

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


def compared_with_nsq(events: list[Event]) -> Comparison:
    steps = InProcess(Kept([batch_of(numbered(events))]))
    audited(steps, Parameters(), mend=False)
    return against(*lived(steps.spelled(), steps.folding.facts.tables, steps.fetch), "nsq")


@pytest.fixture(scope="module")
def compared() -> Comparison:
    return compared_with_nsq(
        [{**each, "run_id": run} for run, written in HISTORIES.items() for each in written]
    )


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
    assert (both.word, both.count, both.subscriber) == ("s d1", 2, "billing")


def test_every_run_has_a_row_for_the_summary(compared: Comparison) -> None:
    rows = {each.run_id: each for each in compared.judgements}
    assert set(rows) == set(HISTORIES)
    assert {each.guarantee for each in rows.values()} == {"model nsq"}
    plain, phantom, long = rows["plain"], rows["phantom"], rows["long"]
    assert (plain.verdict, plain.judged, plain.unjudged, plain.violations) == (Verdict.HOLDS, 1, 0, 0)
    assert (phantom.verdict, phantom.judged, phantom.violations) == (Verdict.VIOLATED, 1, 1)
    assert (long.verdict, long.judged, long.unjudged, long.violations) == (Verdict.UNKNOWN, 0, 1, 0)


def test_of_too_many_different_lives_the_most_frequent_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    tables, rows = Tables(), {}
    run, name = tables.runs.of("r"), tables.names.of("orders")
    reader = tables.readers.of(
        tables.places.of(run, name), tables.channels.of(-1, tables.names.of("billing"))
    )
    for row, (word, cut, count) in enumerate(
        (("s d1 a1", False, 7), ("s d1", True, 5), ("s d1 q1 d1", False, 2))
    ):
        rows[run, word, False, False, cut] = Spelled(count, row, reader)
    events = {row: {"destination": "orders", "message_id": f"m{row}"} for row in range(3)}
    monkeypatch.setattr(words, "MOST_WORDS", 2)
    found = against(*lived(rows, tables, lambda *_: events), "nsq")
    assert [(each.message_id, each.verdict) for each in found.lives] == [
        ("m0", Verdict.HOLDS),
        ("m1", Verdict.UNKNOWN),
    ]
    (judgement,) = found.judgements
    assert (found.left, judgement.judged, judgement.unjudged) == (2, 7, 7)
    assert judgement.reason == ("it is too long to be judged to its end; there are too many different lives")


@pytest.mark.thorough
@needs("histories")
def test_every_life_of_a_recorded_history_is_explained() -> None:
    """nsqd itself counted 21 timeouts: of live consumers, and of what one left behind that was killed."""
    steps = InProcess(Kept(recorded("nsq-rdy")))
    audited(steps, Parameters())
    compared = against(*lived(steps.spelled(), steps.folding.facts.tables, steps.fetch), "nsq")
    (judgement,) = compared.judgements
    assert (judgement.verdict, judgement.judged, judgement.unjudged) == (Verdict.HOLDS, 10_000, 0)
    needed = Counter[tuple[str, ...]]()
    for each in compared.lives:
        needed[each.assumptions] += each.count
    assert needed == {(): 9979, TIMEOUT: 16, DEATH: 5}
