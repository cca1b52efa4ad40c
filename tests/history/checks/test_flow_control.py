"""flow-control: more in flight than asked for, and all that only looks like it."""

from __future__ import annotations

import pytest

from angarium.history.needs import lacks
from angarium.history.parameters import MILLISECOND, SECOND, Parameters
from tests.history.histories import Row, asked, audit_of, counts, found, profile, recorded, row

SUBSCRIBED = {"op_name": "basic.consume", "destination": "q"}


def _credit(run: str, at: float, credit: int, who: str = "c", **fields: object) -> Row:
    return row(run, at, "flow", client_id=who, credit=credit, **fields)


def _get(run: str, at: float, *messages: str, who: str = "c", **fields: object) -> list[Row]:
    """Deliveries, one a millisecond."""
    named = {"destination": "q", "client_id": who} | fields
    return [row(run, at + n, "receive", message_id=name, **named) for n, name in enumerate(messages)]


def _settle(run: str, at: float, message: str, how: str = "ack", **fields: object) -> Row:
    named = {"settle": how, "destination": "q", "client_id": "c", "phase": "invoke"}
    return row(run, at, "settle", message_id=message, **named | fields)


def _consumers() -> list[Row]:
    """Histories of consumers that have a limit of their own."""
    several: Row = {"delivery_tag": 2, "settle_multiple": True}
    return [
        _credit("as asked", 0, 2), *_get("as asked", 1, "m1", "m2"), _settle("as asked", 5, "m1"),
        *_get("as asked", 6, "m3"),
        _credit("one too many", 0, 2), *_get("one too many", 1, "m1", "m2", "m3"),
        _credit("two consumers", 0, 1), _credit("two consumers", 0, 1, "d"), *_get("two consumers", 1, "m1"),
        *_get("two consumers", 2, "m2", who="d"),
        _credit("given back", 0, 1), *_get("given back", 1, "m1"), _settle("given back", 2, "m1", "requeue"),
        *_get("given back", 3, "m1"),
        _credit("kept", 0, 1), *_get("kept", 1, "m1"), _settle("kept", 2, "m1", "none"),
        _settle("kept", 3, "m1", phase="fail"), *_get("kept", 4, "m2"),
        _credit("settled together", 0, 2), *_get("settled together", 1, "m1", delivery_tag=1),
        *_get("settled together", 2, "m2", delivery_tag=2), _settle("settled together", 3, "m2", **several),
        *_get("settled together", 4, "m3", "m4"),
        _credit("timed out", 0, 1), *_get("timed out", 1, "m1"), *_get("timed out", 981, "m2"),
        _credit("not timed out", 0, 1), *_get("not timed out", 1, "m1"), *_get("not timed out", 980, "m2"),
        _credit("extended", 0, 1), *_get("extended", 1, "m1"), _settle("extended", 500, "m1", "extend"),
        *_get("extended", 1001, "m2"),
        _credit("extended late", 0, 1), *_get("extended late", 1, "m1"),
        _settle("extended late", 982, "m1", "extend"), *_get("extended late", 1001, "m2"),
        _credit("the same again", 0, 1), *_get("the same again", 1, "m1", "m1"),
        _credit("ended", 0, 1), *_get("ended", 1, "m1"),
        row("ended", 2, "control", op_name="kill", client_id="c"), *_get("ended", 3, "m2"),
        _credit("less, and just said", 0, 2), *_get("less, and just said", 1, "m1"),
        _credit("less, and just said", 5, 1), *_get("less, and just said", 25, "m2"),
        _credit("less, and long said", 0, 2), *_get("less, and long said", 1, "m1"),
        _credit("less, and long said", 5, 1), *_get("less, and long said", 25.001, "m2"),
        _credit("twice less", 0, 3), *_get("twice less", 1, "m1", "m2"), _credit("twice less", 5, 2),
        _credit("twice less", 15, 1), *_get("twice less", 25, "m3"), *_get("twice less", 25.5, "m4"),
        *(_settle("twice less", 26, name) for name in ("m1", "m2", "m3")),
        *_get("twice less", 35, "m5"), *_get("twice less", 35.001, "m6"),
        _credit("none at all", 0, 1), _credit("none at all", 1, 0), *_get("none at all", 50, "m1"),
        _credit("refused", 0, 1), _credit("refused", 1, 0, phase="fail"), *_get("refused", 50, "m1"),
        row("by prefetch", 0, "control", client_id="c", prefetch=1, **SUBSCRIBED),
        *_get("by prefetch", 1, "m1", "m2"),
        row("without limit", 0, "control", client_id="c", prefetch=0, **SUBSCRIBED),
        *_get("without limit", 1, "m1", "m2"),
        *_get("before it was asked", 1, "m1", "m2"), _credit("before it was asked", 9, 1),
    ]  # fmt: skip


def _two_clocks(run: str, apart: float) -> list[Row]:
    """One is in flight by one clock, and settled by it after the next has come by another."""
    declared = {"op_name": "consumer.create", "destination": "q", "credit": 1}
    first = [*_get(run, 1, "m1"), _settle(run, 1 + 2 * apart, "m1")]
    other = [each | {"clock_domain": "x"} for each in _get(run, 1 + apart, "m2", who="d")]
    return [row(run, 0, "control", **declared), *first, *other]


