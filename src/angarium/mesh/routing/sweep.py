"""Every ordered pair of living brokers, under each of many failures: does a message still arrive?

New tables are calculated for every failure where brokers do so; else messages go through the old ones, run
into what is dead, or in a circle. The verdict comes from walks through these tables, so that it is right for
any table. Filters of links are not looked at: this is about brokers, not about topics.

The compiled functions of `sweep_core` do the work, one destination at a time in each thread.

On Spark the failures are divided into slices; a task makes the tables of the healthy mesh and looks at every
failure of its slice, by the same compiled functions. Slices come back as they are done; what has come back
when the time is up, or when somebody presses Ctrl-C, is the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from angarium.core.control import Control, Cut
from angarium.mesh.mesh import NOTHING, SHORTEST, Failures, Mesh
from angarium.mesh.routing import sweep_core as core
from angarium.mesh.routing.graph import Graph, Ints, graph_of
from angarium.mesh.routing.tables import (
    CORE,
    Addresses,
    Routed,
    addresses,
    in_threads,
    outcomes,
    tables,
    threads_for,
)
from angarium.native.calls import Array
from angarium.spark.place import Place

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Swept:
    """What becomes of the messages between living brokers under one failure."""

    failures: Failures
    pairs: int
    """Ordered pairs of different living brokers."""
    lost: int
    """Pairs whose messages are dropped, also by the limit of hops."""
    looping: int
    """Pairs whose messages go round for ever."""
    first: tuple[str, str] | None
    """The first pair, by source and then by destination, whose messages do not arrive."""
    longest: int
    """Hops of the longest path that arrives."""
    before: int = 0
    """Pairs of these living brokers whose messages do not arrive either when nothing has failed."""

    @property
    def arriving(self) -> int:
        return self.pairs - self.lost - self.looping


@dataclass(frozen=True)
class Sweep:
    """The answers for many failures, in their order."""

    names: tuple[str, ...]
    failures: tuple[Failures, ...]
    tallies: Counts
    """By failure: lost, looping, first pair, longest path, and what did not arrive before."""
    healthy: Swept
    """The same when nothing has failed."""
    cut: Cut | None = None
    """What cut it short, if something did: then these are not all failures that were asked for."""

    def __len__(self) -> int:
        return len(self.failures)

    def __getitem__(self, number: int) -> Swept:
        return swept(self.names, self.failures[number], self.tallies[number])

    def __iter__(self) -> Iterator[Swept]:
        return (self[number] for number in range(len(self)))

    @property
    def pairs(self) -> int:
        """All questions that were answered."""
        return sum(_pairs(self.names, each) for each in self.failures)

    def losing(self) -> Iterator[Swept]:
        """The failures under which messages between some living brokers do not arrive."""
        bad = self.tallies[:, core.LOST] + self.tallies[:, core.LOOPING]
        return (self[number] for number in np.flatnonzero(bad).tolist())


def swept(names: tuple[str, ...], failures: Failures, tally: Counts) -> Swept:
    lost, looping, first, longest, before = tally.tolist()
    pair = None
    if first < len(names) ** 2:
        pair = names[first // len(names)], names[first % len(names)]
    return Swept(failures, _pairs(names, failures), lost, looping, pair, longest, before)


def _pairs(names: tuple[str, ...], failures: Failures) -> int:
    living = len(names) - len(failures.brokers)
    return living * (living - 1)


def sweep(mesh: Mesh, failures: Iterable[Failures], *, threads: int | None = None) -> Sweep:
    """Ask for every failure whether every broker reaches every other that lives."""
    graph = graph_of(mesh)
    requested = (NOTHING, *failures)
    tallies = tally(graph, requested, threads)
    return Sweep(graph.names, requested[1:], tallies[1:], swept(graph.names, NOTHING, tallies[0]))


def tally(graph: Graph, requested: Sequence[Failures], threads: int | None = None) -> Counts:
    """For each failure: how many pairs are lost, how many go round, the first of them, the longest path.

    The compiled code knows only failures that make hops dearer. Where links take over, it begins with a mesh
    in which they have done so already, and what did not arrive before that is counted by itself.
    """
    places: dict[frozenset[str], list[int]] = {}
    for place, failures in enumerate(requested):
        places.setdefault(graph.standby.resting(failures), []).append(place)
    tallies = np.zeros((len(requested), core.TALLY), np.int64)
    for resting, some in places.items():
        now = graph if resting == graph.standby.healthy else graph.when(resting)
        tallies[some] = _tally(now, [requested[place] for place in some], threads)
        if now is not graph:
            tallies[some, core.BEFORE] = _bad_before(graph, [requested[place] for place in some])
    return tallies


def _bad_before(graph: Graph, requested: Sequence[Failures]) -> list[int]:
    """Of the pairs that live under each failure, how many do not arrive while nothing is dead."""
    bad, position = np.logical_not(outcomes(tables(graph.mesh)).arrives), graph.position
    counts = []
    for failures in requested:
        living = [number for name, number in position.items() if name not in failures.brokers]
        counts.append(int(bad[np.ix_(living, living)].sum()))
    return counts


def _tally(graph: Graph, requested: Sequence[Failures], threads: int | None) -> Counts:
    routing = graph.mesh.routing
    kept = routing.kind != SHORTEST or not routing.rerouted
    routed = Routed(graph, graph.costs, tables(graph.mesh).hops if kept else None, routing.hop_limit)
    changes, count = changes_of(graph, requested), threads_for(graph, threads)
    tallies = np.zeros((count, len(requested), core.TALLY), np.int64)
    tallies[:, :, core.FIRST] = core.FAR
    name = "sweep.old_tables" if kept else "sweep"

    def work(number: int, column: Addresses, turn: Array) -> None:
        CORE.call(name, routed.words, column.words, changes.words, len(requested), tallies[number], turn)

    in_threads(routed, count, work)
    return _together(tallies)


def _together(tallies: Counts) -> Counts:
    """What the threads have found."""
    found: Counts = tallies.sum(axis=0)
    found[:, core.FIRST] = tallies[:, :, core.FIRST].min(axis=0)
    found[:, core.LONGEST] = tallies[:, :, core.LONGEST].max(axis=0)
    return found


def changes_of(graph: Graph, requested: Sequence[Failures]) -> Addresses:
    """All failures as arrays: the hops that each makes dearer, what these cost, and the dead brokers."""
    changes = [graph.changes(each) for each in requested]
    dead = [graph.dead_brokers(each) for each in requested]
    return addresses(
        _rows(changes),
        _numbers(chain.from_iterable(changes)),
        _numbers(chain.from_iterable(each.values() for each in changes)),
        _rows(dead),
        _numbers(chain.from_iterable(dead)),
    )


def _rows(parts: Sequence[Sequence[int] | dict[int, int]]) -> Ints:
    return np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int32)


def _numbers(values: Iterable[int]) -> Ints:
    return np.fromiter(values, np.int32)


LARGEST = 20_000
"""The most failures of a slice, so that answers come back now and then."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Some failures of a mesh."""

    mesh: Mesh
    failures: tuple[Failures, ...]


