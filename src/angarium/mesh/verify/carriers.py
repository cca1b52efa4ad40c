"""One way to ask what becomes of a message, whichever way the mesh carries messages.

Forwarding links decide by topic, so one spread answers for all brokers that it reaches. Routers decide by
destination, so each pair of brokers has a spread of its own. A `Key` names what one spread answers.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

from angarium.mesh.delivery.forward import Forwarding
from angarium.mesh.delivery.outcome import Arrival, Spread
from angarium.mesh.mesh import FORWARD, NOTHING, Failures, Mesh, without_standby
from angarium.mesh.topics.classes import Universe
from angarium.mesh.verify.demands import Carried, relaxed

Key = tuple[str, int, str]
"""The broker that publishes, the kin of topics, and the destination; for forwarding links that is empty."""


class Carrier(Protocol):
    """Carries messages through a mesh."""

    def key(self, origin: str, kin: int, at: str) -> Key:
        """What one spread answers."""
        ...

    def spread(self, key: Key, failures: Failures = NOTHING) -> Spread:
        """What becomes of messages while something is dead."""
        ...

    def without_standby(self) -> Carrier:
        """The same if no link took over from another."""
        ...


class Forwarders:
    """Links that hand on whatever their filters let through."""

    def __init__(self, mesh: Mesh, universe: Universe) -> None:
        self._mesh, self._forwarding, self._universe = mesh, Forwarding(mesh), universe

    def key(self, origin: str, kin: int, at: str) -> Key:
        return origin, kin, ""

    def spread(self, key: Key, failures: Failures = NOTHING) -> Spread:
        origin, kin, _ = key
        return self._forwarding.spread(origin, self._universe.topic(kin), failures)

    def without_standby(self) -> Carrier:
        return Forwarders(without_standby(self._mesh), self._universe)


class Routers:
    """Tables that name the next broker for each destination."""

    def __init__(self, mesh: Mesh, universe: Universe) -> None:
        from angarium.mesh.routing.tables import tables

        self._mesh, self._universe, self._cables = mesh, universe, frozenset(mesh.cables)
        self._tables = lru_cache(maxsize=2)(lambda failures: tables(mesh, failures))

    def key(self, origin: str, kin: int, at: str) -> Key:
        return origin, kin, at

    def spread(self, key: Key, failures: Failures = NOTHING) -> Spread:
        from angarium.mesh.routing.walk import spread

        origin, kin, at = key
        known = Failures(failures.brokers, failures.cables & self._cables)
        return spread(self._mesh, self._tables(known), origin, self._universe.topic(kin), [at])

    def without_standby(self) -> Carrier:
        return Routers(without_standby(self._mesh), self._universe)


def carrier(mesh: Mesh, universe: Universe) -> Carrier:
    """The carrier of a mesh's kind."""
    kind = Forwarders if mesh.routing.kind == FORWARD else Routers
    return kind(mesh, universe)


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
