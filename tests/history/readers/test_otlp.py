from __future__ import annotations

from angarium.history.intake import otlp
from angarium.history.intake.reasons import CUT_LINE
from tests.history.readers.foreign import Row, events, faults, rows, told

FILE = "spans.jsonl"
BEGIN = 1_794_718_587_000_000_000


def _of(op_type: str, line: int) -> list[tuple[object, ...]]:
    """Message, phase and time (in nanoseconds from the beginning) of the events of a line."""
    return [
        (row.get("message_id"), row["phase"], row["time_unix_nano"] - BEGIN)
        for row in _rows(line)
        if row["op_type"] == op_type
    ]


def _rows(line: int) -> list[Row]:
    return [row for row in events(otlp.FORMAT, FILE) if row["line"] == line - 1]


def test_a_send_is_invoked_and_then_ok_or_unknown() -> None:
    assert _of("send", 1) == [
        ("m1", "invoke", 100),
        ("m1", "ok", 200),
        ("m2", "invoke", 300),
        ("m2", "info", 400),
    ]
    errors = [row.get("error_type") for row in _rows(1) if row["op_type"] == "send"]
    assert errors == [None, None, None, "TimeoutException"]


def test_a_batch_is_received_at_its_end_link_by_link() -> None:
    assert _of("receive", 1) == [("m1", "ok", 499), ("m2", "ok", 500), (None, "ok", 850)]
    first, second, _ = (row for row in _rows(1) if row["op_type"] == "receive")
    columns = ("destination", "partition_id", "consumer_group")
    assert told(first, *columns, "offset") == ("orders", "0", "billing", 7)
    assert told(second, *columns, "offset") == ("orders", "0", "billing", 8)


def test_processing_is_a_delivery_at_its_start_whatever_comes_of_it() -> None:
    assert _of("process", 1) == [("m1", "ok", 501), ("m2", "ok", 711), ("m2", "fail", 800)]


def test_a_settle_is_never_confirmed() -> None:
    assert _of("settle", 1) == [("m1", "invoke", 720), ("m2", "invoke", 740)]
    assert [row["settle"] for row in _rows(1) if row["op_type"] == "settle"] == ["ack", "requeue"]


def test_other_spans_are_observed() -> None:
    assert _of("observe", 1) == [(None, "info", 10), ("m3", "info", 410)]


def test_who_recorded_it_and_by_which_clock() -> None:
    found = {told(row, "recorder", "clock_domain", "client_id") for row in _rows(1)}
    assert found == {
        ("shop/s-1", "alpha", "p-1"),
        ("shop/s-1", "alpha", "shop/s-1"),
        ("billing/b-1", "beta", "billing/b-1"),
    }


def test_older_names_and_other_spellings_mean_the_same() -> None:
    assert _of("send", 2) == [("3:12", "invoke", 1000), ("3:12", "ok", 1100)]
    assert {told(row, "system", "partition_id", "offset") for row in _rows(2)} == {("kafka", "3", 12)}
    alone = _rows(3)
    assert [told(row, "phase", "time_unix_nano") for row in alone] == [
        ("ok", 1_794_718_954_757_052_001),
        ("fail", 1_794_718_955_000_000_000),
    ]
    columns = ("message_id", "destination", "consumer_group", "client_id", "recorder", "clock_domain")
    assert {told(row, *columns) for row in alone} == {("3:12", "orders", "old", "c-9", "old/gamma", "gamma")}


def test_both_sides_name_one_destination_of_rabbitmq() -> None:
    found = [told(row, "op_type", "phase", "destination", "subscription", "delivery_tag") for row in _rows(4)]
    assert found == [
        ("send", "invoke", "logs:warning", None, None),
        ("send", "ok", "logs:warning", None, None),
        ("process", "ok", "logs:warning", "audit", 5),
        ("process", "ok", "fan", "audit", None),
        ("send", "invoke", "jobs", None, None),
        ("send", "ok", "jobs", None, None),
    ]


def test_what_has_no_name_or_is_no_span_is_told_and_an_empty_export_is_nothing() -> None:
    assert faults(otlp.FORMAT, FILE) == [
        (1, otlp.NO_MESSAGE, "messaging.message.id", None),
        (6, otlp.NO_SPAN, "startTimeUnixNano", None),
        (7, CUT_LINE, None, None),
    ]
    assert not [row for row in rows(otlp.FORMAT, FILE) if row["line"] == 4]
