"""RabbitMQ: links that are not let in, and queues that do not outlive what takes from them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from angarium.mesh.importers import rabbitmq
from angarium.mesh.mesh import DROPS, Mesh
from tests.mesh.importers import definitions as made
from tests.mesh.importers.definitions import Json
from tests.mesh.importers.samples import remarks

GUEST = {"name": "guest", "tags": "administrator"}
OTHER = {"name": "u", "tags": ""}
ALLOWED = [
    {"user": name, "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"} for name in ("guest", "u")
]


def read(folder: Path, upstream: str, settings: str = "", advanced: str = "") -> Mesh:
    """`eu` pulls from `us`, whose nodes have these settings."""
    exchange = made.exchange("x", "topic")
    pulling = [made.parameter("federation-upstream", "us", {"uri": upstream}, "/")]
    policy = made.policy("p", "^x$", 0, **{"federation-upstream": "us"}) | {"vhost": "/"}
    eu = made.cluster("eu", exchanges=[exchange], parameters=pulling, policies=[policy])
    us = made.cluster("us", exchanges=[exchange], users=[GUEST, OTHER], permissions=ALLOWED)
    texts = {"eu/definitions.json": eu, "us/definitions.json": us}
    files = {name: json.dumps(text) for name, text in texts.items()}
    files |= {"us/rabbitmq.conf": settings} if settings else {}
    files |= {"us/advanced.config": advanced} if advanced else {}
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return rabbitmq.read([folder / name for name in files])


@pytest.mark.parametrize(
    ("upstream", "settings"),
    [
        ("amqp://us", ""),
        ("amqp://guest:guest@us", "loopback_users.guest = true"),
        ("amqp://us", "heartbeat = 9"),
        ("amqp://us", "loopback_users = none\nloopback_users.guest = true"),
    ],
)
def test_guest_may_come_from_its_own_machine_only(tmp_path: Path, upstream: str, settings: str) -> None:
    (told,) = remarks(read(tmp_path, upstream, settings), "not understood")

    assert "us may refuse upstream us of eu: it comes as guest" in told


@pytest.mark.parametrize(
    ("upstream", "settings", "advanced"),
    [
        ("amqp://u@us", "", ""),
        ("amqp://us", "loopback_users.guest = false", ""),
        ("amqp://us", "loopback_users = none", ""),
        ("amqp://us", "", "[{rabbit, [{loopback_users, []}]}]."),
        ("amqp://u@us:5673", "listeners.tcp.1 = 5672\nlisteners.tcp.2 = 0.0.0.0:5673", ""),
        ("amqps://u@us", "listeners.tcp = none\nlisteners.ssl.default = 5671", ""),
    ],
)
def test_others_are_let_in(tmp_path: Path, upstream: str, settings: str, advanced: str) -> None:
    assert remarks(read(tmp_path, upstream, settings, advanced), "not understood") == []


@pytest.mark.parametrize(
    ("upstream", "settings", "why"),
    [
        ("amqp://u@us", "listeners.tcp = none", "it listens for no links"),
        ("amqp://u@us", "listeners.tcp.default = 5673", "it listens at 5673, and not at 5672"),
        ("amqp://u@us", "listeners.tcp.local = 127.0.0.1:5672", "to its own machine only"),
        ("amqps://u@us:5672", "listeners.tcp.default = 5672", "at 5672 it has no TLS"),
        ("amqp://u@us:5671", "listeners.ssl.default = 5671", "at 5671 it wants TLS"),
    ],
)
def test_who_knocks_where_nobody_listens_may_be_refused(
    tmp_path: Path, upstream: str, settings: str, why: str
) -> None:
    mesh = read(tmp_path, upstream, settings)
    (told,) = [each for each in mesh.remarks if each.effects]

    assert "us may refuse upstream us of eu" in told.what
    assert why in told.what
    assert told.effects == {DROPS}


def shovelled(folder: Path, queue: Json, **values: object) -> Mesh:
    ends = {"src-uri": "amqp://", "src-queue": "q", "dest-uri": "amqp://", "dest-queue": "r"}
    shovel = made.parameter("shovel", "s", ends | values, "/")
    bound = made.binding("amq.topic", "q", "#")
    text = made.cluster("one", queues=[queue, made.queue("r")], bindings=[bound], parameters=[shovel])
    (folder / "one.json").write_text(json.dumps(text), encoding="utf-8")
    return rabbitmq.read([folder / "one.json"])


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"dest-queue-args": {"x-message-ttl": 9}}, "x-message-ttl of dest-queue-args of shovel s of one"),
        ({"src-queue-args": {"x-max-length": 9}}, "x-max-length of src-queue-args of shovel s of one"),
        (
            {"dest-publish-properties": {"expiration": "9"}},
            "expiration of dest-publish-properties of shovel s of one",
        ),
    ],
)
def test_what_a_shovel_declares_or_publishes_may_be_dropped(
    tmp_path: Path, values: dict[str, object], told: str
) -> None:
    assert remarks(shovelled(tmp_path, made.queue("q"), **values), "not understood") == [told]


def test_a_queue_may_go_with_what_takes_from_it(tmp_path: Path) -> None:
    (told,) = remarks(shovelled(tmp_path, made.queue("q") | {"auto_delete": True}), "not understood")

    assert told == "queue q of one is deleted when what takes from it is cut off"
