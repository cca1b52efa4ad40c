"""Links that stand by, and take over when others die, as of a bridge with several addresses.

Such a connection is one, wherever it leads. So its links are one `failover`, and their `rank` is the order in
which they are tried: those of the least rank that live carry, all the others stand by and carry nothing.

    a > b   rank 0      carries while it lives
    a > c   rank 1      carries while a > b is dead: it, or b
    a > d   rank 2      carries while both are dead

More that is dead may therefore let a message arrive that arrived nowhere before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from angarium.core.errors import MeshError
from angarium.mesh.mesh import NOTHING, Failures, Link, Mesh

_NONE: frozenset[str] = frozenset()


class StandBy:
    """Which links of a mesh stand by, whatever is dead."""

    def __init__(self, links: Iterable[Link]) -> None:
        groups: dict[str, list[Link]] = {}
        for link in links:
            if link.failover:
                groups.setdefault(link.failover, []).append(link)
        self._groups = [sorted(group, key=lambda link: link.rank) for group in groups.values()]
        self._latest: tuple[Failures, frozenset[str]] = NOTHING, self._resting(NOTHING)
        self.healthy = self._latest[1]
        """Those that stand by while nothing is dead."""

    def resting(self, failures: Failures) -> frozenset[str]:
        """The names of the links that carry nothing because an earlier one lives."""
        if not self.healthy or not failures:
            return self.healthy
        known, resting = self._latest
        if known != failures:
            resting = self._resting(failures)
            self._latest = failures, resting
        return resting

    def _resting(self, failures: Failures) -> frozenset[str]:
        return _NONE.union(*(_behind(group, failures) for group in self._groups))

    def awaits(self, link: Link) -> tuple[Link, ...]:
        """The links that must be dead before this one carries."""
        group = next((each for each in self._groups if each[0].failover == link.failover), ())
        return tuple(each for each in group if each.rank < link.rank)


def _behind(group: Sequence[Link], failures: Failures) -> Iterable[str]:
    """Those behind the first that lives."""
    first = next((link.rank for link in group if not link.is_dead(failures)), None)
    return (link.name for link in group if first is not None and link.rank > first)


def takes(links: Iterable[Link]) -> float:
    """Milliseconds until all of some links have taken over that stand by while nothing is dead."""
    return max((link.takes_over for link in links if link.failover), default=0.0)


def without_standby(mesh: Mesh, failures: Failures = NOTHING) -> Mesh:
    """The mesh with just those links that do not stand by now."""
    resting = StandBy(mesh.links).resting(failures)
    if not resting:
        return mesh
    return replace(mesh, links=tuple(link for link in mesh.links if link.name not in resting))


def check_none(mesh: Mesh, who: str) -> None:
    """Refuse links that stand by, for those who do not know of any."""
    link = next((link for link in mesh.links if link.name in StandBy(mesh.links).healthy), None)
    if link:
        raise MeshError(
            "ANG121",
            f"the link {link.name} stands by until others are dead, which {who} cannot take into account",
            possible="failover is followed by verify, trace, diff, repair, latency and export",
            remedy="leave out the links with a rank, and ask again",
            place=link.place,
        )
