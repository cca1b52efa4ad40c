"""Packets of data, forwarded by the tables of their colour; and the tables with which a broker starts.

While a flood is under way some brokers have switched and others have not. If each forwarded by its own
colour, a packet could go to and fro between two of them. So a packet carries the colour that its sender had,
and every broker forwards it by the tables of that colour, whatever its own is: one table never leads in a
circle.

If the next broker on its path is dead, the packet gets another colour: that of everything that is dead in its
old colour, together with everything that this broker knows to be dead. That is strictly more than before,
since it has the dead link that the old tables would use. So a packet changes its colour only finitely often,
and in between it goes straight: no packet goes round for ever, whatever happens meanwhile.

Failures for which nothing was calculated have no colour. Packets then carry colour 0, for which each broker
uses the tables that it calculated from what it knows now. As soon as all brokers know the same, these lead
to the destination; before, only the limit of hops keeps a packet from going round.

Such a table is calculated while the mesh waits for it. All tables of all brokers would take too long: while
they are calculated no heartbeat is sent, and neighbours would take this broker for dead. Its own table needs
one run of Dijkstra's algorithm from the broker itself. Of equally cheap paths the one whose next broker comes
first in the file is taken, as in all other tables: the first brokers of the cheapest paths to a destination
are those of the cheapest paths to the brokers before it, and since every cost is at least 1, these are
settled earlier.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from heapq import heappop, heappush
from pathlib import Path
from typing import Protocol

from angarium.core.control import Control
from angarium.core.errors import MeshError
from angarium.mesh.mesh import NOTHING, Failures, Mesh
from angarium.mesh.protocol.colouring import Colouring, View
from angarium.mesh.protocol.interface import Timing
from angarium.mesh.protocol.link_state import chart_of
from angarium.mesh.protocol.messages import Packet
from angarium.mesh.protocol.node import Node
from angarium.mesh.recovery.files import BrokerTables, fingerprint, load_from, tables_of
from angarium.mesh.recovery.recovered import colours_of
from angarium.mesh.recovery.tables import recovery
from angarium.mesh.routing.graph import graph_of
from angarium.mesh.verify.budget import Budget

Row = dict[str, str]
"""The next broker by destination; who cannot be reached is not there."""


def calculated(mesh: Mesh, broker: str, failures: Failures) -> Row:
    """The table of a broker when something has failed."""
    graph = graph_of(mesh)
    rows, targets, costs = graph.rows.tolist(), graph.targets.tolist(), graph.costs_under(failures).tolist()
    start = graph.number(broker)
    distance, first = {start: 0}, {start: -1}
    ahead, settled = [(0, start)], set()
    while ahead:
        near, here = heappop(ahead)
        if here in settled:
            continue
        settled.add(here)
        for hop in range(rows[here], rows[here + 1]):
            there, far = targets[hop], near + costs[hop]
            over = there if here == start else first[here]
            if not costs[hop] or (there in distance and (distance[there], first[there]) <= (far, over)):
                continue
            distance[there], first[there] = far, over
            heappush(ahead, (far, there))
    del first[start]
    return {graph.names[to]: graph.names[over] for to, over in first.items()}


NO_COLOUR = 0
MOST_HOPS = (1 << 16) - 1


class Tables(Protocol):
    """The tables of one broker."""

    def next(self, colour: int, destination: str) -> str | None:
        """The next broker on the way to a destination; None if there is no path."""
        ...


class Loss(StrEnum):
    """Why a packet goes no further."""

    NO_PATH = "no path leads to its destination"
    HOPS = "it has made too many hops"
    COLOUR = "it has a colour that there is not"


@dataclass(frozen=True, slots=True)
class Onward:
    """A packet goes to a neighbour."""

    to: str
    packet: Packet


@dataclass(frozen=True, slots=True)
class Delivered:
    """A packet is where it should go."""

    packet: Packet


@dataclass(frozen=True, slots=True)
class Lost:
    """A packet goes no further."""

    packet: Packet
    why: Loss


class Forwarder:
    """What one broker does with packets."""

    def __init__(self, mesh: Mesh, broker: str, colouring: Colouring, tables: Tables) -> None:
        self.broker, self._colouring, self._tables, self._mesh = broker, colouring, tables, mesh
        self._row: Row = {}
        self._row_for: Failures | None = None
        self.hop_limit = min(4 * len(mesh.brokers), MOST_HOPS)

    def packet(self, view: View, destination: str, life: int, number: int) -> Packet:
        """A new packet, with the colour that this broker sees."""
        colour = NO_COLOUR if view.colour is None else view.colour
        return Packet(self.broker, life, number, destination, colour, self.hop_limit)

    def forward(self, packet: Packet, view: View) -> Onward | Delivered | Lost:
        """Where a packet goes from here."""
        if packet.destination == self.broker:
            return Delivered(packet)
        if packet.hops == 0:
            return Lost(packet, Loss.HOPS)
        if packet.colour > len(self._colouring.colours):
            return Lost(packet, Loss.COLOUR)
        after = self._next(packet, view)
        if after in self._dead_neighbours(view):
            packet = self._recoloured(packet, view)
            after = self._next(packet, view)
        if after is None or after in self._dead_neighbours(view):
            return Lost(packet, Loss.NO_PATH)
        return Onward(after, replace(packet, hops=packet.hops - 1))

    def rehearse(self) -> None:
        """Calculate a table for nothing, so that what that needs is ready when there is no time."""
        calculated(self._mesh, self.broker, NOTHING)

    def prepare(self, view: View) -> None:
        """Calculate what was not calculated before."""
        if view.colour is None and self._row_for != view.failures:
            self._row_for, self._row = view.failures, calculated(self._mesh, self.broker, view.failures)

    def _next(self, packet: Packet, view: View) -> str | None:
        colour = packet.colour if packet.colour != NO_COLOUR else view.colour
        if colour is not None:
            return self._tables.next(colour, packet.destination)
        self.prepare(view)
        return self._row.get(packet.destination)

    def _dead_neighbours(self, view: View) -> set[str]:
        return {
            one if other == self.broker else other for one, other in view.dead if self.broker in (one, other)
        }

    def _recoloured(self, packet: Packet, view: View) -> Packet:
        coloured = packet.colour != NO_COLOUR
        known = view.dead | (self._colouring.killed_by(packet.colour) if coloured else frozenset())
        colour = self._colouring.view(self.broker, known).colour
        return replace(packet, colour=NO_COLOUR if colour is None else colour)


_DIGITS = 16
"""Of the tables' fingerprint that fit into a letter."""


