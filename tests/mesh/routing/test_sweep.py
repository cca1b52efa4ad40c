"""Sweeps over failures agree with tables and walks made from their definitions, pair by pair in sum."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from angarium.mesh.mesh import NOTHING, SHORTEST, Broker, Failures, Mesh, Routing
from angarium.mesh.routing import tables as native
from angarium.mesh.routing.sweep import Sweep, Swept, sweep
from angarium.mesh.routing.tables import outcomes, tables
from tests.mesh.routing.meshes import (
    SIX,
    TRIANGLE,
    cut,
    dead,
    failure_sets,
    faulty_meshes,
    mesh_of,
    meshes,
    meshes_with_standby,
    singles,
    with_tables,
    zoo,
)
from tests.mesh.routing.reference import Counted, counted
from tests.needs import needs


def test_what_never_arrived_is_told_apart_from_what_a_failure_breaks() -> None:
    found = sweep(mesh_of("1-2 2-3 4-5"), [cut("4-5"), dead("2"), dead("4")])

    assert (found.healthy.lost, found.healthy.before) == (12, 12)
    assert [(each.lost, each.before) for each in found] == [(14, 12), (10, 8), (6, 6)]


def counts(found: Swept) -> Counted:
    return Counted(found.lost, found.looping, found.first, found.longest)


def test_in_a_tree_every_failure_of_a_link_cuts_it_in_two() -> None:
    found = sweep(mesh_of(SIX), [cut("1-2"), cut("2-4")])

    assert list(found) == [
        Swept(cut("1-2"), pairs=30, lost=10, looping=0, first=("1", "2"), longest=3),
        Swept(cut("2-4"), pairs=30, lost=18, looping=0, first=("1", "4"), longest=2),
    ]
    assert found.healthy == Swept(NOTHING, 30, 0, 0, None, 3)


def test_pairs_with_a_dead_broker_are_not_asked_for() -> None:
    found = sweep(mesh_of(SIX), [dead("1"), dead("2")])

    assert [(each.pairs, each.lost, each.first) for each in found] == [(20, 0, None), (20, 14, ("1", "3"))]
    assert [each.failures for each in found.losing()] == [dead("2")]
    assert found.pairs == 40


def test_new_tables_go_round_a_failure_and_kept_ones_do_not() -> None:
    new = sweep(mesh_of(TRIANGLE), [cut("1-2")])[0]
    kept = sweep(mesh_of(TRIANGLE, Routing(SHORTEST, rerouted=False)), [cut("1-2")])[0]

    assert (new.lost, new.longest) == (0, 2)
    assert (kept.lost, kept.longest, kept.arriving) == (2, 1, 4)


def test_a_faulty_table_goes_round_until_the_round_is_cut() -> None:
    mesh = mesh_of(SIX)
    table = tables(mesh).replaced({("4", "1"): "6"}).as_names()

    found = sweep(with_tables(mesh, table), [cut("4-6"), cut("1-2")])

    assert (found.healthy.looping, found.healthy.lost, found.healthy.first) == (3, 0, ("4", "1"))
    assert [(each.looping, each.lost) for each in found] == [(0, 12), (3, 7)]


def test_a_mesh_of_nothing_is_swept() -> None:
    assert len(sweep(Mesh("empty", (), (), routing=Routing(SHORTEST)), [])) == 0
    assert sweep(Mesh("one", (Broker("a"),), (), routing=Routing(SHORTEST)), [dead("a")])[0].lost == 0


@given(data=st.data())
def test_every_sweep_is_that_of_the_definition(data: st.DataObject) -> None:
    mesh = data.draw(meshes() | faulty_meshes() | meshes_with_standby())
    asked = data.draw(st.lists(failure_sets(mesh), max_size=8))

    found = sweep(mesh, asked)

    assert counts(found.healthy) == counted(mesh, NOTHING)
    assert [counts(each) for each in found] == [counted(mesh, failures) for failures in asked]
    assert [each.before for each in found] == [never_arriving(mesh, failures) for failures in asked]


def never_arriving(mesh: Mesh, failures: Failures) -> int:
    """Pairs of living brokers whose messages do not arrive in the healthy mesh."""
    arrives = outcomes(tables(mesh)).arrives
    living = [n for n, broker in enumerate(mesh.brokers) if broker.name not in failures.brokers]
    return int((~arrives[living][:, living]).sum())


@given(data=st.data())
def test_it_does_not_matter_how_many_threads_there_are(data: st.DataObject) -> None:
    mesh = data.draw(meshes())
    asked = [*singles(mesh), *data.draw(st.lists(failure_sets(mesh), max_size=3))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "ENOUGH", 0)

        one, three = (sweep(mesh, asked, threads=threads) for threads in (1, 3))

    assert same(one, three)


def same(one: Sweep, other: Sweep) -> bool:
    return list(one) == list(other) and one.healthy == other.healthy


@needs("zoo")
@pytest.mark.parametrize("rerouted", [True, False])
def test_twenty_small_nets_of_the_zoo_are_those_of_the_definition(rerouted: bool) -> None:
    small = [mesh for mesh in zoo() if 5 <= len(mesh.brokers) <= 11][:20]
    assert len(small) == 20
    for mesh in small:
        mesh = replace(mesh, routing=Routing(SHORTEST, rerouted=rerouted))

        found = sweep(mesh, singles(mesh))

        assert [counts(each) for each in found] == [counted(mesh, each) for each in singles(mesh)], mesh.name


def test_pairs_of_failures_are_those_of_the_definition() -> None:
    mesh = mesh_of("1-2 2-3 3-4 4-1:2 1-3:3 4-5 5-2")
    asked = [
        Failures(one.brokers | other.brokers, one.cables | other.cables)
        for one, other in combinations(singles(mesh), 2)
    ]

    assert [counts(each) for each in sweep(mesh, asked)] == [counted(mesh, each) for each in asked]
