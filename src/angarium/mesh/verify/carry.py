"""What links would carry if no hop limit and no rule against loops kept anything back."""

from __future__ import annotations

from angarium.mesh.mesh import FORWARD, Mesh
from angarium.mesh.outcome import Arrival, Spread
from angarium.mesh.topics.classes import Universe
from angarium.mesh.verify.carriers import Forwarders
from angarium.mesh.verify.demands import Carried, relaxed


def carried(mesh: Mesh, topics: Universe) -> Carried:
    """By publishing broker and kin of topics; routers carry everything everywhere."""
    origins = {
        (publisher.broker, topics.classes[number].alike)
        for publisher in mesh.publishers
        for number in topics.published(publisher.name)
    }
    if mesh.routing.kind != FORWARD:
        everywhere = tuple(Arrival(broker.name, "", 1, (), 0.0) for broker in mesh.brokers)
        return {(origin, kin): Spread(origin, "", everywhere) for origin, kin in origins}
    forwarders = Forwarders(relaxed(mesh), topics)
    return {(origin, kin): forwarders.spread((origin, kin, "")) for origin, kin in sorted(origins)}
