"""How much room recovery tables take: plain, condensed as in the thesis, and compact.

Compact tables have few bytes; the lookup is counted in them, and lookups are really made from them.

The thesis condenses tables, but the lookup that leads to the condensed ones has as many cells as the tables
had. What is small is what differs from the healthy table:

    header       which broker, and how many of everything there are
    neighbours   their positions, 16 bits each
    healthy      for each destination the number of a neighbour; one more bit pattern says "no path"
    ends         for each destination, how many exceptions there are up to and with it
    exceptions   a colour and the number of a neighbour each, by destination and then by colour

The numbers of the last three parts take only as many bits as the largest possible one needs, one behind the
other without a gap; each part begins with a new byte. Within a number and a byte the lowest bit comes first.
A lookup reads two ends, searches the colour between them by halving, and takes the healthy entry if it is not
there. Nothing is unpacked for it.

    plain      a table for every colour: a next broker for each of the other brokers
    condensed  each different entry once, destination and next broker; and the lookup, which has a pointer for
               every destination and colour. Lists of colours are not counted: the lookup says the same
    compact    as `compact` packs it

A broker's number takes one byte where there are at most 256 brokers, else two; a pointer as many bytes as the
largest one needs.

The thesis counts entries only (6.3.1), and finds that condensing saves a lot of storage. But its lookup has
as many cells as the plain tables have entries, and one more a colour: together they are larger. Its formulas
are functions here; the last of them, (6-9), has a wrong sign in the thesis.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from angarium.core.errors import MeshError
from angarium.mesh.recovery.tables import HEALTHY, Recovery
from angarium.mesh.routing.graph import MOST_BROKERS, NONE, Graph

MAGIC = b"ANGR"
VERSION = 1
HEADER = struct.Struct("<4sBHHIHI")
"""Magic, version, broker, brokers, colours, neighbours, exceptions; little-endian."""
NEIGHBOUR_BYTES = 2


@dataclass(frozen=True, slots=True)
class Shape:
    """How many of everything there are; from this follows what stands where."""

    broker: int
    brokers: int
    colours: int
    neighbours: int
    exceptions: int

    @property
    def next_bits(self) -> int:
        """Of the number of a neighbour, or of the one that says that there is no path."""
        return self.neighbours.bit_length()

    @property
    def end_bits(self) -> int:
        return self.exceptions.bit_length()

    @property
    def colour_bits(self) -> int:
        return self.colours.bit_length()

    @property
    def starts(self) -> tuple[int, int, int, int, int]:
        """In bytes: where neighbours, healthy entries, ends and exceptions begin, and how long it all is."""
        healthy = HEADER.size + NEIGHBOUR_BYTES * self.neighbours
        ends = healthy + _bytes(self.brokers * self.next_bits)
        exceptions = ends + _bytes(self.brokers * self.end_bits)
        end = exceptions + _bytes(self.exceptions * (self.colour_bits + self.next_bits))
        return HEADER.size, healthy, ends, exceptions, end

    @property
    def size(self) -> int:
        """Bytes of the whole."""
        return self.starts[-1]


def _bytes(bits: int) -> int:
    return -(-bits // 8)


# --- packing ------------------------------------------------------------------------------------


def neighbours_of(graph: Graph, broker: int) -> NDArray[np.int32]:
    """The brokers that a broker can hand on to, by their positions."""
    return graph.targets[graph.rows[broker] : graph.rows[broker + 1]]


def shape_of(graph: Graph, broker: int, colours: int, exceptions: int) -> Shape:
    return Shape(broker, graph.brokers, colours, len(neighbours_of(graph, broker)), exceptions)


def packed(recovery: Recovery, broker: int) -> bytes:
    """The tables of a broker in all colours."""
    part, near = recovery.of_broker(broker), neighbours_of(recovery.graph, broker)
    shape = shape_of(recovery.graph, broker, len(recovery.colours), len(part.next))
    order = np.lexsort((part.colours, part.destinations))
    ends = np.cumsum(np.bincount(part.destinations, minlength=shape.brokers))
    numbers = _numbered(near, part.next[order])
    exceptions = part.colours[order].astype(np.int64) | numbers << shape.colour_bits
    return b"".join(
        [
            _header(shape),
            near.astype("<u2").tobytes(),
            _bits(_numbered(near, part.healthy), shape.next_bits),
            _bits(ends, shape.end_bits),
            _bits(exceptions, shape.colour_bits + shape.next_bits),
        ]
    )


def _header(shape: Shape) -> bytes:
    counts = shape.broker, shape.brokers, shape.colours, shape.neighbours, shape.exceptions
    return HEADER.pack(MAGIC, VERSION, *counts)


def _numbered(near: NDArray[np.int32], after: NDArray[np.int32]) -> NDArray[np.int64]:
    """Next brokers by their places among the neighbours; one more than the last if there is no path.

    What is no neighbour, as an override may name, is no path either.
    """
    places = np.searchsorted(near, after)
    inside = np.minimum(places, max(len(near) - 1, 0))
    known = near[inside] == after if len(near) else np.zeros(len(after), bool)
    return np.where(known, places, len(near))


def _bits(numbers: NDArray[np.int64], width: int) -> bytes:
    spread = numbers[:, np.newaxis] >> np.arange(width) & 1
    return np.packbits(spread.astype(np.uint8).ravel(), bitorder="little").tobytes()


# --- looking up ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Compact:
    """Lookups from the bytes."""

    data: bytes
    shape: Shape

    def next(self, colour: int, destination: int) -> int:
        """The next broker; -1 if there is no path, or none is needed."""
        number = self._exception(colour, destination)
        if number is None:
            number = self._field(1, destination, self.shape.next_bits)
        return NONE if number == self.shape.neighbours else self._field(0, number, 8 * NEIGHBOUR_BYTES)

    def _exception(self, colour: int, destination: int) -> int | None:
        shape = self.shape
        first = self._field(2, destination - 1, shape.end_bits) if destination else 0
        behind = end = self._field(2, destination, shape.end_bits)
        while first < behind:
            middle = (first + behind) // 2
            if self._colour(middle) < colour:
                first = middle + 1
            else:
                behind = middle
        if first == end or self._colour(first) != colour:
            return None
        return self._field(3, first, shape.colour_bits + shape.next_bits) >> shape.colour_bits

    def _colour(self, exception: int) -> int:
        shape = self.shape
        field = self._field(3, exception, shape.colour_bits + shape.next_bits)
        return field & (1 << shape.colour_bits) - 1

    def _field(self, part: int, number: int, width: int) -> int:
        """A number of so many bits out of a part."""
        bit = number * width
        first = self._starts[part] + bit // 8
        found = int.from_bytes(self.data[first : first + (bit % 8 + width + 7) // 8], "little")
        return found >> bit % 8 & (1 << width) - 1

    @cached_property
    def _starts(self) -> tuple[int, int, int, int, int]:
        return self.shape.starts


def unpacked(data: bytes) -> Compact:
    """Lookups from bytes that may come from anywhere; MeshError if they cannot be a broker's tables."""
    if len(data) < HEADER.size:
        raise _unreadable(f"it has {len(data)} bytes, and a header has {HEADER.size}")
    magic, version, *counts = HEADER.unpack_from(data)
    if (magic, version) != (MAGIC, VERSION):
        raise _unreadable(f"it begins with {data[:5]!r}, and not with {MAGIC!r} and version {VERSION}")
    found = Compact(data, Shape(*counts))
    _check(found)
    return found


