"""Random small configurations of RabbitMQ: three virtual hosts, of one broker or of three, linked.

They are what people write: exchanges of several types, also bound to each other and with alternates, queues,
federation with sets, priorities and hops, shovels that compete, and users who may not do everything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.mesh.importers import definitions as made
from tests.mesh.importers.definitions import Json

PORT = 5672
"""What stands in the definitions that are read; the broker is told its own."""
DEAD = 5671
"""Where nobody listens; it is read as the same broker's."""
KEYS = ("k", "a.k", "a.b")
BINDINGS = ("k", "a.*", "#", "*", "a.k", "#.k", "none")
VERBS = ("configure", "write", "read")
LISTS = ("exchanges", "queues", "bindings", "parameters", "policies", "permissions")


@dataclass
class Configuration:
    """One, in the making; `name` begins the names of its virtual hosts."""

    name: str
    random: Random
    lists: dict[str, list[Json]] = field(default_factory=dict)

    def add(self, key: str, entry: Json, vhost: str) -> None:
        self.lists.setdefault(key, []).append(entry | {"vhost": vhost})

    @property
    def vhosts(self) -> list[str]:
        return [f"{self.name}{letter}" for letter in "abc"]

    @property
    def user(self) -> str:
        return f"{self.name}user"

    def definitions(self) -> Json:
        users = [{"name": name, "password": name, "tags": ""} for name in ("guest", self.user)]
        users[0]["tags"] = "administrator"
        everything = dict.fromkeys(VERBS, ".*")
        own = [{"user": "guest", "vhost": vhost, **everything} for vhost in self.vhosts]
        lists = self.lists | {"permissions": own + self.lists.get("permissions", [])}
        return made.cluster("", vhosts=[{"name": vhost} for vhost in self.vhosts], users=users, **lists)

    def uri(self, vhost: str) -> str:
        user = self.random.choice(["", "guest:guest", "guest:guest", f"{self.user}:{self.user}"])
        return f"amqp://{user}@localhost:{PORT}/{vhost}" if user else f"amqp:///{vhost}"

    def uris(self, vhost: str) -> str | list[str]:
        """One address, or two of one cluster, of which nobody listens at one."""
        uri = self.uri(vhost)
        return [uri.replace(f":{PORT}", f":{DEAD}"), uri] if f":{PORT}" in uri and self.maybe(0.2) else uri

    def maybe(self, chance: float) -> bool:
        return self.random.random() < chance


class Apart(Configuration):
    """One whose virtual hosts are each on a node of its own, which is called as they end."""

    def uri(self, vhost: str) -> str:
        user = self.random.choice(["link", "link", "link", self.user])
        return f"amqp://{user}:{user}@{vhost[-1]}:{PORT}/{vhost}"

    def of_nodes(self) -> dict[str, Json]:
        """By node, its definitions: a shovel that would be on a third node is on the one that it leads to."""
        whole = self.definitions()
        whole["users"].append({"name": "link", "password": "link", "tags": ""})
        everything = dict.fromkeys(VERBS, ".*")
        whole["permissions"] += [{"user": "link", "vhost": vhost, **everything} for vhost in self.vhosts]
        for each in whole.get("parameters", []):
            if each["component"] == "shovel":
                ends = [ends_at(each["value"][key]) for key in ("src-uri", "dest-uri")]
                each["vhost"] = each["vhost"] if each["vhost"] in ends else ends[1]
        return {vhost[-1]: _part(whole, vhost) for vhost in self.vhosts}


def ends_at(uris: str | list[str]) -> str:
    """The virtual host of an address, or of several."""
    return (uris if isinstance(uris, str) else uris[0]).rpartition("/")[2]


def _part(whole: Json, vhost: str) -> Json:
    """What is about one virtual host, and about none."""

    def is_here(entry: Json) -> bool:
        return entry.get("vhost", vhost) == vhost

    lists = {key: [each for each in value if is_here(each)] for key, value in whole.items() if key in LISTS}
    return whole | lists | {"vhosts": [{"name": vhost}]}


def configuration(name: str, seed: int, kind: type[Configuration] = Configuration) -> Configuration:
    found = kind(name, Random(seed))
    kinds = {exchange: found.random.choice(["topic", "topic", "fanout", "direct"]) for exchange in "xy"}
    for vhost in found.vhosts:
        _exchanges(found, vhost, kinds)
        _rights(found, vhost)
    for vhost in found.vhosts:
        if found.maybe(0.7):
            _federation(found, vhost)
    for number in range(found.random.choice([0, 1, 2, 3, 4, 5])):
        _shovel(found, number)
    if found.maybe(0.5):
        _competition(found, kinds["x"])
    return found


