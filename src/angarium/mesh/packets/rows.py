"""What a broker does with packets to each destination, as a row of numbers that the simulation looks up.

An entry is the link that a packet takes, with the mark that it gets. Marks are layers: only Resilient Routing
Layers have more than one, so a row has a part for each mark that a packet can come with.

Tables are those of `routing.tables.shortest` for what a broker knows to be dead. PCRT's own, which are
calculated beforehand, are the same: `recovery` verifies just that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Protocol

from angarium.core.errors import MeshError
from angarium.mesh.mesh import NOTHING, Failures
from angarium.mesh.packets.control import RRL, Scheme
from angarium.mesh.packets.network import Network
from angarium.mesh.packets.packets_core import LINK_BITS, NOWHERE
from angarium.mesh.routing.graph import NONE, Ints
from angarium.mesh.routing.tables import shortest
from angarium.mesh.schemes.alternates import alternates
from angarium.mesh.schemes.layers import WHOLE_MESH, layers

MOST_MARKS = 256
Around = frozenset[str]


class Ways(Protocol):
    """How the brokers of a scheme forward."""

    marks: int

    def row(self, broker: int, known: Failures, around: Around) -> list[int]:
        """The entries of a broker, by mark and destination."""
        ...


def ways_of(scheme: Scheme, network: Network, destinations: Sequence[int]) -> Ways:
    """How brokers forward to some destinations."""
    if scheme.name == RRL.name:
        return InLayers(network, destinations)
    return Rerouted(network, destinations)


class _Links:
    """Finds links between brokers."""

    def __init__(self, network: Network) -> None:
        self._graph, self._numbers = network.graph, network.number_of_link

    def entry(self, broker: int, after: int, dead: Failures, mark: int = 0) -> int:
        """The link to the next broker that lives, for all that is known; NOWHERE if there is none."""
        hop = self._graph.hop_between.get((broker, after))
        link = None if hop is None else self._graph.link(hop, dead)
        return NOWHERE if link is None else self._numbers[link.name] | mark << LINK_BITS


class Rerouted:
    """By the shortest ways, with alternates around what is dead beside the broker but not yet for all."""

    marks = 1

    def __init__(self, network: Network, destinations: Sequence[int]) -> None:
        self._network, self._destinations, self._links = network, list(destinations), _Links(network)
        self._next: Callable[[Failures], Ints] = cache(self._calculated)
        self._alternates: Callable[[Failures], Ints] = cache(self._spared)

    def _calculated(self, known: Failures) -> Ints:
        return shortest(self._network.graph, known)[:, self._destinations].copy()

    def _spared(self, known: Failures) -> Ints:
        mesh = self._network.mesh
        left = replace(mesh, links=tuple(link for link in mesh.links if link.fails_as not in known.cables))
        return alternates(left)[:, self._destinations].copy()

    def row(self, broker: int, known: Failures, around: Around) -> list[int]:
        dead = Failures(known.brokers, known.cables | around)
        entries = [self._links.entry(broker, int(after), dead) for after in self._next(known)[broker]]
        if not around:
            return entries
        spare = self._alternates(known)[broker].tolist()
        return [
            self._links.entry(broker, other, dead) if entry == NOWHERE else entry
            for entry, other in zip(entries, spare, strict=True)
        ]


class InLayers:
    """By layers: a packet whose link is dead is sent on in a layer that does not need it, once."""

    def __init__(self, network: Network, destinations: Sequence[int]) -> None:
        self._layers, self._links = layers(network.mesh), _Links(network)
        self._destinations = list(destinations)
        self.marks = len(self._layers) + 1
        if self.marks > MOST_MARKS:
            raise MeshError(
                "ANG125",
                f"resilient routing layers: {self.marks:,} of them",
                possible=f"up to {MOST_MARKS} in a simulation",
                remedy="simulate another scheme, or a part of the mesh",
            )
        self._next = [self._layers.table(layer)[:, self._destinations].copy() for layer in range(self.marks)]

    def row(self, broker: int, known: Failures, around: Around) -> list[int]:
        dead = Failures(known.brokers, known.cables | around)
        marked = [
            self._links.entry(broker, int(after), dead, layer)
            for layer in range(1, self.marks)
            for after in self._next[layer][broker]
        ]
        return [self._unmarked(broker, column, dead) for column in range(len(self._destinations))] + marked

    def _unmarked(self, broker: int, column: int, dead: Failures) -> int:
        after = int(self._next[WHOLE_MESH][broker, column])
        if after == NONE:
            return NOWHERE
        entry = self._links.entry(broker, after, dead)
        if entry != NOWHERE:
            return entry
        layer = self._layers.detour(broker, after, self._destinations[column])
        if layer is None:
            return NOWHERE
        return self._links.entry(broker, int(self._next[layer][broker, column]), dead, layer)


HEALTHY = (NOTHING, Around())
"""What brokers know when a simulation begins."""
