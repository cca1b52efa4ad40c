"""What no table can recover: failures that cut brokers off, and the links that would help.

The thesis promises that every single failure is recovered from. It is not so where a link is a *bridge*, the
only one between two parts of a mesh, or where a broker is the only one that joins them. Only 26 of the 276
nets of the Topology Zoo have no bridge.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

from angarium.core.control import Control
from angarium.mesh.mesh import NOTHING, Failures, Mesh
from angarium.mesh.recovery.additions import Addition, links_that_protect
from angarium.mesh.recovery.colours import HEALTHY, Colours
from angarium.mesh.recovery.parts import cutting, parts_under
from angarium.mesh.recovery.tables import Recovery
from angarium.mesh.routing.graph import NONE, Graph, graph_of


@dataclass(frozen=True)
class Cut:
    """A failure that leaves some living brokers without a way that they had."""

    colour: int
    failures: Failures
    pairs: int
    """Ordered pairs of living brokers that had a way, and have none."""
    graph: Graph = field(repr=False, compare=False)

    @cached_property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        """What has fallen apart, the largest part first: in each, everybody still reaches everybody.

        There is none if only ways that led there and not back are gone.
        """
        members: dict[tuple[int, int], list[str]] = {}
        whole, now = (parts_under(self.graph, each).tolist() for each in (NOTHING, self.failures))
        for name, before, after in zip(self.graph.names, whole, now, strict=True):
            if after != NONE:
                members.setdefault((before, after), []).append(name)
        pieces = Counter(before for before, _ in members)
        broken = [tuple(part) for (before, _), part in members.items() if pieces[before] > 1]
        return tuple(sorted(broken, key=len, reverse=True))


@dataclass(frozen=True, slots=True)
class Unprotected:
    """All failures that cut something off, and what would help."""

    cuts: tuple[Cut, ...]
    """By colour."""
    additions: tuple[Addition, ...]
    """Links with which none of these failures would cut anything off; none if the time was up before."""
    smallest: bool
    """Whether it is proved that no fewer links would do."""

    def __bool__(self) -> bool:
        return bool(self.cuts)


def unprotected(
    mesh: Mesh, colours: Colours, known: Recovery | None = None, control: Control | None = None
) -> Unprotected:
    """Which failures cut brokers off, and the links whose addition would protect them.

    What is known are the calculated tables of these colours, without any override; else they are calculated.
    """
    graph, failures = graph_of(mesh), colours.failures[1:]
    cuts = tuple(
        Cut(place + HEALTHY + 1, failures[place], pairs, graph)
        for place, pairs in cutting(graph, failures, known.exceptions if known else None).items()
    )
    additions, smallest = links_that_protect(mesh, [each.failures for each in cuts], control or Control())
    return Unprotected(cuts, additions, smallest)
