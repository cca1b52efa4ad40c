"""Recovery: the routing tables for every failure, calculated before it happens.

A *colour* stands for a set of failures. In each colour every broker has a table: the next broker on the
cheapest way to each destination, of equally cheap ones the first in the file, as
`mesh.routing.tables.shortest` finds it. The table of a colour is the healthy one with some exceptions, and
only these are calculated and kept.

Recovery tables are always calculated over the links of the mesh, whatever its own routing is: they are what
its brokers would route by. So a mesh that forwards, or that has given tables, has recovery tables too.
Filters of links and the limit of hops are not looked at: this is about brokers, not about topics.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from angarium.core.control import Control, Cut
from angarium.core.errors import MeshError
from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.recovery.colours import HEALTHY, Colours
from angarium.mesh.recovery.exceptions import Exceptions, Observer, all_exceptions
from angarium.mesh.routing.graph import NONE, Graph, Ints, graph_of
from angarium.mesh.routing.tables import shortest


@dataclass(frozen=True)
class OfBroker:
    """What one broker needs: its healthy table, and its exceptions by colour and destination."""

    broker: int
    healthy: Ints
    """By destination: the next broker; -1 if there is no way, or none is needed."""
    count: int
    """Of colours."""
    colours: Ints
    destinations: Ints
    next: Ints

    @property
    def plain(self) -> Ints:
        """A table for every colour: the next broker by colour, the first being 1, and destination."""
        table = np.repeat(self.healthy[np.newaxis], self.count, axis=0)
        table[self.colours - HEALTHY, self.destinations] = self.next
        return table

    def to(self, destination: int) -> Ints:
        """The next broker to one destination, by colour, the first being 1."""
        found = np.full(self.count, self.healthy[destination], np.int32)
        asked = self.destinations == destination
        found[self.colours[asked] - HEALTHY] = self.next[asked]
        return found


@dataclass(frozen=True)
class Recovery:
    """The tables of all brokers in all colours."""

    graph: Graph
    colours: Colours
    healthy: Ints
    """Of colour 1, by broker and destination: the next broker; -1 if there is no way, or none is needed."""
    exceptions: Exceptions
    """What is different in the other colours."""
    cut: Cut | None = None
    """What cut it short, if something did: then these are not all colours that were asked for."""

    @property
    def mesh(self) -> Mesh:
        return self.graph.mesh

    def table(self, colour: int) -> Ints:
        """All next brokers of a colour, by broker and destination; -1 if there is no way."""
        part = self.exceptions.of_colour(self.checked(colour))
        table = self.healthy.copy()
        table[self.exceptions.brokers[part], self.exceptions.destinations[part]] = self.exceptions.next[part]
        return table

    def next(self, colour: int, broker: int, destination: int) -> int:
        """The next broker; -1 if there is no way."""
        found = self.exceptions.find(self.checked(colour), broker, destination)
        return int(self.healthy[broker, destination]) if found is None else found

    def next_broker(self, colour: int, at: str, destination: str) -> str | None:
        """The same by names; MeshError if there is no broker of a name."""
        found = self.next(colour, self.graph.number(at), self.graph.number(destination))
        return None if found == NONE else self.graph.names[found]

    def way(self, colour: int, source: int, destination: int) -> list[int]:
        """The brokers that a message visits, until it arrives, has no way, or comes where it has been."""
        visited = [source]
        while visited[-1] != destination:
            after = self.next(colour, visited[-1], destination)
            if after == NONE:
                break
            visited.append(after)
            if after in visited[:-1]:
                break
        return visited

    def of_broker(self, broker: int) -> OfBroker:
        """The part of one broker."""
        places = self.exceptions.of_broker(broker)
        colours = np.searchsorted(self.exceptions.rows, places, side="right").astype(np.int32)
        return OfBroker(
            broker,
            self.healthy[broker],
            len(self.colours),
            colours,
            self.exceptions.destinations[places].astype(np.int32),
            self.exceptions.next[places].astype(np.int32),
        )

    def __iter__(self) -> Iterator[OfBroker]:
        """The parts of all brokers, in their order."""
        return map(self.of_broker, range(self.graph.brokers))

    def dead(self, colour: int) -> NDArray[np.bool_]:
        """Which brokers are dead in a colour."""
        found = np.zeros(self.graph.brokers, bool)
        found[self.graph.dead_brokers(self.colours[self.checked(colour)])] = True
        return found

    @cached_property
    def failures(self) -> tuple[Failures, ...]:
        """By colour, the first being 1."""
        return self.colours.failures

    def checked(self, colour: int) -> int:
        """A colour; MeshError if there is no table for it."""
        if HEALTHY <= colour < HEALTHY + len(self.colours):
            return colour
        raise MeshError(
            "ANG123",
            f"no colour {colour}",
            possible=f"{HEALTHY} to {len(self.colours)}",
            remedy="name a colour that tables were calculated for",
        )


def recovery(
    mesh: Mesh, colours: Colours, *, observe: Observer | None = None, control: Control | None = None
) -> Recovery:
    """Calculate the tables of every colour.

    Who observes is told how many failures have been looked at, and of how many. When the time is up, or
    somebody presses Ctrl-C, the tables of the first colours are the answer.
    """
    graph, control = graph_of(mesh), control or Control()
    healthy = shortest(graph)
    found = all_exceptions(graph, colours.failures[1:], control, observe)
    kept = Colours(colours.failures[: len(found.rows) - 1])
    return Recovery(graph, kept, healthy, found, control.cut)
