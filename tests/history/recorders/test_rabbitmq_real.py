"""A real RabbitMQ, recorded from outside and by its clients."""

from __future__ import annotations

import gzip
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pika
import pytest

from angarium.core.errors import HistoryError
from angarium.history.parameters import Parameters
from angarium.history.recorders.client import Recorder
from angarium.history.recorders.rabbitmq_link import Link, LostError, record_rabbitmq
from angarium.history.recorders.recording import Plan
from angarium.history.recorders.wrappers import pika_channel
from tests import processes
from tests.brokers import HOST, Rabbit, evented_rabbit, needs_rabbitmq, rabbit_ports
from tests.history.recorders.reading import Event, events, goes_back, numbers
from tests.history.recorders.running import Way, recorded
from tests.oracles.history.audit import audit
from tests.waiting import wait_until

pytestmark = [needs_rabbitmq, pytest.mark.slow]

PROGRAM = "from angarium.app.cli import main; main()"
KILLED = (
    "import os, pika, sys\n"
    "channel = pika.BlockingConnection(pika.ConnectionParameters('127.0.0.1', int(sys.argv[1]))).channel()\n"
    "channel.basic_qos(prefetch_count=5)\n"
    "for count, _ in enumerate(channel.consume(sys.argv[2])):\n"
    "    if count == 4: os.kill(os.getpid(), 9)\n"
)
"""A consumer that dies with five messages in its hands."""


NEEDS_SETTLES = ("no-duplicates", "flow-control", "redelivery-time")
"""The firehose shows no acknowledgement and no requeue."""