def _check(found: Compact) -> None:
    """That every lookup stays inside, and names a broker."""
    shape = found.shape
    if not shape.broker < shape.brokers <= MOST_BROKERS or shape.colours < HEALTHY:
        raise _unreadable(f"broker {shape.broker} of {shape.brokers} in {shape.colours} colours")
    if shape.exceptions > shape.brokers * shape.colours:
        raise _unreadable(f"it has {shape.exceptions:,} exceptions, more than entries")
    if len(found.data) != shape.size:
        raise _unreadable(f"it has {len(found.data):,} bytes, and its header asks for {shape.size:,}")
    _, healthy, ends, exceptions, _ = shape.starts
    near = np.frombuffer(found.data[HEADER.size : healthy], "<u2")
    upto = _read(found.data[ends:exceptions], shape.end_bits, shape.brokers)
    entries = _read(found.data[healthy:ends], shape.next_bits, shape.brokers)
    width = shape.colour_bits + shape.next_bits
    numbers = _read(found.data[exceptions:], width, shape.exceptions) >> shape.colour_bits
    if (near >= shape.brokers).any() or max(entries.max(), numbers.max(initial=0)) > shape.neighbours:
        raise _unreadable("an entry names a broker that is not there")
    if (np.diff(upto, prepend=0) < 0).any() or upto[-1] != shape.exceptions:
        raise _unreadable("its exceptions do not belong to destinations in their order")


