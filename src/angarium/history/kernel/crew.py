"""Who folds: threads that take one part after the other, and what they have counted, which can be added up.

Parts are independent of each other, and machine code runs without the interpreter's lock. What is counted is
a `Partial`: those of threads are added up, and so are those of processes on other machines, if they have the
same numbers for names. Of what they saw first the first is taken.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from queue import Empty, SimpleQueue

import numpy as np
from numpy.typing import NDArray

from angarium.history.kernel import layout as at
from angarium.history.kernel.buckets import LEAST
from angarium.history.kernel.library import KERNEL
from angarium.history.kernel.memory import RESTING, Context, Store, Stores, Thread, joined, zeros

Rows = NDArray[np.uint64]


@dataclass(frozen=True)
class Partial:
    """What a fold over some parts has counted and found."""

    findings: Rows
    judged: NDArray[np.int64]
    """By run and guarantee of the layout: how much was judged, and how much was not."""
    figures: NDArray[np.int64]
    histogram: NDArray[np.int64]
    """The buckets that have times, of all runs and kinds: place, count, shortest, longest. Of as many runs as
    a hostile history can name, all buckets would be more than there is memory for."""
    seen: Rows
    """The first delivery to each subscriber, and the next: of a message of which a send is known."""
    known: Rows
    postponed: bool
    """Whether something can only be judged when it is known who was seen first, of all."""
    collided: bool

    @classmethod
    def sum(cls, some: Sequence[Partial], ranks: Rows) -> Partial:
        """One of several; `ranks`: the order of the recorders."""
        figures = np.sum([each.figures for each in some], axis=0)
        figures[:, at.MOST] = np.max([each.figures[:, at.MOST] for each in some], axis=0)
        return cls(
            joined(each.findings for each in some),
            np.sum([each.judged for each in some], axis=0),
            figures,
            _added([each.histogram for each in some]),
            _first([each.seen for each in some], ranks),
            _first([each.known for each in some], ranks),
            any(each.postponed for each in some),
            any(each.collided for each in some),
        )


def _added(histograms: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """One histogram of several."""
    rows = np.concatenate(histograms)
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    places, first = np.unique(rows[:, 0], return_index=True)
    if not len(places):
        return rows
    counts, shortest, longest = (
        how.reduceat(rows[:, column], first)
        for how, column in ((np.add, 1), (np.minimum, 2), (np.maximum, 3))
    )
    return np.column_stack((places, counts, shortest, longest))


def _first(tables: Sequence[Rows], ranks: Rows) -> Rows:
    """Of moments that were noted by many the first of each subscriber."""
    found = tables[0].copy()
    for other in tables[1:]:
        for each in np.flatnonzero(other[:, at.M_AT]).tolist():
            if not found[each, at.M_AT] or _when(other[each], ranks) < _when(found[each], ranks):
                found[each] = other[each]
    return found


def _when(moment: Rows, ranks: Rows) -> tuple[int, int, int]:
    return int(moment[at.M_AT]), int(ranks[int(moment[at.M_WHO]) >> 32]), int(moment[at.M_SEQ])


@dataclass
class Crew:
    """Threads, and what they know together."""

    context: Context
    runs: int
    subscribers: int
    bits: int
    """How many bits number the parts of the second level."""
    deliveries: int
    """At most so many deliveries there are."""
    events: int
    threads: int = 1
    folder: Path | None = None
    """Where the second level is kept, if there is no room for it in memory."""
    found: list[Rows] = field(default_factory=list)

    @cached_property
    def workers(self) -> list[Worker]:
        sizes = {
            at.JUDGED: self.runs * at.COUNTED * 2, at.FIGURES: self.runs * at.FIGURE,
            at.HISTOGRAM: self.runs * at.SPANS * len(LEAST) * at.BUCKET,
            at.SEEN: self.subscribers * at.MOMENT, at.KNOWN: self.subscribers * at.MOMENT,
        }  # fmt: skip
        return [
            Worker(sizes, self.bits, self.deliveries, self.events, self.folder) for _ in range(self.threads)
        ]

    def use(self, stores: Stores) -> None:
        """Look at the events in some stores from now on."""
        self.context.set(at.STORES, stores.addresses)
        self.context.set(at.STORES_COUNT, len(stores.each))

    def over(self, fold: str, stores: Stores, given: Stores | None = None) -> None:
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
                if part % RESTING == 0:
                    stores.rest()
                    worker.rest()

        if len(stores.parts) == 1 or self.threads == 1:
            work(self.workers[0])
            return
        with ThreadPoolExecutor(self.threads) as pool:
            for each in [pool.submit(work, worker) for worker in self.workers]:
                each.result()

    def filled(self, place: int) -> Stores:
        """What all threads have put into a store."""
        return Stores([worker.stores[place] for worker in self.workers])

    @property
    def postponed(self) -> bool:
        return any(worker.words[at.POSTPONED] for worker in self.workers)

    def partial(self) -> Partial:
        """What was counted and found up to now."""
        each = [
            Partial(
                np.zeros((0, at.FINDING), np.uint64),
                worker.numbers(at.JUDGED, at.COUNTED, 2),
                worker.numbers(at.FIGURES, at.FIGURE),
                worker.histogram,
                worker.rows(at.SEEN, at.MOMENT).astype(np.uint64),
                worker.rows(at.KNOWN, at.MOMENT).astype(np.uint64),
                bool(worker.words[at.POSTPONED]),
                bool(worker.words[at.COLLIDED]),
            )
            for worker in self.workers
        ]
        ranks = self.context.table(at.RANKS).astype(np.uint64)
        counted = Partial.sum(each, ranks)
        self.found = [joined(self.found)]
        return replace(counted, findings=self.found[0])

    def times(self, events: Stores) -> Rows:
        """The deliveries to watched subscribers: subscriber and time."""
        worker, found = self.workers[0], []
        self.use(events)
        for part in events.parts:
            worker.thread.prepare(events.count(part))
            found.append(worker.pairs(KERNEL.call("times", self.context.words, worker.words, part)))
        return np.concatenate(found)


class Worker:
    """A thread's memory, with the stores that it fills."""

    def __init__(
        self, sizes: dict[int, int], bits: int, deliveries: int, events: int, folder: Path | None = None
    ) -> None:
        self.thread = Thread()
        self.stores: dict[int, Store] = {}
        for place, size in sizes.items():
            self.thread.set(place, zeros(size))
        for place, most in (
            (at.SEQUENCES, deliveries), (at.HOLDERS, 2 * deliveries), (at.UNITS, deliveries),
            (at.SETTLERS, events),
        ):  # fmt: skip
            self.keep(place, Store(most, bits, folder))

    @property
    def words(self) -> Rows:
        return self.thread.words

    def __getitem__(self, place: int) -> NDArray[np.generic]:
        return self.thread[place]

    def numbers(self, place: int, *shape: int) -> NDArray[np.int64]:
        """What was counted, one row a run."""
        return self.rows(place, math.prod(shape)).astype(np.int64).reshape(-1, *shape)

    def rows(self, place: int, width: int) -> NDArray[np.generic]:
        """A memory as a table; where there is nothing to note, not even a run, it has a word all the same."""
        words = self.thread[place]
        return words[: len(words) // width * width].reshape(-1, width)

    @property
    def histogram(self) -> NDArray[np.int64]:
        buckets = self.rows(at.HISTOGRAM, at.BUCKET).view(np.int64)
        places = buckets[:, 0].nonzero()[0]
        return np.column_stack((places, buckets[places]))

    def set(self, place: int, memory: NDArray[np.generic]) -> None:
        self.thread.set(place, memory)

    def keep(self, place: int, store: Store) -> None:
        """Fill a store from now on."""
        self.stores[place] = store
        self.thread.set(place, store.words)

    def rest(self) -> None:
        """Let go of what is in memory of files."""
        for store in self.stores.values():
            store.rest()

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
