"""A real NATS server with JetStream, recorded from outside and by its clients."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import nats
import pytest
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.api import ConsumerConfig

from angarium.core.errors import HistoryError
from angarium.history.recorders.client import Recorder
from angarium.history.recorders.nats_link import record_nats
from angarium.history.recorders.recording import Plan
from angarium.history.recorders.wrappers import nats_jetstream
from tests.brokers import HOST, free_ports, nats_server, needs_nats
from tests.history.recorders.reading import Event, events, goes_back, numbers
from tests.history.recorders.running import Way, recorded
from tests.oracles.history.audit import audit
from tests.waiting import PATIENCE

pytestmark = needs_nats
ACK_WAIT = 2
"""Seconds until what is forgotten is sent again; no client stands still for so long over one message."""


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    (port,) = free_ports(1)
    with nats_server(tmp_path_factory.mktemp("nats") / "store", port):
        yield port


def talk(port: int, say: Callable[[Any], Awaitable[None]]) -> None:
    """Be a client for a while."""

    async def client() -> None:
        connection = await nats.connect(f"nats://{HOST}:{port}")
        try:
            await say(connection.jetstream())
        finally:
            await connection.close()

    asyncio.run(client())


def prepared(port: int, stream: str) -> None:
    """A stream, and consumers: one for all of it, one for a part, one that does not tell."""

    async def prepare(js: Any) -> None:  # noqa: ANN401
        await js.add_stream(name=stream, subjects=[f"{stream}.*"])
        for name, filtered, sample in (("D", None, "100"), ("F", f"{stream}.a", "100"), ("U", None, None)):
            config = ConsumerConfig(
                durable_name=name, filter_subject=filtered, sample_freq=sample, ack_wait=ACK_WAIT,
                max_deliver=4, max_ack_pending=100,
            )  # fmt: skip
            await js.add_consumer(stream, config)

    talk(port, prepare)


async def publish(js: Any, stream: str, first: int, count: int) -> None:  # noqa: ANN401
    for each in range(first, first + count):
        headers = {"Nats-Msg-Id": f"m{each}"} if each % 2 else None
        await js.publish(f"{stream}.{'a' if each % 3 == 0 else 'b'}", b"x", headers=headers)


async def consume(js: Any, stream: str, name: str, count: int) -> Counter[str]:  # noqa: ANN401
    """Take so many messages; refuse every fifth message the first time, and forget every seventh.

    They are taken one by one: of many, the last might be sent again before it is its turn. Whoever stands
    still for too long gets one again that he has acknowledged: it is one message all the same.
    """
    done, acknowledged = Counter[str](), set[int]()
    subscription = await js.pull_subscribe_bind(consumer=name, stream=stream)
    while len(acknowledged) < count:
        try:
            messages = await subscription.fetch(1, timeout=1.5)
        except NatsTimeoutError:
            continue
        for each in messages:
            first = each.metadata.num_delivered == 1
            if first and each.metadata.sequence.stream % 5 == 0:
                await each.nak()
                done["refused"] += 1
            elif not (first and each.metadata.sequence.stream % 7 == 0):
                await each.ack_sync()
                acknowledged.add(each.metadata.sequence.stream)
    return done


def of(found: list[Event], op_type: str, subscription: str | None = None, **fields: object) -> list[Event]:
    wanted = {"op_type": op_type, **({"subscription": subscription} if subscription else {}), **fields}
    return [each for each in found if all(each.get(name) == value for name, value in wanted.items())]


def test_all_that_is_sent_acknowledged_and_refused_is_recorded(port: int, tmp_path: Path) -> None:
    prepared(port, "S")
    done: list[Counter[str]] = []

    async def client(js: Any) -> None:  # noqa: ANN401
        await publish(js, "S", 0, 60)
        for name, count in (("D", 60), ("F", 20), ("U", 60)):
            done.append(await consume(js, "S", name, count))

    plan = Plan(tmp_path / "history", "run")
    with recorded(record_nats, f"nats://{HOST}:{port}", plan, ["S"]) as running:
        talk(port, client)
        running.wait_for(2 + 3 + 80 + 2 * (60 + 20 + 12 + 4))
    found = events(tmp_path / "history")

    recorders = {each["recorder"] for each in found if "seq" in each}
    assert all(numbers(found, each) == list(range(1, 1 + len(numbers(found, each)))) for each in recorders)
    assert len(of(found, "send", destination="S")) == 60
    assert len(of(found, "send", destination="S/S.a")) == 20
    for name, count in (("D", 60), ("F", 20)):
        sent = {
            each["message_id"]
            for each in of(found, "send")
            if each["destination"].endswith("a") or count == 60
        }
        assert {each["message_id"] for each in of(found, "receive", name)} == sent & {
            each["message_id"] for each in of(found, "settle", name)
        }
        assert len(of(found, "settle", name, settle="ack")) == count
    assert len(of(found, "settle", "D", settle="requeue")) == done[0]["refused"] == 12
    assert of(found, "settle", "U") == [] and of(found, "receive", "U") == []
    assert not any(goes_back(found, each) for each in recorders)
    assert audit(found) == [], "a correct broker is not accused"
    assert any("consumer U of S" in note and "--sample 100" in note for note in running.notes)


def test_deliveries_are_concluded_with_their_times_and_counts(port: int, tmp_path: Path) -> None:
    prepared(port, "T")

    async def client(js: Any) -> None:  # noqa: ANN401
        await publish(js, "T", 0, 10)
        await consume(js, "T", "D", 10)

    with recorded(record_nats, f"nats://{HOST}:{port}", Plan(tmp_path, "run"), ["T"]) as running:
        talk(port, client)
        running.wait_for(2 + 3 + 14 + 2 * (10 + 2))
    found = events(tmp_path)

    assert {each["message_id"] for each in of(found, "send", destination="T")} == {
        f"m{each}" if each % 2 else f"T:{each + 1}" for each in range(10)
    }
    first = {each["offset"]: each["time_unix_nano"] for each in of(found, "send", destination="T")}
    for each in of(found, "receive", "D"):
        (answered,) = of(
            found, "settle", "D", delivery_tag=each["delivery_tag"], delivery_count=each["delivery_count"]
        )
        assert first[answered["offset"]] <= each["time_unix_nano"] <= answered["time_unix_nano"]
        assert ("offset" in each) == (answered["settle"] == "ack"), "else its place is not known"
    counts = {(each["offset"], each["delivery_count"]) for each in of(found, "settle", "D")}
    assert {(5, 1), (10, 1)} <= counts and (7, 1) not in counts
    assert {offset for offset, count in counts if count > 1} >= {5, 7, 10}
    (declared,) = of(found, "control", "D", op_name="consumer.created")
    assert (declared["credit"], declared["max_deliveries"], declared["ack_wait_ms"]) == (
        100,
        4,
        1000 * ACK_WAIT,
    )


def test_a_lost_connection_leaves_a_gap_and_no_message_out(port: int, tmp_path: Path) -> None:
    prepared(port, "L")
    way = Way(port)
    plan = Plan(tmp_path, "run")
    with recorded(record_nats, f"nats://{HOST}:{way.port}", plan, ["L"]) as running:
        talk(port, lambda js: publish(js, "L", 0, 5))
        running.wait_for(2 + 3 + 7)
        way.cut()
        talk(port, lambda js: publish(js, "L", 5, 5))
        way.mend()
        talk(port, lambda js: publish(js, "L", 10, 5))
        running.wait_for(2 + 4 + 6 + 15 + 5)
    way.cut()
    found = events(tmp_path)

    assert len({each["message_id"] for each in of(found, "send", destination="L")}) == 15
    assert len(of(found, "send", destination="L")) == 15
    for recorder in {each["recorder"] for each in found}:
        written = numbers(found, recorder)
        (back,) = of(found, "control", op_name="recorder.reconnected", recorder=recorder)
        assert set(range(1, written[-1] + 1)) - set(written) == {back["seq"] - 1}
        assert "left out" in back["error_type"]
    assert running.account.losses == 1
    assert [each.measure for each in audit(found) if each.guarantee == "complete-log"] == [1, 1]


def test_a_recorder_that_comes_again_goes_on_behind_a_gap(port: int, tmp_path: Path) -> None:
    prepared(port, "A")
    plan = Plan(tmp_path, "run")
    for first in (0, 5):
        with recorded(record_nats, f"nats://{HOST}:{port}", plan, ["A"]) as running:
            talk(port, lambda js, first=first: publish(js, "A", first, 5))  # type: ignore[misc]
            running.wait_for(2 + 3 + 5 + 1)
    found = events(tmp_path)

    written = numbers(found, f"nats@{HOST}:{port}.sends")
    begins = of(found, "control", op_name="recording.begin", recorder=f"nats@{HOST}:{port}.sends")
    assert [each["seq"] for each in begins] == [1, written[written.index(begins[1]["seq"]) - 1] + 2]
    assert len(of(found, "send", destination="A")) == 10


@pytest.mark.parametrize(
    ("url", "stream", "said"),
    [
        ("nats://127.0.0.1:1", "S", "cannot record 127.0.0.1:1"),
        ("nats://127.0.0.1:{port}", "NONE", "there is no stream 'NONE'"),
        ("nats://127.0.0.1:{port}", "WORK", "the stream WORK is a work queue"),
    ],
)
def test_what_cannot_be_recorded(port: int, tmp_path: Path, url: str, stream: str, said: str) -> None:
    async def prepare(js: Any) -> None:  # noqa: ANN401
        await js.add_stream(name="WORK", subjects=["work.*"], retention="workqueue")

    talk(port, prepare)
    with pytest.raises(HistoryError, match=said) as caught:
        record_nats(url.format(port=port), Plan(tmp_path, "run"), [stream])

    assert (caught.value.code, bool(caught.value.possible), bool(caught.value.remedy)) == (
        "ANG133",
        True,
        True,
    )


def test_a_client_records_what_it_does_itself(port: int, tmp_path: Path) -> None:
    prepared(port, "C")
    recorder = Recorder(tmp_path, "c1", system="nats")

    async def client(js: Any) -> None:  # noqa: ANN401
        recorded = nats_jetstream(js, recorder)
        await publish(recorded, "C", 0, 10)
        subscription = await recorded.pull_subscribe("C.*", durable="D")
        (one, two, *rest) = await subscription.fetch(10)
        await one.ack_sync()
        await two.nak(delay=0.01)
        for each in rest:
            await each.ack()
        (again,) = await subscription.fetch(1, timeout=PATIENCE)
        await again.term()
        await subscription.unsubscribe()

    talk(port, client)
    recorder.closed()
    found = events(tmp_path)

    assert Counter(each["phase"] for each in of(found, "send")) == {"invoke": 10, "ok": 10}
    assert {each["offset"] for each in of(found, "send", phase="ok")} == set(range(1, 11))
    assert len(of(found, "receive", "D")) == 11
    assert {each["message_id"] for each in of(found, "receive")} == {
        each["message_id"] for each in of(found, "send")
    }
    assert Counter((each["op_name"], each["phase"]) for each in of(found, "settle")) == {
        ("ack_sync", "invoke"): 1,
        ("ack_sync", "ok"): 1,
        ("nak", "invoke"): 1,
        ("ack", "invoke"): 8,
        ("term", "invoke"): 1,
    }
    assert of(found, "receive")[-1]["delivery_count"] == 2
    assert {each["ack_wait_ms"] for each in of(found, "control", op_name="subscribe")} == {1000 * ACK_WAIT}
    assert {each["destination"] for each in of(found, "control", op_name="subscribe")} == {"C.a", "C.b"}
    assert audit(found) == []


def test_a_client_records_what_is_pushed_to_it(port: int, tmp_path: Path) -> None:
    prepared(port, "P")
    recorder = Recorder(tmp_path, "c1", system="nats")

    async def client(js: Any) -> None:  # noqa: ANN401
        recorded, came = nats_jetstream(js, recorder), asyncio.Event()

        async def callback(message: Any) -> None:  # noqa: ANN401
            await message.ack()
            came.set()

        await recorded.subscribe("P.*", cb=callback, manual_ack=True)
        await recorded.publish("P.a", b"x")
        await asyncio.wait_for(came.wait(), PATIENCE)

    talk(port, client)
    recorder.closed()
    found = events(tmp_path)

    assert [each["op_type"] for each in found if "message_id" in each] in (
        ["send", "send", "receive", "settle"],
        ["send", "receive", "settle", "send"],
        ["send", "receive", "send", "settle"],
    )
    assert len({each["message_id"] for each in found if "message_id" in each}) == 1
