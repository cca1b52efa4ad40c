"""Who publishes and subscribes where no file says so.

The configuration of a broker seldom names its clients. Then every broker gets a probe that publishes
everything, or one that wants everything, for each scope that the broker has. What a probe should get is not
known either: it is what some chain of links would carry, if no hop limit and no rule against loops kept it
back. So a probe shows what those rules cost, what arrives twice, and what a failure takes away.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from angarium.mesh.mesh import Broker, Link, Mesh, Pattern, Publisher, Subscriber

EVERYTHING = {"plain": "*", "mqtt": "#", "amqp": "#", "nats": ">", "mirrormaker": ".*"}
"""The pattern of all topics, in each dialect."""


def with_probes(mesh: Mesh) -> Mesh:
    """The mesh with probes for the clients that nobody names."""
    if not is_probed(mesh):
        return mesh
    scopes = all_scopes(mesh)
    probes = [probe for broker in mesh.brokers for probe in _probes(broker, scopes.get(broker.name, [""]))]
    publishers = mesh.publishers or tuple(Publisher(*probe) for probe in probes)
    subscribers = mesh.subscribers or tuple(Subscriber(*probe) for probe in probes)
    return replace(mesh, publishers=publishers, subscribers=subscribers)


def is_probed(mesh: Mesh) -> bool:
    """Whether some clients are nobody's but ours."""
    return not (mesh.publishers and mesh.subscribers)


def _probes(broker: Broker, scopes: list[str]) -> Iterator[tuple[str, str, tuple[Pattern, ...]]]:
    """A client for each scope of a broker, with a name, a place and all topics."""
    for scope in scopes:
        name = f"{broker.name} ({scope})" if scope and len(scopes) > 1 else broker.name
        yield name, broker.name, (Pattern(EVERYTHING[broker.dialect], broker.dialect, scope),)


def all_scopes(mesh: Mesh) -> dict[str, list[str]]:
    """By broker the scopes of all that is said of it, in order; not what only leads on within it."""
    within = {link.rename.scope for link in mesh.links if link.kind == "queue" and link.rename}
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for broker, scope in _said(mesh):
        if scope not in within:
            found[broker][scope] = None
    return {broker: list(scopes) for broker, scopes in found.items()}


def _said(mesh: Mesh) -> Iterator[tuple[str, str]]:
    """Of brokers the scopes of their clients, of what leaves them, and of what comes."""
    clients: tuple[Publisher | Subscriber, ...] = (*mesh.publishers, *mesh.subscribers)
    yield from ((client.broker, pattern.scope) for client in clients for pattern in client.topics)
    yield from ((link.source, pattern.scope) for link in mesh.links for pattern in link.accepts)
    for link in mesh.links:
        yield from ((link.target, scope) for scope in _behind(link))


def _behind(link: Link) -> Iterable[str]:
    """The scopes of what comes over a link."""
    renamed = link.rename.scope if link.rename else None
    return (pattern.scope for pattern in link.accepts) if renamed is None else (renamed,)
