"""Comparing schemes of recovery: every single link of every net of the Topology Zoo, and many random graphs.

`uv run python -m benchmarks.schemes` prints both; the figures that are known are asserted.
"""

from __future__ import annotations

from angarium.mesh.files.gml import read_gml
from angarium.mesh.schemes.layers import layers
from angarium.mesh.schemes.merged import merged
from angarium.mesh.schemes.random_graph import RandomGraph
from angarium.mesh.schemes.together import compare_all, together
from benchmarks.measure import Cost
from benchmarks.meshes import ZOO, ZOO_NETS
from benchmarks.recovery import cost_of

ZOO_SECONDS = 60.0
"""What is promised, on two cores."""
GRAPHS = 200
PAIRS, COVERED = 881_029, 322_250
"""Of the whole Zoo: ordered pairs whose first link is no bridge, and those with a loop-free alternate."""


def zoo_cost() -> Cost:
    """All schemes under every single link of every net, files included."""

    def work() -> None:
        nets = [merged(read_gml(str(path))) for path in sorted(ZOO.glob("*.gml"))]
        found = compare_all(nets)
        coverage = together(found.comparisons, "Zoo").coverage
        assert len(found.comparisons) == ZOO_NETS
        assert (coverage.pairs, coverage.lfa, coverage.remote) == (PAIRS, COVERED, PAIRS)

    return cost_of(work)


def random_cost() -> Cost:
    """All schemes under every single link of random graphs of 32 brokers and 64 links."""
    return cost_of(lambda: compare_all([RandomGraph(32, 64, seed) for seed in range(1, GRAPHS + 1)]))


def most_layers(graphs: int = 10) -> int:
    """How many layers random graphs of 1,024 brokers of degree 4 need, at most."""
    return max(len(layers(RandomGraph(1024, 2048, seed).mesh())) for seed in range(1, graphs + 1))


def main() -> None:
    zoo, many = zoo_cost(), random_cost()
    print(f"{ZOO_NETS} nets of the Zoo: {zoo.wall:.1f} s, {zoo.cpu:.1f} s of processors")
    print(f"{GRAPHS} random graphs of 32x64: {many.wall:.1f} s, {many.cpu:.1f} s of processors")
    print(f"resilient layers of 1,024 brokers and 2,048 links, at most: {most_layers()}")


if __name__ == "__main__":
    main()
