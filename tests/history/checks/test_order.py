"""order: inversions of one producer's messages, and reorderings that are nobody's fault."""

from __future__ import annotations

import pytest

from angarium.history.needs import lacks
from angarium.history.parameters import Parameters
from tests.history.histories import Row, asked, audit_of, counts, found, profile, recorded, row


def _sends(run: str, *numbers: int, who: str = "p", **fields: object) -> list[Row]:
    return [
        row(run, n, "send", phase="invoke", client_id=who, destination="q", message_id=f"{who}{n}",
            producer_seq=n, **fields)
        for n in numbers
    ]  # fmt: skip


def _get(run: str, at: float, message: str, consumer: str = "c", **fields: object) -> Row:
    return row(run, at, "receive", destination="q", message_id=message, client_id=consumer, **fields)


def _taken(run: str, *messages: str, consumer: str = "c", **fields: object) -> list[Row]:
    return [_get(run, 10 + at, message, consumer, **fields) for at, message in enumerate(messages)]


def _two_clocks(run: str) -> list[Row]:
    """Of two consumers, one of which is active at a time, the one whose clock is another gets p2 first."""
    first = _get(run, 10, "p2", "c", clock_domain="x")
    return [*_sends(run, 1, 2), row(run, 0, "control", **SINGLE), first, _get(run, 500, "p1", "d")]


SINGLE = {"destination": "q", "op_name": "queue.declare", "single_active": True}


def _histories() -> list[Row]:
    competing = [_get("competing consumers", 10, "p2", "c"), _get("competing consumers", 11, "p1", "d")]
    single = [_get("one active at a time", 10, "p2", "c"), _get("one active at a time", 11, "p1", "d")]
    group = {"consumer_group": "g", "partition_id": "0"}
    return [
        *_sends("in order", 1, 2, 3), *_taken("in order", "p1", "p2", "p3"),
        *_sends("inverted", 1, 2, 3, 4), *_taken("inverted", "p1", "p3", "p4", "p2"),
        *_sends("two inverted", 1, 2, 3), *_taken("two inverted", "p3", "p1", "p2"),
        *_sends("competing consumers", 1, 2), *competing,
        *_sends("one active at a time", 1, 2), row("one active at a time", 0, "control", **SINGLE), *single,
        *_sends("a group's partition", 1, 2), _get("a group's partition", 10, "p2", "c", **group),
        _get("a group's partition", 11, "p1", "d", **group),
        *_sends("requeued", 1, 2), *_taken("requeued", "p1", "p2", "p1"),
        *_sends("marked as redelivered", 1, 2), _get("marked as redelivered", 10, "p2"),
        _get("marked as redelivered", 11, "p1", redelivered=True),
        *_sends("counted as second", 1, 2), _get("counted as second", 10, "p2"),
        _get("counted as second", 11, "p1", delivery_count=2),
        *_sends("sent twice", 1, 2), *_sends("sent twice", 1), *_taken("sent twice", "p2", "p1"),
        *_sends("a second attempt", 2), *_sends("a second attempt", 1, attempt=2),
        *_taken("a second attempt", "p2", "p1"),
        *_sends("two producers", 1), *_sends("two producers", 2, who="r"),
        *_taken("two producers", "r2", "p1"),
        *_sends("two partitions", 1, 2), _get("two partitions", 10, "p2", partition_id="0"),
        _get("two partitions", 11, "p1", partition_id="1"),
        *_sends("two subscribers", 1, 2), _get("two subscribers", 10, "p2", subscription="s"),
        _get("two subscribers", 11, "p1", subscription="t"),
        *_taken("never sent", "p2", "p1", producer_seq=1),
        *_two_clocks("clocks differ"),
        *_sends("no order is promised", 1, 2), *_taken("no order is promised", "p2", "p1", system="nsq"),
    ]  # fmt: skip


def test_inversions_are_found_and_legal_reorderings_are_not() -> None:
    known = audit_of(_histories())
    columns = ("run_id", "message_id", "consumer_id", "first_seq", "last_seq", "measure", "bound")
    assert found(known, "order", *columns) == {
        ("inverted", "p2", "c", 3, 4, 2, 4),
        ("two inverted", "p1", "c", 1, 2, 1, 3),
        ("two inverted", "p2", "c", 1, 3, 2, 3),
        ("one active at a time", "p1", "d", 1, 1, 1, 2),
        ("a group's partition", "p1", "d", 1, 1, 1, 2),
    }
    judged = counts(known, "order")
    assert judged["in order"] == (3, 0)
    assert judged["sent twice"] == (1, 1)
    assert judged["never sent"] == judged["no order is promised"] == (0, 2)


@pytest.mark.thorough
@pytest.mark.slow
def test_real_brokers_keep_order_where_they_promise_it() -> None:
    known = asked(recorded("rmq-classic", "nats-r3", "nsq-rdy"))
    assert found(known, "order", "run_id", "message_id") == set()
    assert counts(known, "order")["rmq-classic"] == (10_000, 0)


def test_what_is_missing_is_said() -> None:
    full = {"receives": 1, "sequenced": 1, "sends": 1}
    assert lacks("order", profile(**full), Parameters()) is None
    assert lacks("order", profile(**full | {"receives": 0}), Parameters()) == "there are no deliveries"
    assert lacks("order", profile(**full | {"sequenced": 0}), Parameters()) == "no message has a producer_seq"
    assert "nobody knows" in (lacks("order", profile(**full | {"sends": 0}), Parameters()) or "")
    assert lacks("order", profile(**full, systems=("nsq",)), Parameters()) == "nsq: no order is promised"
