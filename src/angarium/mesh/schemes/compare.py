"""Schemes of recovery side by side, over every single link that fails.

    healthy   how long the ways were before the failure
    tables    recovery tables (PCRT): after the switch everybody routes by the shortest ways without the link
    layers    resilient routing layers: who sees its next broker dead sends the packet on in another layer
    lfa       loop-free alternates: who sees its next broker dead hands the packet to another neighbour, if
              there is one; else it is lost until brokers have calculated new tables
    remote    the same, and tunnels to a remote alternate where there is no near one

A *pair* is an ordered pair of different brokers under one failure. It is *affected* if its healthy way uses
the failed link, and *cut* if there is no other: no scheme can mend that. Lengths are hops. Over affected
pairs the schemes differ; over all pairs, as in the thesis's Figure 6-10, most ways are as they were, and so
the curves lie close together. Both are told. The *stretch* of a scheme is how many hops its ways have for
each hop of the shortest ways without the link, over the pairs that it delivers.

*Coverage* is counted as for RFC 5286: of the ordered pairs of brokers whose first link is not needed to stay
connected, the share whose first broker can repair its own first link.

Entries are those that a broker must keep on average: a table for every failure (plain), the entries of these
that differ (condensed), a table for every layer, or an alternate for each destination that has one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from angarium.mesh.mesh import Mesh
from angarium.mesh.routing.graph import NONE, Ints
from angarium.mesh.schemes import lengths_core as core
from angarium.mesh.schemes.alternates import Remote, alternates_of, remotes_of
from angarium.mesh.schemes.graphs import Ways, ways
from angarium.mesh.schemes.layers import Layers, layers_of
from angarium.mesh.schemes.lengths import Counts, Lengths, lengths_of

SCHEMES = ("healthy", "tables", "layers", "lfa", "remote")
"""In the order of the tallies of `lengths_core`."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """What a scheme makes of the affected pairs that are not cut off."""

    scheme: str
    affected: tuple[int, ...]
    """By hops: how many ways of affected pairs."""
    everyone: tuple[int, ...]
    """By hops: how many ways of all pairs under all failures."""
    undelivered: int
    """Affected pairs that it does not deliver though they are connected."""
    shortest: int
    """Hops of the shortest ways without the link, of the affected pairs that it delivers."""

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
    """Pairs whose way uses the failed link, over all failures."""
    cut: int
    """Of these, how many have no way without it."""
    ranked: tuple[Ranked, ...]
    coverage: Coverage
    entries: Entries

    def of(self, scheme: str) -> Ranked:
        return self.ranked[SCHEMES.index(scheme)]


def compare(mesh: Mesh, *, layers: int | None = None, threads: int | None = None) -> Comparison:
    """What each scheme makes of the failure of every single link; with so many layers, if wanted."""
    found = ways(mesh)
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

    ways: Ways
    layers: Layers
    alternates: Ints
    near_remote: Remote
    remote: Remote

    @cached_property
    def hops(self) -> tuple[Ints, Ints, Ints]:
        """By scheme, witness and destination: the hops from the witness on; -1 if it does not deliver."""
        near = _through(self.ways.hops, self.alternates)
        return self.layers.detour_hops, near, np.where(near == NONE, self._remote_hops, near)

    @property
    def _remote_hops(self) -> Ints:
        hops, hop = self.ways.hops, self.ways.hop
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
    everyone = _untouched(schemes.ways, lengths, len(affected)) + affected
    return Ranked(
        scheme=SCHEMES[place],
        affected=_trimmed(affected),
        everyone=_trimmed(everyone),
        undelivered=int(lengths.undelivered[place]),
        shortest=int(lengths.shortest[place]),
    )


def _untouched(found: Ways, lengths: Lengths, room: int) -> Counts:
    """By hops: the ways of pairs that no failure touches, over all failures."""
    healthy: Counts = np.bincount(found.hops[found.hops > 0], minlength=room) * len(lengths.cut)
    untouched: Counts = healthy - lengths.counts[core.HEALTHY] - lengths.cut_hops
    return untouched


def _trimmed(counts: Counts) -> tuple[int, ...]:
    return tuple(np.trim_zeros(counts, "b").tolist())


def _coverage(schemes: _Schemes, after: Ints) -> Coverage:
    found = schemes.ways
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
    others = schemes.ways.graph.brokers * (schemes.ways.graph.brokers - 1)
    healthy = int((schemes.ways.next != NONE).sum())
    return Entries(
        plain=others * (len(lengths.cut) + 1),
        condensed=healthy + int(lengths.entries.sum()),
        layers=healthy * (len(schemes.layers) + 1),
        lfa=healthy + int((schemes.alternates != NONE).sum()),
    )
