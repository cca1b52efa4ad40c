"""Packets of data, forwarded by the tables of their colour.

While a flood is under way some brokers have switched and others have not. If each forwarded by its own
colour, a packet could go to and fro between two of them. So a packet carries the colour that its sender had,
and every broker forwards it by the tables of that colour, whatever its own is: one table never leads in a
circle.

If the next broker on its way is dead, the packet gets another colour: that of everything that is dead in its
old colour, together with everything that this broker knows to be dead. That is strictly more than before,
since it has the dead link that the old tables would use. So a packet changes its colour only finitely often,
and in between it goes straight: no packet goes round for ever, whatever happens meanwhile.

Failures for which nothing was calculated have no colour. Packets then carry colour 0, for which each broker
uses the tables that it calculated from what it knows now. As soon as all brokers know the same, these lead
to the destination; before, only the limit of hops keeps a packet from going round.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from angarium.mesh.mesh import NOTHING, Failures, Mesh
from angarium.mesh.protocol.calculating import Row, calculated
from angarium.mesh.protocol.colouring import Colouring, View
from angarium.mesh.protocol.messages import Packet

NO_COLOUR = 0
MOST_HOPS = (1 << 16) - 1


class Tables(Protocol):
    """The tables of one broker."""

    def next(self, colour: int, destination: str) -> str | None:
        """The next broker on the way to a destination; None if there is no way."""
        ...


class Loss(StrEnum):
    """Why a packet goes no further."""

    NO_WAY = "no way leads to its destination"
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
            return Lost(packet, Loss.NO_WAY)
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
