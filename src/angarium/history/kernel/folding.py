"""The folds, one after the other: messages, then what was postponed, then the second level."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from angarium.history.kernel import layout as at
from angarium.history.kernel.buckets import LEAST
from angarium.history.kernel.crew import Crew, Partial, Rows
from angarium.history.kernel.encoding import Encoder
from angarium.history.kernel.facts import Facts, context_of, table
from angarium.history.kernel.interning import Numbers
from angarium.history.kernel.memory import Context, Store, Stores, zeros

SECOND = {
    at.SEQUENCES: "follow_sequences", at.HOLDERS: "follow_holders", at.UNITS: "follow_units",
}  # fmt: skip
"""The second level: the store that each thread fills, and the fold over it."""


class CollisionError(Exception):
    """Two names have the same hash: all must be looked at again, with another."""


@dataclass
class Folded:
    """What came of all folds."""

    findings: Rows
    judged: NDArray[np.int64]
    """By run and guarantee of the layout: how much was judged, and how much was not."""
    figures: NDArray[np.int64]
    histogram: NDArray[np.int64]
    """As `Partial` has it."""


@dataclass
class Folding:
    """The folds over what an encoder has put into its stores."""

    encoder: Encoder
    facts: Facts
    threads: int = 1
    folder: Path | None = None
    """Where what does not fit into memory is kept."""
    context: Context = field(init=False)
    stores: Stores = field(init=False)
    """The stores of events, when they are folded."""

    def __post_init__(self) -> None:
        self.context = context_of(self.facts)
        self.taken = np.zeros(max(self.rows, 1), np.uint8)
        """By row: whether it is a delivery, and a first one."""
        with_tables(self.context, self.taken)
        if self.encoder.generations:
            self.context.set(at.GENERATIONS, self._by_row(self.encoder.generations))
        noted = self.encoder.noted
        self.crew = Crew(
            self.context, len(noted.tables.runs.values), len(noted.tables.subscribers.values),
            self.encoder.store.bits, noted.deliveries, self.rows if noted.several else 0, self.threads,
            self.folder,
        )  # fmt: skip

    @property
    def rows(self) -> int:
        return self.encoder.noted.rows

    def folded(self) -> Folded:
        """Carry all folds out."""
        events, crew = self._with_several(), self.crew
        self.stores = events
        crew.use(events)
        crew.over("fold", events)
        if crew.postponed:
            partial = crew.partial()
            see(self.facts, self.context, partial)
            for worker in crew.workers:
                worker.set(at.KNOWN, partial.known.reshape(-1))
            crew.over("arrive", events)
        for place, fold in SECOND.items():
            stores = crew.filled(place)
            crew.over(fold, stores, stores)
        return settled(crew.partial(), lambda watched: self._times(watched, events))

    def _times(self, watched: Numbers, events: Stores) -> Rows:
        watch(self.context, watched)
        return self.crew.times(events)

    # --- settles of several -------------------------------------------------------------------------

    def _with_several(self) -> Stores:
        """The stores of events, with settles of one in the place of settles of several."""
        events = Stores([self.encoder.store])
        if not self.encoder.noted.several:
            return events
        self.crew.use(events)
        self.context.set(at.TAGS, self._by_row(self.encoder.tags))
        self.crew.over("mark", events)
        noted = Stores([self.encoder.settlers, *self.crew.filled(at.SETTLERS).each])
        return Stores([self.encoder.store, *expanded(self.crew, noted, self.rows)])

    def _by_row(self, batches: dict[int, Numbers]) -> Rows:
        """A word for each row."""
        found = zeros(self.rows)
        for first, values in batches.items():
            found[first : first + len(values)] = values.view(np.uint64)
        return found


# --- steps that all hosts take --------------------------------------------------------------------------


def with_tables(context: Context, taken: NDArray[np.uint8]) -> None:
    """What every fold needs beside the facts."""
    context.set(at.TAKEN, taken)
    context.set(at.LEAST_TIMES, LEAST)
    context.set(at.BUCKETS, len(LEAST))


def expanded(crew: Crew, noted: Stores, rows: int) -> list[Store]:
    """Stores of a settle for each delivery that a settle of several settles."""
    room = crew.deliveries
    while True:
        crew.context.set(at.CLOSED, np.zeros(max(rows, 1), np.uint8))
        for worker in crew.workers:
            worker.keep(at.VIRTUALS, Store(room, crew.bits))
        crew.over("expand", noted, noted)
        made = list(crew.filled(at.VIRTUALS).each)
        if not any(store.is_full for store in made):
            return made
        room *= 4


def watch(context: Context, watched: Numbers) -> None:
    """Ask for the times of the deliveries to some subscribers."""
    context.table(at.SUBSCRIBERS)[watched, at.S_WATCHED] = 1


def see(facts: Facts, context: Context, partial: Partial) -> None:
    """Say who was seen first at each place."""
    sights: dict[int, list[tuple[int, str, int, int]]] = {}
    for place, subscriber in sorted(facts.may_read):
        if sight := _sight(facts, place, subscriber, partial.seen[subscriber]):
            sights.setdefault(place, []).append(sight)
    rows: list[tuple[int, int, int]] = []
    places = context.table(at.PLACES)
    for place, each in sights.items():
        places[place, at.L_FROM] = len(rows)
        rows += [(subscriber, time, domain) for time, _, subscriber, domain in sorted(each)]
        places[place, at.L_TO] = len(rows)
    context.set(at.SEEING, table(len(rows), at.SIGHT, dict(enumerate(rows))))


def _sight(facts: Facts, place: int, subscriber: int, delivered: Rows) -> tuple[int, str, int, int] | None:
    """When a subscriber was seen first, its name, its number, and by whose clock."""
    tables = facts.tables
    told = facts.subscribed.get((place, subscriber), ())
    name = tables.names.values[tables.subscribers.values[subscriber][1]]
    moments = [(facts.order(each)[:3], facts.moment(each)[3]) for each in told]
    if delivered[at.M_AT]:
        recorder = tables.recorders.values[int(delivered[at.M_WHO]) >> 32]
        order = int(delivered[at.M_AT]), recorder, int(delivered[at.M_SEQ]) - 1
        moments.append((order, int(delivered[at.M_DOMAIN])))
    if not moments:
        return None
    first, domain = min(moments)
    return first[0], name, subscriber, domain


def settled(partial: Partial, times: Callable[[Numbers], Rows]) -> Folded:
    """What was found, when all folds are done; `times`: of the deliveries to some subscribers, if it is asked
    for. CollisionError if two sequences have one hash."""
    if partial.collided:
        raise CollisionError
    findings = partial.findings
    late = findings[:, at.X_KIND] == at.LATE
    if late.any():
        watched = np.unique(findings[late, at.X_SUBSCRIBER]).astype(np.int64) - 1
        findings = _without_idle(findings, late, watched, times(watched))
    return Folded(findings, partial.judged, partial.figures, partial.histogram)


def _without_idle(findings: Rows, late: NDArray[np.bool_], watched: Numbers, got: Rows) -> Rows:
    """Without late redeliveries to subscribers that got nothing at all in that time."""
    got = got[np.lexsort((got[:, 1], got[:, 0]))]
    keep = np.ones(len(findings), np.bool_)
    for subscriber in watched.tolist():
        low, high = np.searchsorted(got[:, 0], [subscriber, subscriber + 1])
        mine = np.flatnonzero(late & (findings[:, at.X_SUBSCRIBER] == subscriber + 1))
        times = got[low:high, 1]
        since = np.searchsorted(times, findings[mine, at.X_DUE], side="left")
        until = np.searchsorted(times, findings[mine, at.X_FOUND_AT], side="right")
        keep[mine[since == until]] = False
    return findings[keep]
