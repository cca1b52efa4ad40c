"""Queues that something takes from: shovels, and queues that are federated with them.

Whoever consumes from a queue competes for its messages with all others who do: each message goes to one of
them. Only the consumers of a stream each get everything.

A queue that nothing of ours takes from is just a subscriber. One that something takes from is also a place
within its broker, to which all that is bound to it leads: there, however many bindings a message came by, it
is one. Who republishes messages under their old exchange wants to know it: then the queue is a place for
each exchange.
"""

from __future__ import annotations

from collections.abc import Iterator

from angarium.core.errors import Place
from angarium.mesh.importers import common
from angarium.mesh.importers.rabbitmq_cluster import ALTERNATE, Cluster, Key, described, scope_of
from angarium.mesh.importers.rabbitmq_definitions import Entry
from angarium.mesh.importers.rabbitmq_effects import DROPS_ONLY
from angarium.mesh.importers.rabbitmq_neighbours import Neighbours
from angarium.mesh.mesh import Link, Pattern, Rename

STREAM = "stream"
INTO = "queue"
"""The kind of the links that lead to a queue within its broker."""


def taken_from(
    neighbours: Neighbours, broker: str, queue: Key, who: str, place: Place, *, keeps: bool = False
) -> None:
    """Say that something takes from a queue; and whether it publishes under the old exchange."""
    declared(neighbours, broker, queue, who, place)
    neighbours.taken.setdefault((broker, queue), False)
    neighbours.taken[broker, queue] |= keeps


def given_to(neighbours: Neighbours, broker: str, queue: Key, who: str, place: Place) -> None:
    """Say that something publishes to a queue by its name."""
    declared(neighbours, broker, queue, who, place)
    neighbours.feed(broker, *queue)


def declared(neighbours: Neighbours, broker: str, queue: Key, who: str, place: Place) -> None:
    """Say that something declares a queue, which others may have waited for."""
    there = neighbours.clusters.get(broker)
    if there and queue not in there.queues:
        what = f"{who} names queue {described(*queue)}, which {broker} does not have"
        neighbours.remark(common.note(what, place, "RabbitMQ declares it; nothing is bound to it."))
        there.queues[queue] = Entry({"name": queue[1], "vhost": queue[0], "arguments": {}}, place)


def queue_type(entry: Entry | None) -> str:
    return str(entry.table("arguments").get("x-queue-type", "classic")) if entry else "classic"


def shares(neighbours: Neighbours, broker: str, queue: Key) -> str:
    """What consumers of a queue share."""
    there = neighbours.clusters.get(broker)
    entry = there.queues.get(queue) if there else None
    return "" if queue_type(entry) == STREAM else f"queue {described(*queue)}"


def places(neighbours: Neighbours, broker: str, queue: Key) -> dict[str, Pattern]:
    """What a consumer of a queue takes, by the exchange that it came by; by "" if that is all the same."""
    if broker not in neighbours.clusters:
        return {scope_of(queue[0], ""): _by_name(queue)}
    if not neighbours.taken.get((broker, queue)):
        return {"": Pattern("#", "amqp", _scope(queue))}
    into = _into(neighbours, broker, queue)
    return {scope: Pattern("#", "amqp", _scope(queue, scope)) for scope in into}


def _by_name(queue: Key) -> Pattern:
    return Pattern(queue[1], "amqp", scope_of(queue[0], ""))


def _scope(queue: Key, exchange: str | None = None) -> str:
    came = "" if exchange is None else f" from {exchange or 'its name'}"
    return f"(queue {described(*queue)}{came})"


def _into(neighbours: Neighbours, broker: str, queue: Key) -> dict[str, list[Pattern]]:
    """By exchange, what it lets into a queue; what is published to the name of the queue included."""
    bound = neighbours.clusters[broker].bound.get(queue, [])
    found: dict[str, list[Pattern]] = {}
    for pattern in bound:
        found.setdefault(pattern.scope, []).append(pattern)
    if not bound or (broker, queue) in neighbours.fed:
        found.setdefault(scope_of(queue[0], ""), []).append(_by_name(queue))
    return found


def links_into(cluster: Cluster, neighbours: Neighbours) -> Iterator[Link]:
    """What leads to the queues of a cluster that something takes from."""
    for (broker, queue), keeps in neighbours.taken.items():
        if broker != cluster.name:
            continue
        here = neighbours.part(cluster.name, queue[0])
        _assumed(cluster, queue, neighbours)
        _short_lived(cluster, queue, neighbours)
        into = _into(neighbours, broker, queue)
        if keeps:
            look_for_older_exchanges(cluster, f"queue {described(*queue)}", set(into), neighbours)
        for scope, patterns in into.items():
            yield Link(
                name=f"{cluster.name}: {scope or 'its name'}->{_scope(queue)}",
                source=here,
                target=here,
                accepts=tuple(patterns),
                rename=Rename(scope=_scope(queue, scope if keeps else None)),
                counts=False,
                kind=INTO,
                place=cluster.queues[queue].place,
            )


def _assumed(cluster: Cluster, queue: Key, neighbours: Neighbours) -> None:
    what = f"nobody but what is configured consumes from queue {described(*queue)} of {cluster.name}"
    remedy = "An application that consumes from it, too, takes a part of the messages."
    neighbours.remark(common.assumed(what, cluster.queues[queue].place, remedy))


def _short_lived(cluster: Cluster, queue: Key, neighbours: Neighbours) -> None:
    """A queue that goes with its last consumer, its messages and its bindings with it."""
    entry = cluster.queues[queue]
    if entry.values.get("auto_delete") is True:
        what = f"queue {described(*queue)} of {cluster.name} is deleted when what takes from it is cut off"
        neighbours.remark(common.not_understood(what, entry.place, "", DROPS_ONLY))


def look_for_older_exchanges(cluster: Cluster, what: str, sources: set[str], neighbours: Neighbours) -> None:
    """The exchange that a message names is the first that took it, not the last."""
    for scope, place in _handed_on(cluster):
        if scope in sources:
            what = f"messages come to {what} of {cluster.name} over several exchanges"
            remedy = "They are taken to be republished to the last of these; give the shovel a dest-exchange."
            neighbours.remark(common.not_understood(what, place, remedy))
            return


def _handed_on(cluster: Cluster) -> Iterator[tuple[str, Place | None]]:
    """The scopes of exchanges to which others of the cluster hand messages on."""
    for binding in cluster.bindings:
        if not binding.to_queue:
            yield scope_of(binding.vhost, binding.destination), binding.place
    for exchange in cluster.exchanges.values():
        if exchange.alternate:
            yield scope_of(exchange.vhost, exchange.alternate), exchange.place
    for policy in cluster.policies:
        target = policy.definition.get(ALTERNATE)
        if isinstance(target, str):
            yield scope_of(policy.vhost, target), policy.place
