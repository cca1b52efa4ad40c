"""What differs from the healthy tables when something has failed: calculated for failures in slices.

A table for every colour would be far too much: 1,000 brokers under 2,000 failures of links have two thousand
million entries. Nearly all of them are those of the healthy mesh, and only the others are calculated, sent
and kept: the *exceptions*. Each takes six bytes here, sorted by colour, destination and broker.

The failures are taken in slices, so that there is something to tell and a moment to stop; threads share the
destinations of a slice. The order of an exception is in its word, so neither slices nor threads matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from angarium.core.control import Control, cut_of
from angarium.core.errors import MeshError
from angarium.mesh.mesh import Failures
from angarium.mesh.recovery import exceptions_core as core
from angarium.mesh.routing import sweep_core
from angarium.mesh.routing.graph import Graph
from angarium.mesh.routing.sweep import changes_of
from angarium.mesh.routing.tables import Addresses, Routed, addresses, threads_for
from angarium.native.calls import Native

Shorts = NDArray[np.int16]
Longs = NDArray[np.int64]
Packed = NDArray[np.uint64]
Numbers = NDArray[np.signedinteger[Any]] | int

CORE = Native(core, ("plant", "exceptions"), also=(sweep_core,))
SLICE = 512
"""Failures that are taken together: the tree of every destination is planted anew for each slice."""
ROOM = 1 << 16
"""Exceptions that a thread writes before they are fetched."""
MOST = 100_000_000
"""Exceptions that are kept: six bytes each, and eight more while they are calculated."""


@dataclass(frozen=True)
class Exceptions:
    """Entries that are not those of the healthy tables, sorted by colour, destination and broker."""

    rows: Longs
    """Where those of each colour begin, colour 1 first; one more than there are colours."""
    destinations: Shorts
    brokers: Shorts
    next: Shorts
    """The next broker; -1 if there is no path."""

    def __len__(self) -> int:
        return len(self.next)

    @property
    def colours(self) -> NDArray[np.int32]:
        """The colour of each."""
        return np.repeat(np.arange(1, len(self.rows), dtype=np.int32), np.diff(self.rows))

    def of_colour(self, colour: int) -> slice:
        return slice(int(self.rows[colour - 1]), int(self.rows[colour]))

    def find(self, colour: int, broker: int, destination: int) -> int | None:
        """The next broker that an exception names, if there is one."""
        part = self.of_colour(colour)
        first, behind = np.searchsorted(self.destinations[part], [destination, destination + 1]) + part.start
        place = int(first + np.searchsorted(self.brokers[first:behind], broker))
        return int(self.next[place]) if place < behind and self.brokers[place] == broker else None

    @cached_property
    def _by_broker(self) -> tuple[Longs, Longs]:
        """The places of the exceptions, broker by broker; and where those of each broker begin."""
        highest = int(self.brokers.max(initial=-1)) + 1
        counts = np.bincount(self.brokers, minlength=highest)
        order = np.argsort(self.brokers, kind="stable").astype(np.int64)
        return order, np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    def of_broker(self, broker: int) -> Longs:
        """The places of a broker's exceptions, by colour and destination."""
        order, rows = self._by_broker
        if broker + 1 >= len(rows):
            return order[:0]
        return order[rows[broker] : rows[broker + 1]]


def as_words(failures: Numbers, destinations: Numbers, brokers: Numbers, after: Numbers) -> Packed:
    """The words of exceptions, as the compiled functions write them; the first failure is 0."""
    numbers = (np.asarray(each, np.int64) for each in (failures, destinations, brokers, after))
    failure, destination, broker, following = numbers
    places = failure << core.FAILURE_AT | destination << core.DESTINATION_AT | broker << core.BROKER_AT
    return (places | following + 1).astype(np.uint64)


