"""What six real RabbitMQ brokers do with a message, compared with what is predicted from their definitions.

Every experiment has exchanges of its own, so one start of the brokers serves all of them. The files that the
brokers load are the files that the importer reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from angarium.mesh.importers import rabbitmq
from angarium.mesh.mesh import Mesh
from tests.brokers import Rabbit, needs_rabbitmq, rabbit_ports, rabbits
from tests.mesh.importers import definitions as made
from tests.mesh.importers.definitions import Json
from tests.mesh.importers.predict import in_queues
from tests.mesh.real.rabbitmq_host import Host
from tests.mesh.real.rounds import Message, Rounds, Wrong, exactly
from tests.waiting import wait_until

NAMES = ("one", "two", "three", "four", "five", "six")
FULL: Json = {
    "users": [
        {"name": "guest", "password": "guest", "tags": "administrator"},
        {"name": "courier", "password": "courier", "tags": ""},
    ],
    "vhosts": [{"name": "/"}, {"name": "v1"}, {"name": "v2"}],
    "permissions": [
        {"user": user, "vhost": vhost, "configure": ".*", "write": ".*", "read": ".*"}
        for vhost in ("/", "v1", "v2")
        for user in ("guest", "courier")
    ],
}


@dataclass
class Brokers:
    """Six sets of definitions in the making."""

    nodes: dict[str, Rabbit]
    lists: dict[str, dict[str, list[Json]]] = field(default_factory=dict)

    def add(self, name: str, key: str, *entries: Json) -> None:
        self.lists.setdefault(name, {}).setdefault(key, []).extend(entries)

    def uri(self, name: str, vhost: str = "") -> str:
        return f"amqp://courier:courier@{name}:{self.nodes[name].port}{vhost}"

    def federate(
        self, exchange: str, pulls: Mapping[str, tuple[str, ...]], hops: int, queues: int = 1
    ) -> None:
        """An exchange at every broker that is named, which pulls from others, with queues."""
        for name, upstreams in pulls.items():
            self.add(name, "exchanges", made.exchange(exchange, "fanout"))
            for number in range(1, queues + 1):
                self.add(name, "queues", made.queue(f"{exchange}.q{number}"))
                self.add(name, "bindings", made.binding(exchange, f"{exchange}.q{number}"))
            members = [{"upstream": each, "max-hops": hops} for each in upstreams]
            self.add(name, "parameters", made.upstream_set(exchange, *members))
            self.add(
                name, "policies", made.policy(exchange, f"^{exchange}$", 5, federation_upstream_set=exchange)
            )

    def files(self, folder: Path) -> dict[str, Path]:
        for name in NAMES:
            self.add(
                name, "parameters", *(made.upstream(each, self.uri(each)) for each in NAMES if each != name)
            )
        contents = {name: made.cluster(name, **lists) | FULL for name, lists in self.lists.items()}
        return dict(zip(contents, made.written(folder, contents), strict=True))


def each_from_all_others(*names: str) -> dict[str, tuple[str, ...]]:
    return {name: tuple(other for other in names if other != name) for name in names}


def each_from_the_one_before(*names: str) -> dict[str, tuple[str, ...]]:
    return {name: (names[at - 1],) for at, name in enumerate(names)}


def prepared(nodes: dict[str, Rabbit]) -> Brokers:
    """All experiments."""
    brokers = Brokers(nodes)
    brokers.federate("triangle", each_from_all_others(*NAMES[:3]), hops=2, queues=3)
    brokers.federate("pair", each_from_all_others(*NAMES[:2]), hops=2)
    brokers.federate("ring3", each_from_the_one_before(*NAMES[:3]), hops=2)
    for hops in (1, 2, 3):
        brokers.federate(f"all4h{hops}", each_from_all_others(*NAMES[:4]), hops)
    for hops in (4, 5):
        brokers.federate(f"ring6h{hops}", each_from_the_one_before(*NAMES), hops)
    add_keys_and_names(brokers)
    add_twins(brokers)
    add_exchanges_of_exchanges(brokers)
    add_virtual_hosts(brokers)
    add_shovels(brokers)
    return brokers


def add_keys_and_names(brokers: Brokers) -> None:
    """`here` of two pulls from `there` of one what its bindings want."""
    brokers.add("one", "exchanges", made.exchange("there"))
    brokers.add("two", "exchanges", made.exchange("here"))
    for key in ("order.*", "order.#", "other"):
        brokers.add("two", "queues", made.queue(f"here.{key}"))
        brokers.add("two", "bindings", made.binding("here", f"here.{key}", key))
    brokers.add("two", "parameters", made.upstream_set("here", {"upstream": "one", "exchange": "there"}))
    brokers.add("two", "policies", made.policy("here", "^here$", 5, federation_upstream_set="here"))


def add_twins(brokers: Brokers) -> None:
    """Two upstreams of the same cluster."""
    brokers.federate("twins", {"one": (), "two": ("one", "again")}, hops=1)
    brokers.add("two", "parameters", made.upstream("again", brokers.uri("one")))


def add_exchanges_of_exchanges(brokers: Brokers) -> None:
    """`in` leads to `left` and `right`, they and it to a queue, and back in a circle."""
    brokers.add("one", "exchanges", *(made.exchange(name) for name in ("in", "left", "right")))
    brokers.add("one", "queues", made.queue("diamond"))
    circle = (("in", "left"), ("in", "right"), ("left", "right"), ("right", "in"))
    brokers.add("one", "bindings", *(made.binding(*ends, kind="exchange") for ends in circle))
    brokers.add("one", "bindings", *(made.binding(name, "diamond") for name in ("in", "left", "right")))


def add_virtual_hosts(brokers: Brokers) -> None:
    """Of one broker: v1 pulls from /, and v2 from v1; both within and by way of another broker."""
    for vhost, source in (("v1", "/%2f"), ("v2", "/v1")):
        here = {"vhost": vhost}
        brokers.add("one", "exchanges", made.exchange("hosts", "fanout") | here)
        brokers.add("one", "queues", made.queue("hosts.q") | here)
        brokers.add("one", "bindings", made.binding("hosts", "hosts.q") | here)
        value = {"uri": brokers.uri("one", source), "max-hops": 2}
        brokers.add(
            "one", "parameters", made.parameter("federation-upstream", f"from {source}", value, vhost)
        )
        brokers.add("one", "policies", made.policy("hosts", "^hosts$", federation_upstream_set="all") | here)
    brokers.add("one", "exchanges", made.exchange("hosts", "fanout"))


def add_shovels(brokers: Brokers) -> None:
    """From a queue of one to two under another key, and from there on by federation to three."""
    brokers.federate("moved", {"two": (), "three": ("two",)}, hops=1)
    brokers.add("one", "exchanges", made.exchange("stock"))
    brokers.add("one", "queues", made.queue("stock.out"))
    brokers.add("one", "bindings", made.binding("stock", "stock.out", "sold.#"))
    ends = {
        "src-uri": "amqp://",
        "src-queue": "stock.out",
        "dest-uri": brokers.uri("two"),
        "dest-exchange": "moved",
    }
    brokers.add("one", "parameters", made.parameter("shovel", "stock", ends))
    straight = ends | {"src-queue": "aside", "dest-queue": "straight"}
    straight.pop("dest-exchange")
    brokers.add("one", "queues", made.queue("aside"))
    brokers.add("one", "bindings", made.binding("stock", "aside", "lost.#"))
    brokers.add("one", "parameters", made.parameter("shovel", "aside", straight))
    brokers.add("two", "queues", made.queue("straight"))


MESSAGES = {
    "triangle": ("triangle", "any"),
    "pair": ("pair", "any"),
    "ring3": ("ring3", "any"),
    "all4h1": ("all4h1", "any"),
    "all4h2": ("all4h2", "any"),
    "all4h3": ("all4h3", "any"),
    "ring6h4": ("ring6h4", "any"),
    "ring6h5": ("ring6h5", "any"),
    "one word more": ("there", "order.new"),
    "two words more": ("there", "order.new.eu"),
    "no word more": ("there", "order"),
    "another word": ("there", "another"),
    "twins": ("twins", "any"),
    "diamond": ("in", "any"),
    "virtual hosts": ("hosts", "any"),
    "shovel": ("stock", "sold.one"),
    "shovel to a queue": ("stock", "lost.one"),
}
"""What is published, all of it at one: exchange and key."""
MOVED = {"stock.out", "aside"}
"""Queues that a shovel empties: they have had the message, but have it no more."""


@dataclass(frozen=True)
class Experiment:
    mesh: Mesh
    refuted: Wrong
    """By where it was published, and exchange and key."""


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Experiment]:
    folder = tmp_path_factory.mktemp("rabbits")
    nodes = rabbit_ports(NAMES)
    files = prepared(nodes).files(folder)
    mesh = rabbitmq.read(list(files.values()))
    with rabbits(folder, nodes, files):
        wait_until("all links are up", lambda: are_up(mesh, nodes))
        with hosts(nodes) as clients:
            asked = [message(mesh, *each) for each in MESSAGES.values()]
            yield Experiment(mesh, Rounds(clients).refuted(asked))


def are_up(mesh: Mesh, nodes: Mapping[str, Rabbit]) -> bool:
    """Whether every link is running that the mesh has, and two for the twins."""
    states = [state for node in nodes.values() for state in node.links]
    return states.count("running") > sum(link.kind == "federation" for link in mesh.links)


@contextmanager
def hosts(nodes: Mapping[str, Rabbit]) -> Iterator[dict[str, Host]]:
    """All virtual hosts of all nodes: `one`, `v1/one`."""
    with ExitStack() as open_:
        found = {}
        for node in nodes.values():
            for vhost, names in queues(node).items():
                channel = open_.enter_context(node.channel(vhost))
                found[place(vhost, node.name)] = Host(channel, names)
        yield found


def place(vhost: str, node: str) -> str:
    return node if vhost == "/" else f"{vhost}/{node}"


def queues(node: Rabbit) -> dict[str, list[str]]:
    """By virtual host; without those that are federation's or a shovel's own, or that a shovel empties."""
    found: dict[str, list[str]] = {"/": []}
    for each in node.asked("queues"):
        if not each["name"].startswith(("federation:", "amq.gen")) and each["name"] not in MOVED:
            found.setdefault(each["vhost"], []).append(each["name"])
    return found


def message(mesh: Mesh, exchange: str, key: str) -> Message:
    """What is predicted of it, where it can be seen: a queue is called `q@one` or `v1/q@one`."""
    copies = {}
    for name, count in in_queues(mesh, "one", key, exchange).items():
        path, _, node = name.partition("@")
        vhost, _, queue = path.rpartition("/")
        if queue not in MOVED:
            copies[place(vhost or "/", node), queue] = count or 0
    return exactly("one", f"{exchange} {key}", copies)


@needs_rabbitmq
@pytest.mark.slow
@pytest.mark.parametrize("case", MESSAGES)
def test_rabbitmq_does_what_is_predicted_from_its_definitions(experiment: Experiment, case: str) -> None:
    asked = "one", " ".join(MESSAGES[case])

    assert asked not in experiment.refuted, experiment.refuted[asked]


@needs_rabbitmq
@pytest.mark.slow
def test_a_triangle_with_two_hops_makes_fifteen_copies(experiment: Experiment) -> None:
    assert message(experiment.mesh, *MESSAGES["triangle"]).most.total() == 15


@needs_rabbitmq
@pytest.mark.slow
def test_nothing_is_not_understood(experiment: Experiment) -> None:
    listed = [remark.what for remark in experiment.mesh.remarks if remark.kind == "not understood"]

    assert listed == []
