"""How many copies of a message every queue or broker gets, by the prediction from configuration files."""

from __future__ import annotations

from angarium.mesh.delivery.forward import Forwarding
from angarium.mesh.mesh import NOTHING, Failures, Mesh
from angarium.mesh.topics.dialects import matcher, topic_of

Copies = dict[str, int | None]
"""None: without end."""


def in_queues(mesh: Mesh, origin: str, key: str, exchange: str) -> Copies:
    """Of a message that is published to an exchange: how many copies each queue gets, if any."""
    dialect = next(broker.dialect for broker in mesh.brokers if broker.name == origin)
    topic = topic_of(key, dialect, exchange)
    spread = Forwarding(mesh).spread(origin, topic)
    transforms = {arrival.renamed for arrival in spread.arrivals}
    counts: Copies = {}
    for queue in mesh.subscribers:
        wants = matcher(queue.topics)
        fitting = {each for each in transforms if (named := each(topic)) is not None and wants(named)}
        counts[queue.name] = spread.copies_at(queue.broker, fitting)
    return {name: count for name, count in counts.items() if count != 0}


def at_brokers(mesh: Mesh, origin: str, topic: str, failures: Failures = NOTHING) -> dict[str, Copies]:
    """Of a message that is published at an MQTT broker: the copies at each broker, by their names."""
    spread = Forwarding(mesh).spread(origin, topic_of(topic, "mqtt"), failures)
    found: dict[str, Copies] = {broker.name: {} for broker in mesh.brokers}
    for arrival in spread.arrivals:
        found[arrival.broker][arrival.topic] = arrival.copies
    return found
