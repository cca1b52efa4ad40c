"""Federation: exchanges and queues of one cluster that pull from those of another.

The downstream is where the upstream is configured: messages go the other way. A federated exchange hands
on a message that has made fewer hops than `max-hops` and has not yet left the downstream; it knows
clusters by their names. Bindings go upstream under the same two rules, so they keep nothing away that the
message's own rules would let arrive, and a link is taken to accept every key. Two upstreams that lead to
the same exchange of the same cluster share one queue there: they are one link.

A federated queue publishes to its default exchange what it takes from the other queue, whenever it has the
more eager consumers. Nobody knows from a file where consumers are, so the other queue is taken to get all
of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from angarium.mesh.importers import common
from angarium.mesh.importers.rabbitmq_cluster import (
    ALTERNATE,
    Cluster,
    Exchange,
    Key,
    Policy,
    described,
    scope_of,
)
from angarium.mesh.importers.rabbitmq_definitions import Entry, shown
from angarium.mesh.importers.rabbitmq_effects import DROPS_ONLY, MORE
from angarium.mesh.importers.rabbitmq_neighbours import Neighbours
from angarium.mesh.importers.rabbitmq_policies import EXCHANGES, LIKE, ONE, QUEUES, SET, Policies, Upstream
from angarium.mesh.importers.rabbitmq_queues import places, shares, taken_from
from angarium.mesh.importers.rabbitmq_rights import Right, of_consumer, of_subscription, permitted
from angarium.mesh.mesh import Link, Pattern, Remark, Rename

UNDERSTOOD = frozenset(
    """uri exchange queue max-hops ack-mode expires message-ttl upstream prefetch-count
    reconnect-delay trust-user-id consumer-tag bind-nowait ha-policy resource-cleanup-mode
    channel-use-mode queue-type""".split()
)
ACK_MODES = ("on-confirm", "on-publish", "no-ack")


def federation_links(cluster: Cluster, policies: Policies, neighbours: Neighbours) -> Iterator[Link]:
    """The links that pull into the exchanges and queues of a cluster."""
    seen: dict[tuple[str, str, str], Upstream] = {}
    for exchange in cluster.federated_candidates():
        policy = policies.applying(EXCHANGES, exchange.vhost, exchange.name)
        if policy is None or exchange.internal:
            continue
        _look_at_alternate(cluster, exchange, policy, neighbours)
        for upstream in policies.upstreams(policy):
            link = _exchange_link(cluster, exchange, upstream, neighbours)
            if link is None:
                continue
            ends = (link.source, link.accepts[0].scope, exchange.scope)
            if ends in seen:
                neighbours.remark(_shared(cluster, exchange, seen[ends], upstream))
                continue
            seen[ends] = upstream
            yield link
    for queue, upstreams in _federated_queues(cluster, policies):
        for upstream in upstreams:
            yield from _queue_link(cluster, queue, upstream, neighbours)


def feed_federated_queues(cluster: Cluster, policies: Policies, neighbours: Neighbours) -> None:
    """Say which queues get messages by their names."""
    for queue, upstreams in _federated_queues(cluster, policies):
        if upstreams:
            neighbours.feed(cluster.name, *queue)
        for upstream in upstreams:
            source, vhost = neighbours.at(cluster, upstream.values.get("uri"), upstream.place, queue[0])
            there = vhost, _word(upstream, "queue", queue[1])
            if not _permitted(cluster, upstream, (source, vhost), of_consumer(there[1]), neighbours):
                continue
            who = f"upstream {upstream.name} of {cluster.name}"
            taken_from(neighbours, source, there, who, upstream.place)


def _federated_queues(cluster: Cluster, policies: Policies) -> Iterator[tuple[Key, list[Upstream]]]:
    for (vhost, name), entry in cluster.queues.items():
        queue_type = str(entry.table("arguments").get("x-queue-type", "classic"))
        policy = policies.applying(QUEUES, vhost, name, queue_type)
        yield (vhost, name), policies.upstreams(policy) if policy else []


def _shared(cluster: Cluster, exchange: Exchange, first: Upstream, second: Upstream) -> Remark:
    both = f"upstreams {first.name} and {second.name} of {cluster.name}"
    what = f"{both} lead to the same exchange: they share one queue for {exchange.name}"
    return common.note(what, second.place, "Messages come over either of them, once: counted as one link.")


def _exchange_link(
    cluster: Cluster, exchange: Exchange, upstream: Upstream, neighbours: Neighbours
) -> Link | None:
    source, vhost = neighbours.at(cluster, upstream.values.get("uri"), upstream.place, exchange.vhost)
    there = _word(upstream, "exchange", exchange.name)
    own_queue = _own_queue(cluster, exchange, vhost, there)
    if not _permitted(cluster, upstream, (source, vhost), of_subscription(there, own_queue), neighbours):
        return None
    _look_for(source, vhost, there, exchange, upstream, neighbours)
    neighbours.internal.setdefault((source, vhost, own_queue))
    cable = _cable(cluster, upstream, source, neighbours)
    scope = scope_of(vhost, there)
    return Link(
        name=f"{cable} {described(exchange.vhost, exchange.name)}",
        source=neighbours.part(source, vhost),
        target=neighbours.part(cluster.name, exchange.vhost),
        cable=cable,
        accepts=(Pattern("#", "amqp", scope),),
        rename=Rename(scope=exchange.scope) if scope != exchange.scope else None,
        hop_limit=_number(upstream, "max-hops", 1),
        avoids_visited=True,
        kind="federation",
        buffering=_buffering(upstream),
        place=upstream.place,
    )


def _queue_link(cluster: Cluster, queue: Key, upstream: Upstream, neighbours: Neighbours) -> Iterator[Link]:
    source, vhost = neighbours.at(cluster, upstream.values.get("uri"), upstream.place, queue[0])
    there = _word(upstream, "queue", queue[1])
    if not _permitted(cluster, upstream, (source, vhost), of_consumer(there), neighbours):
        return
    cable = _cable(cluster, upstream, source, neighbours)
    what = f"queue {described(*queue)} of {cluster.name} is federated: which of the queues gets a message"
    neighbours.remark(
        common.not_understood(
            f"{what} depends on where consumers are", upstream.place, "Each is taken to get a copy."
        )
    )
    yield Link(
        name=f"{cable} queue {described(*queue)}",
        source=neighbours.part(source, vhost),
        target=neighbours.part(cluster.name, queue[0]),
        cable=cable,
        accepts=tuple(places(neighbours, source, (vhost, there)).values()),
        rename=Rename(whole=queue[1], scope=scope_of(queue[0], "")),
        avoids_visited=True,
        kind="federated queue",
        shares=shares(neighbours, source, (vhost, there)),
        buffering=_buffering(upstream),
        place=upstream.place,
    )


def _look_at_alternate(cluster: Cluster, exchange: Exchange, policy: Policy, neighbours: Neighbours) -> None:
    """Only what bindings want is pulled, and an alternate exchange is no binding."""
    if policy.definition.keys() & {ONE, SET, LIKE} and (exchange.alternate or ALTERNATE in policy.definition):
        what = f"exchange {described(exchange.vhost, exchange.name)} of {cluster.name} is federated"
        what = f"{what}, and has an alternate: what only that would get is not pulled"
        remedy = "It is taken to be pulled; bind a queue to the exchange itself."
        neighbours.remark(common.not_understood(what, exchange.place, remedy, DROPS_ONLY))


def look_at_internal(policies: Policies, neighbours: Neighbours) -> None:
    """What policies do to the queues and exchanges that federation has declared in a cluster for itself.

    They are called after both ends. The internal exchange keeps back what has made its hops: none of its
    bindings takes that, and so an alternate exchange gets it. (Measured with 3.10.8.)
    """
    for source, vhost, queue in neighbours.internal:
        if source != policies.cluster.name:
            continue
        policies.applying(QUEUES, vhost, queue)
        policy = policies.applying(EXCHANGES, vhost, f"{queue} A")
        if policy and ALTERNATE in policy.definition:
            what = f"policy {policy.name} of {source} fits exchanges that federation declares, too: their"
            what = f"{what} alternate gets what they keep back"
            remedy = "Let the pattern begin with ^ and the name of an exchange."
            neighbours.remark(common.not_understood(what, policy.place, remedy, MORE))


def _own_queue(cluster: Cluster, exchange: Exchange, vhost: str, there: str) -> str:
    """What the queue at the upstream is called."""
    host = "" if exchange.vhost == vhost else f":{exchange.vhost}"
    name = "" if exchange.name == there and not host else f":{exchange.name}"
    return f"federation: {there} -> {cluster.identity or cluster.name}{host}{name}"


def _permitted(
    cluster: Cluster,
    upstream: Upstream,
    end: tuple[str, str],
    rights: tuple[Right, ...],
    neighbours: Neighbours,
) -> bool:
    who, uris = f"upstream {upstream.name} of {cluster.name}", upstream.values.get("uri")
    return permitted(neighbours, end, uris, rights, who, upstream.place)


def _look_for(
    source: str, vhost: str, name: str, exchange: Exchange, upstream: Upstream, neighbours: Neighbours
) -> None:
    """The link declares an exchange that is not there: it comes up, and nothing ever comes over it."""
    there = neighbours.clusters.get(source)
    other = there.exchange(vhost, name) if there else None
    if other and other.type not in ("fanout", exchange.type):
        what = f"upstream {upstream.name} pulls from {other.type} exchange {described(vhost, name)} into"
        what = f"{what} {exchange.type} exchange {described(exchange.vhost, exchange.name)}"
        remedy = "Keys of bindings go there, which mean something else there: make the types equal."
        neighbours.remark(common.not_understood(what, upstream.place, remedy, DROPS_ONLY))
    if there and other is None:
        what = (
            f"upstream {upstream.name} pulls from exchange {described(vhost, name)}, which is not in {source}"
        )
        remedy = "RabbitMQ declares it there, but nothing is published to it: name another with `exchange`."
        neighbours.remark(common.dangling(what, upstream.place, remedy))


def _cable(cluster: Cluster, upstream: Upstream, source: str, neighbours: Neighbours) -> str:
    for key in sorted(upstream.values.keys() - UNDERSTOOD):
        what = f"{key} of upstream {upstream.name} of {cluster.name}"
        neighbours.remark(common.not_understood(what, upstream.place))
    more = "" if upstream.name == source else f" ({upstream.name})"
    return f"{source}->{cluster.name}{more}"


def _buffering(upstream: Upstream) -> str:
    """A queue at the upstream keeps messages while a link is down, unless it or they have a time to live."""
    mode = _word(upstream, "ack-mode", ACK_MODES[0])
    if mode not in ACK_MODES:
        raise _wrong(upstream, "ack-mode", f"possible: {', '.join(ACK_MODES)}")
    return buffering(mode, upstream.values.get("expires"), upstream.values.get("message-ttl"))


def buffering(ack_mode: str, *milliseconds: object) -> str:
    """Without confirmation, what is under way when a link fails is lost, though more is kept behind it."""
    times = [each for each in milliseconds if isinstance(each, int) and not isinstance(each, bool)]
    if ack_mode != ACK_MODES[0]:
        return "lost"
    return f"{min(times) / 1000:g} s" if times else "kept"


def _word(upstream: Upstream, key: str, default: str) -> str:
    value = upstream.values.get(key, default)
    if not isinstance(value, str):
        raise _wrong(upstream, key, "possible: a text")
    return value


def _number(upstream: Upstream, key: str, default: int) -> int:
    value: Any = upstream.values.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise _wrong(upstream, key, "possible: 1, 2, …")
    return value


def _wrong(upstream: Upstream, key: str, possible: str) -> Exception:
    what = f"{key} of upstream {upstream.name} is {shown(upstream.values[key])}"
    return Entry({}, upstream.place).wrong(what, possible)
