"""Small random meshes with costs and parallel links, and rings."""

from __future__ import annotations

from hypothesis import strategies as st

from angarium.mesh.mesh import SHORTEST, Broker, Link, Mesh, Routing
from tests.mesh.routing.meshes import both_ways, mesh_of


@st.composite
def two_way_meshes(draw: st.DrawFn, most: int = 7, costs: int = 3) -> Mesh:
    """Few brokers, cables that lead both ways, some between the same brokers; now and then in parts."""
    count = draw(st.integers(2, most))
    names = [f"b{number}" for number in range(count)]
    ends = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)).filter(
        lambda pair: pair[0] < pair[1]
    )
    links: list[Link] = []
    for number, (one, other) in enumerate(draw(st.lists(ends, min_size=1, max_size=2 * most))):
        cost = draw(st.integers(1, costs))
        links += both_ways(f"c{number}", names[one], names[other], cost)
    return Mesh("random", tuple(map(Broker, names)), tuple(links), routing=Routing(SHORTEST))


def ring(brokers: int) -> Mesh:
    return mesh_of(" ".join(f"{number}-{number % brokers + 1}" for number in range(1, brokers + 1)))


BOW_TIE = "1-2 1-3 2-3 3-4 4-5 4-6 5-6"
"""Two triangles and a bridge between them."""
TWO_RINGS = "1-2 2-3 3-1 3-4 4-5 5-3"
"""Two triangles that share broker 3, without which they fall apart."""
