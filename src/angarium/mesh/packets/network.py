"""A mesh as simulations see it: numbered links from one broker to another, with rates and delays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from angarium.core.errors import MeshError
from angarium.core.units import time_of
from angarium.mesh.failover import check_none
from angarium.mesh.mesh import Link, Mesh
from angarium.mesh.packets.clock import NEVER, SECOND, from_milliseconds
from angarium.mesh.packets.packets_core import LINK_MASK
from angarium.mesh.routing.graph import Graph, graph_of

LOST, KEPT, AS_THE_MESH_SAYS = "lost", "kept", "mesh"
BUFFERING = (LOST, KEPT, AS_THE_MESH_SAYS)
"""What becomes of packets that wait for a link that is down, or come to it: lost, as routers lose them; kept
until it heals; or as each link of the mesh says."""
CONTROL_BITS = 1000
"""Of a message between brokers about links, such as a heartbeat."""


@dataclass(frozen=True)
class Network:
    """What a broker does within itself is no link."""

    mesh: Mesh
    links: tuple[Link, ...]

    @cached_property
    def only_links(self) -> Mesh:
        """The mesh with just the links that have numbers."""
        return Mesh(self.mesh.name, self.mesh.brokers, self.links)

    @cached_property
    def graph(self) -> Graph:
        return graph_of(self.mesh)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(broker.name for broker in self.mesh.brokers)

    @cached_property
    def number(self) -> Mapping[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def number_of_link(self) -> Mapping[str, int]:
        return {link.name: number for number, link in enumerate(self.links)}

    @cached_property
    def ends(self) -> tuple[tuple[int, int], ...]:
        """Of each link: from which broker it leads to which."""
        return tuple((self.number[link.source], self.number[link.target]) for link in self.links)

    @cached_property
    def outgoing(self) -> tuple[tuple[int, ...], ...]:
        return self._by_end(0)

    @cached_property
    def incoming(self) -> tuple[tuple[int, ...], ...]:
        return self._by_end(1)

    def _by_end(self, end: int) -> tuple[tuple[int, ...], ...]:
        found: list[list[int]] = [[] for _ in self.names]
        for link, ends in enumerate(self.ends):
            found[ends[end]].append(link)
        return tuple(map(tuple, found))

    @cached_property
    def back(self) -> tuple[int | None, ...]:
        """Of each link: one of its cable that leads the other way."""
        known: dict[tuple[str, int, int], int] = {}
        for number, (link, (source, target)) in enumerate(zip(self.links, self.ends, strict=True)):
            known.setdefault((link.fails_as, source, target), number)
        return tuple(
            known.get((link.fails_as, target, source))
            for link, (source, target) in zip(self.links, self.ends, strict=True)
        )

    @cached_property
    def control_delays(self) -> tuple[int, ...]:
        """How long a message between brokers takes to cross each link: it does not wait behind packets."""
        return tuple(delay(link) + sending_time(CONTROL_BITS, rate(link)) for link in self.links)


def network_of(mesh: Mesh) -> Network:
    """The links of a mesh that lead somewhere. MeshError if there are too many."""
    check_none(mesh, "a simulation")
    links = tuple(link for link in mesh.links if link.source != link.target)
    if len(links) >= LINK_MASK:
        raise MeshError(
            "ANG125",
            f"a simulation of {len(links):,} links",
            possible=f"up to {LINK_MASK - 1:,}",
            remedy="simulate a part of the mesh",
        )
    return Network(mesh, links)


def delay(link: Link) -> int:
    """Nanoseconds that a packet takes to cross."""
    return from_milliseconds(link.latency)


def rate(link: Link) -> int:
    """Whole bits a second; 0 if there is no limit."""
    return 0 if link.rate is None else max(1, round(link.rate * 1000))


def sending_time(bits: int, rate: int) -> int:
    """Nanoseconds until the last bit is sent."""
    return -(-bits * SECOND // rate) if rate else 0


def patience(link: Link, buffering: str) -> int:
    """How long packets wait for a link that is down."""
    how = link.buffering if buffering == AS_THE_MESH_SAYS else buffering
    if how == LOST:
        return 0
    return NEVER if how == KEPT else from_milliseconds(time_of(how) or 0.0)
