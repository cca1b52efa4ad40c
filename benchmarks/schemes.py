"""Comparing schemes of recovery: every single link of every net of the Topology Zoo, and many random graphs.

The figures of the Zoo that are known are asserted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from angarium.mesh.files.gml import read_gml
from angarium.mesh.schemes.graphs import RandomGraph
from angarium.mesh.schemes.layers import layers
from angarium.mesh.schemes.many import compare_all, merged, together
from benchmarks.common.measure import Cost, cost_of
from benchmarks.common.row import Row, missing
from benchmarks.inputs.nets import GET_ZOO, NO_ZOO, ZOO, ZOO_NETS, zoo

ZOO_SECONDS = 60.0
"""What is promised, on two cores."""


@dataclass(frozen=True, slots=True)
class Size:
    nets: int
    pairs: int
    """Of these nets: ordered pairs whose first link is no bridge."""
    covered: int
    """Those of them with a loop-free alternate."""
    graphs: int
    """Random ones, of 32 brokers and 64 links."""
    layered: int
    """Brokers of the random graphs whose layers are counted."""


FULL = Size(nets=ZOO_NETS, pairs=881_029, covered=322_250, graphs=200, layered=1_024)
TINY = Size(nets=5, pairs=1_625, covered=962, graphs=1, layered=16)


def rows(size: Size) -> Iterator[Row]:
    what = f"schemes of recovery: {size.nets} nets of the Zoo"
    if ZOO.exists():
        spent = zoo_cost(size)
        yield Row(what, str(spent), f"{ZOO_SECONDS:g} s", spent.wall < ZOO_SECONDS)
    else:
        yield missing(what, NO_ZOO, GET_ZOO, f"{ZOO_SECONDS:g} s")
    yield Row(f"schemes of recovery: {size.graphs} random graphs", str(random_cost(size.graphs)))
    yield Row(f"layers of {size.layered:,} brokers of degree 4", f"at most {most_layers(size.layered)}")


def zoo_cost(size: Size) -> Cost:
    """All schemes under every single link of every net, files included."""

    def work() -> None:
        found = compare_all([merged(read_gml(path)) for path in zoo(size.nets)])
        coverage = together(found.comparisons, "Zoo").coverage
        assert len(found.comparisons) == size.nets
        assert (coverage.pairs, coverage.lfa, coverage.remote) == (size.pairs, size.covered, size.pairs)

    return cost_of(work)


def random_cost(graphs: int) -> Cost:
    """All schemes under every single link of random graphs of 32 brokers and 64 links."""
    return cost_of(lambda: compare_all([RandomGraph(32, 64, seed) for seed in range(1, graphs + 1)]))


def most_layers(brokers: int, graphs: int = 10) -> int:
    """How many layers random graphs of degree 4 need, at most."""
    made = (RandomGraph(brokers, 2 * brokers, seed).mesh() for seed in range(1, graphs + 1))
    return max(len(layers(mesh)) for mesh in made)