def _read(data: bytes, width: int, count: int) -> NDArray[np.int64]:
    """All numbers of a part, bit by bit: a number for every bit of all would be 64 times the data."""
    numbers = np.zeros(count, np.int64)
    bits = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little", count=width * count)
    for place, column in enumerate(bits.reshape(count, width).T):
        numbers |= column.astype(np.int64) << place
    return numbers


def _unreadable(why: str) -> MeshError:
    return MeshError(
        "ANG120",
        f"this is no recovery table of a broker: {why}",
        possible=f"what was written as such, version {VERSION}",
        remedy="write the tables again",
    )


Counts = NDArray[np.int64]
_FIELD = 14
"""Bits of a broker's position, and of a next broker and one more."""


@dataclass(frozen=True)
class Sizes:
    """By broker, in their order."""

    plain_entries: Counts
    condensed_entries: Counts
    plain: Counts
    """Bytes, as all that follow."""
    super_table: Counts
    lookup: Counts
    compact: Counts

    @property
    def condensed(self) -> Counts:
        """Super table and lookup together."""
        return self.super_table + self.lookup

    @property
    def saved(self) -> float:
        """How many times smaller than the plain tables the compact ones are, all brokers together."""
        return float(self.plain.sum() / max(1, self.compact.sum()))


def sizes(recovery: Recovery) -> Sizes:
    """The room that each broker's tables take."""
    brokers, colours = recovery.graph.brokers, len(recovery.colours)
    entries = np.full(brokers, all_entries(brokers, colours), np.int64)
    condensed = condensed_entries(recovery)
    number = number_bytes(brokers - 1)
    pointers = np.array([number_bytes(rows) for rows in condensed.tolist()], np.int64)
    counts = np.bincount(recovery.exceptions.brokers, minlength=brokers).tolist()
    compact = [shape_of(recovery.graph, broker, colours, count).size for broker, count in enumerate(counts)]
    return Sizes(
        entries,
        condensed,
        entries * number,
        condensed * 2 * number,
        pointers * colours * brokers,
        np.array(compact, np.int64),
    )


def condensed_entries(recovery: Recovery) -> Counts:
    """How many rows each broker's super table has, without making it."""
    brokers, found = recovery.graph.brokers, recovery.exceptions
    fields = (found.brokers, found.destinations, found.next)
    broker, destination, after = (each.astype(np.int64) for each in fields)
    different = np.unique((broker << _FIELD | destination) << _FIELD | after - NONE)
    more = np.bincount(different >> 2 * _FIELD, minlength=brokers)
    return more + max(0, brokers - 1)


def number_bytes(largest: int) -> int:
    """Whole bytes that a number needs."""
    return max(1, -(-largest.bit_length() // 8))


# --- the thesis's formulas ----------------------------------------------------------------------


def most_condensed(brokers: int, neighbours: int) -> int:
    """(6-1): a super table has at most a row for each neighbour and destination."""
    return (brokers - 1) * neighbours


def links_of(brokers: int, degree: float) -> float:
    """(6-6): links of a mesh whose brokers have so many neighbours on average."""
    return brokers * degree / 2


def tables_for(links: float) -> float:
    """(6-4) and (6-7): tables of a broker for single links."""
    return links + 1


def all_entries(brokers: int, tables: int) -> int:
    """(6-5) and (6-8): entries of all tables of a broker."""
    return tables * max(0, brokers - 1)


def all_entries_by_degree(brokers: int, degree: float) -> float:
    """(6-9), mended: all entries of a broker for single links."""
    return brokers**2 * degree / 2 + brokers * (1 - degree / 2) - 1
