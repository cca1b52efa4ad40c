"""The tables are those of the thesis, and those of their definition."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from angarium.core.errors import MeshError
from angarium.mesh.mesh import FORWARD, NOTHING, SHORTEST, Broker, Failures, Link, Mesh, Routing
from angarium.mesh.routing import graph
from angarium.mesh.routing.graph import graph_of
from angarium.mesh.routing.tables import outcomes, tables
from tests.mesh.routing import reference
from tests.mesh.routing.meshes import (
    SIX,
    TRIANGLE,
    both_ways,
    cut,
    dead,
    failure_sets,
    faulty_meshes,
    mesh_of,
    meshes,
    with_tables,
)

Table = dict[str, dict[str, str]]


def table_of(text: str) -> Table:
    """From lines such as `1: 2>2 3>2`: a broker, then destination>next."""
    lines = (line.split(": ") for line in text.strip().splitlines())
    return {at.strip(): dict(entry.split(">") for entry in row.split()) for at, row in lines}


def test_the_six_brokers_have_the_thirty_entries_of_the_thesis() -> None:
    printed = """
        1: 2>2 3>2 4>2 5>2 6>2
        2: 1>1 3>3 4>4 5>4 6>4
        3: 1>2 2>2 4>2 5>2 6>2
        4: 1>2 2>2 3>2 5>5 6>6
        5: 1>4 2>4 3>4 4>4 6>4
        6: 1>4 2>4 3>4 4>4 5>4"""

    assert tables(mesh_of(SIX)).as_names() == table_of(printed)


@pytest.mark.parametrize(
    ("failures", "printed"),
    [
        (NOTHING, "1: 2>2 3>3\n 2: 1>1 3>3\n 3: 1>1 2>2"),
        (cut("1-2"), "1: 2>3 3>3\n 2: 1>3 3>3\n 3: 1>1 2>2"),
        (cut("1-3"), "1: 2>2 3>2\n 2: 1>1 3>3\n 3: 1>2 2>2"),
        (cut("2-3"), "1: 2>2 3>3\n 2: 1>1 3>1\n 3: 1>1 2>1"),
    ],
)
def test_the_triangle_has_the_tables_of_the_thesis_in_every_colour(failures: Failures, printed: str) -> None:
    assert tables(mesh_of(TRIANGLE), failures).as_names() == table_of(printed)


def test_of_equally_cheap_ways_that_over_the_first_broker_of_the_file_is_taken() -> None:
    square = mesh_of("1-2 2-4 1-3 3-4")
    turned = replace(square, brokers=square.brokers[::-1])

    assert tables(square).next_broker("1", "4") == "2"
    assert tables(turned).next_broker("1", "4") == "3"


def test_a_cheaper_way_over_more_brokers_is_taken() -> None:
    assert tables(mesh_of("1-3:5 1-2:2 2-3:2")).next_broker("1", "3") == "2"


def test_costs_may_differ_by_direction() -> None:
    mesh = mesh_of("1-2 2-3")
    mesh = replace(mesh, links=(*mesh.links, *both_ways("direct", "1", "3", cost=1, back=9)))

    found = tables(mesh)

    assert (found.next_broker("1", "3"), found.next_broker("3", "1")) == ("3", "2")


def test_when_the_cheapest_of_parallel_links_is_dead_the_next_one_counts() -> None:
    mesh = mesh_of("1-2 2-3:2 1-3:4")
    mesh = replace(mesh, links=(*mesh.links, *both_ways("second", "1", "2", cost=3)))

    found = tables(mesh, cut("1-2"))

    link = found.link(0, 1)
    assert found.next_broker("1", "3") == "3"
    assert link is not None
    assert link.name == "second>"


def test_a_dead_broker_is_gone_round() -> None:
    assert tables(mesh_of("1-2 2-4 1-3 3-4"), dead("2")).as_names()["1"] == {"3": "3", "4": "3"}


def test_kept_tables_stay_as_they_were() -> None:
    mesh = mesh_of(TRIANGLE, Routing(SHORTEST, rerouted=False))

    assert tables(mesh, cut("1-2")).as_names() == tables(mesh).as_names()


def test_given_tables_stay_as_they_are_whatever_they_say() -> None:
    table = {"1": {"3": "2"}, "2": {"3": "1"}}

    assert tables(with_tables(mesh_of(TRIANGLE), table), cut("1-2")).as_names() == {**table, "3": {}}


def test_an_entry_that_is_replaced_changes_nothing_else() -> None:
    before = tables(mesh_of(SIX))

    after = before.replaced({("4", "1"): "6"})

    assert after.next_broker("4", "1") == "6"
    assert int((after.next != before.next).sum()) == 1


@given(data=st.data())
def test_entries_are_those_of_the_definition(data: st.DataObject) -> None:
    mesh = data.draw(meshes() | faulty_meshes())
    failures = data.draw(failure_sets(mesh))

    found = tables(mesh, failures).as_names()

    listed = {(at, to): after for at, row in found.items() for to, after in row.items()}
    assert listed == reference.entries(mesh, failures)


@given(data=st.data())
def test_all_walks_end_as_the_definition_says(data: st.DataObject) -> None:
    mesh = data.draw(meshes() | faulty_meshes())
    failures = data.draw(failure_sets(mesh))
    words = {2: "arrives", 3: "drops", 4: "loops"}

    found = outcomes(tables(mesh, failures))

    table, hops = reference.entries(mesh, failures), reference.living_hops(mesh, failures)
    names = [broker.name for broker in mesh.brokers]
    for i, one in enumerate(names):
        for j, other in enumerate(names):
            if not {one, other} & failures.brokers:
                end, count = reference.end_of(mesh, table, hops, one, other)
                assert words[int(found.states[i, j])] == end
                assert end != "arrives" or int(found.hops[i, j]) == count


# --- what cannot be -------------------------------------------------------------------------


def test_a_mesh_that_forwards_has_no_tables() -> None:
    with pytest.raises(MeshError, match="has no routing tables"):
        tables(mesh_of(SIX, Routing(FORWARD)))


@pytest.mark.parametrize(
    ("failures", "said"),
    [
        (dead("7"), "no broker is called '7'"),
        (cut("1-7"), "no link is called '1-7'\n  did you mean 1-2"),
    ],
)
def test_what_is_not_there_cannot_fail(failures: Failures, said: str) -> None:
    with pytest.raises(MeshError) as caught:
        tables(mesh_of(SIX, Routing(SHORTEST, rerouted=False)), failures)

    assert str(caught.value).startswith(said)


@pytest.mark.parametrize("table", [{"9": {"1": "2"}}, {"1": {"9": "2"}}, {"1": {"2": "9"}}])
def test_a_table_that_names_an_unknown_broker_is_refused(table: Table) -> None:
    with pytest.raises(MeshError, match="no broker is called '9'"):
        tables(with_tables(mesh_of(TRIANGLE), table))


@pytest.mark.parametrize("cost", [0, 2**31])
def test_a_cost_that_tables_cannot_have_is_refused(cost: int) -> None:
    mesh = replace(mesh_of("1-2"), links=both_ways("1-2", "1", "2", cost))

    with pytest.raises(MeshError, match=f"the link 1-2> costs {cost}"):
        tables(mesh)


def test_the_dearest_costs_are_added_up_without_overflow() -> None:
    mesh = mesh_of(" ".join(f"{n}-{n + 1}:{2**31 - 1}" for n in range(70)))

    assert int(outcomes(tables(mesh)).hops.max()) == 70


def test_a_mesh_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph, "MOST_BROKERS", 5)

    with pytest.raises(MeshError, match="a routed mesh of 6 brokers"):
        graph_of(mesh_of(SIX))


def test_a_mesh_without_links_has_empty_tables() -> None:
    found = tables(
        Mesh("alone", (Broker("a"), Broker("b")), (Link("within", "a", "a"),), routing=Routing(SHORTEST))
    )

    assert found.as_names() == {"a": {}, "b": {}}
