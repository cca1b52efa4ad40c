"""Do the hop limits let everything arrive, and which is the smallest that does?

Operators set one limit for a whole federation, so one number is looked for: large enough for everybody who
can be reached, and as small as possible, since each further hop can bring copies over further ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from angarium.mesh.delivery.hop_limits import Wanted, smallest_hop_limit
from angarium.mesh.mesh import FORWARD, Mesh
from angarium.mesh.topics.classes import Universe
from angarium.mesh.verify.carriers import Key, carrier
from angarium.mesh.verify.demands import Need
from angarium.mesh.verify.fates import fate
from angarium.mesh.verify.findings import Finding


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
    asked = [Wanted(need.origin, topics.topic(need.kin), need.at, need.names, need.shares) for need in needs]
    found = smallest_hop_limit(mesh, asked)
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
    return Hops(max([1, *(len(each.way) for each in fates)]), 0, reached)


def too_few_hops(mesh: Mesh, lost: Sequence[Finding], hops: Hops | None) -> list[Finding]:
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
