"""What RabbitMQ says, as events: by records that a real one has made, and small ones."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from typing import Any

import pytest

from angarium.history.recorders.rabbitmq import EVENTS, TRACE, Rabbit, Said
from tests.history.histories import RECORDED
from tests.needs import needs

CONNECTION = "127.0.0.1:1 -> 127.0.0.1:2"


def said(rabbit: Rabbit, exchange: str, key: str, **headers: object) -> list[Said]:
    return list(rabbit.said(exchange, key, headers))


def published(rabbit: Rabbit, *queues: str, **properties: object) -> list[Said]:
    named = {"message_id": "m1", **properties}
    return said(
        rabbit, TRACE, "publish.x", exchange_name="x", routing_keys=["k"], routed_queues=list(queues),
        properties=named, node="n@h", connection=CONNECTION, channel=1,
    )  # fmt: skip


def delivered(
    rabbit: Rabbit, queue: str, *, channel: int = 1, again: int = 0, **properties: object
) -> list[Said]:
    named = {"message_id": "m1", **properties}
    return said(
        rabbit, TRACE, f"deliver.{queue}", exchange_name="x", properties=named, node="n@h",
        connection=CONNECTION, channel=channel, redelivered=again,
    )  # fmt: skip


def test_a_message_is_sent_to_each_queue_that_it_is_routed_to() -> None:
    sends = published(Rabbit(own="own"), "a", "own", "b", headers={"seq": 7})

    assert [(each.op_type, each.phase, each.fields["destination"]) for each in sends] == [
        ("send", "ok", "a"),
        ("send", "ok", "b"),
    ]
    assert sends[0].fields["producer_seq"] == 7
    assert sends[0].fields["client_id"] == CONNECTION


@pytest.mark.parametrize(
    ("queues", "properties", "phase", "why"),
    [
        ([], {}, "info", "unroutable"),
        (["a"], {"expiration": "100"}, "info", None),
        (["a"], {}, "ok", None),
    ],
)
def test_of_what_may_not_arrive_the_outcome_is_not_known(
    queues: list[str], properties: dict[str, Any], phase: str, why: str | None
) -> None:
    (send,) = published(Rabbit(own="own"), *queues, **properties)

    assert (send.phase, send.fields.get("error_type")) == (phase, why)
    assert send.fields["destination"] == (queues or ["x/k"])[0]


def test_what_overtakes_legally_or_cannot_be_followed_is_not_followed() -> None:
    rabbit = Rabbit(own="own")

    (urgent,) = published(rabbit, "a", priority=3, headers={"seq": 7})
    (nameless,) = published(rabbit, "a", message_id=None)
    (dead,) = delivered(rabbit, "a", headers={"x-death": []})

    assert urgent.fields["producer_seq"] is None
    assert [(each.op_type, each.fields.get("error_type")) for each in (nameless, dead)] == [
        ("observe", "the message has no message_id"),
        ("observe", None),
    ]


def test_a_consumer_is_known_by_its_channel_and_ends_with_it() -> None:
    rabbit = Rabbit(own="own")
    name, pid = f"{CONNECTION} (1)", "<n@h.1.2.3>"

    (before,) = delivered(rabbit, "a")
    said(rabbit, EVENTS, "channel.created", pid=pid, name=name, connection="<n@h.1.1.1>")
    consumer = {"queue": "a", "channel": pid, "consumer_tag": "t", "prefetch_count": 9, "ack_required": True}
    (created,) = said(rabbit, EVENTS, "consumer.created", **consumer)
    (during,) = delivered(rabbit, "a", again=1, headers={"x-delivery-count": 1})
    (elsewhere,) = delivered(rabbit, "a", channel=2)
    (closed,) = said(rabbit, EVENTS, "channel.closed", pid=pid)
    (after,) = delivered(rabbit, "a")

    assert [each.fields["consumer_id"] for each in (before, created, during, elsewhere, closed, after)] == [
        name, f"t on {name}", f"t on {name}", f"{CONNECTION} (2)", name, name,
    ]  # fmt: skip
    assert (created.op_type, created.op_name, created.fields["prefetch"]) == (
        "control",
        "consumer.created",
        9,
    )
    assert (during.fields["redelivered"], during.fields["delivery_count"]) == (True, 2)
    assert {created.fields["client_id"], closed.fields["client_id"]} == {CONNECTION}
    assert created.fields["clock_domain"] != during.fields["clock_domain"], "they come by different ways"
    assert not rabbit._channels and not rabbit._consumers, "what has ended is forgotten"


@pytest.mark.parametrize(
    ("arguments", "single"),
    [
        ({"x-single-active-consumer": True}, True),
        (['{<<"x-single-active-consumer">>,bool,true}'], True),
        ({"x-single-active-consumer": False}, False),
        ([], False),
    ],
)
def test_a_queue_says_whether_one_consumer_is_active(arguments: object, single: bool) -> None:
    (declared,) = said(Rabbit(own="own"), EVENTS, "queue.created", name="a", arguments=arguments)

    assert (declared.op_name, declared.fields["destination"]) == ("queue.declare", "a")
    assert declared.fields["single_active"] is single


def test_only_the_wanted_queues_and_the_own_virtual_host_are_recorded() -> None:
    rabbit = Rabbit(own="own", vhost="/", queues=["a*", "b"])

    assert [each.fields["destination"] for each in published(rabbit, "a1", "b", "b2", "c")] == ["a1", "b"]
    assert delivered(rabbit, "c") == delivered(rabbit, "own") == published(rabbit) == []
    assert said(rabbit, EVENTS, "queue.created", name="a", vhost="other") == []


@needs("histories")
def test_the_records_of_a_real_broker() -> None:
    rabbit, counts = Rabbit(own="rec.rmq-classic.event"), Counter[tuple[str, str]]()
    consumers: Counter[str] = Counter()
    with gzip.open(RECORDED / "rmq-classic.broker.jsonl.gz") as lines:
        for record in map(json.loads, lines):
            for each in rabbit.said(record["exchange"], record["routing_key"], record["headers"]):
                counts[each.op_type, each.op_name] += 1
                if each.op_type == "receive":
                    consumers[each.fields["consumer_id"].partition(" on ")[0]] += 1

    assert counts["send", "basic.publish"] == 10_000
    assert counts["receive", "basic.deliver"] == 10_081
    assert counts["control", "consumer.created"] == counts["control", "consumer.deleted"] == 20
    assert all(tag[0] == "c" and "127.0.0.1" not in tag for tag in consumers), "every tag is known"