def tallied(part: Slice) -> Counts:
    """What a worker does with a slice."""
    return tally(graph_of(part.mesh), part.failures, threads=1)


def slices(mesh: Mesh, failures: tuple[Failures, ...], cores: int) -> list[Slice]:
    """All failures, in slices of about the same size."""
    from angarium.spark.jobs import divided

    return [Slice(mesh, tuple(each)) for each in divided(failures, cores, LARGEST)]


def sweep_on_spark(
    mesh: Mesh,
    failures: Iterable[Failures],
    place: Place,
    control: Control | None = None,
) -> Sweep:
    """Ask for every failure whether every broker reaches every other that lives."""
    from angarium.spark.jobs import Jobs
    from angarium.spark.session import session

    control = control or Control()
    requested = tuple(failures)
    spark = session(place)
    parts = slices(mesh, requested, spark.sparkContext.defaultParallelism)
    done: dict[int, Counts] = {}

    def tick() -> None:
        control.report("failures", sum(map(len, done.values())), len(requested))

    Jobs(spark, tallied, done.__setitem__, control, tick).run(parts)
    numbers = sorted(done)
    names = tuple(broker.name for broker in mesh.brokers)
    healthy = tally(graph_of(mesh), [NOTHING])
    tallies = np.concatenate([healthy, *(done[number] for number in numbers)])
    looked_at = tuple(each for number in numbers for each in parts[number].failures)
    return Sweep(names, looked_at, tallies[1:], swept(names, NOTHING, healthy[0]), control.cut)