def calculated_tables(
    mesh: Mesh, broker: str, budget: Budget, *, tell: Callable[[str], None] | None = None
) -> BrokerTables:
    """The tables of a broker for every failure within a budget."""
    chart = chart_of(mesh)
    colours = colours_of(mesh, budget, Control())
    if tell:
        tell(f"calculating the tables of {len(colours):,} colours")
    found = recovery(mesh, colours)
    return tables_of(found, chart.number[chart.check(broker)], fingerprint(mesh, colours))


def loaded_tables(mesh: Mesh, broker: str, folder: str | Path) -> BrokerTables:
    """The tables of a broker from a folder; MeshError if they are for another mesh."""
    chart = chart_of(mesh)
    tables = load_from(folder, chart.check(broker))
    if not _fit(mesh, tables):
        raise MeshError(
            "ANG126",
            f"the tables in {folder} were made for {tables.mesh}, which is not {mesh.name} as it is now",
            possible="tables for the same brokers, in the same order, and the same links",
            remedy="calculate them anew with `angarium mesh recover`",
        )
    return tables


def _fit(mesh: Mesh, tables: BrokerTables) -> bool:
    """Whether tables can be of this mesh: the same brokers in the same order, and no links but its own."""
    near = {link.target for link in mesh.links if link.source == tables.broker != link.target}
    named = {cable for failures in tables.colours.failures for cable in failures.cables}
    brokers = tuple(broker.name for broker in mesh.brokers)
    return tables.destinations == brokers and {*tables.neighbours} == near and named <= {*mesh.cables}


def are_just_so(mesh: Mesh, tables: BrokerTables) -> bool:
    """Whether the mesh as it is now would give just these tables, without overrides."""
    return tables.fingerprint == fingerprint(mesh, tables.colours)


def started(
    mesh: Mesh, tables: BrokerTables, timing: Timing, *, life: int, now: float
) -> tuple[Node, Forwarder]:
    """A broker that has just begun: what it knows of the mesh, and what it does with packets."""
    colouring = agreed(mesh, tables)
    colouring.prepare()
    node = Node(tables.broker, colouring, timing, life=life, now=now)
    forwarder = Forwarder(mesh, tables.broker, colouring, tables)
    forwarder.rehearse()
    return node, forwarder


def agreed(mesh: Mesh, tables: BrokerTables) -> Colouring:
    """What all brokers that have such tables agree on."""
    return Colouring(chart_of(mesh), tables.colours, int(tables.fingerprint[:_DIGITS], 16))
