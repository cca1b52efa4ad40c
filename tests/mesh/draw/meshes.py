"""Meshes to draw: of plain shapes, by chance, and the examples of the repository."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from random import Random

from angarium.mesh.files.yaml_file import read_mesh
from angarium.mesh.mesh import Broker, Link, Mesh, Pattern, Publisher, Subscriber

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "examples" / "meshes").glob("*.yaml"))


def both_ways(first: str, second: str) -> Iterator[Link]:
    cable = f"{first}-{second}"
    yield Link(f"{first}>{second}", first, second, cable=cable)
    yield Link(f"{second}>{first}", second, first, cable=cable)


def mesh_of(brokers: Iterable[str], pairs: Iterable[tuple[str, str]], **parts: tuple[object, ...]) -> Mesh:
    """A mesh whose cables all lead both ways."""
    links = tuple(link for first, second in pairs for link in both_ways(first, second))
    return Mesh("a mesh", tuple(map(Broker, brokers)), links, **parts)  # type: ignore[arg-type]


def ring(number: int) -> Mesh:
    names = [f"b{place}" for place in range(number)]
    return mesh_of(names, zip(names, [*names[1:], names[0]], strict=True))


def clique(number: int) -> Mesh:
    names = [f"b{place}" for place in range(number)]
    return mesh_of(names, combinations(names, 2))


def tree(number: int) -> Mesh:
    names = [f"b{place}" for place in range(number)]
    return mesh_of(names, ((names[(place - 1) // 2], names[place]) for place in range(1, number)))


def star(number: int) -> Mesh:
    return mesh_of(["hub", *(f"b{n}" for n in range(number))], (("hub", f"b{n}") for n in range(number)))


def by_chance(seed: int) -> Mesh:
    """Up to 120 brokers with names of all lengths, in one part or several, some with many clients."""
    random = Random(seed)
    number = random.choice((2, 5, 9, 17, 30, 45, 81, 120))
    names = [f"{'long-' * random.randrange(6)}broker-{place}" for place in range(number)]
    pairs = {tuple(sorted(random.sample(names, 2))) for _ in range(int(number * random.uniform(0.7, 2.2)))}
    topic = (Pattern("a/#"),)
    publishers = [Publisher(f"p{n}", random.choice(names), topic) for n in range(random.randrange(30))]
    subscribers = [Subscriber(f"s{n}", random.choice(names), topic) for n in range(random.randrange(60))]
    return mesh_of(
        names,
        sorted(pairs),  # type: ignore[arg-type]
        publishers=tuple(publishers),
        subscribers=tuple(subscribers),
    )


def meshes() -> Iterator[tuple[str, Mesh]]:
    """All of them, each with a name."""
    yield from ((f"ring of {number}", ring(number)) for number in (3, 6, 30))
    yield from ((f"clique of {number}", clique(number)) for number in (2, 5, 20))
    yield from ((f"tree of {number}", tree(number)) for number in (6, 31, 100))
    yield from ((f"star of {number}", star(number)) for number in (4, 12, 60))
    yield from ((f"by chance {seed}", by_chance(seed)) for seed in range(20))
    yield from ((path.stem, read_mesh(str(path))) for path in EXAMPLES)


MESHES = dict(meshes())
