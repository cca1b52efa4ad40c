"""The folds, one after the other: messages, then what was postponed, then the second level.

Parts are independent of each other, so threads take one part after the other; machine code runs without the
interpreter's lock. What threads count is added up, and of what they saw first the first is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from angarium.history.kernel import layout as at
from angarium.history.kernel.buckets import LEAST
from angarium.history.kernel.encoding import Encoder
from angarium.history.kernel.facts import Facts, context_of, table
from angarium.history.kernel.interning import Numbers
from angarium.history.kernel.library import KERNEL
from angarium.history.kernel.memory import Context, Store, Stores, Thread, joined, zeros

Rows = NDArray[np.uint64]
_SECOND = {
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
    """By run, kind and bucket: count, shortest, longest."""
    taken: NDArray[np.uint8]
    """By row: whether it is a delivery, and a first one."""


@dataclass
class Folding:
    """The folds over what an encoder has put into its stores."""

    encoder: Encoder
    facts: Facts
    rows: int
    """How many rows were read."""
    threads: int = 1
    context: Context = field(init=False)
    found: list[Rows] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.context = context_of(self.facts)
        self.taken = np.zeros(max(self.rows, 1), np.uint8)
        self.context.set(at.TAKEN, self.taken)
        self.context.set(at.LEAST_TIMES, LEAST)
        self.context.set(at.BUCKETS, len(LEAST))
        if self.encoder.generations:
            self.context.set(at.GENERATIONS, self._by_row(self.encoder.generations))

    def folded(self) -> Folded:
        """Carry all folds out."""
        events = self._with_several()
        self._use(events)
        self._over("fold", events)
        if any(thread.words[at.POSTPONED] for thread in self.workers):
            self._see()
            self._over("arrive", events)
        for place, fold in _SECOND.items():
            stores = Stores([worker.stores[place] for worker in self.workers if place in worker.stores])
            self._over(fold, stores, stores)
        if any(thread.words[at.COLLIDED] for thread in self.workers):
            raise CollisionError
        return Folded(
            self._without_idle(joined(self.found), events),
            self._sum(at.JUDGED).reshape(-1, at.COUNTED, 2),
            self._figures(),
            self._histogram(),
            self.taken,
        )

    # --- threads ------------------------------------------------------------------------------------

    @cached_property
    def workers(self) -> list[Worker]:
        runs, subscribers = len(self.facts.tables.runs.values), len(self.facts.tables.subscribers.values)
        sizes = {
            at.JUDGED: runs * at.COUNTED * 2, at.FIGURES: runs * at.FIGURE,
            at.HISTOGRAM: runs * at.SPANS * len(LEAST) * at.BUCKET,
            at.SEEN: subscribers * at.MOMENT, at.KNOWN: subscribers * at.MOMENT,
        }  # fmt: skip
        bits, most = self.encoder.store.bits, self.encoder.deliveries
        return [Worker(sizes, bits, most) for _ in range(self.threads)]

    def _over(self, fold: str, stores: Stores, given: Stores | None = None) -> None:
        """Carry a fold out over all parts of stores."""
        parts: SimpleQueue[int] = SimpleQueue()
        for part in stores.parts:
            parts.put(part)

        def work(worker: Worker) -> None:
            while True:
                try:
                    part = parts.get_nowait()
                except Empty:
                    return
                self.found += worker.fold(fold, self.context, stores, part, given)

        if len(stores.parts) == 1 or self.threads == 1:
            work(self.workers[0])
            return
        with ThreadPoolExecutor(self.threads) as pool:
            for each in [pool.submit(work, worker) for worker in self.workers]:
                each.result()

    def _use(self, stores: Stores) -> None:
        self.context.set(at.STORES, stores.addresses)
        self.context.set(at.STORES_COUNT, len(stores.each))

    # --- settles of several -------------------------------------------------------------------------

    def _with_several(self) -> Stores:
        """The stores of events, with settles of one in the place of settles of several."""
        events = Stores([self.encoder.store])
        if not self.encoder.several:
            return events
        self._use(events)
        self.context.set(at.TAGS, self._by_row(self.encoder.tags))
        self._over("mark", events)
        noted = Stores(
            [self.encoder.settlers, *(w.stores[at.SETTLERS] for w in self.workers if at.SETTLERS in w.stores)]
        )
        room = self.encoder.deliveries
        while True:
            self.context.set(at.CLOSED, np.zeros(max(self.rows, 1), np.uint8))
            for worker in self.workers:
                worker.keep(at.VIRTUALS, Store(room, self.encoder.store.bits))
            self._over("expand", noted, noted)
            made = [worker.stores[at.VIRTUALS] for worker in self.workers]
            if not any(store.is_full for store in made):
                return Stores([self.encoder.store, *made])
            room *= 4

    def _by_row(self, batches: dict[int, Numbers]) -> Rows:
        """A word for each row."""
        found = zeros(self.rows)
        for first, values in batches.items():
            found[first : first + len(values)] = values.view(np.uint64)
        return found

    # --- who was seen first -------------------------------------------------------------------------

    def _see(self) -> None:
        """Say who was seen first at each place, and what was delivered first to each subscriber."""
        seen, known = self._first(at.SEEN), self._first(at.KNOWN)
        for worker in self.workers:
            worker.set(at.KNOWN, known.reshape(-1))
        sights: dict[int, list[tuple[int, str, int, int]]] = {}
        for place, subscriber in sorted(self.facts.may_read):
            if sight := self._sight(place, subscriber, seen[subscriber]):
                sights.setdefault(place, []).append(sight)
        rows: list[tuple[int, int, int]] = []
        places = self.context.table(at.PLACES)
        for place, each in sights.items():
            places[place, at.L_FROM] = len(rows)
            rows += [(subscriber, time, domain) for time, _, subscriber, domain in sorted(each)]
            places[place, at.L_TO] = len(rows)
        self.context.set(at.SEEING, table(len(rows), at.SIGHT, dict(enumerate(rows))))

    def _sight(self, place: int, subscriber: int, delivered: Rows) -> tuple[int, str, int, int] | None:
        """When a subscriber was seen first, its name, its number, and by whose clock."""
        tables = self.facts.tables
        told = self.facts.subscribed.get((place, subscriber), ())
        name = tables.names.values[tables.subscribers.values[subscriber][1]]
        moments = [(self.facts.order(each)[:3], self.facts.moment(each)[3]) for each in told]
        if delivered[at.M_AT]:
            recorder = tables.recorders.values[int(delivered[at.M_WHO]) >> 32]
            order = int(delivered[at.M_AT]), recorder, int(delivered[at.M_SEQ]) - 1
            moments.append((order, int(delivered[at.M_DOMAIN])))
        if not moments:
            return None
        first, domain = min(moments)
        return first[0], name, subscriber, domain

    def _first(self, place: int) -> Rows:
        """Of the moments that threads have noted the first of each subscriber."""
        tables = [worker[place].reshape(-1, at.MOMENT) for worker in self.workers]
        found = tables[0].astype(np.uint64)
        for other in tables[1:]:
            for subscriber in np.flatnonzero(other[:, at.M_AT]).tolist():
                if not found[subscriber, at.M_AT] or self._when(other[subscriber]) < self._when(
                    found[subscriber]
                ):
                    found[subscriber] = other[subscriber]
        return found

    def _when(self, moment: NDArray[Any]) -> tuple[int, bytes, int]:
        recorder = self.facts.tables.recorders.values[int(moment[at.M_WHO]) >> 32]
        return int(moment[at.M_AT]), recorder.encode(), int(moment[at.M_SEQ])

    # --- late redeliveries --------------------------------------------------------------------------

    def _without_idle(self, findings: Rows, events: Stores) -> Rows:
        """Without late redeliveries to subscribers that got nothing at all in that time."""
        late = findings[:, at.X_KIND] == at.LATE
        if not late.any():
            return findings
        watched = np.unique(findings[late, at.X_SUBSCRIBER]).astype(np.int64) - 1
        self.context.table(at.SUBSCRIBERS)[watched, at.S_WATCHED] = 1
        pairs = [worker.pairs(count) for worker, count in self._times(events)]
        got = np.concatenate(pairs) if pairs else np.zeros((0, 2), np.uint64)
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

    def _times(self, events: Stores) -> Iterable[tuple[Worker, int]]:
        """Deliveries to watched subscribers: in a thread's memory, until the next part comes."""
        worker = self.workers[0]
        for part in events.parts:
            worker.thread.prepare(events.count(part))
            yield worker, KERNEL.call("times", self.context.words, worker.words, part)

    # --- sums ---------------------------------------------------------------------------------------

    def _sum(self, place: int) -> NDArray[np.int64]:
        found: NDArray[np.int64] = np.sum([worker[place].astype(np.int64) for worker in self.workers], axis=0)
        return found

    def _figures(self) -> NDArray[np.int64]:
        each = np.array([worker[at.FIGURES].astype(np.int64) for worker in self.workers])
        each = each.reshape(len(self.workers), -1, at.FIGURE)
        found: NDArray[np.int64] = each.sum(axis=0)
        found[:, at.MOST] = each[:, :, at.MOST].max(axis=0)
        return found

    def _histogram(self) -> NDArray[np.int64]:
        each = np.array([worker[at.HISTOGRAM].astype(np.int64) for worker in self.workers])
        each = each.reshape(len(self.workers), -1, at.SPANS, len(LEAST), at.BUCKET)
        shortest = np.where(each[..., 0] > 0, each[..., 1], 1 << 62).min(axis=0)
        return np.stack([each[..., 0].sum(axis=0), shortest, each[..., 2].max(axis=0)], axis=-1)


