"""Which walks need not be looked at: the thesis's answer, that it is wrong, and the right one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from angarium.mesh.mesh import Mesh
from angarium.mesh.routing.tables import tables
from angarium.mesh.routing.walk import walk
from tests.mesh.routing.meshes import SIX, TRIANGLE, faulty_meshes, mesh_of, meshes, with_tables
from tests.oracles.subpaths import Pair, is_closed, sound_filter, thesis_filter

TOPICS = [("1", "2"), ("1", "5"), ("3", "4"), ("5", "1"), ("5", "6"), ("6", "3")]
"""The topic table of the thesis, in its order."""


@pytest.mark.parametrize(
    ("reverse", "longest_first", "kept"),
    [(True, False, "12 15 34 56 63"), (True, True, "15 63 56"), (False, False, "12 15 34 51 56 63")],
)
def test_the_filter_of_the_thesis_keeps_what_it_kept(reverse: bool, longest_first: bool, kept: str) -> None:
    found = thesis_filter(tables(mesh_of(SIX)), TOPICS, reverse=reverse, longest_first=longest_first)

    assert found == [(word[0], word[1]) for word in kept.split()]


def test_the_filter_of_the_thesis_overlooks_a_fault_in_the_other_direction() -> None:
    fault = tables(mesh_of(SIX)).replaced({("4", "1"): "6"})

    looked_at = thesis_filter(fault, TOPICS)

    assert not walk(fault, "5", "1").arrives
    assert all(walk(fault, *pair).arrives for pair in looked_at)
    assert not all(walk(fault, *pair).arrives for pair in sound_filter(fault, TOPICS))


def test_sub_paths_to_other_destinations_are_no_evidence_if_tables_are_not_closed() -> None:
    fault = tables(mesh_of(SIX)).replaced({("1", "4"): "1"})

    looked_at = thesis_filter(fault, [("1", "5"), ("1", "4")], reverse=False)

    assert looked_at == [("1", "5")]
    assert not walk(fault, "1", "4").arrives
    assert not is_closed(fault)


def test_a_way_to_the_same_destination_is_the_rest_of_a_longer_one() -> None:
    found = sound_filter(tables(mesh_of(SIX)), [("4", "5"), ("2", "5"), ("1", "5"), ("1", "4")])

    assert found == [("1", "5"), ("1", "4")]


def test_in_closed_tables_every_part_of_a_way_is_one() -> None:
    found = sound_filter(tables(mesh_of(SIX)), [("2", "4"), ("1", "5"), ("1", "4"), ("5", "1")], closed=True)

    assert found == [("1", "5"), ("5", "1")]


def test_another_choice_among_equally_cheap_ways_need_not_be_closed() -> None:
    around = tables(mesh_of(TRIANGLE)).replaced({("1", "3"): "2"})
    further = tables(mesh_of("1-2 2-3 3-4 1-5 5-3")).replaced({("1", "4"): "5"})

    assert is_closed(around)
    assert not is_closed(further)


@given(data=st.data())
def test_what_is_looked_at_says_of_every_pair_whether_it_arrives(data: st.DataObject) -> None:
    found = tables(data.draw(meshes() | faulty_meshes()))
    name = st.sampled_from(found.graph.names)
    pairs: list[Pair] = data.draw(st.lists(st.tuples(name, name), max_size=12))

    looked_at = sound_filter(found, pairs, closed=is_closed(found))

    good = all(walk(found, *pair).arrives for pair in pairs)
    assert set(looked_at) <= set(pairs)
    assert all(walk(found, *pair).arrives for pair in looked_at) == good


@given(data=st.data())
def test_closed_is_what_its_definition_says(data: st.DataObject) -> None:
    found = tables(data.draw(meshes() | faulty_meshes()))
    names = found.graph.names
    paths = [walk(found, one, other) for one in names for other in names]

    every_part = all(
        walk(found, path.brokers[first], path.brokers[last]).brokers == path.brokers[first : last + 1]
        for path in paths
        if path.arrives
        for first in range(len(path.brokers))
        for last in range(first, len(path.brokers))
    )

    assert not is_closed(found) or every_part


@given(mesh=meshes())
def test_shortest_ways_are_closed(mesh: Mesh) -> None:
    assert is_closed(tables(mesh))


def test_tables_that_go_round_are_not_walked_for_ever() -> None:
    table = {"1": {"2": "2", "3": "2"}, "2": {"1": "1", "3": "1"}}

    assert is_closed(tables(with_tables(mesh_of("1-2 2-3"), table)))
