"""What three real Mosquitto brokers do with messages, compared with what is predicted from their files.

Every experiment has bridges and topics of its own, so that one start serves all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from angarium.mesh.delivery.forward import Forwarding
from angarium.mesh.importers import mosquitto
from angarium.mesh.mesh import Mesh
from angarium.mesh.topics.dialects import topic_of
from tests.brokers import (
    HOST,
    Listener,
    free_ports,
    listeners,
    mosquittos,
    needs_mosquitto,
)
from tests.mesh.importers.predict import at_brokers
from tests.mesh.real.rounds import Message, Rounds, Wrong, exactly
from tests.waiting import wait_until

NAMES = ("one", "two", "three")
ENOUGH = 100
"""Copies of one message that no finite number of paths explains. A name grows to 200 levels."""

BRIDGES: dict[tuple[str, str, str], tuple[str, ...]] = {
    ("pair", "one", "two"): ("topic pair/# both 1",),
    ("echo", "one", "two"): ("try_private false", "topic echo/# both 1"),
    ("five", "one", "two"): ("try_private false", "bridge_protocol_version mqttv50", "topic five/# both 1"),
    ("names", "one", "two"): ("topic names/# both 1 here/ there/", 'topic "" out 1 old/name new/name'),
    ("part", "one", "two"): ("topic art/+ out 1 p q",),
    ("overlap", "one", "two"): (
        "topic overlap/# out 1",
        'topic overlap/+ out 1 "" first/',
        'topic +/b out 1 "" second/',
        'topic overlap/# out 1 "" third/',
    ),
    ("pulled", "one", "two"): ('topic pulled/# in 1 first/ ""', 'topic pulled/+ in 1 second/ ""'),
    ("across", "one", "two"): ("topic # in 1 in/ across/", 'topic in/# out 1 "" across/'),
    ("star1", "one", "three"): ("topic star/# both 1",),
    ("star2", "two", "three"): ("topic star/# both 1",),
    ("chain1", "one", "two"): ("topic chain/# out 1",),
    ("chain2", "three", "two"): ("topic chain/# in 1",),
    ("twice1", "one", "two"): ("topic twice/# both 1",),
    ("twice2", "one", "two"): ("topic twice/# both 1",),
    ("ends1", "one", "two"): ("topic ends/# both 1",),
    ("ends2", "two", "one"): ("topic ends/# both 1",),
    ("ring1", "one", "two"): ("topic ring/# both 1",),
    ("ring2", "two", "three"): ("topic ring/# both 1",),
    ("ring3", "three", "one"): ("topic ring/# both 1",),
    ("round1", "one", "two"): ("topic round/# out 1",),
    ("round2", "two", "three"): ("topic round/# out 1",),
    ("round3", "three", "one"): ("topic round/# out 1",),
    ("grow1", "one", "two"): ('topic grow/# out 1 "" r/',),
    ("grow2", "one", "two"): ('topic r/grow/# in 1 grow/ ""',),
}
"""By name, the broker that has the bridge, and the one that it leads to: what its block says."""

FINITE = {
    "pair/a": ("one", "two"),
    "echo/a": ("one",),
    "echo/b": ("two",),
    "five/a": ("one", "two"),
    "here/names/a": ("one",),
    "there/names/b": ("two",),
    "old/name": ("one",),
    "part/x": ("one",),
    "overlap/a": ("one",),
    "overlap/b": ("one",),
    "overlap/b/c": ("one",),
    "other/b": ("one",),
    "pulled/a": ("two",),
    "pulled/a/b": ("two",),
    "across/a": ("two",),
    "in/a": ("one",),
    "star/a": NAMES,
    "chain/a": ("one",),
    "chain/b": ("two",),
    "chain/c": ("three",),
}
"""Topics whose messages come to an end, and where one is published each."""
ENDLESS = {"grow/a": "one", "twice/a": "one", "ends/a": "one", "ring/a": "one", "round/a": "one"}


@dataclass(frozen=True)
class Experiment:
    mesh: Mesh
    refuted: Wrong
    """By where it was published, and topic."""
    rounds: dict[str, bool]
    """By topic, whether more than enough copies came."""


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Experiment]:
    folder = tmp_path_factory.mktemp("bridges")
    ports = dict(zip(NAMES, free_ports(len(NAMES)), strict=True))
    files = {configured(folder, name, ports): port for name, port in ports.items()}
    mesh = mosquitto.read(list(files))
    with mosquittos(files), listeners(ports) as clients:
        wait_until("all bridges are connected", lambda: connected(clients))
        refuted = Rounds(clients).refuted(finite(mesh))
        rounds = {topic: goes_round(clients, topic, origin) for topic, origin in ENDLESS.items()}
        yield Experiment(mesh, refuted, rounds)


def configured(folder: Path, name: str, ports: Mapping[str, int]) -> Path:
    lines = [f"listener {ports[name]} {HOST}", "allow_anonymous true", "user root", "max_queued_messages 100"]
    for (bridge, here, there), said in BRIDGES.items():
        if here == name:
            lines += [f"connection {bridge}", f"address {HOST}:{ports[there]}", f"remote_clientid {bridge}"]
            lines += ["restart_timeout 1", "notifications_local_only true", *said]
    path = folder / f"{name}.conf"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def connected(clients: Mapping[str, Listener]) -> bool:
    return all(clients[here].states.get(bridge) == b"1" for bridge, here, _ in BRIDGES)


def finite(mesh: Mesh) -> Iterator[Message]:
    """What is published, and predicted of it."""
    for topic, origins in FINITE.items():
        for origin in origins:
            copies = at_brokers(mesh, origin, topic)
            counts = {(name, each): count for name, got in copies.items() for each, count in got.items()}
            yield exactly(origin, topic, {place: count for place, count in counts.items() if count})


def goes_round(clients: Mapping[str, Listener], topic: str, origin: str) -> bool:
    """Whether there are more and more copies."""
    clients[origin].publish(topic)
    wait_until(f"{topic} goes round", lambda: copies_of(clients, topic) > ENOUGH)
    return True


def copies_of(clients: Mapping[str, Listener], topic: str) -> int:
    counted = [pair for each in clients.values() for pair in each.counts.copy().items()]
    return sum(count for (said, _), count in counted if said == topic)


@needs_mosquitto
@pytest.mark.slow
@pytest.mark.parametrize(
    ("topic", "origin"), [(topic, name) for topic, names in FINITE.items() for name in names]
)
def test_mosquitto_does_what_is_predicted_from_its_files(
    experiment: Experiment, topic: str, origin: str
) -> None:
    assert (origin, topic) not in experiment.refuted, experiment.refuted[origin, topic]


@needs_mosquitto
@pytest.mark.slow
@pytest.mark.parametrize("topic", ENDLESS)
def test_what_is_predicted_to_go_round_does(experiment: Experiment, topic: str) -> None:
    spread = Forwarding(experiment.mesh).spread(ENDLESS[topic], topic_of(topic, "mqtt"))

    assert bool(spread.loops) is experiment.rounds[topic] is True
    assert {loop.grows for loop in spread.loops} == {topic == "grow/a"}


@needs_mosquitto
@pytest.mark.slow
def test_only_the_limit_of_queues_is_assumed(experiment: Experiment) -> None:
    (assumed,) = {remark.what for remark in experiment.mesh.remarks}
    assert "no more than 100 wait for a bridge that is down" in assumed