def _exchanges(found: Configuration, vhost: str, kinds: dict[str, str]) -> None:
    """x and y with two queues each, at most; perhaps bound to each other, or one the other's alternate."""
    for name in "xy":
        other = "y" if name == "x" else "x"
        arguments = {"alternate-exchange": other} if found.maybe(0.1) else {}
        kind = kinds[name] if found.maybe(0.9) else "topic"
        found.add("exchanges", made.exchange(name, kind, arguments=arguments), vhost)
        for number in range(found.random.randint(0, 2)):
            if found.maybe(0.9):
                queue = f"{name}{number}"
                found.add("queues", made.queue(queue), vhost)
                for key in found.random.sample(BINDINGS, found.random.randint(1, 2)):
                    if kind != "direct" or not {"*", "#"} & set(key):
                        found.add("bindings", made.binding(name, queue, key), vhost)
        if found.maybe(0.2):
            found.add("bindings", made.binding(name, other, found.random.choice(KEYS), "exchange"), vhost)


def _rights(found: Configuration, vhost: str) -> None:
    """What the user may do: everything, nothing, or what some expressions say."""
    if found.maybe(0.2):
        return
    patterns = [".*", ".*", ".*", "^(x|federation:|amq)", "^$", "y"]
    said: dict[str, Any] = {verb: found.random.choice(patterns) for verb in VERBS}
    found.add("permissions", {"user": found.user, **said}, vhost)


def _federation(found: Configuration, vhost: str) -> None:
    """Upstreams in the other virtual hosts, a set of some, and policies of which some apply."""
    names = []
    for other in found.vhosts:
        if other != vhost and found.maybe(0.8):
            values: Json = {"uri": found.uris(other), "max-hops": found.random.choice([1, 1, 2, 3])}
            values["reconnect-delay"] = 1
            if found.maybe(0.2):
                values["exchange"] = found.random.choice("xy")
            names.append(f"from {other}")
            found.lists.setdefault("parameters", []).append(
                made.parameter("federation-upstream", names[-1], values, vhost)
            )
    if not names:
        return
    some = found.random.sample(names, found.random.randint(1, len(names)))
    found.lists["parameters"].append(made.upstream_set("some", *some) | {"vhost": vhost})
    priorities = found.random.sample(range(9), 3)
    for number in range(found.random.randint(1, 3)):
        pattern = found.random.choice(["^x$", "^[xy]$", "y", "(?i)^X", "."])
        pulls: Json = found.random.choice(
            [
                {"federation_upstream_set": "all"},
                {"federation_upstream_set": "some"},
                {"federation_upstream": names[0]},
                {},
            ]
        )
        definition = pulls or {"alternate_exchange": "y"}
        found.add("policies", made.policy(f"p{number}", pattern, priorities[number], **definition), vhost)


def _shovel(found: Configuration, number: int) -> None:
    """From a queue or an exchange to a queue or an exchange, often of a queue that others take from."""
    source, target = (found.random.choice([*found.vhosts, found.vhosts[0]]) for _ in range(2))
    values: Json = {"src-uri": found.uris(source), "dest-uri": found.uris(target), "src-prefetch-count": 1}
    values["reconnect-delay"] = 1
    if found.maybe(0.7):
        values["src-queue"] = found.random.choice(["x0", "x0", "x0", "y0"])
    else:
        values |= {"src-exchange": "x", "src-exchange-key": found.random.choice(BINDINGS)}
    to = found.random.choice(["queue", "exchange", "exchange", ""])
    if to == "queue":
        values["dest-queue"] = found.random.choice(["x1", "y1", "new"])
    elif to:
        values["dest-exchange"] = found.random.choice(["x", "y", "y", "gone"])
    if to != "queue" and found.maybe(0.5):
        values["dest-exchange-key"] = found.random.choice(KEYS)
    name = f"s{number}"
    owner = found.random.choice(found.vhosts)
    found.lists.setdefault("parameters", []).append(made.parameter("shovel", name, values, owner))


def _competition(found: Configuration, kind: str) -> None:
    """Two or three shovels from one queue, to queues of their own or to the same."""
    here = found.vhosts[0]
    found.add("queues", made.queue("work"), here)
    key = "k" if kind == "direct" else found.random.choice(["#", "k", "*"])
    found.add("bindings", made.binding("x", "work", key), here)
    for number in range(found.random.choice([2, 2, 3])):
        ends = {"src-uri": found.uri(here), "dest-uri": found.uri(found.random.choice(found.vhosts))}
        to = found.random.choice(["done0", "done1", "done1"])
        values = {**ends, "src-queue": "work", "dest-queue": to, "src-prefetch-count": 1}
        found.lists.setdefault("parameters", []).append(made.parameter("shovel", f"w{number}", values, here))


def links_of(definitions: Json) -> Iterator[Json]:
    """What can be cleared: shovels, and upstreams."""
    for each in definitions.get("parameters", []):
        if each["component"] in ("shovel", "federation-upstream"):
            yield each


def without(definitions: Json, parameter: Json) -> Json:
    kept = [each for each in definitions["parameters"] if each is not parameter]
    return definitions | {"parameters": kept}
