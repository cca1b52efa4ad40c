"""Recovery: the routing tables for every failure, calculated before it happens.

A *colour* stands for a set of failures. In each colour every broker has a table: the next broker on the
cheapest path to each destination, of equally cheap ones the first in the file, as
`mesh.routing.tables.shortest` finds it. The table of a colour is the healthy one with some exceptions, and
only these are calculated and kept.

Recovery tables are always calculated over the links of the mesh, whatever its own routing is: they are what
its brokers would route by. So a mesh that forwards, or that has given tables, has recovery tables too.
Filters of links and the limit of hops are not looked at: this is about brokers, not about topics.

Every failure that tables are calculated for has a number, its colour.

When something fails, brokers need only know its colour. So every process must give the same number to the
same failure, whatever the order of links in its file. Colour 1 is the healthy mesh; then come single links by
the positions of their two ends, single brokers in the order of the file, then larger sets in the order of
their parts, and last the shared risks that the mesh names, in its order.

The thesis condenses a broker's tables into one super table (6.1.2), with a two-dimensional lookup.

Most tables of a broker have the same entries. So each entry, a destination with a next broker, is kept once,
with the colours in which it is used. A lookup by destination and colour then says which entry that is.

The order of the rows. The thesis's pseudo-code goes through the tables colour by colour, and adds an entry
where it comes for the first time; its super tables of broker 1 and broker 3 have that order, that of broker 2
is sorted by destination. We follow the pseudo-code and two of three tables; `by_destination` is the other
order, in which the table of broker 2 comes out.

What the lookup holds. The thesis's text says pointers into the super table, its matrices hold next brokers;
so there are both, with a row for each destination and a column for each colour, as in the matrices (the text
has it the other way round). As there, the next broker to oneself is oneself. Addresses begin with 1; 0, which
points nowhere, is only found for oneself.

Where failures leave no path to a destination, that is an entry too, whose next broker is -1. The thesis,
whose example has no bridge, says nothing about it; but it counts an entry for every other broker in every
table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from angarium.core.control import Control, Cut
from angarium.core.errors import MeshError
from angarium.mesh.mesh import NOTHING, Failures, Mesh, check_none
from angarium.mesh.recovery.exceptions import Exceptions, all_exceptions
from angarium.mesh.routing.graph import NONE, Graph, Ints, graph_of
from angarium.mesh.routing.tables import shortest

HEALTHY = 1
"""The colour of the mesh in which nothing has failed."""


@dataclass(frozen=True)
class Colours:
    """The failures that tables are calculated for, in the order of their colours."""

    failures: tuple[Failures, ...]
    """The first is nothing: its colour is 1."""

    def __len__(self) -> int:
        return len(self.failures)

    def __iter__(self) -> Iterator[int]:
        return iter(range(HEALTHY, HEALTHY + len(self.failures)))

    def __getitem__(self, colour: int) -> Failures:
        """What has failed in a colour."""
        return self.failures[colour - HEALTHY]

    @cached_property
    def _colour(self) -> Mapping[Failures, int]:
        return {failures: colour for colour, failures in zip(self, self.failures, strict=True)}

    def of(self, failures: Failures) -> int | None:
        """The colour of failures, if tables were calculated for just these."""
        return self._colour.get(failures)


Place = tuple[int, int, str]


def coloured(mesh: Mesh, failures: Iterable[Failures]) -> Colours:
    """Colours for the healthy mesh and for each of these failures; the order of links does not matter."""
    check_none(mesh, "tables of recovery")
    brokers = {broker.name: number for number, broker in enumerate(mesh.brokers)}
    places = _places(mesh, brokers)
    cables = {name: number for number, name in enumerate(sorted(places, key=places.__getitem__))}

    def order(each: Failures) -> tuple[int, int, list[int], list[int]]:
        dead = sorted(map(brokers.__getitem__, each.brokers))
        return len(each), len(dead), sorted(map(cables.__getitem__, each.cables)), dead

    requested = dict.fromkeys(
        failures
    )  # in their order, which is nearly the one that is wanted: sorted at once
    risks = dict.fromkeys(risk.failures for risk in mesh.shared_risks)
    named = [risk for risk in risks if risk in requested and len(risk) > 1]
    for each in (NOTHING, *named):
        requested.pop(each, None)
    return Colours((NOTHING, *sorted(requested, key=order), *named))


def _places(mesh: Mesh, brokers: Mapping[str, int]) -> Mapping[str, Place]:
    """Where each cable stands among the others: by its two ends, the earlier broker first, then by name.

    One that joins more than two brokers stands where the first of its links does, by their ends.
    """
    places: dict[str, Place] = {}
    for link in mesh.links:
        first, second = sorted((brokers[link.source], brokers[link.target]))
        place = first, second, link.fails_as
        places[link.fails_as] = min(place, places.get(link.fails_as, place))
    return places


@dataclass(frozen=True)
class OfBroker:
    """What one broker needs: its healthy table, and its exceptions by colour and destination."""

    broker: int
    healthy: Ints
    """By destination: the next broker; -1 if there is no path, or none is needed."""
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
        requested = self.destinations == destination
        found[self.colours[requested] - HEALTHY] = self.next[requested]
        return found


@dataclass(frozen=True)
class Recovery:
    """The tables of all brokers in all colours."""

    graph: Graph
    colours: Colours
    healthy: Ints
    """Of colour 1, by broker and destination: the next broker; -1 if there is no path, or none is needed."""
    exceptions: Exceptions
    """What is different in the other colours."""
    cut: Cut | None = None
    """What cut it short, if something did: then these are not all colours that were asked for."""

    @property
    def mesh(self) -> Mesh:
        return self.graph.mesh

    def table(self, colour: int) -> Ints:
        """All next brokers of a colour, by broker and destination; -1 if there is no path."""
        part = self.exceptions.of_colour(self.checked(colour))
        table = self.healthy.copy()
        table[self.exceptions.brokers[part], self.exceptions.destinations[part]] = self.exceptions.next[part]
        return table

    def next(self, colour: int, broker: int, destination: int) -> int:
        """The next broker; -1 if there is no path."""
        found = self.exceptions.find(self.checked(colour), broker, destination)
        return int(self.healthy[broker, destination]) if found is None else found

    def next_broker(self, colour: int, at: str, destination: str) -> str | None:
        """The same by names; MeshError if there is no broker of a name."""
        found = self.next(colour, self.graph.number(at), self.graph.number(destination))
        return None if found == NONE else self.graph.names[found]

    def path(self, colour: int, source: int, destination: int) -> list[int]:
        """The brokers that a message visits, until it arrives, has no path, or comes where it has been."""
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


def recovery(mesh: Mesh, colours: Colours, control: Control | None = None) -> Recovery:
    """Calculate the tables of every colour.

    When the time is up, or somebody presses Ctrl-C, the tables of the first colours are the answer.
    """
    graph, control = graph_of(mesh), control or Control()
    healthy = shortest(graph)
    found = all_exceptions(graph, colours.failures[1:], control)
    kept = Colours(colours.failures[: len(found.rows) - 1])
    return Recovery(graph, kept, healthy, found, control.cut)


@dataclass(frozen=True, slots=True)
class Row:
    """An entry of a super table: brokers by their positions."""

    destination: int
    next: int
    colours: tuple[int, ...]


@dataclass(frozen=True)
class Condensed:
    """The super table of a broker with its lookup."""

    broker: int
    rows: tuple[Row, ...]
    """In the order in which they first come, colour by colour."""
    next_hops: Ints
    """By destination and colour, the first colour being 1: the next broker; -1 if there is no path."""
    pointers: Ints
    """By destination and colour: the address of a row, the first row being 1; 0 for oneself."""

    def __len__(self) -> int:
        return len(self.rows)

    def next(self, colour: int, destination: int) -> int:
        """The next broker, by way of the pointers; -1 if there is no path."""
        if destination == self.broker:
            return self.broker
        address = int(self.pointers[destination, colour - HEALTHY])
        return self.rows[address - 1].next

    def by_destination(self) -> tuple[Row, ...]:
        """The rows sorted by destination, then in the order in which they first come."""
        return tuple(sorted(self.rows, key=lambda row: row.destination))


def condensed(recovery: Recovery, broker: int) -> Condensed:
    """The super table of a broker, by its position."""
    return super_table(recovery.of_broker(broker))


def super_table(part: OfBroker) -> Condensed:
    """The super table of a broker's own tables."""
    plain = part.plain
    brokers = plain.shape[1]
    entries = np.arange(brokers, dtype=np.int64) * (brokers + 1) + plain + 1
    used, first, inverse = np.unique(entries, return_index=True, return_inverse=True)
    there = used // (brokers + 1) != part.broker
    order = np.argsort(np.where(there, first, entries.size), kind="stable")[: there.sum()]
    address = np.zeros(len(used), np.int32)
    address[order] = np.arange(1, len(order) + 1)
    pointers = address[inverse.reshape(plain.shape)].T
    next_hops = plain.T.copy()
    next_hops[part.broker] = part.broker
    rows = _rows(used[order], brokers, pointers)
    return Condensed(part.broker, rows, next_hops, np.ascontiguousarray(pointers))


def _rows(entries: NDArray[np.int64], brokers: int, pointers: Ints) -> tuple[Row, ...]:
    rows = []
    for number, entry in enumerate(entries.tolist(), start=1):
        destination, after = divmod(entry, brokers + 1)
        colours = np.flatnonzero(pointers[destination] == number) + HEALTHY
        rows.append(Row(destination, after - 1, tuple(colours.tolist())))
    return tuple(rows)
