"""Alternate exchanges: where an exchange hands what none of its bindings takes.

An argument of the exchange names it, or else the policy that applies. A shovel from an exchange binds to it,
and so does federation, for whoever wants something downstream: what they take is not handed on. What
federation takes depends on bindings elsewhere, and a shovel that may not publish is bound now and then, until
its first message: so that is not followed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from angarium.core.errors import Place
from angarium.mesh.importers import common
from angarium.mesh.importers.rabbitmq_cluster import ALTERNATE, Exchange, Key, described, scope_of
from angarium.mesh.importers.rabbitmq_effects import MORE
from angarium.mesh.importers.rabbitmq_neighbours import Neighbours
from angarium.mesh.importers.rabbitmq_policies import EXCHANGES, Policies
from angarium.mesh.mesh import Link, Pattern, Rename

TYPES = frozenset(("topic", "fanout", "direct"))
"""Exchanges of which it can be said what their bindings take."""


def alternate_links(policies: Policies, links: Iterable[Link], neighbours: Neighbours) -> Iterator[Link]:
    """From exchanges to their alternates, if it is known what the others take; `links` are all others."""
    cluster = policies.cluster
    takers = _takers(cluster.name, links, neighbours)
    for exchange in cluster.federated_candidates():
        target, place = _alternate(exchange, policies)
        if not target:
            continue
        own, other = (described(exchange.vhost, name) for name in (exchange.name, target))
        who = f"alternate-exchange {other} of {own}"
        if cluster.exchange(exchange.vhost, target) is None:
            what = f"{who} is not in {cluster.name}"
            neighbours.remark(
                common.dangling(what, place, "Declare it: until then what is not bound is lost.")
            )
            continue
        key = exchange.vhost, exchange.name
        by, patterns = takers.get(key, ("", []))
        by = by or neighbours.losing.get((cluster.name, key), "")
        if by or exchange.type not in TYPES:
            what = (
                f"{who} of {cluster.name}: what is left for it depends on {by or 'the type ' + exchange.type}"
            )
            neighbours.remark(common.not_understood(what, place, "It is taken to get nothing.", MORE))
            continue
        yield _link(policies, exchange, target, [*_bound(policies, exchange), *patterns], neighbours, place)


def _alternate(exchange: Exchange, policies: Policies) -> tuple[str, Place | None]:
    if exchange.alternate:
        return exchange.alternate, exchange.place
    policy = policies.applying(EXCHANGES, exchange.vhost, exchange.name)
    target = policy.definition.get(ALTERNATE) if policy else None
    return (target, policy.place) if policy and isinstance(target, str) else ("", None)


def _takers(
    broker: str, links: Iterable[Link], neighbours: Neighbours
) -> dict[Key, tuple[str, list[Pattern]]]:
    """Of each exchange, what else is bound to it: who takes what we do not know, and what shovels take."""
    scopes = {
        each.scope: (each.vhost, each.name) for each in neighbours.clusters[broker].federated_candidates()
    }
    found: dict[Key, tuple[str, list[Pattern]]] = {}
    for link in links:
        own = link.source == broker or link.source.startswith(f"{broker}/")
        for pattern in link.accepts if own and link.kind in ("federation", "shovel") else ():
            if pattern.scope in scopes:
                by, patterns = found.get(scopes[pattern.scope], ("", []))
                by = link.name if link.kind == "federation" else by
                found[scopes[pattern.scope]] = by, [*patterns, pattern]
    return found


def _bound(policies: Policies, exchange: Exchange) -> Iterator[Pattern]:
    for binding in policies.cluster.bindings:
        if (binding.vhost, binding.source) == (exchange.vhost, exchange.name):
            yield exchange.takes(binding.key, binding.place)


def _link(
    policies: Policies,
    exchange: Exchange,
    target: str,
    taken: Iterable[Pattern],
    neighbours: Neighbours,
    place: Place | None,
) -> Link:
    cluster, here = policies.cluster, neighbours.part(policies.cluster.name, exchange.vhost)
    return Link(
        name=f"{cluster.name}: {described(exchange.vhost, exchange.name)}->{target} (alternate)",
        source=here,
        target=here,
        accepts=(Pattern("#", "amqp", exchange.scope, place),),
        refuses=tuple(dict.fromkeys(taken)),
        rename=Rename(scope=scope_of(exchange.vhost, target)),
        counts=False,
        kind="alternate",
        place=place,
    )
