"""Schemes of recovery side by side, over every single link that fails.

    healthy   how long the paths were before the failure
    tables    recovery tables (PCRT): after the switch everybody routes by the shortest paths without the link
    layers    resilient routing layers: who sees its next broker dead sends the packet on in another layer
    lfa       loop-free alternates: who sees its next broker dead hands the packet to another neighbour, if
              there is one; else it is lost until brokers have calculated new tables
    remote    the same, and tunnels to a remote alternate where there is no near one

A *pair* is an ordered pair of different brokers under one failure. It is *affected* if its healthy path uses
the failed link, and *cut* if there is no other: no scheme can mend that. Lengths are hops. Over affected
pairs the schemes differ; over all pairs, as in the thesis's Figure 6-10, most paths are as they were, and so
the curves lie close together. Both are shown. The *stretch* of a scheme is how many hops its paths have for
each hop of the shortest paths without the link, over the pairs that it delivers.

*Coverage* is counted as for RFC 5286: of the ordered pairs of brokers whose first link is not needed to stay
connected, the share whose first broker can repair its own first link.

Entries are those that a broker must keep on average: a table for every failure (plain), the entries of these
that differ (condensed), a table for every layer, or an alternate for each destination that has one.

Compared are the lengths of the paths of every pair when a link fails, by every scheme, for every link.

Only pairs whose path uses the failed link are looked at: all failures together have as many of them as all
healthy paths have hops. The compiled functions of `lengths_core` count them, one destination at a time in
each thread. Their sums do not depend on who counts what.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.recovery import exceptions_core
from angarium.mesh.routing import sweep_core
from angarium.mesh.routing.graph import NONE, Graph, Ints
from angarium.mesh.routing.tables import Addresses, Routed, addresses, threads_for
from angarium.mesh.schemes import lengths_core as core
from angarium.mesh.schemes.alternates import Remote, alternates_of, remotes_of
from angarium.mesh.schemes.graphs import Distances, distances
from angarium.mesh.schemes.layers import Layers, layers_of
from angarium.native.calls import Native

CORE = Native(core, ("lengths",), also=(sweep_core, exceptions_core))
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Lengths:
    """What was counted over all failures of single links, of the pairs whose path uses the failed one."""

    counts: Counts
    """By scheme and hops: paths."""
    shortest: Counts
    """By scheme: hops of the shortest paths of the pairs that it delivers."""
    undelivered: Counts
    """By scheme: pairs that are connected and yet not delivered."""
    cut: Counts
    """By failure: pairs that have no path."""
    cut_hops: Counts
    """By hops: the healthy paths of these."""
    entries: Counts
    """By broker: entries of recovery tables that are not in the healthy one."""
    after: Ints
    """By broker and destination: hops of the shortest path without the link to the next one; -1 if none."""


def lengths_of(found: Distances, local: Sequence[Ints], threads: int | None = None) -> Lengths:
    """Count the paths by all schemes.

    Of those that repair locally the hops are given, by scheme, by the broker that sees its next one dead, and
    by destination; -1 where it does not deliver.
    """
    graph, cables = found.graph, found.graph.mesh.cables
    room = 3 * graph.brokers + 2  # to the broker that sees it, then through a tunnel, then to the destination
    given = [np.ascontiguousarray(each, np.int32) for each in local]
    query = addresses(len(cables), room, *given)
    after = np.full((graph.brokers, graph.brokers), NONE, np.int32)
    work = _Work(Routed(graph, graph.costs), _changes(graph, cables), query, after, np.zeros(1, np.uint64))
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
    query: Addresses
    after: Ints
    turn: NDArray[np.uint64]

    def tallied(self, tallies: list[Counts]) -> list[Counts]:
        """Let a thread fill its tallies."""
        graph = self.routed.graph
        seen, gone = (np.full(count, NONE, np.int32) for count in (graph.hops, graph.brokers))
        tree = addresses(*(np.zeros(graph.brokers, np.int32) for _ in range(4)))
        mine = addresses(*tallies, self.after, seen, np.zeros(graph.brokers, np.int32), gone)
        given = (self.routed.column(), tree, self.failures, self.query, mine)
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


SCHEMES = ("healthy", "tables", "layers", "lfa", "remote")
"""In the order of the tallies of `lengths_core`."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """What a scheme makes of the affected pairs that are not cut off."""

    scheme: str
    affected: tuple[int, ...]
    """By hops: how many paths of affected pairs."""
    everyone: tuple[int, ...]
    """By hops: how many paths of all pairs under all failures."""
    undelivered: int
    """Affected pairs that it does not deliver though they are connected."""
    shortest: int
    """Hops of the shortest paths without the link, of the affected pairs that it delivers."""

    @property
    def delivered(self) -> int:
        return sum(self.affected)

    @property
    def hops(self) -> int:
        return sum(length * count for length, count in enumerate(self.affected))

    @property
    def stretch(self) -> float | None:
        """None if it delivers nothing."""
        return self.hops / self.shortest if self.shortest else None


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many pairs of brokers can repair their own first link, or go round their next broker."""

    pairs: int
    """Whose first link is not needed to stay connected."""
    lfa: int
    near_remote: int
    """With a repair in the P-space of the first broker itself."""
    remote: int
    """With a repair in its extended P-space."""
    inner: int
    """Pairs among them whose next broker is not the destination."""
    around_broker: int
    """Of these, how many have an alternate that avoids the next broker, too."""


