"""A mesh as numbers: brokers and links by their place in the file, histories as bits.

Asking for one spread after another must not look at names, sets and dialects again, so all that is the same
for every message is settled here once.

A hop is a crossing that `counts`. It is noted in the history of the copy under the source's `known_as`; a
link that does not count leaves no trace there. So a copy has made as many hops as its history has entries,
as in the header of a federated message.

Links that share something compete only where there is somebody else who shares it: then they are in a
`group`, which is a number above 0.

What a broker does within itself (source and target are one broker, it does not count, and takes nothing that
is shared) is `inner`: the copy stays where it is, and still came over the link over which it came.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from angarium.core.errors import MeshError
from angarium.mesh.delivery.choices import Group
from angarium.mesh.mesh import FORWARD, Link, Mesh

UNLIMITED = 1 << 62
"""A hop limit that nothing reaches."""


@dataclass(frozen=True, slots=True)
class Leg:
    """A link as its source sees it."""

    number: int
    """Its place among all links."""
    way: tuple[int, ...]
    """The same, as a way."""
    link: Link
    bit: int
    """Its place among the links out of its source."""
    target: int
    latency: float
    """Of the link, and of the broker behind it, unless the copy stays in its broker."""
    limit: int
    step: int
    shuns: int
    """The identity of the target, as a bit, if the link avoids who was left; else none."""
    notes: int
    """The identity of the source, as a bit, if crossing is noted; else none."""
    bars: int
    """Links out of the target that a copy that came over this one does not take."""
    inner: bool
    group: int = 0
    """Among which links and subscribers of its source it competes for copies; 0: none."""


class Network:
    """All links, by their sources."""

    def __init__(self, mesh: Mesh) -> None:
        self.mesh = mesh
        self.number = {broker.name: number for number, broker in enumerate(mesh.brokers)}
        known = {name: bit for bit, name in enumerate(dict.fromkeys(each.known_as for each in mesh.brokers))}
        self.identities = len(known)
        self.identity = [known[broker.known_as] for broker in mesh.brokers]
        onward: list[list[Link]] = [[] for _ in mesh.brokers]
        for link in mesh.links:
            onward[self.number[link.source]].append(link)
        self._rules = [_Rules(links) for links in onward]
        self.groups = groups(mesh)
        """Those in which links compete, by number from 1."""
        self.legs: list[Leg] = []
        self.out: list[list[Leg]] = [[] for _ in mesh.brokers]
        for link in mesh.links:
            self._add(link)
        self.targets = [frozenset(leg.target for leg in legs) for legs in self.out]
        """Of each broker, those that its links lead to."""
        self.inner = [sum(leg.bit for leg in legs if leg.inner) for legs in self.out]
        """Of each broker, the links within it, as bits."""
        self.inside = [1 << len(legs) for legs in self.out]
        """Of each broker, a bit behind those of its links, for copies that it has made itself."""

    def _add(self, link: Link) -> None:
        source, target = self.number[link.source], self.number[link.target]
        inner = link.is_inner
        leg = Leg(
            len(self.legs),
            (len(self.legs),),
            link,
            bit=1 << len(self.out[source]),
            target=target,
            latency=link.latency + (0.0 if inner else self.mesh.brokers[target].latency),
            limit=UNLIMITED if link.hop_limit is None else link.hop_limit,
            step=int(link.counts),
            shuns=1 << self.identity[target] if link.avoids_visited else 0,
            notes=1 << self.identity[source] if link.counts else 0,
            bars=self._rules[target].bars(link),
            inner=inner,
            group=0 if inner else self.groups.get((link.source, link.shares), 0),
        )
        self.legs.append(leg)
        self.out[source].append(leg)

    @property
    def honest(self) -> bool:
        """Whether every way out of a broker is noted, and none leads to where a copy has been."""
        return all(leg.shuns and leg.notes for leg in self.legs if not leg.inner)


def groups(mesh: Mesh) -> dict[Group, int]:
    """What links share with anybody else; the subscribers of a group count as one, since they do one work."""
    sharing = [(link.source, link.shares) for link in mesh.links if link.shares]
    others = {(each.broker, each.shares) for each in mesh.subscribers if each.shares}
    times = Counter(sharing) + Counter(others)
    shared = [group for group in dict.fromkeys(sharing) if times[group] > 1]
    return {group: number for number, group in enumerate(shared, start=1)}


def refuse_choices(mesh: Mesh, who: str) -> None:
    """For those who follow one message as if its way were known."""
    if mesh.routing.kind != FORWARD:
        return
    for broker, shared in groups(mesh):
        raise MeshError(
            "ANG121",
            f"links share {shared} out of {broker}, and {who} cannot say which of them takes a message",
            possible="angarium mesh verify and trace look at every choice",
            remedy="take all but one of them out, or their `shares`",
        )


class _Rules:
    """Which links out of a broker a copy does not take because of the one that it came over."""

    def __init__(self, links: list[Link]) -> None:
        self._connections: dict[str, int] = {}
        self._kinds: dict[str, int] = {}
        for place, link in enumerate(links):
            bit = 1 << place
            if link.connection:
                self._connections[link.connection] = self._connections.get(link.connection, 0) | bit
            for kind in link.not_after:
                self._kinds[kind] = self._kinds.get(kind, 0) | bit

    def bars(self, came: Link) -> int:
        """No echo, and split horizon."""
        return self._connections.get(came.connection, 0) | self._kinds.get(came.kind, 0)