class Broker:
    """A broker that can be started again."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._node = folder, rabbit_ports(["recorded"])["recorded"]
        self._life = ExitStack()
        self.start()

    def start(self) -> None:
        self.control = self._life.enter_context(evented_rabbit(self._folder, self._node))

    def kill(self) -> None:
        self._life.close()

    @property
    def node(self) -> Rabbit:
        return self._node

    @property
    def url(self) -> str:
        return f"amqp://guest:guest@{HOST}:{self._node.port}/%2F"


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    broker = Broker(tmp_path_factory.mktemp("rabbit"))
    with pytest.raises(HistoryError, match="its firehose is off") as caught:
        record_rabbitmq(broker.url, Plan(tmp_path_factory.mktemp("off"), "run"))
    assert "rabbitmqctl trace_on" in caught.value.remedy
    broker.control("trace_on")
    yield broker
    broker.kill()


def publish(broker: Broker, queue: str, first: int, count: int, **arguments: object) -> None:
    with broker.node.channel() as channel:
        channel.queue_declare(queue, durable=True, arguments=arguments)
        channel.confirm_delivery()
        for each in range(first, first + count):
            properties = pika.BasicProperties(message_id=f"m{each}", headers={"seq": each}, delivery_mode=2)
            channel.basic_publish("", queue, b"x", properties)


def consume(broker: Broker, queue: str, count: int) -> None:
    """Acknowledge so many; give each tenth back the first time."""
    with broker.node.channel() as channel:
        channel.basic_qos(prefetch_count=7)
        done = 0
        for method, properties, _ in channel.consume(queue):
            if properties.headers["seq"] % 10 == 0 and not method.redelivered:
                channel.basic_nack(method.delivery_tag)
            else:
                channel.basic_ack(method.delivery_tag)
                done += 1
            if done == count:
                return


def of(found: list[Event], op_type: str, **fields: object) -> list[Event]:
    wanted = {"op_type": op_type, **fields}
    return [each for each in found if all(each.get(name) == value for name, value in wanted.items())]


def missing(found: list[Event]) -> list[int]:
    written = numbers(found)
    return sorted(set(range(1, written[-1] + 1)) - set(written))


def judged(found: list[Event]) -> Counter[tuple[str, str | None]]:
    """The violations, by guarantee and message, of all that can be judged without acknowledgements."""
    violations = audit(found, Parameters(in_flight_tail=0))
    return Counter(
        (each.guarantee, each.message_id) for each in violations if each.guarantee not in NEEDS_SETTLES
    )


def without_deliveries(found: list[Event], message_id: str) -> list[Event]:
    """The history of a broker that lost a message."""
    kept = [each for each in found if each["op_type"] != "receive" or each["message_id"] != message_id]
    return [{**each, "seq": number} for number, each in enumerate(kept, 1)]


def test_all_that_is_published_and_delivered_is_recorded(broker: Broker, tmp_path: Path) -> None:
    plan = Plan(tmp_path, "run", form="parquet")
    with recorded(record_rabbitmq, broker.url, plan, ["orders"]) as running:
        publish(broker, "orders", 0, 200, **{"x-single-active-consumer": True})
        subprocess.run([sys.executable, "-c", KILLED, str(broker.node.port), "orders"], check=False)
        consume(broker, "orders", 200)
        publish(broker, "elsewhere", 0, 3)
        running.wait_for(200 + 200 + 20 + 5)
    found = events(tmp_path)

    assert missing(found) == []
    assert found[0]["op_name"] == "recording.begin"
    assert [each["message_id"] for each in of(found, "send")] == [f"m{each}" for each in range(200)]
    assert [each["producer_seq"] for each in of(found, "send")] == list(range(200))
    counts = Counter(each["message_id"] for each in of(found, "receive"))
    assert set(counts) == {f"m{each}" for each in range(200)}
    killed = [each for each in of(found, "receive") if not each["redelivered"]][:5]
    assert all(counts[each["message_id"]] > 1 for each in killed)
    assert {each["destination"] for each in found if "destination" in each} == {"orders"}
    (declared,) = of(found, "control", op_name="queue.declare")
    assert declared["single_active"] is True
    ended = {each["client_id"] for each in of(found, "control", op_name="connection.closed")}
    assert {each["client_id"] for each in killed} <= ended
    tags = [each["consumer_id"] for each in of(found, "control", op_name="consumer.created")]
    assert {each["consumer_id"] for each in of(found, "receive")} <= set(tags)
    assert not goes_back(found, found[0]["recorder"])
    assert judged(found) == Counter(), "a correct broker is not accused"
    assert judged(without_deliveries(found, "m33")) == {("no-loss", "m33"): 1}


def test_a_lost_connection_leaves_a_gap(broker: Broker, tmp_path: Path) -> None:
    way = Way(broker.node.port)
    url = broker.url.replace(str(broker.node.port), str(way.port))
    with recorded(record_rabbitmq, url, Plan(tmp_path, "run"), ["cut"]) as running:
        publish(broker, "cut", 0, 10)
        running.wait_for(1 + 10)
        way.cut()
        running.wait_until("the loss is noticed", lambda: running.account.losses == 1)
        way.mend()
        wait_until("it is back", lambda: any("again;" in note for note in running.notes))
        publish(broker, "cut", 10, 10)
        running.wait_for(1 + 20 + 2)
    way.cut()
    found = events(tmp_path)

    (lost,) = of(found, "control", op_name="recorder.disconnected")
    (back,) = of(found, "control", op_name="recorder.reconnected")
    assert missing(found) == [back["seq"] - 1] == [lost["seq"] + 1]
    assert len(of(found, "send")) == 20
    assert [each.measure for each in audit(found) if each.guarantee == "complete-log"] == [1]


def acknowledged(link: Link) -> Any:  # noqa: ANN401
    """The connection, when one more message was said to have come."""
    link._tag = 1
    link.taken()
    return link._connection


def test_a_connection_that_is_lost_while_something_is_acknowledged_is_lost(broker: Broker) -> None:
    way = Way(broker.node.port)
    link = Link(pika.URLParameters(broker.url.replace(str(broker.node.port), str(way.port))))
    publish(broker, "late", 0, 1)
    wait_until("something came", lambda: link._connection.process_data_events(time_limit=0.1) or link._tag)
    way.cut()
    wait_until("the loss is seen", lambda: acknowledged(link).is_closed)

    with pytest.raises(LostError, match="it was lost"):
        link.heard()


def test_a_recorder_that_is_killed_and_started_again_goes_on_behind_a_gap(
    broker: Broker, tmp_path: Path
) -> None:
    command = [
        sys.executable, "-c", PROGRAM, "record", "rabbitmq", broker.url, "--out", str(tmp_path / "history"),
        "--queues", "again", "--rotate-events", "4", "--format", "jsonl.gz",
    ]  # fmt: skip
    for first, number in ((0, signal.SIGKILL), (10, signal.SIGTERM)):
        with processes.ending(command) as process:
            wait_until("it is attached", partial(_has, tmp_path, "recording.begin", 2 if first else 1))
            publish(broker, "again", first, 10)
            wait_until("all is written", partial(_has, tmp_path, f'"m{first + 9}"', 1))
            process.send_signal(number)
            said, _ = process.communicate()
    found = events(tmp_path / "history")

    begins = of(found, "control", op_name="recording.begin")
    assert missing(found) == [begins[1]["seq"] - 1]
    assert [each["message_id"] for each in of(found, "send")] == [f"m{each}" for each in range(20)]
    assert "events in" in said and f"angarium audit {tmp_path / 'history'}" in said


def test_it_says_what_the_broker_lacks(broker: Broker, tmp_path: Path) -> None:
    refused = broker.url.replace("guest:guest", "guest:wrong")
    for url, said, remedy in (
        ("amqp://guest:guest@127.0.0.1:1/%2F", "cannot record 127.0.0.1:1: no connection", "start it"),
        (refused, "refuses this user and password", "give others"),
        (broker.url.replace("%2F", "none"), "refuses this virtual host", "this user may use"),
        (broker.url.replace("%2F", "other"), "amq.rabbitmq.event", "rabbitmq_event_exchange"),
        ("http://x", "is no address of a RabbitMQ", "amqp://"),
    ):
        with pytest.raises(HistoryError, match=said) as caught:
            record_rabbitmq(url, Plan(tmp_path, "run"))
        assert caught.value.code == "ANG133" and remedy in caught.value.remedy and caught.value.possible


def test_a_client_records_what_it_does_itself(broker: Broker, tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, "c1", system="rabbitmq")
    with broker.node.channel() as plain:
        channel = pika_channel(plain, recorder)
        channel.queue_declare("own")
        channel.exchange_declare("topics", "topic")
        channel.queue_bind("own", "topics", "t.*")
        channel.confirm_delivery()
        channel.basic_publish("", "own", b"1", pika.BasicProperties(message_id="named"))
        channel.basic_publish("topics", "t.1", b"2")
        with pytest.raises(pika.exceptions.UnroutableError):
            channel.basic_publish("topics", "nowhere", b"3", mandatory=True)
        _take(channel, "own")
        channel.close()
    recorder.closed()
    found = events(tmp_path)

    assert missing(found) == []
    assert [(each["phase"], each["destination"]) for each in of(found, "send")] == [
        ("invoke", "own"), ("ok", "own"), ("invoke", "topics/t.1"), ("ok", "topics/t.1"),
        ("invoke", "topics/nowhere"), ("fail", "topics/nowhere"),
    ]  # fmt: skip
    sent = [each["message_id"] for each in of(found, "send", phase="ok")]
    assert sent[0] == "named"
    received = of(found, "receive")
    assert [each["message_id"] for each in received] == [*sent, sent[1]]
    assert [each["destination"] for each in received] == ["own", "topics/t.1", "topics/t.1"]
    assert [each["redelivered"] for each in received] == [False, False, True]
    assert {each["subscription"] for each in received} == {"own"}
    assert [(each["settle"], each["message_id"], each["phase"]) for each in of(found, "settle")] == [
        ("requeue", sent[1], "invoke"), ("ack", "named", "invoke"), ("ack", sent[1], "invoke"),
    ]  # fmt: skip
    (subscribed,) = of(found, "control", op_name="subscribe")
    assert (subscribed["prefetch"], subscribed["consumer_id"]) == (2, received[0]["consumer_id"])
    assert of(found, "control", op_name="unsubscribe")[0]["consumer_id"] == received[0]["consumer_id"]
    assert audit(found) == []


def _take(channel: Any, queue: str) -> None:  # noqa: ANN401
    """Hold the first message, give the second one back, and then acknowledge both at once."""
    came: list[int] = []

    def callback(given: Any, method: Any, _properties: object, _body: bytes) -> None:  # noqa: ANN401
        came.append(method.delivery_tag)
        if len(came) == 2:
            given.basic_nack(method.delivery_tag)
        elif len(came) == 3:
            given.basic_ack(method.delivery_tag, multiple=True)
            given.stop_consuming()

    channel.basic_qos(prefetch_count=2)
    channel.basic_consume(queue, callback)
    channel.start_consuming()


@pytest.mark.thorough
def test_a_broker_that_is_killed_and_comes_back(broker: Broker, tmp_path: Path) -> None:
    with recorded(record_rabbitmq, broker.url, Plan(tmp_path, "run"), ["durable"]) as running:
        publish(broker, "durable", 0, 20)
        running.wait_for(1 + 20)
        broker.kill()
        wait_until("the loss is noticed", lambda: running.account.losses == 1)
        broker.start()
        wait_until("its firehose is missed", lambda: any("trace_on" in note for note in running.notes))
        broker.control("trace_on")
        wait_until("it is back", lambda: any("again;" in note for note in running.notes))
        consume(broker, "durable", 20)
        running.wait_for(1 + 20 + 2 + 22)
    found = events(tmp_path)

    (back,) = of(found, "control", op_name="recorder.reconnected")
    assert missing(found) == [back["seq"] - 1]
    assert {each["message_id"] for each in of(found, "receive")} == {f"m{each}" for each in range(20)}


def _has(folder: Path, text: str, times: int) -> bool:
    """Whether something is written so often, be its file finished or not."""
    history = folder / "history"
    paths = [] if not history.exists() else [path for path in history.iterdir() if ".jsonl" in path.name]
    return sum(_text(path).count(text) for path in paths) == times


def _text(path: Path) -> str:
    """What a file says; nothing, if it has just been finished under another name."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return ""
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
