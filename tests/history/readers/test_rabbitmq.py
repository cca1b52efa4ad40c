from __future__ import annotations

import re

from angarium.history.intake import rabbitmq
from angarium.history.intake.reasons import CUT_LINE
from angarium.history.schema import NAMELESS
from tests.history.readers.foreign import Row, events, faults, faulty, rows, told
from tests.needs import HISTORIES, needs

FILE = "rabbitmq.jsonl"
CHANNEL = "c:2 -> b:5672 (1)"


def _of(**known: object) -> list[Row]:
    found = events(rabbitmq.FORMAT, FILE)
    return [row for row in found if all(row.get(name) == value for name, value in known.items())]


def test_a_publish_is_a_confirmed_send_to_every_queue_it_was_routed_to() -> None:
    sends = [
        told(row, "message_id", "destination", "producer_seq") for row in _of(op_type="send", phase="ok")
    ]
    assert sends == [("m1", "jobs", 3), ("m2", "jobs", 4), ("m2", "logs", 4), ("m5", "jobs", None)]


def test_no_delivery_is_promised_of_what_is_unroutable_or_may_expire() -> None:
    doubtful = _of(op_type="send", phase="info")
    assert [told(row, "message_id", "destination", "error_type") for row in doubtful] == [
        ("m3", "/nowhere", "unroutable"),
        ("m4", "jobs", None),
    ]


def test_a_delivery_has_the_consumer_that_its_channel_had_on_the_queue() -> None:
    received = _of(op_type="receive")
    assert [told(row, "message_id", "destination", "consumer_id", "redelivered") for row in received] == [
        ("m1", "jobs", f"t1 on {CHANNEL}", False),
        ("m2", "jobs", f"t2 on {CHANNEL}", True),  # its consumer.created comes later, by another way
        ("m4", "jobs", f"t2 on {CHANNEL}", False),
        ("m6", "a.b", "unknown (1)", False),
    ]
    assert all(
        row["client_id"] == row["consumer_id"].split(" on ")[-1].removesuffix(" (1)") for row in received
    )


def test_consumers_channels_and_connections_end_under_the_names_that_deliveries_have() -> None:
    ends = [row for row in _of(op_type="control") if row["op_name"].endswith(("deleted", "closed"))]
    assert [told(row, "op_name", "client_id", "consumer_id") for row in ends] == [
        ("consumer.deleted", "c:2 -> b:5672", f"t1 on {CHANNEL}"),
        ("channel.closed", "c:2 -> b:5672", CHANNEL),
        ("connection.closed", "c:2 -> b:5672", None),
    ]


def test_queues_and_consumers_say_what_they_were_made_with() -> None:
    queues = _of(op_name="queue.declare")
    assert [told(row, "destination", "single_active") for row in queues] == [("jobs", True), ("logs", False)]
    begun = _of(op_name="consumer.created")
    assert [told(row, "destination", "prefetch") for row in begun] == [
        ("jobs", 20),
        ("logs", None),  # nothing is to be acknowledged, so nothing limits it
        ("jobs", 0),
    ]


def test_what_died_and_what_the_broker_tells_of_itself_is_only_observed() -> None:
    assert sorted(row["op_name"] for row in _of(op_type="observe")) == [
        "alarm.set",
        "basic.publish",
        "channel.created",
        "connection.created",
        "deliver.graves",
        "deliver.rec",
        "user.authentication.success",
    ]


def test_what_cannot_be_followed_is_only_observed() -> None:
    nameless = _of(error_type=NAMELESS)
    assert [told(row, "op_type", "op_name", "destination", "phase") for row in nameless] == [
        ("observe", "basic.publish", "jobs", "ok")
    ]


def test_every_event_is_seen_by_the_broker_and_has_the_recorders_time() -> None:
    found = events(rabbitmq.FORMAT, FILE)
    assert {told(row, "vantage", "system", "recorder") for row in found} == {
        ("broker", "rabbitmq", "rabbitmq")
    }
    assert [row["line"] for row in found if "time_unix_nano" not in row] == [
        25
    ]  # a required field: judged later
    assert [row["seq"] for row in found if "seq" in row] == [9]


def test_what_is_no_record_is_told() -> None:
    assert faults(rabbitmq.FORMAT, FILE) == [
        (24, rabbitmq.NO_RECORD, "exchange", "amq.topic"),
        (25, rabbitmq.NO_RECORD, "routing_key", "strange"),
        (27, CUT_LINE, None, None),
    ]


@needs("histories")
def test_a_recorded_firehose_gives_all_messages_and_links_every_delivery() -> None:
    given = rows(rabbitmq.FORMAT, HISTORIES / "rmq-classic.broker.jsonl.gz")
    found = {
        kind: (
            len(some),
            len({row["message_id"] for row in some if "message_id" in row}),
            sum(bool(row.get("redelivered")) for row in some),
            sum(bool(re.match(r"c\w+\.q\d\.\d on ", row.get("consumer_id", ""))) for row in some),
            faulty(some),
        )
        for kind in {row["op_type"] for row in given}
        for some in [[row for row in given if row["op_type"] == kind]]
    }
    assert found["send"] == (10_000, 10_000, 0, 0, 0)
    assert found["receive"] == (10_081, 10_000, 81, 10_081, 0)
    assert found["control"] == (51, 0, 0, 40, 0)
    assert found["observe"] == (16, 0, 0, 0, 0)
