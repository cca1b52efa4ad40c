"""A RabbitMQ cluster as its definitions describe it: what it has, and what is set.

What keeps equal routing keys apart is the exchange, with its virtual host: the `scope` of a pattern. In
the virtual host `/` it is the exchange's name, elsewhere `VHOST EXCHANGE`. The default exchange of `/` is
the empty scope; every queue is bound to it by its own name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from angarium.core.errors import MeshError, Place, did_you_mean
from angarium.mesh.importers import common
from angarium.mesh.importers.rabbitmq_definitions import Declared, Definitions, Entry, shown
from angarium.mesh.importers.rabbitmq_effects import DROPS_ONLY
from angarium.mesh.mesh import CARRIES, COPIES, Pattern, Remark

Key = tuple[str, str]
"""A virtual host, and a name in it."""

PREDECLARED = {
    "amq.direct": "direct",
    "amq.fanout": "fanout",
    "amq.headers": "headers",
    "amq.match": "headers",
    "amq.topic": "topic",
}
"""Every virtual host has these; exports leave them out."""

ALTERNATE = "alternate-exchange"
OPERATOR = "operator_policy"
HARMLESS = frozenset(
    """rabbit_version rabbitmq_version product_name product_version rabbitmq_definition_format explanation
    original_cluster_name original_vhost_name description metadata
    default_queue_type""".split()
)
"""Keys that say nothing about where messages go."""


@dataclass(frozen=True, slots=True)
class Exchange:
    vhost: str
    name: str
    type: str
    internal: bool = False
    alternate: str = ""
    """The exchange that gets what nobody wants."""
    place: Place | None = None

    @property
    def scope(self) -> str:
        return scope_of(self.vhost, self.name)

    def takes(self, key: str, place: Place | None = None) -> Pattern:
        """What a binding with this key lets through."""
        text = key if self.type in {"topic", "direct"} else "#"
        return Pattern(text, "amqp", self.scope, place)


@dataclass(frozen=True, slots=True)
class Binding:
    vhost: str
    source: str
    destination: str
    to_queue: bool
    key: str
    place: Place


@dataclass(frozen=True, slots=True)
class Policy:
    name: str
    vhost: str
    pattern: str
    apply_to: str
    priority: float
    definition: dict[str, Any]
    place: Place


@dataclass(slots=True)
class Cluster:
    """One file. Names are unique within their kind and virtual host."""

    name: str
    identity: str
    path: Path
    exchanges: dict[Key, Exchange] = field(default_factory=dict)
    queues: dict[Key, Entry] = field(default_factory=dict)
    bindings: list[Binding] = field(default_factory=list)
    upstreams: dict[Key, Entry] = field(default_factory=dict)
    sets: dict[Key, Entry] = field(default_factory=dict)
    shovels: dict[Key, Entry] = field(default_factory=dict)
    policies: list[Policy] = field(default_factory=list)
    operator_policies: list[Policy] = field(default_factory=list)
    """What an operator sets for queues, whatever policies say."""
    declared: list[Declared] = field(default_factory=list)
    """By its static shovels, here and elsewhere."""
    remarks: list[Remark] = field(default_factory=list)
    vhosts: frozenset[str] = frozenset()
    users: frozenset[str] = frozenset()
    permissions: dict[Key, Entry] = field(default_factory=dict)
    """By virtual host and user."""
    topic_permissions: list[Entry] = field(default_factory=list)
    settings: list[tuple[str, str]] = field(default_factory=list)
    """What its nodes are told in rabbitmq.conf."""
    bound: dict[Key, list[Pattern]] = field(default_factory=dict)
    """What the bindings of each queue let into it."""

    def exchange(self, vhost: str, name: str) -> Exchange | None:
        if name in PREDECLARED:
            return self.exchanges.get((vhost, name), Exchange(vhost, name, PREDECLARED[name]))
        return self.exchanges.get((vhost, name))

    def federated_candidates(self) -> list[Exchange]:
        """All exchanges that messages can want to come to: the declared ones, and bound ones of `amq.`."""
        bound = {(each.vhost, each.source) for each in self.bindings if each.source in PREDECLARED}
        more = [Exchange(vhost, name, PREDECLARED[name]) for vhost, name in sorted(bound)]
        return [
            *self.exchanges.values(),
            *(each for each in more if (each.vhost, each.name) not in self.exchanges),
        ]


def scope_of(vhost: str, exchange: str) -> str:
    """A blank in the name of an exchange must not make it another virtual host's."""
    return exchange if vhost == "/" and " " not in exchange else f"{vhost} {exchange}".rstrip()


def described(vhost: str, name: str) -> str:
    return name if vhost == "/" else f"{name} in virtual host {vhost}"


