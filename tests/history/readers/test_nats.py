from __future__ import annotations

from angarium.history.intake import nats
from angarium.history.intake.reasons import NO_OBJECT
from tests.history.readers.foreign import Row, events, faults, faulty, rows, told
from tests.needs import HISTORIES, needs

FILE = "nats.jsonl"


def _of(op_type: str) -> list[Row]:
    return [row for row in events(nats.FORMAT, FILE) if row["op_type"] == op_type]


def test_an_acknowledgement_tells_of_its_delivery_to_the_nanosecond() -> None:
    [delivery] = _of("receive")
    ack = next(row for row in _of("settle") if row["settle"] == "ack")
    assert ack["time_unix_nano"] == 1_794_718_954_757_052_260
    assert delivery["time_unix_nano"] == ack["time_unix_nano"] - 12_807_315
    columns = ("message_id", "destination", "subscription", "delivery_tag", "delivery_count")
    assert told(delivery, *columns) == told(ack, *columns) == ("S:7", "S", "D", 9, 2)
    assert told(delivery, "redelivered", "offset") == (True, None)


def test_every_answer_settles_its_message() -> None:
    settles = [told(row, "op_name", "settle", "phase", "message_id", "offset") for row in _of("settle")]
    assert settles == [
        ("consumer_ack", "ack", "ok", "S:7", 7),
        ("nak", "requeue", "ok", "S:7", 7),
        ("terminated", "reject", "ok", "S:7", 7),
        ("max_deliver", "dead_letter", "ok", "S:7", 7),
        ("nak", "requeue", "ok", "S:8", 8),  # a body without anything around it
    ]


def test_leaders_quorums_and_consumers_are_control() -> None:
    control = _of("control")
    assert [told(row, "op_name", "subscription", "broker_id", "isr", "replicas") for row in control[:4]] == [
        ("leader_elected", None, "n1", ["n1", "n2"], 3),
        ("leader_elected", "D", "n2", ["n2", "n3"], 2),
        ("broker.down", None, None, None, None),
        ("consumer.created", "D", None, None, None),
    ]


def test_an_answer_of_the_api_tells_a_consumers_limits() -> None:
    told_of = [row for row in _of("control") if row["op_name"] == "consumer.config"]
    columns = ("destination", "subscription", "ack_wait_ms", "max_deliveries", "credit")
    assert [told(row, *columns) for row in told_of] == [
        ("S", "D", 2500, 5, 64),
        ("S", "E", 30_000, 2**31 - 1, None),
    ]


def test_everything_else_is_observed_at_the_time_of_recording_if_it_has_no_other() -> None:
    assert [told(row, "op_name", "time_unix_nano") for row in _of("observe")] == [
        ("api_audit", 1_794_718_587_000_000_011),
        ("$SYS.SERVER.n1.STATSZ", 1_794_718_587_000_000_012),
    ]


def test_what_is_no_advisory_or_names_no_message_is_told() -> None:
    assert faults(nats.FORMAT, FILE) == [
        (14, nats.NO_ADVISORY, "type", None),
        (15, nats.NO_MESSAGE, "stream_seq", None),
        (16, NO_OBJECT, None, None),
    ]


@needs("histories")
def test_recorded_advisories_give_two_events_for_every_acknowledgement() -> None:
    counted: dict[tuple[str, str], list[Row]] = {}
    for row in rows(nats.FORMAT, HISTORIES / "nats-r3.broker.jsonl.gz"):
        counted.setdefault((row["op_type"], row["op_name"]), []).append(row)
    found = {
        kind: (len(some), len({row["message_id"] for row in some if "message_id" in row}), faulty(some))
        for kind, some in counted.items()
    }
    assert found == {
        ("receive", "deliver"): (9989, 9989, 0),
        ("settle", "consumer_ack"): (9989, 9989, 0),
        ("settle", "nak"): (95, 94, 0),
        ("control", "leader_elected"): (1, 0, 0),
        ("control", "consumer.config"): (3, 0, 0),
        ("observe", "api_audit"): (4, 0, 0),
    }
