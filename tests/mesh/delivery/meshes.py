"""Small meshes whose copies are known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import permutations
from typing import Any

from angarium.mesh.delivery.outcome import Spread
from angarium.mesh.mesh import Broker, Link, Mesh
from angarium.mesh.topics.topic import Topic

TOPIC: Topic = ("", "t")


def mesh_of(links: Iterable[Link], brokers: Iterable[Broker] = ()) -> Mesh:
    """A mesh of these links and of all brokers that they name."""
    links = tuple(links)
    given = {broker.name: broker for broker in brokers}
    ends = dict.fromkeys(end for link in links for end in (link.source, link.target))
    missing = (Broker(name, dialect="mqtt") for name in ends if name not in given)
    return Mesh("m", (*given.values(), *missing), links)


def link(source: str, target: str, **rules: Any) -> Link:  # noqa: ANN401 - whatever a link has
    return Link(f"{source}>{target}", source, target, **rules)


def ring(size: int, **rules: Any) -> Mesh:  # noqa: ANN401
    """One way round."""
    return mesh_of(link(f"b{i}", f"b{i % size + 1}", **rules) for i in range(1, size + 1))


def complete(size: int, limit: int | None = None) -> Mesh:
    """Federation in both directions between every two brokers."""
    names = [f"b{i}" for i in range(1, size + 1)]
    return mesh_of(
        link(one, two, hop_limit=limit, avoids_visited=True) for one, two in permutations(names, 2)
    )


def bridges(*pairs: tuple[str, str]) -> Mesh:
    """Bridges that carry everything both ways and do not echo, each a connection of its own."""
    links = []
    for number, (one, two) in enumerate(pairs):
        name = f"bridge{number}"
        for source, target in ((one, two), (two, one)):
            links.append(Link(f"{name} {source}>{target}", source, target, cable=name, connection=name))
    return mesh_of(links)


def limited(mesh: Mesh, limit: int | None) -> Mesh:
    return replace(mesh, links=tuple(replace(each, hop_limit=limit) for each in mesh.links))


def copies(spread: Spread) -> dict[str, int | None]:
    """Of each broker, how many copies get there, whatever they are called."""
    found: dict[str, int | None] = {}
    for arrival in spread.arrivals:
        before = found.get(arrival.broker, 0)
        both = before is not None and arrival.copies is not None
        found[arrival.broker] = before + arrival.copies if both else None  # type: ignore[operator]
    return found
