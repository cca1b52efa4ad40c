"""How long the ways of every pair are when a link fails, by every scheme, for every link.

Only pairs whose way uses the failed link are looked at: all failures together have as many of them as all
healthy ways have hops. The compiled functions of `lengths_core` count them, one destination at a time in each
thread. Their sums do not depend on who counts what.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from angarium.mesh.mesh import Failures
from angarium.mesh.recovery import exceptions_core
from angarium.mesh.routing import sweep_core
from angarium.mesh.routing.graph import NONE, Graph, Ints
from angarium.mesh.routing.tables import Addresses, Routed, addresses, threads_for
from angarium.mesh.schemes import lengths_core as core
from angarium.mesh.schemes.graphs import Ways
from angarium.native.calls import Native

CORE = Native(core, ("lengths",), also=(sweep_core, exceptions_core))
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Lengths:
    """What was counted over all failures of single links, of the pairs whose way uses the failed one."""

    counts: Counts
    """By scheme and hops: ways."""
    shortest: Counts
    """By scheme: hops of the shortest ways of the pairs that it delivers."""
    undelivered: Counts
    """By scheme: pairs that are connected and yet not delivered."""
    cut: Counts
    """By failure: pairs that have no way."""
    cut_hops: Counts
    """By hops: the healthy ways of these."""
    entries: Counts
    """By broker: entries of recovery tables that are not in the healthy one."""
    after: Ints
    """By broker and destination: hops of the shortest way without the link to the next broker; -1 if none."""


def lengths_of(found: Ways, local: Sequence[Ints], threads: int | None = None) -> Lengths:
    """Count the ways by all schemes.

    Of those that repair locally the hops are given, by scheme, by the broker that sees its next one dead, and
    by destination; -1 where it does not deliver.
    """
    graph, cables = found.graph, found.graph.mesh.cables
    room = 3 * graph.brokers + 2  # to the broker that sees it, then through a tunnel, then to the destination
    given = [np.ascontiguousarray(each, np.int32) for each in local]
    asked = addresses(len(cables), room, *given)
    after = np.full((graph.brokers, graph.brokers), NONE, np.int32)
    work = _Work(Routed(graph, graph.costs), _changes(graph, cables), asked, after, np.zeros(1, np.uint64))
    count = threads_for(graph, threads)
    CORE.library  # noqa: B018 - compiled once, before the threads begin
    with ThreadPoolExecutor(count) as pool:
        parts = list(pool.map(work.tallied, [_empty(graph, len(cables), room) for _ in range(count)]))
    counts, shortest, undelivered, cut, cut_hops, entries = (
        np.sum(each, axis=0) for each in zip(*parts, strict=True)
    )
    return Lengths(counts, shortest, undelivered, cut, cut_hops, entries, after)


def _empty(graph: Graph, failures: int, room: int) -> list[Counts]:
    """The tallies of one thread, in the order of the fields of `Lengths`."""
    shapes = ((core.SCHEMES, room), core.SCHEMES, core.SCHEMES, failures, room, graph.brokers)
    return [np.zeros(shape, np.int64) for shape in shapes]


@dataclass(frozen=True, slots=True)
class _Work:
    """What all threads share."""

    routed: Routed
    failures: Addresses
    asked: Addresses
    after: Ints
    turn: NDArray[np.uint64]

    def tallied(self, tallies: list[Counts]) -> list[Counts]:
        """Let a thread fill its tallies."""
        graph = self.routed.graph
        seen, gone = (np.full(count, NONE, np.int32) for count in (graph.hops, graph.brokers))
        tree = addresses(*(np.zeros(graph.brokers, np.int32) for _ in range(4)))
        mine = addresses(*tallies, self.after, seen, np.zeros(graph.brokers, np.int32), gone)
        given = (self.routed.column(), tree, self.failures, self.asked, mine)
        CORE.call("lengths", self.routed.words, *(each.words for each in given), self.turn)
        return tallies


def _changes(graph: Graph, cables: Sequence[str]) -> Addresses:
    """The hops that each cable makes dearer or takes away; a second link that is as cheap takes its place."""
    rows, hops, costs = [0], [], []
    for cable in cables:
        for hop, cost in graph.changes(Failures(cables=frozenset({cable}))).items():
            if cost != graph.costs[hop]:
                hops.append(hop)
                costs.append(cost)
        rows.append(len(hops))
    return addresses(*(np.array(each, np.int32) for each in (rows, hops, costs)))
