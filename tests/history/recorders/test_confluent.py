"""confluent-kafka, recorded: real librdkafka with the cluster that it can play itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaError, Producer

from angarium.history.recorders.client import Recorder
from angarium.history.recorders.wrappers import confluent_consumer, confluent_producer
from tests.history.recorders.reading import Event, events
from tests.oracles.history.audit import audit
from tests.waiting import PATIENCE, wait_until


@pytest.fixture
def producer() -> Iterator[Producer]:
    """A producer with a cluster of its own."""
    made = Producer({"test.mock.num.brokers": 1, "bootstrap.servers": "mock", "log_level": 0})
    yield made
    made.flush(PATIENCE)


def consumer(producer: Producer, group: str) -> Consumer:
    (broker,) = producer.list_topics(timeout=PATIENCE).brokers.values()
    settings = {
        "bootstrap.servers": f"{broker.host}:{broker.port}",
        "group.id": group,
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "log_level": 0,
    }
    return Consumer(settings)


def of(found: list[Event], op_type: str, **fields: object) -> list[Event]:
    wanted = {"op_type": op_type, **fields}
    return [each for each in found if all(each.get(name) == value for name, value in wanted.items())]


def test_what_is_sent_assigned_received_and_committed_is_recorded(producer: Producer, tmp_path: Path) -> None:
    recorder, heard = Recorder(tmp_path, "k1", system="kafka"), list[str]()
    sending = confluent_producer(producer, recorder)
    for each in range(12):
        sending.produce("t", b"x", f"key{each}", headers={"message_id": b"named"} if each == 0 else None)
    sending.produce("t", b"x", on_delivery=lambda error, message: heard.append(message.topic()))
    assert sending.flush(PATIENCE) == 0

    reading = confluent_consumer(consumer(producer, "g"), recorder, group="g")
    reading.subscribe(["t"], on_assign=lambda _, partitions: heard.append("assigned"))
    messages: list[Any] = []
    wait_until("all is received", lambda: _polled(reading, messages, 12))
    reading.commit(message=messages[0], asynchronous=False)
    reading.commit(asynchronous=True)
    reading.close()
    recorder.closed()
    found = events(tmp_path)

    assert heard == ["t", "assigned"]
    assert Counter(each["phase"] for each in of(found, "send")) == {"invoke": 13, "ok": 13}
    sent = {
        (each["message_id"], each["partition_id"], each["offset"]) for each in of(found, "send", phase="ok")
    }
    received = {(each["message_id"], each["partition_id"], each["offset"]) for each in of(found, "receive")}
    assert received == sent and len(sent) == 13 and "named" in {each[0] for each in sent}
    assert {each["message_key"] for each in of(found, "receive") if "message_key" in each} == {
        f"key{each}" for each in range(12)
    }
    (assigned,) = of(found, "group", op_name="assigned")
    assert {f"t/{each[1]}" for each in sent} <= set(assigned["partitions"])
    (revoked,) = of(found, "group", op_name="revoked")
    assert revoked["partitions"] == assigned["partitions"]
    settled = Counter((each["phase"], each["message_id"]) for each in of(found, "settle", settle="ack"))
    assert {name for _, name in settled} == {each[0] for each in sent} and set(settled.values()) == {1}
    first = {each["message_id"] for each in of(found, "settle", phase="ok")}
    assert first == {_name(messages[0])}, "only that commit was waited for"
    assert {each["consumer_group"] for each in of(found, "receive")} == {"g"}
    assert audit(found) == []


@pytest.mark.parametrize(
    ("code", "phase"),
    [
        (KafkaError.MSG_SIZE_TOO_LARGE, "fail"),
        (KafkaError._MSG_TIMED_OUT, "info"),
        (KafkaError._PURGE_QUEUE, "fail"),
    ],
)
def test_a_send_that_fails_may_have_succeeded(tmp_path: Path, code: int, phase: str) -> None:
    recorder = Recorder(tmp_path, "k1", system="kafka")

    def produce(_topic: str, *_rest: object, on_delivery: Any, **_others: object) -> None:  # noqa: ANN401
        on_delivery(KafkaError(code), None)

    confluent_producer(SimpleNamespace(produce=produce), recorder).produce("t", b"x")  # type: ignore[arg-type]
    recorder.closed()

    assert [each["phase"] for each in of(events(tmp_path), "send")] == ["invoke", phase]


def test_what_librdkafka_refuses_was_never_sent(producer: Producer, tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, "k1", system="kafka")
    with pytest.raises(TypeError):
        confluent_producer(producer, recorder).produce("t", object())
    recorder.closed()

    assert [each["phase"] for each in of(events(tmp_path), "send")] == ["invoke", "fail"]


def _polled(reading: Any, messages: list[Any], most: int) -> bool:  # noqa: ANN401
    message = reading.poll(0.5)
    if message is not None and message.error() is None:
        messages.append(message)
    return len(messages) > most


def _name(message: Any) -> str:  # noqa: ANN401
    return str(dict(message.headers())["message_id"].decode())
