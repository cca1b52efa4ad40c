"""one-active-consumer: two that get messages by turns, and handovers as they should be."""

from __future__ import annotations

import pytest

from angarium.history.needs import lacks
from angarium.history.parameters import Parameters
from tests.history.histories import Row, asked, audit_of, counts, found, profile, recorded, row


def _history(run: str, turns: str, single: bool = True, step: float = 1, **fields: object) -> list[Row]:
    """Deliveries to the consumers that the letters name, one a step."""
    declared = {"op_name": "queue.declare", "destination": "q", "single_active": True}
    deliveries = [
        row(run, 1 + at * step, "receive", destination="q", message_id=f"m{at}", client_id=who, **fields)
        for at, who in enumerate(turns)
    ]
    return [*([row(run, 0, "control", **declared)] if single else []), *deliveries]


def _generations(run: str, *turns: tuple[str, int | None]) -> list[Row]:
    return [
        row(run, at, "receive", destination="t", partition_id="0", consumer_group="g", client_id=who,
            message_id=f"m{at}", generation=generation)
        for at, (who, generation) in enumerate(turns)
    ]  # fmt: skip


def _with_clocks(run: str, step: float) -> list[Row]:
    rows = _history(run, "aba", step=step)
    return [each | {"clock_domain": each.get("client_id")} for each in rows]


def test_overlaps_are_found_and_handovers_are_not() -> None:
    settled = {"settle": "ack", "destination": "q", "message_id": "m0", "client_id": "a"}
    rows = [
        *_history("handover", "aaabbbccc"),
        *_history("held, not active", "aab"),
        row("held, not active", 50, "settle", **settled),
        *_history("two by turns", "aabab"),
        *_history("three by turns", "abcab"),
        *_history("competing, and it may", "abab", single=False),
        *_history("two subscribers", "aa", subscription="s"),
        *_history("two subscribers", "bb", single=False, subscription="t"),
        *_history("at the same time", "aba", step=0),
        *_with_clocks("within the skew of clocks", step=99),
        *_with_clocks("beyond the skew of clocks", step=101),
        *_generations("partition handed on", ("a", 1), ("a", 1), ("b", 2), ("b", 2)),
        *_generations("partition comes back", ("a", 1), ("b", 2), ("a", 3)),
        *_generations("partition of two", ("a", 1), ("b", 1), ("a", 1)),
        *_generations("one that was replaced", ("a", 1), ("b", 2), ("a", 1)),
        *_generations("nobody knows the generation", ("a", None), ("b", None), ("a", None)),
        *_generations("some have a generation", ("a", 1), ("b", None), ("b", 1), ("a", None), ("a", 1)),
        *_generations("declared", ("a", None), ("b", None), ("a", None)),
        row("declared", -1, "control", op_name="declare", destination="t", single_active=True),
    ]
    known = audit_of(rows)
    columns = (
        "run_id",
        "partition_id",
        "subscriber",
        "consumer_id",
        "first_recorder",
        "first_seq",
        "last_seq",
    )
    assert found(known, "one-active-consumer", *columns) == {
        ("two by turns", None, "q", "a", "b", 1, 3),
        ("three by turns", None, "q", "a", "b", 1, 2),
        ("three by turns", None, "q", "a", "c", 1, 2),
        ("three by turns", None, "q", "b", "c", 1, 2),
        ("beyond the skew of clocks", None, "q", "a", "b", 1, 2),
        ("partition of two", "0", "g", "a", "b", 1, 2),
        ("one that was replaced", "0", "g", "a", "b", 1, 2),
        ("some have a generation", "0", "g", "a", "b", 2, 3),
        ("declared", "0", "g", "a", "b", 1, 2),
    }
    judged = counts(known, "one-active-consumer")
    assert judged["handover"] == (9, 0)
    assert judged["competing, and it may"] == (0, 4)
    assert judged["nobody knows the generation"] == (0, 3)
    assert judged["some have a generation"] == (3, 2)
    assert judged["declared"] == (3, 0)
    reasons = {
        each.run_id: each.reason for each in known.judgements if each.guarantee == "one-active-consumer"
    }
    assert "no generation" in reasons["nobody knows the generation"] and reasons["handover"] is None


def test_queues_are_named_by_patterns() -> None:
    rows = [
        each | {"destination": name}
        for name in ("q.one", "q_one", "r")
        for each in _history(name, "aba", single=False)
    ]
    known = audit_of(rows, Parameters(single_active=("q_*", "?")))
    assert found(known, "one-active-consumer", "run_id", "consumer_id") == {("q_one", "a"), ("r", "a")}


@pytest.mark.thorough
@pytest.mark.slow
def test_a_real_broker_hands_over_without_an_overlap() -> None:
    known = asked(recorded("rmq-classic"))
    assert found(known, "one-active-consumer", "consumer_id") == set()
    assert counts(known, "one-active-consumer") == {"rmq-classic": (10_081, 0)}


def test_what_is_missing_is_said() -> None:
    assert lacks("one-active-consumer", profile(), Parameters()) == "there are no deliveries"
    assert "single active" in (lacks("one-active-consumer", profile(receives=1), Parameters()) or "")
    assert lacks("one-active-consumer", profile(receives=1, grouped=1), Parameters()) is None
    assert lacks("one-active-consumer", profile(receives=1), Parameters(single_active=("q",))) is None
