"""Nets for benchmarks: random meshes with random topics, and the Internet Topology Zoo if it is there."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from angarium.mesh.mesh import SHORTEST, Broker, Link, Mesh, Routing

ZOO = Path(__file__).parents[3] / "shared" / "data" / "topology-zoo"
"""The graphs of http://www.topology-zoo.org, which are no part of this project."""
ZOO_NETS = 276
NO_ZOO = "the Topology Zoo is not there"
GET_ZOO = (
    "curl -O http://www.topology-zoo.org/files/archive.zip; "
    "unzip -j archive.zip '*.gml' -d ../shared/data/topology-zoo"
)
SEED = 7

Pair = tuple[str, str]


def zoo(nets: int) -> list[str]:
    """The first nets of the Zoo, by name."""
    return [str(path) for path in sorted(ZOO.glob("*.gml"))[:nets]]


def random_mesh(brokers: int, degree: int = 4, seed: int = SEED) -> Mesh:
    """A connected mesh: a random tree, and links until brokers have so many neighbours on average."""
    choice = random.Random(seed)
    names = [f"b{number}" for number in range(1, brokers + 1)]
    ends = {(names[choice.randrange(number)], names[number]): None for number in range(1, brokers)}
    while 2 * len(ends) < degree * brokers:
        one, other = sorted(choice.sample(range(brokers), 2))
        ends[names[one], names[other]] = None
    links = (
        Link(f"{one}->{other}", one, other, cable=f"{min(one, other)}-{max(one, other)}")
        for pair in ends
        for one, other in (pair, pair[::-1])
    )
    return Mesh(f"{brokers} brokers", tuple(map(Broker, names)), tuple(links), routing=Routing(SHORTEST))


def random_topics(names: list[str], topics: int, subscribers: int, seed: int = SEED) -> Iterator[Pair]:
    """Of each topic: the broker that publishes it, with that of each subscriber; it is any of the others."""
    choice = random.Random(seed)
    for _ in range(topics):
        source = choice.randrange(len(names))
        others = names[:source] + names[source + 1 :]
        yield from ((names[source], wanting) for wanting in choice.choices(others, k=subscribers))
