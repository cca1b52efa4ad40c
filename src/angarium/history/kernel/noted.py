"""What is noted while rows are read, beside the events of messages; and how what pieces noted becomes one.

A history is read in pieces, by one process after the other or by many at a time. Each piece numbers its names
for itself, and its rows from 0 on. `Noted.add` takes what a piece has noted into the numbers of the whole and
says by a `Translation` how to do the same with the piece's events: those are not looked at, and may lie
elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from angarium.core.errors import HistoryError
from angarium.history.kernel import layout as at
from angarium.history.kernel.facts import Facts, run_of
from angarium.history.kernel.interning import Interned, Numbers, Pairs
from angarium.history.kernel.numbering import Tables
from angarium.history.kernel.tally import Tally
from angarium.history.parameters import Parameters

Words = NDArray[np.uint64]
Event = dict[str, Any]


@dataclass
class Noted:
    """What is known of some rows, but for the events of messages."""

    tables: Tables = field(default_factory=Tables)
    tally: Tally = field(default_factory=Tally)
    rows: int = 0
    others: list[tuple[int, Event]] = field(default_factory=list)
    """Events of no message, and those that say who is in step, with their rows."""
    several: set[int] = field(default_factory=set)
    """Who settles several messages at a time."""
    may_read: set[tuple[int, int]] = field(default_factory=set)
    """Places and subscribers that may read there."""
    deliveries: int = 0
    """At most so many deliveries there are."""

    def add(self, piece: Noted) -> Translation:
        """Take what the next piece has noted."""
        found = Translation.between(piece.tables, self.tables, self.rows)
        self.tally.merge(piece.tally, found.runs, found.sources)
        self.others += [(self.rows + row, event) for row, event in piece.others]
        self.several |= {int(found.people[each + 1]) - 1 for each in piece.several}
        self.may_read |= {(int(found.places[p]), int(found.subscribers[s])) for p, s in piece.may_read}
        self.deliveries += piece.deliveries
        self.rows += piece.rows
        if self.rows > at.ROW:
            raise HistoryError(
                "ANG136",
                f"this history has {self.rows:,} rows",
                possible=f"possible: {at.ROW:,} rows at a time",
                remedy="audit its runs one by one",
            )
        return found

    def facts(self, parameters: Parameters) -> Facts:
        """The facts, when all pieces are there."""
        said = {name: counts.copy() for name, counts in self.tally.said.items()}
        tally = Tally(self.tally.counted, said, self.tally.seen)
        for _, event in self.others:
            tally.add(self.tables.runs.of(run_of(event)), event)
        profiles = tally.profiles(self.tables.runs.values)
        return Facts(self.tables, self.others, profiles, parameters, set(self.may_read), self.several)


@dataclass(frozen=True)
class Translation:
    """The numbers of a piece in those of the whole; where 0 is none, it stays 0."""

    first: int
    """The number of the piece's first row."""
    runs: Numbers
    recorders: Numbers
    domains: Numbers
    """With none in front, as the next two."""
    people: Numbers
    names: Numbers
    places: Numbers
    subscribers: Numbers
    readers: Numbers
    sources: Numbers

    @classmethod
    def between(cls, piece: Tables, whole: Tables, first: int) -> Translation:
        """Enter the names of a piece into the tables of the whole."""
        names = _entered(piece.names, whole.names)
        runs = _entered(piece.runs, whole.runs)
        places = _paired(piece.places, whole.places, runs, names)
        channels = _paired(piece.channels, whole.channels, names, names)
        people = _paired(piece.people, whole.people, runs, names)
        _paired(piece.groups, whole.groups, runs, names)
        return cls(
            first,
            runs,
            _entered(piece.recorders, whole.recorders),
            np.append(0, _entered(piece.domains, whole.domains) + 1),
            np.append(0, people + 1),
            np.append(0, names + 1),
            places,
            _paired(piece.subscribers, whole.subscribers, places, names),
            _paired(piece.readers, whole.readers, places, channels),
            _paired(piece.sources, whole.sources, names, names),
        )

    def moved(self, columns: Sequence[Words]) -> list[Words]:
        """The words of a piece's events in the numbers of the whole."""
        key, time, seq, who, number, taker, place, kind = (each.view(np.int64) for each in columns)
        domain = self.domains[(kind >> at.DOMAIN) & at.DOMAINS]
        whole = (
            key, time, seq, self.whose(who), number, self.takers(taker),
            (self.readers[place >> 32] << 32) | self.names[place & at.ROW],
            (kind & ~(at.DOMAINS << at.DOMAIN)) | (domain << at.DOMAIN),
        )  # fmt: skip
        return [each.view(np.uint64) for each in whole]

    def moved_settlers(self, columns: Sequence[Words]) -> list[Words]:
        """The same for settles of several, whose first word is the consumer."""
        consumer, time, seq, who, number, tag, deed, kind = (each.view(np.int64) for each in columns)
        domain = self.domains[(kind >> at.DOMAIN) & at.DOMAINS]
        kind = (kind & ~(at.DOMAINS << at.DOMAIN)) | (domain << at.DOMAIN)
        whole = (self.people[consumer + 1] - 1, time, seq, self.whose(who), number, tag, deed, kind)
        return [each.view(np.uint64) for each in whole]

    def whose(self, who: Numbers) -> Numbers:
        moved: Numbers = (self.recorders[who >> 32] << 32) | ((who & at.ROW) + self.first)
        return moved

    def takers(self, taker: Numbers) -> Numbers:
        moved: Numbers = ((self.people[(taker >> 32) + 1] - 1) << 32) | self.people[taker & at.ROW]
        return moved


def _entered(piece: Interned, whole: Interned) -> Numbers:
    return np.array([whole.of(each) for each in piece.values], np.int64)


def _paired(piece: Pairs, whole: Pairs, ones: Numbers, others: Numbers) -> Numbers:
    """The numbers of pairs, whose members may be -1: none."""
    one, other = [*ones.tolist(), -1], [*others.tolist(), -1]
    return np.array([whole.of(one[a], other[b]) for a, b in piece.values], np.int64)
