"""What cannot be protected is found, and with the links that are proposed nothing is cut off any more."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.mesh.files.gml import read_gml
from angarium.mesh.mesh import SHORTEST, Failures, Link, Mesh, Routing
from angarium.mesh.recovery.tables import coloured, recovery
from angarium.mesh.recovery.unprotected import (
    Addition,
    Cut,
    Unprotected,
    added,
    cutting,
    pairs_cut_off,
    unprotected,
)
from angarium.mesh.routing.graph import graph_of
from angarium.mesh.routing.sweep import sweep
from tests.effort import examples
from tests.mesh.routing.meshes import (
    SIX,
    TRIANGLE,
    ZOO,
    cut,
    dead,
    failure_sets,
    mesh_of,
    meshes,
    simple,
    singles,
    zoo,
)
from tests.needs import needs

LARGEST = 200
"""Brokers of a net that is looked at: the few larger ones have bridges, and take as long as all others."""
STAR = "1-2 1-3 1-4 1-5 1-6"


def found_in(mesh: Mesh, failures: list[Failures]) -> Unprotected:
    return unprotected(mesh, coloured(mesh, failures))


def links(mesh: Mesh) -> list[Failures]:
    return [cut(each) for each in mesh.cables]


def brokers(mesh: Mesh) -> list[Failures]:
    return [dead(each.name) for each in mesh.brokers]


def test_a_triangle_is_protected() -> None:
    mesh = mesh_of(TRIANGLE)

    found = found_in(mesh, singles(mesh))

    assert not found
    assert found == Unprotected((), (), smallest=True)


def test_every_link_of_a_tree_cuts_it() -> None:
    mesh = mesh_of(SIX)

    found = found_in(mesh, links(mesh))

    assert [each.pairs for each in found.cuts] == [10, 10, 18, 10, 10]
    assert found.cuts[2] == Cut(4, cut("2-4"), 18, graph_of(mesh))
    assert found.cuts[2].parts == (("1", "2", "3"), ("4", "5", "6"))
    assert found.cuts[0].parts == (("2", "3", "4", "5", "6"), ("1",))


@pytest.mark.parametrize(("text", "leaves"), [(SIX, 4), (STAR, 5), ("1-2", 2), ("1-2 2-3 3-1 3-4", 2)])
def test_half_as_many_links_as_there_are_leaves_protect_a_tree(text: str, leaves: int) -> None:
    mesh = mesh_of(text)

    found = found_in(mesh, links(mesh))

    assert (len(found.additions), found.smallest) == ((leaves + 1) // 2, True)
    assert not found_in(added(mesh, found.additions), links(mesh))


def test_only_the_bridges_that_are_asked_for_are_protected() -> None:
    mesh = mesh_of("1-2 2-3 3-4")

    found = found_in(mesh, [cut("2-3")])

    assert len(found.additions) == 1
    assert not found_in(added(mesh, found.additions), [cut("2-3")])


def test_a_dead_broker_that_joins_two_parts_is_gone_round() -> None:
    mesh = mesh_of("1-2 2-3 3-1 3-4 4-5 5-3")

    found = found_in(mesh, singles(mesh))

    assert [(each.failures, each.pairs) for each in found.cuts] == [(dead("3"), 8)]
    assert len(found.additions) == 1
    assert not found_in(added(mesh, found.additions), singles(mesh))


def test_the_dead_middle_of_a_star_needs_a_link_less_than_there_are_others() -> None:
    found = found_in(mesh_of(STAR), [dead("1")])

    assert len(found.additions) == 4


def test_no_fewer_links_protect_brokers_too_than_bridges_alone_need() -> None:
    mesh = mesh_of("1-2 2-3 3-4 4-5")

    assert found_in(mesh, singles(mesh)) == replace(
        found_in(mesh, singles(mesh)), additions=(Addition("1", "5"),), smallest=True
    )


def test_what_is_known_need_not_be_calculated() -> None:
    mesh = mesh_of(SIX)
    colours = coloured(mesh, singles(mesh))

    assert unprotected(mesh, colours, recovery(mesh, colours)) == unprotected(mesh, colours)


def test_a_way_there_without_a_way_back_gets_a_link_one_way() -> None:
    mesh = mesh_of("1-2 3-4")
    one_way = replace(mesh, links=(*mesh.links, Link("over", "2", "3")))

    found = found_in(one_way, [cut("over")])

    assert [(each.pairs, each.parts) for each in found.cuts] == [(4, ())]
    assert all(not each.both_ways for each in found.additions)
    assert not found_in(added(one_way, found.additions), [cut("over")])


@settings(max_examples=examples(40))
@given(data=st.data())
def test_what_is_proposed_protects_any_mesh_against_any_failures(data: st.DataObject) -> None:
    mesh = data.draw(meshes(kept=False))
    request = [*singles(mesh), *data.draw(st.lists(failure_sets(mesh), max_size=4))]

    found = found_in(mesh, request)

    assert not found_in(added(mesh, found.additions), request)


@settings(max_examples=examples(40))
@given(data=st.data())
def test_what_is_cut_off_is_what_a_sweep_finds(data: st.DataObject) -> None:
    mesh = replace(data.draw(meshes()), routing=Routing(SHORTEST))
    request = [*singles(mesh), *data.draw(st.lists(failure_sets(mesh), max_size=4))]

    found = cutting(graph_of(mesh), request)

    swept = {place: each.lost - each.before for place, each in enumerate(sweep(mesh, request))}
    assert found == {place: lost for place, lost in swept.items() if lost}
    for place, pairs in found.items():
        assert len(list(pairs_cut_off(graph_of(mesh), request[place]))) == pairs


@needs("zoo")
def test_26_nets_of_the_zoo_have_no_bridge_and_are_in_one_piece() -> None:
    nets = [simple(mesh) for mesh in zoo() if len(mesh.brokers) <= LARGEST]

    protected = [mesh for mesh in nets if not cutting(graph_of(mesh), links(mesh))]

    whole = [mesh for mesh in protected if sweep(mesh, []).healthy.lost == 0]
    assert len(whole) == 26


@needs("zoo")
def test_four_links_protect_geant_against_every_single_failure_and_a_dozen_against_pairs_of_links() -> None:
    mesh = read_gml(str(ZOO / "Geant2012.gml"))
    pairs = [cut(*pair) for pair in combinations(mesh.cables, 2)]

    one, two = found_in(mesh, singles(mesh)), found_in(mesh, pairs)

    assert (len(one.cuts), len(one.additions), one.smallest) == (16, 4, True)
    assert (len(two.cuts), len(two.additions)) == (471, 12)
    assert not found_in(added(mesh, two.additions), pairs)