def from_words(parts: Sequence[Packed], sizes: Sequence[int]) -> Exceptions:
    """The exceptions of slices that stand for so many failures each; the healthy mesh is not among these."""
    total = sum(map(len, parts))
    arrays = [np.empty(total, np.int16) for _ in range(3)]
    rows, done = [np.zeros(2, np.int64)], 0
    for part, size in zip(parts, sizes, strict=True):
        for array, values in zip(arrays, _fields(part), strict=True):
            array[done : done + len(part)] = values
        ends = np.searchsorted(part, np.arange(1, size + 1, dtype=np.uint64) << np.uint64(core.FAILURE_AT))
        rows.append(ends + done)
        done += len(part)
    return Exceptions(np.concatenate(rows), *arrays)


def _fields(part: Packed) -> Iterator[Packed | Longs]:
    number = np.uint64((1 << core.BROKER_BITS) - 1)
    yield part >> np.uint64(core.DESTINATION_AT) & number
    yield part >> np.uint64(core.BROKER_AT) & number
    yield (part & np.uint64((1 << core.NEXT_BITS) - 1)).astype(np.int64) - 1


# --- calculating --------------------------------------------------------------------------------


def calculated(
    graph: Graph, failures: Sequence[Failures], control: Control | None = None, threads: int | None = None
) -> Packed:
    """The exceptions of failures, sorted; worthless if the time was up."""
    work = _Slice(graph, failures, control or Control())
    return work.run(threads_for(graph, threads))


class _Slice:
    """Some failures, whose exceptions threads look for: each takes the next destination."""

    def __init__(self, graph: Graph, failures: Sequence[Failures], control: Control) -> None:
        self._graph, self._control, self._count = graph, control, len(failures)
        self._routed = Routed(graph, graph.costs)
        self._changes = changes_of(graph, failures)
        self._destinations = count()

    def run(self, threads: int) -> Packed:
        CORE.library  # noqa: B018 - compiled once, before the threads begin
        with ThreadPoolExecutor(threads) as pool:
            try:
                working = [pool.submit(self._work) for _ in range(threads)]
                found = [part for each in working for part in each.result()]
            except KeyboardInterrupt as problem:
                self._control.cut = cut_of(problem)  # so that the threads stop
                raise
        together = np.concatenate([np.zeros(0, np.uint64), *found])
        together.sort()
        return together

    def _work(self) -> list[Packed]:
        """What one thread does."""
        column, tree = self._routed.column(), self._tree()
        found = np.empty(max(ROOM, self._graph.brokers), np.uint64)
        parts: list[Packed] = []
        while (to := next(self._destinations)) < self._graph.brokers and not self._control.is_over():
            CORE.call("plant", self._routed.words, column.words, tree.words, to)
            span = np.array([0, self._count], np.uint64)
            given = (self._routed.words, column.words, tree.words, self._changes.words, to, span)
            while span[0] < span[1]:
                written = CORE.call("exceptions", *given, found, len(found))
                parts.append(found[:written].copy())
        return parts

    def _tree(self) -> Addresses:
        return addresses(*(np.zeros(self._graph.brokers, np.int32) for _ in range(4)))


def slices(failures: Sequence[Failures], size: int) -> list[Sequence[Failures]]:
    return [failures[first : first + size] for first in range(0, len(failures), size)]


TABLES = "failures have tables"
"""What is reported while they are calculated."""


def all_exceptions(graph: Graph, failures: Sequence[Failures], control: Control) -> Exceptions:
    """The exceptions of all failures, or of the first ones if the time is up before the end."""
    parts: list[Packed] = []
    sizes: list[int] = []
    for each in slices(failures, SLICE):
        try:
            part = calculated(graph, each, control)
        except KeyboardInterrupt as problem:
            control.cut = cut_of(problem)
        if control.is_over():
            break
        parts.append(part)
        sizes.append(len(each))
        check_room(sum(map(len, parts)), sum(sizes))
        control.report(TABLES, sum(sizes), len(failures))
    return from_words(parts, sizes)


def check_room(exceptions: int, colours: int) -> None:
    """MeshError if there are more exceptions than are kept."""
    if exceptions > MOST:
        raise MeshError(
            "ANG125",
            f"recovery tables with {exceptions:,} exceptions after {colours:,} failures",
            possible=f"up to {MOST:,} are kept",
            remedy="protect against fewer failures at the same time, or recover parts of the mesh",
        )