def _subscribers() -> list[Row]:
    """Histories of subscribers with a limit of all consumers together."""
    declared = {"op_name": "consumer.create", "destination": "q", "credit": 2}
    together, named = "together", "of a named one"
    return [
        row(together, 0, "control", **declared), *_get(together, 1, "m1", "m2", subscription="s"),
        *_get(together, 3, "m3", who="d", subscription="s"), *_get(together, 4, "m1", subscription="t"),
        row(named, 0, "control", subscription="s", **declared),
        *_get(named, 1, "m1", "m2", "m3", subscription="t"), *_get(named, 5, "m1", "m2", subscription="s"),
        row("again to another", 0, "control", **declared | {"credit": 1}), *_get("again to another", 1, "m1"),
        *_get("again to another", 2, "m1", who="d"),
        # the first acknowledgement was lost; the second is of an earlier delivery
        row("said twice", 0, "control", **declared | {"credit": 1}), *_get("said twice", 1, "m1"),
        _settle("said twice", 2, "m1"), *_get("said twice", 100, "m1"),
        *_get("said twice", 150, "m1", who="d"), _settle("said twice", 200, "m1"),
        *_get("said twice", 250, "m2", who="d"),
        *_two_clocks("clocks differ", 150),
        row("of another queue", 0, "control", **declared | {"destination": "r"}),
        *_get("of another queue", 1, "m1", "m2", "m3"),
        row("of one client", 0, "control", client_id="c", **declared),
        *_get("of one client", 1, "m1", "m2", "m3"),
    ]  # fmt: skip


def test_what_is_over_the_limit_is_found_and_nothing_else() -> None:
    rows = [*_consumers(), *_subscribers()]
    known = audit_of(rows, Parameters(message_timeout=SECOND, grace=20 * MILLISECOND))
    who = ("run_id", "message_id", "consumer_id", "first_recorder")
    assert found(known, "flow-control", *who, "first_seq", "last_seq", "measure", "bound") == {
        ("one too many", "m3", "c", "c", 1, 4, 3, 2),
        ("kept", "m2", "c", "c", 1, 5, 2, 1),
        ("not timed out", "m2", "c", "c", 1, 3, 2, 1),
        ("extended", "m2", "c", "c", 1, 4, 2, 1),
        ("less, and long said", "m2", "c", "c", 3, 4, 2, 1),
        ("twice less", "m4", "c", "c", 5, 7, 4, 2),
        ("twice less", "m6", "c", "c", 5, 12, 3, 1),
        ("none at all", "m1", "c", "c", 2, 3, 1, 0),
        ("by prefetch", "m2", "c", "c", 1, 3, 2, 1),
        ("together", "m3", None, "ctl", 1, 1, 3, 2),
    }
    judged = counts(known, "flow-control")
    assert judged["as asked"] == (3, 0)
    assert judged["together"] == (4, 0)
    assert judged["of another queue"] == (0, 3)
    assert judged["clocks differ"] == (0, 2)


def test_without_a_known_timeout_nothing_is_judged() -> None:
    rows = [
        each | {"system": system, "run_id": system}
        for system in ("rabbitmq", "nsq")
        for each in _consumers()
        if each["run_id"] == "one too many"
    ]
    known = audit_of(rows)
    assert found(known, "flow-control", "run_id") == {("rabbitmq",)}
    assert counts(known, "flow-control") == {"rabbitmq": (3, 0), "nsq": (0, 3)}


@pytest.mark.thorough
@pytest.mark.slow
def test_nsq_is_accused_by_naive_rules_only() -> None:
    """The figures that are known of this history: without timeouts, without grace, and with both."""
    events = recorded("nsq-rdy")
    ever = 10**9 * SECOND
    accused = [
        len(asked(events, Parameters(message_timeout=timeout, grace=grace)).violations)
        for timeout, grace in ((ever, 0), (2 * SECOND, 0), (2 * SECOND, 20 * MILLISECOND))
    ]
    assert accused == [428, 13, 0]


@pytest.mark.thorough
@pytest.mark.slow
def test_real_brokers_keep_to_prefetch_and_max_ack_pending() -> None:
    known = asked(recorded("rmq-classic", "nats-r3"))
    assert found(known, "flow-control", "run_id", "message_id") == set()
    assert counts(known, "flow-control") == {"rmq-classic": (10_081, 0), "nats-r3": (10_126, 0)}


def test_what_is_missing_is_said() -> None:
    full = {"receives": 1, "settles": 1, "credits": 1, "timeouts": 1, "systems": ("nats",)}
    assert lacks("flow-control", profile(**full), Parameters()) is None
    assert lacks("flow-control", profile(**full | {"receives": 0}), Parameters()) == "there are no deliveries"
    assert "no event gives" in (lacks("flow-control", profile(**full | {"credits": 0}), Parameters()) or "")
    unknown = profile(**full | {"timeouts": 0})
    assert lacks("flow-control", unknown, Parameters()) == "the message timeout is not known"
    assert lacks("flow-control", unknown, Parameters(message_timeout=SECOND)) is None
    assert (
        lacks("flow-control", profile(**full | {"timeouts": 0, "systems": ("kafka",)}), Parameters()) is None
    )
