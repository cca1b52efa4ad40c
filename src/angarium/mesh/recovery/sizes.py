"""How much room recovery tables take: plain, condensed as in the thesis, and compact; the lookup counted.

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

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from angarium.mesh.recovery.compact import shape_of
from angarium.mesh.recovery.tables import Recovery
from angarium.mesh.routing.graph import NONE

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
