"""Meshes for the tests of routing: those of the thesis, nets of the Topology Zoo, and random ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from hypothesis import strategies as st

from angarium.mesh.files.gml import read_gml
from angarium.mesh.mesh import SHORTEST, TABLES, Broker, Failures, Link, Mesh, Routing
from angarium.mesh.routing.tables import outcomes, tables
from tests.needs import ZOO as ZOO

SIX = "1-2 2-3 2-4 4-5 4-6"
"""The six brokers of the thesis (5.2)."""
TRIANGLE = "1-2 1-3 2-3"
FIFTY = "1-11 1-16 2-11 2-16 2-18 3-11 3-16 11-19 11-26 16-31 16-17 17-13 17-18 13-14 14-12"
"""What the thesis tells of its net of fifty brokers."""


def both_ways(name: str, one: str, other: str, cost: int = 1, back: int | None = None) -> tuple[Link, Link]:
    """A cable."""
    return (
        Link(f"{name}>", one, other, cable=name, cost=cost),
        Link(f"{name}<", other, one, cable=name, cost=cost if back is None else back),
    )


def mesh_of(text: str, routing: Routing | None = None) -> Mesh:
    """From `1-2 2-3:5`: cables, with costs where these are not 1. Brokers are in order of their numbers."""
    links: list[Link] = []
    for word in text.split():
        name, _, cost = word.partition(":")
        one, other = name.split("-")
        links += both_ways(name, one, other, int(cost or 1))
    names = sorted({link.source for link in links}, key=int)
    return Mesh(text, tuple(map(Broker, names)), tuple(links), routing=routing or Routing(SHORTEST))


def with_tables(mesh: Mesh, table: dict[str, dict[str, str]]) -> Mesh:
    return replace(mesh, routing=Routing(TABLES, table))


def cut(*cables: str) -> Failures:
    return Failures(cables=frozenset(cables))


def dead(*brokers: str) -> Failures:
    return Failures(brokers=frozenset(brokers))


def singles(mesh: Mesh) -> list[Failures]:
    return [cut(each) for each in mesh.cables] + [dead(each.name) for each in mesh.brokers]


# --- the Topology Zoo -----------------------------------------------------------------------


@cache
def zoo() -> tuple[Mesh, ...]:
    return tuple(read_gml(str(path)) for path in sorted(ZOO.glob("*.gml")))


def simple(mesh: Mesh) -> Mesh:
    """With one link between two brokers, where there are several: for figures that were found without."""
    kept: dict[frozenset[str], str] = {}
    for link in mesh.links:
        kept.setdefault(frozenset({link.source, link.target}), link.fails_as)
    return replace(mesh, links=tuple(link for link in mesh.links if link.fails_as in set(kept.values())))


def largest_part(mesh: Mesh) -> Mesh:
    """The brokers of the largest connected part, and their links."""
    arrives = outcomes(tables(mesh)).arrives
    inside = arrives[arrives.sum(axis=1).argmax()]
    names = {broker.name for broker, there in zip(mesh.brokers, inside, strict=True) if there}
    return replace(
        mesh,
        brokers=tuple(broker for broker in mesh.brokers if broker.name in names),
        links=tuple(link for link in mesh.links if link.source in names),
    )


# --- random ones ----------------------------------------------------------------------------


@st.composite
def meshes(draw: st.DrawFn, kept: bool | None = None) -> Mesh:
    """Few brokers, costs, parallel links, links that lead one way; now and then a limit of hops."""
    names = [f"b{number}" for number in range(draw(st.integers(2, 7)))]
    ends = st.tuples(st.sampled_from(names), st.sampled_from(names)).filter(lambda pair: pair[0] != pair[1])
    cost = st.integers(1, 3)
    links: list[Link] = []
    for number, (one, other) in enumerate(draw(st.lists(ends, max_size=14))):
        pair = both_ways(f"c{number}", one, other, draw(cost), draw(cost))
        links += pair if draw(st.booleans()) else pair[:1]
    limit = draw(st.none() | st.integers(0, 4))
    rerouted = not (draw(st.booleans()) if kept is None else kept)
    routing = Routing(SHORTEST, rerouted=rerouted, hop_limit=limit)
    return Mesh("random", tuple(map(Broker, names)), tuple(links), routing=routing)


@st.composite
def meshes_with_standby(draw: st.DrawFn, kept: bool | None = None) -> Mesh:
    """Some of the links stand by until others are dead."""
    mesh = draw(meshes(kept))
    places = st.sampled_from([("", 0), ("f", 0), ("f", 1), ("g", 0), ("g", 1), ("g", 2)])
    by_cable = {cable: draw(places) for cable in mesh.cables}
    links = (
        replace(link, failover=by_cable[link.fails_as][0], rank=by_cable[link.fails_as][1])
        for link in mesh.links
    )
    return replace(mesh, links=tuple(links))


@st.composite
def faulty_meshes(draw: st.DrawFn) -> Mesh:
    """Any tables at all, over any links."""
    mesh = draw(meshes())
    names = [broker.name for broker in mesh.brokers]
    table = {at: draw(st.dictionaries(st.sampled_from(names), st.sampled_from(names))) for at in names}
    return replace(mesh, routing=Routing(TABLES, table, hop_limit=mesh.routing.hop_limit))


def failure_sets(mesh: Mesh) -> st.SearchStrategy[Failures]:
    def some(names: Iterable[str]) -> st.SearchStrategy[frozenset[str]]:
        there = sorted(names)
        return st.frozensets(st.sampled_from(there), max_size=3) if there else st.just(frozenset())

    return st.builds(Failures, some(broker.name for broker in mesh.brokers), some(mesh.cables))
