"""Do the hop limits let everything arrive, and which is the smallest that does?

Operators set one limit for a whole federation, so one number is looked for: large enough for everybody who
can be reached, and as small as possible, since each further hop can bring copies over further paths.

In a ring one way round of n brokers it is n - 1, in a complete mesh 1, in a tree the longest path. Every link
that has a limit gets the same one, since operators set it once for a whole federation. Limits are tried from
1 up. Who can be reached at all? Those whom the mesh without limits and histories reaches, because a path on
which a copy comes to a broker twice can be cut short. Renaming may spoil that, so the number of brokers, the
largest limit that can matter, has the last word.

In dense meshes few hops suffice, and in sparse ones there are few paths: so the search ends before the number
of copies explodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from angarium.mesh.delivery.forward import Forwarding
from angarium.mesh.delivery.outcome import Spread
from angarium.mesh.mesh import FORWARD, Mesh
from angarium.mesh.topics.classes import Universe
from angarium.mesh.topics.topic import IDENTITY, Topic, Transform
from angarium.mesh.verify.carriers import Key, carrier
from angarium.mesh.verify.demands import Need
from angarium.mesh.verify.fates import fate
from angarium.mesh.verify.violations import Violation


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is published at `origin` and wanted at `at`, under one of some names."""

    origin: str
    topic: Topic
    at: str
    names: frozenset[Transform] = frozenset({IDENTITY})
    shares: str = ""
    """With whom at that broker whoever wants it competes."""

    def copies(self, spread: Spread) -> int | None:
        """How many arrive, at most; 0 if none need arrive."""
        group = self.at, self.shares
        return (
            spread.copies_at(self.at, self.names, group) if spread.is_sure(self.at, self.names, group) else 0
        )


@dataclass(frozen=True, slots=True)
class Tried:
    """What one limit does."""

    limit: int
    copies: tuple[int | None, ...]
    """Of each that was asked for, in order; None: without end."""

    @property
    def reached(self) -> frozenset[int]:
        """Places of those that get something."""
        return frozenset(place for place, count in enumerate(self.copies) if count != 0)

    @property
    def doubled(self) -> frozenset[int]:
        """Places of those that get more than one copy."""
        return frozenset(place for place, count in enumerate(self.copies) if count not in (0, 1))


@dataclass(frozen=True, slots=True)
class HopLimits:
    """Every limit that was tried, up to the first that reaches all that can be reached."""

    tried: tuple[Tried, ...]
    smallest: int
    """The first that reaches as many as any does."""
    unreachable: frozenset[int]
    """Places of those that no limit reaches."""

    @property
    def duplicates(self) -> bool:
        """Whether the smallest that suffices brings somebody more than one copy."""
        return bool(self.tried[self.smallest - 1].doubled)


def smallest_hop_limit(mesh: Mesh, wanted: Iterable[Wanted]) -> HopLimits | None:
    """The smallest hop limit that suffices for all of them; None if no link has a limit."""
    if all(link.hop_limit is None for link in mesh.links):
        return None
    requested = tuple(wanted)
    possible = Tried(0, _copies(_free(mesh), requested)).reached
    tried: list[Tried] = []
    for limit in range(1, len(mesh.brokers) + 1):
        tried.append(Tried(limit, _copies(_limited(mesh, limit), requested)))
        if tried[-1].reached >= possible:
            break
    most = max(len(each.reached) for each in tried)
    smallest = next(each for each in tried if len(each.reached) == most)
    return HopLimits(tuple(tried), smallest.limit, frozenset(range(len(requested))) - smallest.reached)


def _limited(mesh: Mesh, limit: int) -> Mesh:
    """The mesh with another limit wherever it has one."""
    links = (link if link.hop_limit is None else replace(link, hop_limit=limit) for link in mesh.links)
    return replace(mesh, links=tuple(links))


def _free(mesh: Mesh) -> Mesh:
    links = (replace(link, hop_limit=None, avoids_visited=False) for link in mesh.links)
    return replace(mesh, links=tuple(links))


def _copies(mesh: Mesh, requested: tuple[Wanted, ...]) -> tuple[int | None, ...]:
    forwarding = Forwarding(mesh)
    spreads: dict[tuple[str, Topic], Spread] = {}
    for each in requested:
        if (each.origin, each.topic) not in spreads:
            spreads[each.origin, each.topic] = forwarding.spread(each.origin, each.topic)
    return tuple(each.copies(spreads[each.origin, each.topic]) for each in requested)


@dataclass(frozen=True, slots=True)
class Hops:
    """What is known of the hop limits of a mesh."""

    smallest: int
    """The smallest limit with which everything arrives that can."""
    doubled: int
    """How many demands get more than one copy with it."""
    reached: frozenset[Need]
    """What arrives with it."""

    def __str__(self) -> str:
        doubled = (
            f"{self.doubled:,} demands get more than one copy" if self.doubled else "nothing arrives twice"
        )
        return f"{self.smallest} is the smallest hop limit with which all arrives that can; {doubled} with it"


def smallest_limit(mesh: Mesh, topics: Universe, needs: Sequence[Need]) -> Hops | None:
    """The smallest hop limit that suffices; None if nothing has a limit, or nothing is wanted."""
    limited = mesh.routing.hop_limit is not None or any(link.hop_limit is not None for link in mesh.links)
    if not needs or not limited:
        return None
    return _forwarded(mesh, topics, needs) if mesh.routing.kind == FORWARD else _routed(mesh, topics, needs)


def _forwarded(mesh: Mesh, topics: Universe, needs: Sequence[Need]) -> Hops | None:
    requested = [
        Wanted(need.origin, topics.topic(need.kin), need.at, need.names, need.shares) for need in needs
    ]
    found = smallest_hop_limit(mesh, requested)
    if found is None:
        return None
    tried = found.tried[found.smallest - 1]
    doubled = sum(len(needs[place].demands) for place in tried.doubled)
    return Hops(found.smallest, doubled, frozenset(needs[place] for place in tried.reached))


def _routed(mesh: Mesh, topics: Universe, needs: Sequence[Need]) -> Hops:
    free = replace(mesh, routing=replace(mesh.routing, hop_limit=None))
    routers = carrier(free, topics)
    keys: list[tuple[Need, Key]] = [(need, routers.key(need.origin, need.kin, need.at)) for need in needs]
    fates = [fate(need, need.at, routers.spread(key)) for need, key in keys]
    reached = frozenset(each.need for each in fates if not each.lost)
    return Hops(max([1, *(len(each.path) for each in fates)]), 0, reached)


def too_few_hops(mesh: Mesh, lost: Sequence[Violation], hops: Hops | None) -> list[Violation]:
    """What is lost by a limit below the smallest that suffices."""
    if hops is None:
        return []
    limits = [link.hop_limit for link in mesh.links] + [mesh.routing.hop_limit]
    least = min(limit for limit in limits if limit is not None)
    if least >= hops.smallest or not lost:
        return []
    return [
        replace(
            each, guarantee="hop-limit", what=f"{each.what}; {hops.smallest} is the smallest that suffices"
        )
        for each in lost
        if not each.failures and each.need in hops.reached
    ]