class Worker:
    """A thread's memory, with the stores that it fills."""

    def __init__(self, sizes: dict[int, int], bits: int, deliveries: int) -> None:
        self.thread = Thread()
        self.stores: dict[int, Store] = {}
        for place, size in sizes.items():
            self.thread.set(place, zeros(size))
        for place, most in (
            (at.SEQUENCES, deliveries), (at.HOLDERS, 2 * deliveries), (at.UNITS, deliveries),
            (at.SETTLERS, 2 * deliveries),
        ):  # fmt: skip
            self.keep(place, Store(most, bits))

    @property
    def words(self) -> Rows:
        return self.thread.words

    def __getitem__(self, place: int) -> NDArray[np.generic]:
        return self.thread[place]

    def set(self, place: int, memory: NDArray[np.generic]) -> None:
        self.thread.set(place, memory)

    def keep(self, place: int, store: Store) -> None:
        """Fill a store from now on."""
        self.stores[place] = store
        self.thread.set(place, store.words)

    def pairs(self, count: int) -> Rows:
        return self.thread[at.PAIRS][: 2 * count].reshape(-1, 2).astype(np.uint64)

    def fold(
        self, fold: str, context: Context, stores: Stores, part: int, given: Stores | None
    ) -> Sequence[Rows]:
        """Carry a fold out over a part: again, with more room, if there was too little for what it found."""
        count, room = stores.count(part), 0
        if not count:
            return ()
        while True:
            self.thread.prepare(count, room)
            listed = (given.addresses, len(given.each)) if given else ()
            KERNEL.call(fold, context.words, self.words, *listed, part)
            if not self.thread.is_cramped:
                return (self.thread.findings(),)
            room = max(2 * self.thread.found, 2 * room, 1024)
            count *= 2
