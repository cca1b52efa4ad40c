"""Recovery tables: single failures of large meshes, pairs of links, and how much is saved by calculating only
what a failure touches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from angarium.mesh.files.gml import read_gml
from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.recovery.compact import sizes
from angarium.mesh.recovery.tables import Colours, Recovery, coloured, recovery
from angarium.mesh.recovery.unprotected import unprotected
from angarium.mesh.recovery.verified import verified
from angarium.mesh.routing.tables import shortest
from benchmarks.common.measure import cost_of
from benchmarks.common.row import Row, missing
from benchmarks.inputs.nets import GET_ZOO, NO_ZOO, ZOO, random_mesh

SECONDS = 10.0
"""What is promised for the tables of one mesh, on two cores."""
TIMES, TIMES_OF_PAIRS = 5.0, 2.0
"""How many times as long it must take to calculate all tables from nothing. A pair of links of a small net
touches most of its tables, so that less can be saved."""
SAMPLE = 100
"""Colours whose tables are calculated from nothing."""


@dataclass(frozen=True, slots=True)
class Size:
    largest: int
    """Brokers with four links each, of which each link fails."""
    net: str
    """Of the Zoo: each link and each broker fails."""
    pairs_of: str
    """Of the Zoo: each link and each pair of links fails."""


FULL = Size(largest=1_000, net="Kdl", pairs_of="Geant2012")
TINY = Size(largest=12, net="Abilene", pairs_of="Abilene")


def rows(size: Size) -> Iterator[Row]:
    yield from of_mesh(f"recovery: {size.largest:,} brokers, single links", *largest(size.largest), TIMES)
    from_zoo = {
        f"recovery: {size.net}, single links and brokers": (links_and_brokers, size.net, TIMES),
        f"recovery: {size.pairs_of}, links and pairs of links": (pairs, size.pairs_of, TIMES_OF_PAIRS),
    }
    for what, (make, net, times) in from_zoo.items():
        if ZOO.exists():
            yield from of_mesh(what, *make(read_gml(str(ZOO / f"{net}.gml"))), times)
        else:
            yield missing(what, NO_ZOO, GET_ZOO, f"{SECONDS:g} s")


def of_mesh(what: str, mesh: Mesh, colours: Colours, times: float) -> Iterator[Row]:
    """Calculate, verify, and look for what cannot be protected."""
    kept: list[Recovery] = []
    spent = cost_of(lambda: kept.append(recovery(mesh, colours)))
    (found,) = kept
    yield Row(what, str(spent), f"{SECONDS:g} s", spent.wall < SECONDS)
    ratio = anew(found) / spent.cpu
    what = "  all tables anew / only what differs"
    yield Row(what, f"{ratio:.0f} x", f"{times:g} x", ratio >= times)
    assert verified(found).holds
    yield Row("  verified", str(cost_of(lambda: verified(found))))
    yield Row("  what is unprotected", str(cost_of(lambda: unprotected(mesh, colours, found))))
    yield Row(f"  {len(found.colours):,} colours, {len(found.exceptions):,} exceptions", _bytes(found))


def _bytes(found: Recovery) -> str:
    size = sizes(found)
    plain, condensed, compact = (part.sum() / 1e6 for part in (size.plain, size.condensed, size.compact))
    return f"plain {plain:,.0f}, condensed {condensed:,.0f}, compact {compact:,.1f} MB"


def anew(found: Recovery) -> float:
    """Processor seconds for all tables if each were calculated from nothing, from a sample of the colours."""
    step = max(1, len(found.colours) // SAMPLE)
    request = found.colours.failures[::step]
    spent = cost_of(lambda: [shortest(found.graph, each) for each in request])
    return spent.cpu / len(request) * len(found.colours)


def largest(brokers: int) -> tuple[Mesh, Colours]:
    """All single links of a random mesh."""
    mesh = random_mesh(brokers)
    assert len(mesh.cables) == 2 * brokers
    return mesh, coloured(mesh, links(mesh))


def links_and_brokers(mesh: Mesh) -> tuple[Mesh, Colours]:
    brokers = [Failures(frozenset({broker.name})) for broker in mesh.brokers]
    return mesh, coloured(mesh, links(mesh) + brokers)


def pairs(mesh: Mesh) -> tuple[Mesh, Colours]:
    both = (Failures(cables=frozenset(pair)) for pair in combinations(mesh.cables, 2))
    return mesh, coloured(mesh, [*links(mesh), *both])


def links(mesh: Mesh) -> list[Failures]:
    return [Failures(cables=frozenset({cable})) for cable in mesh.cables]
