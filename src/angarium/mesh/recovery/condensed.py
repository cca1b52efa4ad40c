"""The super table of a broker, as the thesis condenses it (6.1.2), and its two-dimensional lookup.

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

Where failures leave no way to a destination, that is an entry too, whose next broker is -1. The thesis, whose
example has no bridge, says nothing about it; but it counts an entry for every other broker in every table.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from angarium.mesh.recovery.colours import HEALTHY
from angarium.mesh.recovery.tables import OfBroker, Recovery
from angarium.mesh.routing.graph import Ints


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
    """By destination and colour, the first colour being 1: the next broker; -1 if there is no way."""
    pointers: Ints
    """By destination and colour: the address of a row, the first row being 1; 0 for oneself."""

    def __len__(self) -> int:
        return len(self.rows)

    def next(self, colour: int, destination: int) -> int:
        """The next broker, by way of the pointers; -1 if there is no way."""
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
