"""What links would carry if no hop limit and no rule against loops kept anything back."""

from __future__ import annotations

from angarium.mesh.delivery.outcome import Arrival, Spread
from angarium.mesh.mesh import FORWARD, Mesh
from angarium.mesh.topics.classes import Universe
from angarium.mesh.verify.carriers import Forwarders
from angarium.mesh.verify.demands import Carried, relaxed


def published(mesh: Mesh, topics: Universe) -> set[tuple[str, int]]:
    """What is published, by broker and kin of topics."""
    return {
        (publisher.broker, topics.classes[number].alike)
        for publisher in mesh.publishers
        for number in topics.published(publisher.name)
    }


def _homes(mesh: Mesh, broker: str) -> dict[str, None]:
    """A broker, and all that may take over its clients, one after the other."""
    substitutes = {each.name: each.substitute for each in mesh.brokers if each.substitute}
    found = {broker: None}
    while (broker := substitutes.get(broker, "")) and broker not in found:
        found[broker] = None
    return found


def carried(mesh: Mesh, topics: Universe) -> Carried:
    """By publishing broker, or one that may take its place, and kin of topics; routers carry everything."""
    origins = {(home, kin) for origin, kin in published(mesh, topics) for home in _homes(mesh, origin)}
    if mesh.routing.kind != FORWARD:
        everywhere = tuple(Arrival(broker.name, "", 1, (), 0.0) for broker in mesh.brokers)
        return {(origin, kin): Spread(origin, "", everywhere) for origin, kin in origins}
    forwarders = Forwarders(relaxed(mesh), topics)
    return {(origin, kin): forwarders.spread((origin, kin, "")) for origin, kin in sorted(origins)}
