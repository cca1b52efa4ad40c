"""Who publishes and subscribes where no file says so.

The configuration of a broker seldom names its clients. Then every broker gets a probe that publishes
everything, or one that wants everything, for each scope that the broker has. What a probe should get is not
known either: it is what some chain of links would carry, if no hop limit and no rule against loops kept it
back. So a probe shows what those rules cost, what arrives twice, and what a failure takes away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from angarium.mesh.mesh import Broker, Mesh, Pattern, Publisher, Subscriber

EVERYTHING = {"plain": "*", "mqtt": "#", "amqp": "#", "nats": ">", "mirrormaker": ".*"}
"""The pattern of all topics, in each dialect."""


def with_probes(mesh: Mesh) -> Mesh:
    """The mesh with probes for the clients that nobody names."""
    if not is_probed(mesh):
        return mesh
    probes = [probe for broker in mesh.brokers for probe in _probes(mesh, broker)]
    publishers = mesh.publishers or tuple(Publisher(*probe) for probe in probes)
    subscribers = mesh.subscribers or tuple(Subscriber(*probe) for probe in probes)
    return replace(mesh, publishers=publishers, subscribers=subscribers)


def is_probed(mesh: Mesh) -> bool:
    """Whether some clients are nobody's but ours."""
    return not (mesh.publishers and mesh.subscribers)


def _probes(mesh: Mesh, broker: Broker) -> Iterator[tuple[str, str, tuple[Pattern, ...]]]:
    """A client for each scope of a broker, with a name, a place and all topics."""
    scopes = scopes_of(mesh, broker.name) or [""]
    for scope in scopes:
        name = f"{broker.name} ({scope})" if scope and len(scopes) > 1 else broker.name
        yield name, broker.name, (Pattern(EVERYTHING[broker.dialect], broker.dialect, scope),)


def scopes_of(mesh: Mesh, broker: str) -> list[str]:
    """The scopes of all that is said of a broker, in order; not what only leads on within it."""
    clients: list[Publisher | Subscriber] = [*mesh.publishers, *mesh.subscribers]
    said: list[Iterable[Pattern]] = [client.topics for client in clients if client.broker == broker]
    said += [link.accepts for link in mesh.links if link.source == broker]
    scopes = [pattern.scope for patterns in said for pattern in patterns]
    for link in mesh.links:
        if link.target == broker:
            scopes += _behind(link.rename.scope if link.rename else None, link.accepts)
    within = {link.rename.scope for link in mesh.links if link.kind == "queue" and link.rename}
    return list(dict.fromkeys(scope for scope in scopes if scope not in within))


def _behind(renamed: str | None, accepts: Iterable[Pattern]) -> list[str]:
    """The scopes of what comes over a link."""
    return [renamed] if renamed is not None else [pattern.scope for pattern in accepts]
