"""Recovery tables: single failures of large meshes, pairs of links, and how much is saved by calculating only
what a failure touches.

Run it with `uv run python -m benchmarks.recovery` (a minute): seconds by the clock, and of the processors.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

from angarium.mesh.files.gml import read_gml
from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.recovery.colours import Colours, coloured
from angarium.mesh.recovery.sizes import sizes
from angarium.mesh.recovery.tables import Recovery, recovery
from angarium.mesh.recovery.unprotected import unprotected
from angarium.mesh.recovery.verified import verified
from angarium.mesh.routing.tables import shortest
from benchmarks.measure import Cost
from benchmarks.meshes import ZOO, random_mesh

LARGEST_SECONDS, KDL_SECONDS = 10.0, 10.0
"""What is promised, on two cores."""
LARGEST = 1_000
"""Brokers with four links each."""
SAMPLE = 100
"""Colours whose tables are calculated from nothing."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What the tables of a mesh took, and what came out."""

    name: str
    found: Recovery
    tables: Cost
    verification: Cost
    unprotected: Cost


def cost_of(work: Callable[[], object]) -> Cost:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Cost(time.process_time() - cpu, time.perf_counter() - wall)


def links(mesh: Mesh) -> list[Failures]:
    return [Failures(cables=frozenset({cable})) for cable in mesh.cables]


def brokers(mesh: Mesh) -> list[Failures]:
    return [Failures(frozenset({broker.name})) for broker in mesh.brokers]


def largest() -> tuple[Mesh, Colours]:
    """All single links of the largest mesh that is promised."""
    mesh = random_mesh(LARGEST)
    assert len(mesh.cables) == 2 * LARGEST
    return mesh, coloured(mesh, links(mesh))


def kdl() -> tuple[Mesh, Colours]:
    """All single links and brokers of the largest net of the Zoo."""
    mesh = read_gml(str(ZOO / "Kdl.gml"))
    return mesh, coloured(mesh, links(mesh) + brokers(mesh))


def geant_pairs() -> tuple[Mesh, Colours]:
    """All single links and pairs of links of Geant2012."""
    mesh = read_gml(str(ZOO / "Geant2012.gml"))
    pairs = (Failures(cables=frozenset(pair)) for pair in combinations(mesh.cables, 2))
    return mesh, coloured(mesh, [*links(mesh), *pairs])


def measured(name: str, mesh: Mesh, colours: Colours) -> Figures:
    """Calculate, verify, and look for what cannot be protected."""
    found: list[Recovery] = []
    tables = cost_of(lambda: found.append(recovery(mesh, colours)))
    verification = cost_of(lambda: verified(found[0]))
    assert verified(found[0]).holds
    protecting = cost_of(lambda: unprotected(mesh, colours, found[0]))
    return Figures(name, found[0], tables, verification, protecting)


def anew(found: Recovery) -> float:
    """Processor seconds for all tables if each were calculated from nothing, from a sample of the colours."""
    step = max(1, len(found.colours) // SAMPLE)
    asked = found.colours.failures[::step]
    spent = cost_of(lambda: [shortest(found.graph, each) for each in asked])
    return spent.cpu / len(asked) * len(found.colours)


def main() -> None:
    print(
        f"{'':14}{'colours':>8}{'exceptions':>12}{'tables':>16}{'verified':>16}{'unprotected':>16}{'anew':>8}"
    )
    for name, make in {"1,000 brokers": largest, "Kdl": kdl, "Geant2012": geant_pairs}.items():
        figures = measured(name, *make())
        spent = (figures.tables, figures.verification, figures.unprotected)
        seconds = "".join(f"{each.wall:>8.2f}/{each.cpu:5.2f} s" for each in spent)
        found, ratio = figures.found, anew(figures.found) / figures.tables.cpu
        print(f"{name:14}{len(found.colours):>8,}{len(found.exceptions):>12,}{seconds}{ratio:>6.0f} x")
        size = sizes(found)
        parts = {"plain": size.plain, "condensed": size.condensed, "compact": size.compact}
        print(" " * 14 + ", ".join(f"{kind} {each.sum():,} bytes" for kind, each in parts.items()))


if __name__ == "__main__":
    main()
