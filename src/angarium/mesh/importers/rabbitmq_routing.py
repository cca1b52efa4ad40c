"""What happens within a cluster: bindings lead from exchanges to queues and to other exchanges.

A queue is a subscriber: it wants what its bindings let through. All bindings from one exchange to another
are one link of the broker to itself, which is no hop. RabbitMQ takes every exchange once for a message and
puts it into a queue once, even if several ways within the broker lead there; so does whoever follows such
links.
"""

from __future__ import annotations

from collections.abc import Iterator

from angarium.mesh.importers import common
from angarium.mesh.importers.rabbitmq_alternates import TYPES
from angarium.mesh.importers.rabbitmq_cluster import Binding, Cluster, Exchange, Key, described, scope_of
from angarium.mesh.importers.rabbitmq_effects import of_setting, of_type, wildcards_of_direct
from angarium.mesh.importers.rabbitmq_neighbours import Neighbours
from angarium.mesh.importers.rabbitmq_policies import Policies
from angarium.mesh.importers.rabbitmq_queues import links_into
from angarium.mesh.mesh import Link, Pattern, Remark, Rename, Subscriber

SHOWN = 5
"""How many names a remark about many things gives."""


def subscribers(cluster: Cluster, neighbours: Neighbours) -> Iterator[Subscriber]:
    """The queues that something comes into."""
    idle = []
    for (vhost, name), entry in cluster.queues.items():
        topics = list(cluster.bound.get((vhost, name), ()))
        if (cluster.name, (vhost, name)) in neighbours.fed:
            topics.append(Pattern(name, "amqp", scope_of(vhost, ""), entry.place))
        if topics:
            called = name if vhost == "/" else f"{vhost}/{name}"
            broker = neighbours.part(cluster.name, vhost)
            yield Subscriber(f"{called}@{cluster.name}", broker, tuple(topics), place=entry.place)
        else:
            idle.append((vhost, name))
    if idle:
        what = f"bound to no exchange of {cluster.name}, so only reached by name: {_some('queue', idle)}"
        neighbours.remark(common.note(what, cluster.queues[idle[0]].place))


def links_within(cluster: Cluster, neighbours: Neighbours) -> Iterator[Link]:
    """Bindings from exchanges to exchanges, and to queues that something takes from."""
    yield from links_into(cluster, neighbours)
    for (vhost, source, target), bindings in _between_exchanges(cluster).items():
        exchange = cluster.exchange(vhost, source)
        if exchange is None:
            continue
        yield Link(
            name=f"{cluster.name}: {described(vhost, source)}->{target}",
            source=neighbours.part(cluster.name, vhost),
            target=neighbours.part(cluster.name, vhost),
            accepts=tuple(dict.fromkeys(exchange.takes(each.key, each.place) for each in bindings)),
            rename=Rename(scope=scope_of(vhost, target)),
            counts=False,
            kind="binding",
            place=bindings[0].place,
        )


def _between_exchanges(cluster: Cluster) -> dict[tuple[str, str, str], list[Binding]]:
    between: dict[tuple[str, str, str], list[Binding]] = {}
    for binding in cluster.bindings:
        if not binding.to_queue:
            between.setdefault((binding.vhost, binding.source, binding.destination), []).append(binding)
    return between


def remarks(policies: Policies) -> Iterator[Remark]:
    yield from _dangling_bindings(policies.cluster)
    yield from _unusual_exchanges(policies.cluster)
    yield from _arguments(policies)


def _dangling_bindings(cluster: Cluster) -> Iterator[Remark]:
    for each in cluster.bindings:
        target: object = cluster.exchange(each.vhost, each.destination)
        if each.to_queue:
            target = cluster.queues.get((each.vhost, each.destination))
        kind = "queue" if each.to_queue else "exchange"
        ends = (
            (cluster.exchange(each.vhost, each.source), "exchange", each.source),
            (target, kind, each.destination),
        )
        for end, what, name in ends:
            if end is None and name:
                where = described(each.vhost, name)
                message = f"a binding of {cluster.name} names {what} {where}, which is not there"
                yield common.dangling(message, each.place, "Declare it, or remove the binding.")


def _unusual_exchanges(cluster: Cluster) -> Iterator[Remark]:
    for exchange in _sources(cluster):
        if exchange.type not in TYPES:
            called = described(exchange.vhost, exchange.name)
            assumed = "each of its bindings is taken to let everything through"
            what = f"exchange {called} of {cluster.name} is of type {exchange.type}: {assumed}"
            remedy = "Less may arrive than is said here."
            yield common.not_understood(what, exchange.place, remedy, of_type(exchange.type))
    for each in cluster.bindings:
        source = cluster.exchange(each.vhost, each.source)
        remark = wildcards_of_direct(each.key, source.type, each.place) if source else None
        if remark:
            yield remark


def _sources(cluster: Cluster) -> list[Exchange]:
    names = dict.fromkeys((each.vhost, each.source) for each in cluster.bindings)
    found = (cluster.exchange(*name) for name in names)
    return [exchange for exchange in found if exchange]


def _arguments(policies: Policies) -> Iterator[Remark]:
    """Arguments of queues that can change what is delivered, each listed once."""
    cluster, found = policies.cluster, dict[str, list[Key]]()
    for key, entry in cluster.queues.items():
        for argument in entry.table("arguments"):
            if of_setting(argument.removeprefix("x-")):
                found.setdefault(argument, []).append(key)
    for argument, keys in found.items():
        what, setting = f"{argument} of {_some('queue', keys)} of {cluster.name}", argument.removeprefix("x-")
        yield policies.told(setting, what, cluster.queues[keys[0]].place, of_setting(setting), keys)


def _some(kind: str, keys: list[Key]) -> str:
    names = ", ".join(described(*key) for key in keys[:SHOWN])
    more = f" and {len(keys) - SHOWN} more" if len(keys) > SHOWN else ""
    return f"{kind}{'s' if len(keys) > 1 else ''} {names}{more}"
