"""Walks arrive, go round or are dropped, with the exact hops."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from angarium.mesh.mesh import SHORTEST, Failures, Routing
from angarium.mesh.routing.tables import tables
from angarium.mesh.routing.walk import ARRIVES, DROPS, LOOPS, walk
from tests.mesh.routing import reference
from tests.mesh.routing.meshes import (
    FIFTY,
    SIX,
    both_ways,
    cut,
    dead,
    failure_sets,
    faulty_meshes,
    mesh_of,
    meshes,
    with_tables,
)


@pytest.mark.parametrize("path", ["1 16 17 13", "12 14 13 17 18", "1 11 19", "1 11 26", "1 11 2", "1 16 31"])
def test_the_ways_that_the_thesis_tells_of_its_fifty_brokers_are_ours(path: str) -> None:
    brokers = tuple(path.split())

    found = walk(tables(mesh_of(FIFTY)), brokers[0], brokers[-1])

    assert (found.brokers, found.end) == (brokers, ARRIVES)


def test_the_injected_fault_of_the_thesis_is_a_round_and_not_a_halt() -> None:
    healthy = tables(mesh_of(SIX))
    fault = healthy.replaced({("4", to): "6" for to in "1235"})

    found = walk(fault, "1", "5")

    assert (found.brokers, found.end, found.round) == (("1", "2", "4", "6", "4"), LOOPS, 2)


def test_a_message_to_its_own_broker_is_there() -> None:
    found = walk(tables(mesh_of(SIX)), "3", "3")

    assert (found.brokers, found.links, found.end) == (("3",), (), ARRIVES)


@pytest.mark.parametrize(
    ("failures", "brokers", "reason"),
    [
        (dead("4"), "1 2", "4 is dead"),
        (dead("1"), "1", "1 is dead"),
        (dead("5"), "1 2 4", "5 is dead"),
        (cut("4-5"), "1 2 4", "4-5 is dead"),
    ],
)
def test_kept_tables_lead_into_what_is_dead(failures: Failures, brokers: str, reason: str) -> None:
    kept = mesh_of(SIX, Routing(SHORTEST, rerouted=False))

    found = walk(tables(kept, failures), "1", "5")

    assert (found.brokers, found.end, found.reason) == (tuple(brokers.split()), DROPS, reason)


@pytest.mark.parametrize(
    ("failures", "reason"),
    [(cut("2-4"), "no entry for 5"), (dead("4"), "no entry for 5"), (dead("5"), "5 is dead")],
)
def test_new_tables_have_no_entry_for_what_cannot_be_reached(failures: Failures, reason: str) -> None:
    found = walk(tables(mesh_of(SIX), failures), "1", "5")

    assert (found.brokers, found.end, found.reason) == (("1",), DROPS, reason)


@pytest.mark.parametrize(
    ("table", "reason"), [({"1": {"4": "2"}}, "no entry for 4"), ({"1": {"4": "3"}}, "no link to 3")]
)
def test_faulty_tables_drop_messages(table: dict[str, dict[str, str]], reason: str) -> None:
    assert walk(tables(with_tables(mesh_of("1-2 2-3 3-4"), table)), "1", "4").reason == reason


def test_all_parallel_links_that_are_dead_are_named() -> None:
    mesh = mesh_of("1-2", Routing(SHORTEST, rerouted=False))
    mesh = replace(mesh, links=(*mesh.links, *both_ways("spare", "1", "2", cost=7)))

    one, two = (walk(tables(mesh, cut(*cables)), "1", "2") for cables in (["1-2"], ["1-2", "spare"]))

    assert [link.name for link in one.links] == ["spare>"]
    assert two.reason == "1-2 and spare are dead"


@given(data=st.data())
def test_walks_end_as_the_definition_says(data: st.DataObject) -> None:
    mesh = data.draw(meshes() | faulty_meshes())
    mesh = replace(mesh, routing=replace(mesh.routing, hop_limit=None))
    failures = data.draw(failure_sets(mesh))
    table, hops = reference.entries(mesh, failures), reference.living_hops(mesh, failures)
    made = tables(mesh, failures)

    for source in {broker.name for broker in mesh.brokers} - failures.brokers:
        for destination in {broker.name for broker in mesh.brokers} - failures.brokers:
            found = walk(made, source, destination)

            end, count = reference.end_of(mesh, table, hops, source, destination)
            assert (found.end, len(found.links)) == (end, count)
            assert all(link == hops[link.source, link.target] for link in found.links)
