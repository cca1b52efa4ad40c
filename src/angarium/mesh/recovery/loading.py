"""Whether brokers can load the tables that are calculated for them.

Nobody's own broker can. RabbitMQ, Mosquitto, NATS, Kafka and Artemis hand messages on by subscriptions and
bridges; none of them has a setting that names the next broker for a destination. Routers of Dispatch do
forward by such tables, but calculate them themselves from what their neighbours tell. What loads tables is
the daemon of `angarium mesh node`, and whatever forwards as it does.
"""

from __future__ import annotations

from angarium.mesh.mesh import Mesh

BY_SETTINGS = {
    "rabbitmq": "RabbitMQ",
    "mosquitto": "Mosquitto",
    "nats": "NATS",
    "mirrormaker": "Kafka",
    "artemis": "Artemis",
}
"""Brokers that forward by subscriptions and bridges, by their importers."""


def can_load(mesh: Mesh) -> bool | None:
    """Whether the brokers of a mesh can load tables; None: the mesh does not say what they are."""
    return False if mesh.form else None


def why_not(mesh: Mesh) -> str:
    """What keeps the brokers from loading tables, and what these are for then; else nothing."""
    if not mesh.form:
        return ""
    if mesh.form in BY_SETTINGS:
        called = BY_SETTINGS[mesh.form]
        why = f"{called} brokers cannot load these tables: they forward by their own settings."
    else:
        why = "These routers cannot load tables: they calculate their own from the state of the links."
    return (
        f"{why} What follows says which failures the links could survive, and where one is missing. What"
        " can load the tables is a daemon that forwards by them: angarium mesh node."
    )