@dataclass(frozen=True, slots=True)
class Entries:
    """Entries of all brokers together."""

    plain: int
    condensed: int
    layers: int
    lfa: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """The schemes for one mesh."""

    name: str
    brokers: int
    links: int
    bridges: int
    """Links without which somebody cannot reach somebody."""
    layers: int
    """How many layers are needed, the whole mesh not counted."""
    affected: int
    """Pairs whose path uses the failed link, over all failures."""
    cut: int
    """Of these, how many have no path without it."""
    ranked: tuple[Ranked, ...]
    coverage: Coverage
    entries: Entries

    def of(self, scheme: str) -> Ranked:
        return self.ranked[SCHEMES.index(scheme)]


def compare(mesh: Mesh, *, layers: int | None = None, threads: int | None = None) -> Comparison:
    """What each scheme makes of the failure of every single link; with so many layers, if wanted."""
    found = distances(mesh)
    schemes = _Schemes(found, layers_of(found, layers), alternates_of(found), *remotes_of(found))
    lengths = lengths_of(found, schemes.hops, threads)
    return Comparison(
        name=mesh.name,
        brokers=found.graph.brokers,
        links=len(mesh.cables),
        bridges=int(np.count_nonzero(lengths.cut)),
        layers=len(schemes.layers),
        affected=int(lengths.counts[core.HEALTHY].sum() + lengths.cut.sum()),
        cut=int(lengths.cut.sum()),
        ranked=tuple(_ranked(schemes, lengths, place) for place in range(len(SCHEMES))),
        coverage=_coverage(schemes, lengths.after),
        entries=_entries(schemes, lengths),
    )


@dataclass(frozen=True)
class _Schemes:
    """What the local schemes have calculated beforehand."""

    distances: Distances
    layers: Layers
    alternates: Ints
    near_remote: Remote
    remote: Remote

    @cached_property
    def hops(self) -> tuple[Ints, Ints, Ints]:
        """By scheme, witness and destination: the hops from the witness on; -1 if it does not deliver."""
        near = _through(self.distances.hops, self.alternates)
        return self.layers.detour_hops, near, np.where(near == NONE, self._remote_hops, near)

    @property
    def _remote_hops(self) -> Ints:
        hops, hop = self.distances.hops, self.distances.hop
        first, repair = (
            np.append(each, np.int32(NONE))[hop] for each in (self.remote.first, self.remote.repair)
        )
        total = 1 + hops[first, repair] + np.take_along_axis(hops, np.maximum(repair, 0), axis=0)
        return np.where(repair == NONE, NONE, total).astype(np.int32)


def _through(hops: Ints, neighbours: Ints) -> Ints:
    """The hops by way of a neighbour, by broker and destination."""
    further = np.take_along_axis(hops, np.maximum(neighbours, 0), axis=0)
    return np.where(neighbours == NONE, NONE, 1 + further).astype(np.int32)


def _ranked(schemes: _Schemes, lengths: Lengths, place: int) -> Ranked:
    affected = lengths.counts[place]
    everyone = _untouched(schemes.distances, lengths, len(affected)) + affected
    return Ranked(
        scheme=SCHEMES[place],
        affected=_trimmed(affected),
        everyone=_trimmed(everyone),
        undelivered=int(lengths.undelivered[place]),
        shortest=int(lengths.shortest[place]),
    )


def _untouched(found: Distances, lengths: Lengths, room: int) -> Counts:
    """By hops: the paths of pairs that no failure touches, over all failures."""
    healthy: Counts = np.bincount(found.hops[found.hops > 0], minlength=room) * len(lengths.cut)
    untouched: Counts = healthy - lengths.counts[core.HEALTHY] - lengths.cut_hops
    return untouched


def _trimmed(counts: Counts) -> tuple[int, ...]:
    return tuple(np.trim_zeros(counts, "b").tolist())


def _coverage(schemes: _Schemes, after: Ints) -> Coverage:
    found = schemes.distances
    has_second = np.append(found.fallback, 0)[found.hop] > 0
    pairs = (found.next != NONE) & ((after != NONE) | has_second)
    lfa = pairs & (schemes.alternates != NONE)
    inner = pairs & (found.next != np.arange(len(after)))

    def repaired(repairs: Ints) -> int:
        return int((lfa | (pairs & (np.append(repairs, np.int32(NONE))[found.hop] != NONE))).sum())

    around = alternates_of(found, around_broker=True)
    return Coverage(
        pairs=int(pairs.sum()),
        lfa=int(lfa.sum()),
        near_remote=repaired(schemes.near_remote.repair),
        remote=repaired(schemes.remote.repair),
        inner=int(inner.sum()),
        around_broker=int((inner & (around != NONE)).sum()),
    )


def _entries(schemes: _Schemes, lengths: Lengths) -> Entries:
    others = schemes.distances.graph.brokers * (schemes.distances.graph.brokers - 1)
    healthy = int((schemes.distances.next != NONE).sum())
    return Entries(
        plain=others * (len(lengths.cut) + 1),
        condensed=healthy + int(lengths.entries.sum()),
        layers=healthy * (len(schemes.layers) + 1),
        lfa=healthy + int((schemes.alternates != NONE).sum()),
    )
