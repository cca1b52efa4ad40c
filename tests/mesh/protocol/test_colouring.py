"""The colour is a function of what is dead, as seen from where a broker stands."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.core.errors import MeshError
from angarium.mesh.mesh import Broker, Failures, Link, Mesh
from angarium.mesh.protocol.colouring import Colouring
from angarium.mesh.protocol.link_state import chart_of
from angarium.mesh.recovery.tables import HEALTHY, coloured
from angarium.mesh.routing.graph import graph_of
from angarium.mesh.routing.tables import shortest
from tests.effort import examples
from tests.mesh.protocol.meshes import SHAPES, SQUARE, TAILED, TRIANGLE, colouring, mesh
from tests.mesh.routing.meshes import both_ways


def pairs(text: str) -> frozenset[tuple[str, str]]:
    return frozenset((one, other) for one, other in (word.split("-") for word in text.split()))


@pytest.mark.parametrize(
    ("dead", "colour"), [("", 1), ("1-2", 2), ("1-3", 3), ("2-3", 4), ("1-2 1-3", 5), ("1-2 2-3", 6)]
)
def test_the_colours_of_the_triangle_are_those_of_the_thesis_and_then_the_brokers(
    dead: str, colour: int
) -> None:
    seen = {broker: colouring(TRIANGLE).view(broker, pairs(dead)) for broker in "123"}

    assert {view.colour for view in seen.values()} == {colour}


def test_a_failure_that_nothing_was_calculated_for_has_no_colour() -> None:
    view = colouring(SQUARE).view("1", pairs("1-2 3-4"))

    assert view.colour is None
    assert view.failures == Failures(cables=frozenset({"1-2", "3-4"}))


def test_both_sides_of_a_broker_that_cuts_the_mesh_have_the_colour_of_its_death() -> None:
    """Each side sees only its own half of the broker's links."""
    death = colouring(TAILED).colours.of(Failures(brokers=frozenset("3")))

    assert colouring(TAILED).view("4", pairs("3-4 3-5")).colour == death
    assert colouring(TAILED).view("1", pairs("2-3")).failures == Failures(cables=frozenset({"2-3"}))


def test_what_is_dead_elsewhere_does_not_matter() -> None:
    view = colouring(TAILED).view("1", pairs("2-3 4-5"))

    assert view == colouring(TAILED).view("1", pairs("2-3"))


def test_cables_side_by_side_are_one_pair() -> None:
    doubled = Mesh(
        "doubled", (Broker("1"), Broker("2")), (*both_ways("a", "1", "2"), *both_ways("b", "1", "2"))
    )
    found = Colouring(chart_of(doubled), coloured(doubled, [Failures(cables=frozenset("a"))]))

    view = found.view("1", pairs("1-2"))

    assert view.colour is None
    assert view.failures == Failures(cables=frozenset("ab"))
    assert found.killed == (frozenset(), frozenset())


def test_a_cable_that_others_share_is_dead_for_them_too() -> None:
    bus = tuple(Link(f"{one}{other}", one, other, cable="bus") for one, other in ("12", "34"))
    shared = Mesh("bus", tuple(map(Broker, "1234")), (*bus, *both_ways("23", "2", "3")))
    found = Colouring(chart_of(shared), coloured(shared, []))

    assert found.view("2", pairs("1-2")).dead == pairs("1-2 3-4")


def test_there_is_no_chart_of_a_broker_that_is_not_there() -> None:
    with pytest.raises(MeshError, match="no broker is called '9'"):
        chart_of(mesh(SQUARE)).check("9")


@settings(max_examples=examples(60))
@given(st.sampled_from(SHAPES), st.data())
def test_all_of_a_component_have_the_same_colour_and_its_tables_are_right(
    shape: str, data: st.DataObject
) -> None:
    found, graph = colouring(shape), graph_of(mesh(shape))
    dead = data.draw(st.frozensets(st.sampled_from(sorted(found.chart.cables)), max_size=4))

    views = {broker: found.view(broker, dead) for broker in found.chart.brokers}

    truth = shortest(graph, found.chart.cables_of(dead))
    for broker, view in views.items():
        assert all(views[other] == view for other in view.component)
        if view.colour is not None:
            row = graph.number(broker)
            assert (shortest(graph, found.colours[view.colour])[row] == truth[row]).all()
    assert dead or {view.colour for view in views.values()} == {HEALTHY}
