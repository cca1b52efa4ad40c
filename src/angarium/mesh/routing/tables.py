"""Routing tables: which broker is next, on the path from a broker to a destination.

Three kinds of meshes have tables.

    shortest        the cheapest path, calculated anew when something fails. Of equally cheap next hops the
                    one to the broker that comes first in the file is taken. So every part of a path is itself
                    the path between its ends.
    shortest, kept  the same, calculated when nothing had failed; messages run into what is dead.
    tables          as given, whatever fails. Nothing is assumed of them: they may lead in a circle, to a
                    broker that is no neighbour, or nowhere.

What the compiled functions of `sweep_core` are given: a graph, the memory of a column, and threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from angarium.core.errors import MeshError
from angarium.mesh.mesh import FORWARD, NOTHING, SHORTEST, TABLES, Failures, Link, Mesh
from angarium.mesh.routing import sweep_core as core
from angarium.mesh.routing.graph import NONE, Graph, Ints, graph_of
from angarium.native.calls import Array, Native

CORE = Native(core, ("sweep", "entries", "walks"), {"sweep.old_tables": {"KEPT": 1}})
"""`sweep` with new tables for every failure, `sweep.old_tables` with the old ones."""
ENOUGH = 64
"""Fewer brokers than this are not worth a second thread."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """Arrays as the compiled functions want them: a list of words, each an address or a number."""

    arrays: tuple[Array | int, ...]
    """They must live as long as the list."""
    words: NDArray[np.uint64]


def addresses(*arrays: Array | int) -> Addresses:
    listed = [each if isinstance(each, int) else int(each.ctypes.data) for each in arrays]
    return Addresses(arrays, np.array(listed, np.uint64))


@dataclass(frozen=True)
class Routed:
    """A graph as the compiled functions see it: with costs, and with given tables if there are any."""

    graph: Graph
    costs: Ints
    given: Ints | None = None
    """The hop by destination and broker."""
    limit: int | None = None
    """Of the hops of a message."""
    words: NDArray[np.uint64] = field(init=False)
    _alive: Addresses = field(init=False)

    def __post_init__(self) -> None:
        graph, (rows, entering) = self.graph, self.graph.back
        found = addresses(
            graph.brokers,
            graph.rows,
            graph.targets,
            graph.sources,
            rows,
            entering,
            self.costs,
            0 if self.given is None else self.given,
            core.NOWHERE if self.limit is None else min(self.limit, core.NOWHERE - 1),
        )
        object.__setattr__(self, "_alive", found)
        object.__setattr__(self, "words", found.words)

    def column(self) -> Addresses:
        """Memory for one thread."""
        brokers, hops = self.graph.brokers, self.graph.hops

        def numbers() -> Ints:
            return np.zeros(brokers, np.int32)

        def lengths(count: int = brokers) -> NDArray[np.uint64]:
            return np.zeros(count, np.uint64)

        sums = lengths((brokers + 1) * core.TALLY)
        sums[core.FIRST] = core.FAR
        state, dead = np.zeros(brokers, np.uint8), np.zeros(brokers, np.uint8)
        return addresses(
            *(self.costs.copy(), lengths(), numbers(), numbers(), state, numbers(), numbers()),
            *(lengths(hops + brokers + 1), numbers(), numbers(), lengths(), numbers(), numbers(), dead, sums),
        )


def threads_for(graph: Graph, threads: int | None) -> int:
    """How many threads are worth it."""
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return 1 if graph.brokers < ENOUGH else max(1, threads or there)


def in_threads(routed: Routed, threads: int, work: Callable[[int, Addresses, Array], None]) -> None:
    """Let threads work, each with its number and its own column; they share who takes which destination."""
    turn = np.zeros(1, np.uint64)
    columns = [routed.column() for _ in range(threads)]
    if threads == 1:
        work(0, columns[0], turn)
        return
    CORE.library  # noqa: B018 - compiled once, before the threads begin
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(work, number, column, turn) for number, column in enumerate(columns)]:
            done.result()


@dataclass(frozen=True)
class Tables:
    """The tables of all brokers, in a mesh in which something may have failed."""

    graph: Graph
    failures: Failures
    next: Ints
    """By broker and destination: the next broker; -1 if there is no entry, or none is needed."""

    @property
    def mesh(self) -> Mesh:
        return self.graph.mesh

    def next_broker(self, at: str, destination: str) -> str | None:
        """What the table of a broker says about a destination."""
        found = int(self.next[self.graph.number(at), self.graph.number(destination)])
        return None if found == NONE else self.graph.names[found]

    def link(self, source: int, target: int) -> Link | None:
        """The link that a message takes from a broker to the next one, if one lives."""
        hop = self.graph.hop_between.get((source, target))
        return None if hop is None else self.graph.link(hop, self.failures)

    def as_names(self) -> dict[str, dict[str, str]]:
        """Broker, destination, next broker; as `Routing.tables`."""
        names, rows = self.graph.names, self.next.tolist()
        return {
            name: {names[to]: names[after] for to, after in enumerate(row) if after != NONE}
            for name, row in zip(names, rows, strict=True)
        }

    @cached_property
    def hops(self) -> Ints:
        """By destination and broker: the hop that the table asks for; -1 if there is none such."""
        table = np.full((self.graph.brokers, self.graph.brokers), NONE, np.int32)
        by_destination = self.next.T
        for hop, (source, target) in enumerate(
            zip(self.graph.sources.tolist(), self.graph.targets.tolist(), strict=True)
        ):
            table[by_destination[:, source] == target, source] = hop
        return table

    def replaced(self, entries: Mapping[tuple[str, str], str]) -> Tables:
        """Other tables in which some entries, by broker and destination, name another next broker."""
        number, changed = self.graph.number, self.next.copy()
        for (at, destination), after in entries.items():
            changed[number(at), number(destination)] = number(after)
        return Tables(self.graph, self.failures, changed)


def tables(mesh: Mesh, failures: Failures = NOTHING) -> Tables:
    """The tables that the brokers of a mesh have when something has failed."""
    graph = graph_of(mesh)
    if mesh.routing.kind == FORWARD:
        raise MeshError(
            "ANG121",
            f"the mesh {mesh.name} has no routing tables: its links forward what they are given",
            possible=f"routing: {SHORTEST}, {TABLES}",
            remedy="say how its brokers route, or ask what is asked of forwarding meshes",
        )
    graph.changes(failures)  # complains of what is not there, also where tables are kept
    if mesh.routing.kind == TABLES:
        return Tables(graph, failures, _given(graph))
    return Tables(graph, failures, shortest(graph, failures if mesh.routing.rerouted else NOTHING))


def shortest(graph: Graph, failures: Failures = NOTHING) -> Ints:
    """Shortest path first: the next broker, by broker and destination."""
    return cheapest(graph, graph.costs_under(failures))


def cheapest(graph: Graph, costs: Ints) -> Ints:
    """The same with other costs of the hops; one that costs 0 is not there."""
    routed = Routed(graph, costs)
    hops = np.empty((graph.brokers, graph.brokers), np.int32)

    def work(_: int, column: Addresses, turn: Array) -> None:
        CORE.call("entries", routed.words, column.words, hops, turn)

    in_threads(routed, threads_for(graph, None), work)
    targets = np.append(graph.targets, NONE).astype(np.int32)
    return np.ascontiguousarray(targets[hops].T)


def _given(graph: Graph) -> Ints:
    """The tables of the mesh; MeshError if they name a broker that is not there."""
    table = np.full((graph.brokers, graph.brokers), NONE, np.int32)
    for at, entries in graph.mesh.routing.tables.items():
        row = table[graph.number(at)]
        for destination, after in entries.items():
            row[graph.number(destination)] = graph.number(after)
    np.fill_diagonal(table, NONE)
    return table


@dataclass(frozen=True)
class Outcomes:
    """What becomes of every walk, by source and destination."""

    tables: Tables
    states: Array
    """`ARRIVES`, `DROPS` or `LOOPS` of `sweep_core`; who is dead neither sends nor gets anything."""
    hops: Ints
    """Of the walks that arrive."""

    @property
    def arrives(self) -> Array:
        return np.equal(self.states, core.ARRIVES)


def outcomes(tables: Tables) -> Outcomes:
    """What becomes of the messages of every broker to every other, all at once; filters of links aside.

    The limit of hops counts: a walk that needs more is dropped, and no walk goes round for ever.
    """
    graph, limit = tables.graph, tables.mesh.routing.hop_limit
    routed = Routed(graph, graph.costs_under(tables.failures), tables.hops)
    states = np.empty((graph.brokers, graph.brokers), np.uint8)
    hops = np.empty((graph.brokers, graph.brokers), np.int32)

    def work(_: int, column: Addresses, turn: Array) -> None:
        CORE.call("walks", routed.words, column.words, states, hops, turn)

    in_threads(routed, threads_for(graph, None), work)
    dead = graph.dead_brokers(tables.failures)
    states[dead], states[:, dead] = core.DROPS, core.DROPS
    if limit is not None:
        states[(states == core.LOOPS) | (hops > limit)] = core.DROPS
    return Outcomes(tables, states.T, hops.T)
