"""What a real RabbitMQ does with random small configurations, compared with what is predicted.

Every configuration has virtual hosts of its own in one broker, so many of them run side by side. Messages are
published to every exchange, and then again when one link has been cleared; each queue must have got as many
copies of each as `trace` says. Where consumers compete, it says a range.

What is not understood and may do what was drawn, and what goes round for ever, is not tried.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from pathlib import Path
from random import Random
from subprocess import Popen
from urllib.error import HTTPError
from urllib.parse import quote

import pytest
from pika.adapters.blocking_connection import BlockingChannel

from angarium.mesh.importers import rabbitmq
from angarium.mesh.importers.rabbitmq_cluster import scope_of
from angarium.mesh.mesh import NOTHING, Failures, Link, Mesh
from angarium.mesh.verify.tracing import trace
from tests import processes
from tests.brokers import Rabbit, needs_rabbitmq, rabbit_ports, rabbits, settled
from tests.effort import is_thorough, seeds
from tests.mesh.importers import definitions as made
from tests.mesh.importers.definitions import Json
from tests.mesh.real.configurations import (
    DEAD,
    KEYS,
    PORT,
    Configuration,
    configuration,
    links_of,
    without,
)
from tests.waiting import wait_until

TRIED = 100 if is_thorough() else 2
BATCH = 10
MOST_COPIES = 30
TIMES = 3
"""How often each message is published: consumers that compete share them."""
NOT_YET = (HTTPStatus.INTERNAL_SERVER_ERROR, HTTPStatus.UNAUTHORIZED)
"""What a node answers that is busy, or has not loaded its users: it may be asked again."""
GUEST: Json = {
    "users": [{"name": "guest", "password": "guest", "tags": "administrator"}],
    "vhosts": [{"name": "/"}],
    "permissions": [{"user": "guest", "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"}],
}
Message = tuple[str, str, str]
"""Virtual host, exchange, key."""
Channels = dict[str, BlockingChannel]
Range = tuple[int, int | None]
"""The least and the most copies."""


@dataclass(frozen=True)
class Case:
    """A configuration, and what is predicted before and after a link is cleared, or a node killed."""

    name: str
    definitions: Mapping[str, Json]
    """By node."""
    cleared: Json | None
    meshes: tuple[Mesh, Mesh]
    killed: str = ""

    def vhosts(self, phase: int) -> list[str]:
        """Those on nodes that run."""
        parts = [part for node, part in self.definitions.items() if not phase or node != self.killed]
        return [each["name"] for part in parts for each in part["vhosts"]]

    def failures(self, phase: int) -> Failures:
        """The node with its virtual hosts, where these are brokers of their own."""
        names = (each.name for each in self.meshes[phase].brokers)
        dead = frozenset(name for name in names if name.partition("/")[0] == self.killed)
        return Failures(dead) if phase else NOTHING

    def predicted(self, phase: int) -> dict[tuple[Message, str], Range]:
        """By message and queue."""
        mesh, failures = self.meshes[phase], self.failures(phase)
        return {
            ((vhost, exchange, key), queue): copies
            for vhost in self.vhosts(phase)
            for exchange in "xy"
            for key in KEYS
            for queue, copies in received(mesh, vhost, exchange, key, failures).items()
        }


def origin_of(mesh: Mesh, vhost: str) -> str:
    """The broker that a virtual host is, or that has it."""
    names = {broker.name for broker in mesh.brokers}
    return next(name for name in (f"one/{vhost}", "one", f"{vhost[-1]}/{vhost}", vhost[-1]) if name in names)


def received(
    mesh: Mesh, vhost: str, exchange: str, key: str, failures: Failures = NOTHING
) -> dict[str, Range]:
    traced = trace(mesh, origin_of(mesh, vhost), key, scope_of(vhost, exchange), failures)
    return {
        each.subscriber.name.partition("@")[0]: (
            0 if each.rival else 1 if traced.spread.choices else each.copies or 0,
            each.copies,
        )
        for each in traced.received
    }


def read(folder: Path, name: str, definitions: Json) -> Mesh:
    path = folder / name / "one.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(definitions), encoding="utf-8")
    return rabbitmq.read([path])


def cases(folder: Path, seeds: Iterator[int], count: int) -> Iterator[Case]:
    """So many that can be tried; of each a link is cleared."""
    for seed in seeds:
        case = _case(folder, configuration(f"c{seed}", seed), Random(seed))
        if case and count > 0:
            count -= 1
            yield case
        if not count:
            return


def _case(folder: Path, drawn: Configuration, random: Random) -> Case | None:
    definitions = drawn.definitions()
    links = list(links_of(definitions))
    cleared = random.choice(links) if links else None
    less = without(definitions, cleared) if cleared else definitions
    meshes = (read(folder, drawn.name, definitions), read(folder, drawn.name, less))
    case = Case(drawn.name, {"one": definitions}, cleared, meshes)
    return case if can_be_tried(case) else None


def can_be_tried(case: Case) -> bool:
    """Whether all is known of it, and there is an end to it."""
    if any(remark.effects for mesh in case.meshes for remark in mesh.remarks):
        return False
    counts = [most for phase in (0, 1) for _, most in case.predicted(phase).values()]
    if not counts or any(count is None or count > MOST_COPIES for count in counts):
        return False
    return all(_ends(mesh, case.vhosts(0)) for mesh in case.meshes)


def _ends(mesh: Mesh, vhosts: Sequence[str]) -> bool:
    """Whether no message goes round, not even where nobody waits for it."""
    return not any(
        trace(mesh, origin_of(mesh, vhost), key, scope_of(vhost, exchange)).spread.loops
        for vhost in vhosts
        for exchange in "xy"
        for key in KEYS
    )


class Tried:
    """A batch of cases in running brokers."""

    def __init__(
        self, nodes: Mapping[str, Rabbit], servers: Mapping[str, Popen[str]], batch: Sequence[Case]
    ) -> None:
        self.nodes, self.servers, self.batch = dict(nodes), servers, batch
        self.last: dict[tuple[str, str], set[str]] = {}
        self.at = {
            vhost["name"]: nodes[node]
            for case in batch
            for node, part in case.definitions.items()
            for vhost in part["vhosts"]
        }

    def run(self) -> list[str]:
        """What is not as predicted, for each case in a line."""
        for case in self.batch:
            for node in case.definitions:
                wait_until(f"{case.name} is imported", partial(self.imported, case, node))
        wrong = self.phase(0)
        for case in self.batch:
            if case.cleared:
                self.clear(case.cleared)
        for name in {case.killed for case in self.batch} & self.nodes.keys():
            gone = self.nodes.pop(name)
            self.at = {vhost: node for vhost, node in self.at.items() if node is not gone}
            processes.kill(self.servers[name])
        wrong += self.phase(1)
        for vhost, node in self.at.items():
            node.told("DELETE", f"vhosts/{vhost}")
        return wrong

    def imported(self, case: Case, name: str) -> bool:
        """Whether its definitions are."""
        ports = {each: node.port for each, node in self.nodes.items()}
        try:
            self.nodes[name].told("POST", "definitions", _told(case.definitions[name], ports))
        except HTTPError as error:
            if error.code not in NOT_YET:
                error.add_note(error.read().decode(errors="replace"))
                raise
            return False
        return True

    def clear(self, link: Json) -> None:
        path = (link["component"], link["vhost"], link["name"])
        where = "/".join(quote(part, safe="") for part in path)
        self.at[link["vhost"]].told("DELETE", f"parameters/{where}")

    def phase(self, phase: int) -> list[str]:
        wait_until("links are up", settled(lambda: self.links(phase), 2))
        with ExitStack() as open_:
            channels = {vhost: open_.enter_context(node.channel(vhost)) for vhost, node in self.at.items()}
            for vhost, channel in channels.items():
                for body in bodies(phase, vhost):
                    channel.basic_publish(body[2], body[3], json.dumps(body).encode())
            wait_until("messages are where they go", settled(lambda: self.depths(channels), 1))
            seen = self.seen(phase, channels)
        return [line for case in self.batch for line in compared(case, phase, seen)]

    def links(self, phase: int) -> list[object]:
        """All bindings, if every link is up that is predicted."""
        return [] if self.down(phase) else [node.bindings for node in self.nodes.values()]

    def running(self, kind: str, vhost: str, state: str) -> set[str]:
        """What runs in a virtual host; it cannot be asked while a link comes and goes, and is as it was."""
        try:
            found = self.at[vhost].asked(f"{kind}/{quote(vhost, safe='')}")
        except HTTPError:
            return self.last.get((kind, vhost), set())
        names = {f"{each.get('name', '')} {each.get('id', '')}" for each in found if each[state] == "running"}
        self.last[kind, vhost] = names
        return names

    def down(self, phase: int) -> list[str]:
        """The links that are predicted and do not run."""
        pulled = {vhost: len(self.running("federation-links", vhost, "status")) for vhost in self.at}
        shovels = {
            (vhost, name.split()[0]) for vhost in self.at for name in self.running("shovels", vhost, "state")
        }
        missing = []
        for case in self.batch:
            alive = [each for each in case.meshes[phase].links if lives(each, case.failures(phase))]
            for link in alive:
                if link.kind == "shovel" and not shovels & set(owners(case, link)):
                    missing.append(f"{case.name}: {link.name}")
            hosts = {origin_of(case.meshes[phase], vhost): vhost for vhost in case.vhosts(phase)}
            wanted = Counter(hosts[link.target] for link in alive if link.kind == "federation")
            missing += [f"{host}: {wanted[host]} links" for host in wanted if pulled[host] < wanted[host]]
        return missing

    def queues(self) -> list[tuple[str, str]]:
        asked = (each for node in self.nodes.values() for each in node.asked("queues"))
        found = ((each["vhost"], each["name"]) for each in asked)
        ours = ("federation:", "amq.gen")
        return [each for each in found if each[0] in self.at and not each[1].startswith(ours)]

    def depths(self, channels: Channels) -> list[int]:
        found = (
            channels[vhost].queue_declare(name, passive=True).method.message_count
            for vhost, name in self.queues()
        )
        return list(found)

    def seen(self, phase: int, channels: Channels) -> dict[str, Counter[tuple[Message, int]]]:
        """By queue, how often each message is in it."""
        found: dict[str, Counter[tuple[Message, int]]] = {}
        for vhost, name in self.queues():
            copies = found.setdefault(f"{vhost}/{name}", Counter())
            while (got := channels[vhost].basic_get(name, auto_ack=True))[0] is not None:
                when, *message, number = json.loads(got[2])
                if when == phase:
                    copies[(message[0], message[1], message[2]), number] += 1
        return found


def bodies(phase: int, vhost: str) -> Iterator[tuple[int, str, str, str, int]]:
    """All messages that are published in a virtual host."""
    yield from (
        (phase, vhost, exchange, key, number) for exchange in "xy" for key in KEYS for number in range(TIMES)
    )


def owners(case: Case, link: Link) -> Iterator[tuple[str, str]]:
    """The virtual hosts whose shovel may be a link."""
    for each in (each for part in case.definitions.values() for each in part.get("parameters", [])):
        if each["component"] == "shovel" and f"(shovel {each['name']})" in link.name:
            yield each["vhost"], each["name"]


def compared(case: Case, phase: int, seen: dict[str, Counter[tuple[Message, int]]]) -> Iterator[str]:
    """Where a queue has more or less copies of a message than is predicted."""
    predicted = case.predicted(phase)
    taken = {link.shares for link in case.meshes[phase].links if link.kind == "shovel"}
    hosts = case.vhosts(phase)
    for queue in sorted(seen):
        host, _, name = queue.partition("/")
        if host not in hosts or f"queue {name} in virtual host {host}" in taken:
            continue
        for vhost in hosts:
            for exchange in "xy":
                for key in KEYS:
                    message = vhost, exchange, key
                    least, most = predicted.get((message, queue), (0, 0))
                    for number in range(TIMES):
                        count = seen[queue][message, number]
                        if count < least or count > (most or 0):
                            what = f"{case.name} phase {phase}: {queue} has {count} of {message}"
                            yield f"{what}, not {least} to {most}"


def lives(link: Link, failures: Failures) -> bool:
    return failures.brokers.isdisjoint((link.source, link.target))


def _told(definitions: Json, ports: Mapping[str, int]) -> Json:
    """With the ports on which brokers listen; there may be a single one, called so or `localhost`."""
    text = json.dumps(definitions)
    for name, port in (*ports.items(), ("localhost", next(iter(ports.values())))):
        text = text.replace(f"@{name}:{PORT}", f"@localhost:{port}").replace(
            f"@{name}:{DEAD}", f"@localhost:{DEAD}"
        )
    found: Json = json.loads(text)
    return found


@pytest.fixture(scope="module")
def tell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Sequence[Case]], list[str]]]:
    folder = tmp_path_factory.mktemp("random")
    nodes = rabbit_ports(["one"])
    file = folder / "guest.json"
    file.write_text(json.dumps(GUEST), encoding="utf-8")
    with rabbits(folder, nodes, {"one": file}) as servers:
        yield lambda batch: Tried(nodes, servers, batch).run()


@needs_rabbitmq
@pytest.mark.slow
def test_rabbitmq_does_what_is_predicted_of_random_configurations(
    tell: Callable[[Sequence[Case]], list[str]], tmp_path: Path
) -> None:
    chosen = list(cases(tmp_path, iter(seeds(10 * TRIED, 10 * TRIED)), TRIED))
    assert len(chosen) == TRIED

    wrong = [line for start in range(0, TRIED, BATCH) for line in tell(chosen[start : start + BATCH])]

    assert wrong == []


def internal(name: str) -> Json:
    """`a` and `b` pull `x` from each other, and a policy of `b` gives all its exchanges the alternate `y`."""
    found = Configuration(name, Random(0))
    here, there, _ = found.vhosts
    for vhost in found.vhosts:
        found.add("exchanges", made.exchange("x"), vhost)
        found.add("exchanges", made.exchange("y", "fanout"), vhost)
    for vhost, other in ((here, there), (there, here)):
        found.add("queues", made.queue("x0"), vhost)
        found.add("bindings", made.binding("x", "x0"), vhost)
        pulls = made.parameter("federation-upstream", "other", {"uri": f"amqp:///{other}"}, vhost)
        found.lists.setdefault("parameters", []).append(pulls)
        found.add("policies", made.policy("pull", "^x$", 9, federation_upstream="other"), vhost)
    found.add("queues", made.queue("y0"), there)
    found.add("bindings", made.binding("y", "y0", ""), there)
    found.add("policies", made.policy("rest", ".", alternate_exchange="y"), there)
    return found.definitions()


@needs_rabbitmq
@pytest.mark.slow
@pytest.mark.thorough
def test_an_alternate_gets_what_internal_exchanges_of_federation_keep_back(
    tell: Callable[[Sequence[Case]], list[str]], tmp_path: Path
) -> None:
    """What random configurations once found, in fewer words: therefore such a policy is not understood."""
    definitions = internal("found")
    mesh = read(tmp_path, "found", definitions)

    wrong = tell([Case("found", {"one": definitions}, None, (mesh, mesh))])

    assert any("exchanges that federation declares" in each.what for each in mesh.remarks)
    assert any("foundb/y0 has 1 of ('founda', 'x', 'k'), not 0 to 0" in line for line in wrong), wrong
