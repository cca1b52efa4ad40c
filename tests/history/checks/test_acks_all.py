"""acks-all: replicas in step that had not stored what was confirmed, and those that need not."""

from __future__ import annotations

from angarium.history.needs import lacks
from angarium.history.parameters import MILLISECOND, Parameters
from tests.history.histories import BEGIN, Row, audit_of, counts, found, profile, row

PLACE = {"destination": "t", "partition_id": "0"}
SKEW = 100


def _in_step(run: str, at: float, *brokers: str) -> Row:
    return row(run, at, "replica", op_name="isr", isr=list(brokers), **PLACE)


def _stored(run: str, at: float, broker: str, **fields: object) -> Row:
    told = PLACE | {"op_name": "store", "broker_id": broker, "message_id": "m", "recorder": broker}
    return row(run, at, "replica", **told | fields)


def _sent(run: str, at: float, **fields: object) -> Row:
    return row(run, at, "send", **PLACE | {"message_id": "m", "offset": 7, "client_id": "p"} | fields)


def _histories() -> list[Row]:
    by_offset: Row = {"message_id": None, "offset": 7}
    return [
        _in_step("stored", 0, "x", "y"), _stored("stored", 1, "x"), _stored("stored", 2, "y"),
        _sent("stored", 3),
        _in_step("too late", 0, "x", "y"), _stored("too late", 1, "x"), _stored("too late", 4, "y"),
        _sent("too late", 3),
        _in_step("never", 0, "x", "y"), _stored("never", 1, "x", message_id="other"), _sent("never", 3),
        _in_step("by offset", 0, "x"), _stored("by offset", 1, "x", **by_offset), _sent("by offset", 3),
        _in_step("of another offset", 0, "x"), _sent("of another offset", 3),
        _stored("of another offset", 1, "x", message_id=None, offset=8),
        _in_step("out of step", 0, "x", "y"), _in_step("out of step", 1, "x"), _stored("out of step", 2, "x"),
        _sent("out of step", 3), _in_step("out of step", 4, "x", "y"),
        _in_step("the send says it", 0, "x"), _stored("the send says it", 1, "x"),
        _sent("the send says it", 3, isr=["x", "y"]),
        _in_step("clocks differ", 0, "x", "y"), _stored("clocks differ", 103, "x", clock_domain="d"),
        _stored("clocks differ", 104, "y", clock_domain="d"), _sent("clocks differ", 3),
        _in_step("soon out of step", 0, "x", "y"), _stored("soon out of step", 1, "x"),
        _sent("soon out of step", 3), _in_step("soon out of step", 103, "x") | {"clock_domain": "d"},
        _in_step("later out of step", 0, "x", "y"), _stored("later out of step", 1, "x"),
        _sent("later out of step", 3), _in_step("later out of step", 104, "x") | {"clock_domain": "d"},
        _in_step("confirmed twice", 0, "x"), _stored("confirmed twice", 9, "x"), _sent("confirmed twice", 3),
        _sent("confirmed twice", 4),
        _in_step("another partition", 0, "x"), _stored("another partition", 1, "x", partition_id="1"),
        _sent("another partition", 3),
        _stored("nobody says who is in step", 1, "x"), _sent("nobody says who is in step", 3),
        _in_step("it failed", 0, "x"), _stored("it failed", 1, "x", message_id="other"),
        _sent("it failed", 3, phase="fail"),
    ]  # fmt: skip


def test_replicas_that_had_not_stored_are_found() -> None:
    known = audit_of(_histories(), Parameters(clock_skew=SKEW * MILLISECOND))
    columns = ("run_id", "message_id", "broker_id", "first_recorder", "first_seq", "last_seq", "found_at")
    at = BEGIN + (3 + SKEW) * MILLISECOND
    assert found(known, "acks-all", *columns) == {
        ("too late", "m", "y", "ctl", 1, 1, at),
        ("never", "m", "x", "ctl", 1, 1, at),
        ("never", "m", "y", "ctl", 1, 1, at),
        ("of another offset", "m", "x", "ctl", 1, 1, at),
        ("the send says it", "m", "y", "p", 1, 1, at),
        ("clocks differ", "m", "y", "ctl", 1, 1, at),
        ("later out of step", "m", "y", "ctl", 1, 1, at),
        ("confirmed twice", "m", "x", "ctl", 1, 1, at),
    }
    judged = counts(known, "acks-all")
    assert judged["stored"] == (1, 0)
    assert judged["nobody says who is in step"] == (0, 1)
    assert judged["another partition"] == (0, 0)


def test_what_is_missing_is_said() -> None:
    full = {"confirmed": 1, "stores": 1, "isrs": 1}
    assert lacks("acks-all", profile(**full), Parameters()) is None
    assert lacks("acks-all", profile(**full | {"confirmed": 0}), Parameters()) == "no send is confirmed"
    assert (
        lacks("acks-all", profile(**full | {"stores": 0}), Parameters()) == "there are no stores of replicas"
    )
    assert "isr" in (lacks("acks-all", profile(**full | {"isrs": 0}), Parameters()) or "")
