"""What a real RabbitMQ does with random small configurations, compared with what is predicted.

Every configuration has virtual hosts of its own in one broker, so many of them run side by side. Messages are
published to every exchange, and then again when one link has been cleared; each queue must have got as many
copies of each as `trace` says. Where consumers compete, it says a range.

What is not understood and may do what was drawn, and what goes round for ever, is not tried.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from pathlib import Path
from random import Random
from urllib.error import HTTPError
from urllib.parse import quote

import pytest
from pika.adapters.blocking_connection import BlockingChannel

from angarium.mesh.importers import rabbitmq
from angarium.mesh.importers.rabbitmq_cluster import scope_of
from angarium.mesh.mesh import Link, Mesh
from angarium.mesh.verify.tracing import trace
from tests.brokers import Rabbit, needs_rabbitmq, rabbit_ports, rabbits, settled
from tests.effort import is_thorough, seeds
from tests.mesh.importers import definitions as made
from tests.mesh.importers.definitions import Json
from tests.mesh.real.configurations import KEYS, PORT, Configuration, configuration, links_of, without
from tests.waiting import wait_until

TRIED = 100 if is_thorough() else 2
BATCH = 10
MOST_COPIES = 30
TIMES = 3
"""How often each message is published: consumers that compete share them."""
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
    """A configuration, and what is predicted before and after a link is cleared."""

    name: str
    definitions: Json
    cleared: Json | None
    meshes: tuple[Mesh, Mesh]

    def predicted(self, phase: int) -> dict[tuple[Message, str], Range]:
        """By message and queue."""
        vhosts = [each["name"] for each in self.definitions["vhosts"]]
        exchanges = [(vhost, name) for vhost in vhosts for name in "xy"]
        return {
            ((vhost, exchange, key), queue): copies
            for vhost, exchange in exchanges
            for key in KEYS
            for queue, copies in received(self.meshes[phase], vhost, exchange, key).items()
        }


def received(mesh: Mesh, vhost: str, exchange: str, key: str) -> dict[str, Range]:
    names = {broker.name for broker in mesh.brokers}
    origin = next(name for name in (f"one/{vhost}", "one") if name in names)
    traced = trace(mesh, origin, key, scope_of(vhost, exchange))
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
    meshes = tuple(read(folder, drawn.name, each) for each in (definitions, less))
    if any(remark.effects for mesh in meshes for remark in mesh.remarks):
        return None
    case = Case(drawn.name, definitions, cleared, (meshes[0], meshes[1]))
    counts = [most for phase in (0, 1) for _, most in case.predicted(phase).values()]
    if not counts or any(count is None or count > MOST_COPIES for count in counts):
        return None
    return case if all(_ends(mesh, drawn.vhosts) for mesh in meshes) else None


def _ends(mesh: Mesh, vhosts: Sequence[str]) -> bool:
    """Whether no message goes round, not even where nobody waits for it."""
    names = {broker.name for broker in mesh.brokers}
    for vhost in vhosts:
        origin = next(name for name in (f"one/{vhost}", "one") if name in names)
        for exchange in "xy":
            for key in KEYS:
                if trace(mesh, origin, key, scope_of(vhost, exchange)).spread.loops:
                    return False
    return True


class Tried:
    """A batch of cases in a running broker."""

    def __init__(self, node: Rabbit, batch: Sequence[Case]) -> None:
        self.node, self.batch = node, batch
        self.last: dict[tuple[str, str], set[str]] = {}
        self.vhosts = [each["name"] for case in batch for each in case.definitions["vhosts"]]

    def run(self) -> list[str]:
        """What is not as predicted, for each case in a line."""
        for case in self.batch:
            wait_until(f"{case.name} is imported", partial(self.imported, case))
        wrong = self.phase(0)
        for case in self.batch:
            if case.cleared:
                self.clear(case.cleared)
        wrong += self.phase(1)
        for vhost in self.vhosts:
            self.node.told("DELETE", f"vhosts/{vhost}")
        return wrong

    def imported(self, case: Case) -> bool:
        """Whether its definitions are; a node that is busy fails to import them, and may be asked again."""
        try:
            self.node.told("POST", "definitions", _told(case.definitions, self.node.port))
        except HTTPError as error:
            if error.code != HTTPStatus.INTERNAL_SERVER_ERROR:
                error.add_note(error.read().decode(errors="replace"))
                raise
            return False
        return True

    def clear(self, link: Json) -> None:
        path = (link["component"], link["vhost"], link["name"])
        self.node.told("DELETE", f"parameters/{'/'.join(quote(part, safe='') for part in path)}")

    def phase(self, phase: int) -> list[str]:
        wait_until("links are up", settled(lambda: self.links(phase), 2))
        with ExitStack() as open_:
            channels = {vhost: open_.enter_context(self.node.channel(vhost)) for vhost in self.vhosts}
            for vhost, channel in channels.items():
                for body in bodies(phase, vhost):
                    channel.basic_publish(body[2], body[3], json.dumps(body).encode())
            wait_until("messages are where they go", settled(lambda: self.depths(channels), 1))
            seen = self.seen(phase, channels)
        return [line for case in self.batch for line in compared(case, phase, seen)]

    def links(self, phase: int) -> list[object]:
        """All bindings, if every link is up that is predicted."""
        return [] if self.down(phase) else [self.node.bindings]

    def running(self, kind: str, vhost: str, state: str) -> set[str]:
        """What runs in a virtual host; it cannot be asked while a link comes and goes, and is as it was."""
        try:
            found = self.node.asked(f"{kind}/{quote(vhost, safe='')}")
        except HTTPError:
            return self.last.get((kind, vhost), set())
        names = {f"{each.get('name', '')} {each.get('id', '')}" for each in found if each[state] == "running"}
        self.last[kind, vhost] = names
        return names

    def down(self, phase: int) -> list[str]:
        """The links that are predicted and do not run."""
        pulled = {vhost: len(self.running("federation-links", vhost, "status")) for vhost in self.vhosts}
        shovels = {
            (vhost, name.split()[0])
            for vhost in self.vhosts
            for name in self.running("shovels", vhost, "state")
        }
        missing = []
        for case in self.batch:
            for link in case.meshes[phase].links:
                if link.kind == "shovel" and not shovels & set(owners(case, link)):
                    missing.append(f"{case.name}: {link.name}")
            wanted = Counter(
                link.target.removeprefix("one/")
                for link in case.meshes[phase].links
                if link.kind == "federation"
            )
            missing += [f"{host}: {wanted[host]} links" for host in wanted if pulled[host] < wanted[host]]
        return missing

    def queues(self) -> list[tuple[str, str]]:
        found = ((each["vhost"], each["name"]) for each in self.node.asked("queues"))
        ours = ("federation:", "amq.gen")
        return [each for each in found if each[0] in self.vhosts and not each[1].startswith(ours)]

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
    for each in case.definitions["parameters"]:
        if each["component"] == "shovel" and f"(shovel {each['name']})" in link.name:
            yield each["vhost"], each["name"]


def compared(case: Case, phase: int, seen: dict[str, Counter[tuple[Message, int]]]) -> Iterator[str]:
    """Where a queue has more or less copies of a message than is predicted."""
    predicted = case.predicted(phase)
    taken = {link.shares for link in case.meshes[phase].links if link.kind == "shovel"}
    hosts = [each["name"] for each in case.definitions["vhosts"]]
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


def _told(definitions: Json, port: int) -> Json:
    """With the port on which the broker listens."""
    text = json.dumps(definitions).replace(f"localhost:{PORT}", f"localhost:{port}")
    found: Json = json.loads(text)
    return found


@pytest.fixture(scope="module")
def tell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Sequence[Case]], list[str]]]:
    folder = tmp_path_factory.mktemp("random")
    nodes = rabbit_ports(["one"])
    file = folder / "guest.json"
    file.write_text(json.dumps(GUEST), encoding="utf-8")
    with rabbits(folder, nodes, {"one": file}):
        yield lambda batch: Tried(nodes["one"], batch).run()


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

    wrong = tell([Case("found", definitions, None, (mesh, mesh))])

    assert any("exchanges that federation declares" in each.what for each in mesh.remarks)
    assert any("foundb/y0 has 1 of ('founda', 'x', 'k'), not 0 to 0" in line for line in wrong), wrong