def cluster_of(definitions: Definitions, name: str) -> Cluster:
    cluster = Cluster(name, definitions.cluster_name, definitions.path)
    cluster.declared, cluster.remarks = definitions.declared, list(definitions.remarks)
    cluster.settings = definitions.settings
    cluster.remarks += [*_limited(definitions, "vhosts"), *_limited(definitions, "users")]
    for entry in definitions.entries("exchanges"):
        exchange = _exchange(entry)
        _once(cluster.exchanges, (exchange.vhost, exchange.name), exchange, "exchange", entry)
    for entry in definitions.entries("queues"):
        _once(cluster.queues, (entry.vhost, entry.text("name")), entry, "queue", entry)
    for entry in definitions.entries("parameters"):
        _parameter(cluster, entry)
    cluster.bindings = [_binding(entry) for entry in definitions.entries("bindings")]
    cluster.bound = _bound(cluster)
    cluster.policies = [_policy(entry) for entry in definitions.entries("policies")]
    cluster.vhosts = _names(definitions, "vhosts")
    cluster.users = _names(definitions, "users")
    for entry in definitions.entries("permissions"):
        cluster.permissions[entry.vhost, entry.text("user")] = entry
    cluster.topic_permissions = definitions.entries("topic_permissions")
    for key in definitions.others.keys() - HARMLESS:
        if definitions.others[key]:
            cluster.remarks.append(common.not_understood(f"{key} of {name}", definitions.places[key]))
    return cluster


def declare(cluster: Cluster, kind: str, vhost: str, said: Entry) -> None:
    """Add an exchange, a queue or a binding, if the cluster does not have it."""
    entry = Entry(said.values | {"vhost": vhost}, said.place)
    key = vhost, str(said.values.get("name", ""))
    if kind == "exchanges":
        cluster.exchanges.setdefault(key, _exchange(entry))
    elif kind == "queues":
        cluster.queues.setdefault(key, entry)
    else:
        cluster.bindings.append(_binding(entry))
        cluster.bound = _bound(cluster)


def _limited(definitions: Definitions, key: str) -> Iterator[Remark]:
    """Virtual hosts and users that may have only so many connections, channels or queues."""
    for entry in definitions.entries(key):
        limits = entry.values.get("limits") or {}
        said = limits.items() if isinstance(limits, dict) else ()
        for limit in sorted(name for name, most in said if not (isinstance(most, int) and most < 0)):
            what = f"{limit} of {key[:-1]} {entry.text('name')} may keep links and queues out"
            yield common.not_understood(what, entry.place, effects=DROPS_ONLY)
        if entry.values.get("tracing") is True:
            what = f"{entry.text('name')} is traced: what passes it is published to amq.rabbitmq.trace, too"
            yield common.not_understood(what, entry.place, effects=frozenset((CARRIES, COPIES)))


def _names(definitions: Definitions, key: str) -> frozenset[str]:
    return frozenset(entry.text("name") for entry in definitions.entries(key))


def _bound(cluster: Cluster) -> dict[Key, list[Pattern]]:
    bound: dict[Key, dict[Pattern, None]] = {}
    for binding in cluster.bindings:
        exchange = cluster.exchange(binding.vhost, binding.source)
        if binding.to_queue and exchange:
            pattern = exchange.takes(binding.key, binding.place)
            bound.setdefault((binding.vhost, binding.destination), {}).setdefault(pattern)
    return {queue: list(patterns) for queue, patterns in bound.items()}


def _once(table: dict[Key, Any], key: Key, value: object, kind: str, entry: Entry) -> None:
    if key in table:
        raise MeshError(
            "ANG122",
            f"{kind} {described(*key)} is given twice",
            possible="a name is given once in each virtual host",
            remedy="Remove one of them.",
            place=entry.place,
        )
    table[key] = value


def _exchange(entry: Entry) -> Exchange:
    internal, alternate = entry.values.get("internal") is True, entry.table("arguments").get(ALTERNATE, "")
    words = entry.vhost, entry.text("name"), entry.text("type", "direct")
    return Exchange(*words, internal, alternate if isinstance(alternate, str) else "", entry.place)


def _binding(entry: Entry) -> Binding:
    kinds = {"queue": True, "exchange": False}
    kind = entry.text("destination_type")
    if kind not in kinds:
        raise entry.wrong(f"destination_type is {shown(kind)}", did_you_mean(kind, kinds))
    ends = entry.text("source"), entry.text("destination")
    return Binding(entry.vhost, *ends, kinds[kind], entry.text("routing_key", ""), entry.place)


def _policy(entry: Entry, name: str = "") -> Policy:
    priority = entry.values.get("priority", 0)
    if isinstance(priority, bool) or not isinstance(priority, int | float):
        raise entry.wrong(f"priority is {shown(priority)}", "possible: a number")
    words = name or entry.text("name"), entry.vhost, entry.text("pattern"), entry.text("apply-to", "all")
    return Policy(*words, priority, entry.table("definition"), entry.place)


def _parameter(cluster: Cluster, entry: Entry) -> None:
    component, name = entry.text("component"), entry.text("name")
    tables: dict[str, dict[Key, Entry]] = {
        "federation-upstream": cluster.upstreams,
        "federation-upstream-set": cluster.sets,
        "shovel": cluster.shovels,
    }
    if component == OPERATOR:
        said = Entry(entry.table("value") | {"vhost": entry.vhost}, entry.place)
        cluster.operator_policies.append(_policy(said, name))
    elif component in tables:
        _once(tables[component], (entry.vhost, name), entry, component, entry)
    else:
        what = f"parameter {name} of component {component} of {cluster.name}"
        cluster.remarks.append(common.not_understood(what, entry.place))
