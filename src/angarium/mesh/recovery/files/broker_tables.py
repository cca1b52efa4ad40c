"""What one broker carries: its next hops in every colour, by names, wherever they were read from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from angarium.core.errors import MeshError, did_you_mean
from angarium.mesh.recovery.colours import HEALTHY, Colours
from angarium.mesh.recovery.compact import neighbours_of, packed, unpacked
from angarium.mesh.recovery.tables import Recovery
from angarium.mesh.routing.graph import NONE


class Lookup(Protocol):
    """Next hops by positions: of a colour, and of a destination among the brokers."""

    def next(self, colour: int, destination: int) -> int:
        """The position of the next broker; -1 if there is no way, or none is needed."""
        ...


@dataclass(frozen=True)
class BrokerTables:
    """The tables of a broker."""

    mesh: str
    fingerprint: str
    """Of what the tables were made from; brokers whose fingerprints differ must not work together."""
    broker: str
    destinations: tuple[str, ...]
    """Every broker of the mesh, this one too, in the mesh's order."""
    neighbours: tuple[str, ...]
    """The brokers that it can hand on to, in the mesh's order."""
    colours: Colours
    lookup: Lookup

    @cached_property
    def position(self) -> dict[str, int]:
        """Of each destination."""
        return {name: number for number, name in enumerate(self.destinations)}

    def next(self, colour: int, destination: str) -> str | None:
        """The next broker on the way to a destination; None if there is no way, or none is needed."""
        if not HEALTHY <= colour < HEALTHY + len(self.colours):
            raise _no_such("colour", str(colour), f"{HEALTHY} to {len(self.colours)}")
        if destination not in self.position:
            raise _no_such("broker", repr(destination), did_you_mean(destination, self.destinations))
        found = self.lookup.next(colour, self.position[destination])
        return None if found == NONE else self.destinations[found]


def tables_of(recovery: Recovery, broker: int, fingerprint: str) -> BrokerTables:
    """The tables of a broker, by its position."""
    names = recovery.graph.names
    near = tuple(names[number] for number in neighbours_of(recovery.graph, broker).tolist())
    lookup = unpacked(packed(recovery, broker))
    mesh = recovery.mesh.name
    return BrokerTables(mesh, fingerprint, names[broker], names, near, recovery.colours, lookup)


def _no_such(kind: str, given: str, possible: str) -> MeshError:
    return MeshError(
        "ANG123",
        f"these recovery tables have no {kind} {given}",
        possible=possible,
        remedy=f"ask for a {kind} that they were made for",
    )
