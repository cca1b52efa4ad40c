"""What becomes of topics in routed meshes: arrivals, rounds and drops, with filters and limits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from angarium.mesh.delivery.outcome import Arrival, Drop, Loop, Spread
from angarium.mesh.mesh import NOTHING, SHORTEST, Failures, Mesh, Pattern, Rename, Routing
from angarium.mesh.routing.tables import tables
from angarium.mesh.routing.walk import LONGEST_PATH, spread
from tests.mesh.routing.meshes import SIX, cut, dead, mesh_of, with_tables


def sent(
    mesh: Mesh, origin: str, *destinations: str, topic: str = "A", failures: Failures = NOTHING
) -> Spread:
    return spread(mesh, tables(mesh, failures), origin, topic, destinations)


def bouncing(limit: int | None) -> Mesh:
    """Brokers 4 and 6 send what is for 5 to each other."""
    healthy = tables(mesh_of(SIX)).as_names()
    mesh = with_tables(mesh_of(SIX), {**healthy, "4": {**healthy["4"], "5": "6"}})
    return replace(mesh, routing=replace(mesh.routing, hop_limit=limit))


def changed(mesh: Mesh, link: str, **values: object) -> Mesh:
    links = tuple(replace(each, **values) if each.name == link else each for each in mesh.links)  # type: ignore[arg-type]
    return replace(mesh, links=links)


def test_every_destination_gets_one_copy() -> None:
    found = sent(mesh_of(SIX), "1", "2", "5", "5")

    assert found == Spread(
        "1",
        "A",
        (Arrival("2", "A", 1, ("1-2>",), 0.0), Arrival("5", "A", 1, ("1-2>", "2-4>", "4-5>"), 0.0)),
        crossed=frozenset({"1-2>", "2-4>", "4-5>"}),
    )


def test_latency_is_that_of_all_links_and_brokers_on_the_way() -> None:
    mesh = mesh_of("1-2 2-3")
    mesh = replace(
        mesh,
        brokers=tuple(replace(broker, latency=float(broker.name)) for broker in mesh.brokers),
        links=tuple(replace(link, latency=10.0) for link in mesh.links),
    )

    assert [each.latency for each in sent(mesh, "1", "1", "3").arrivals] == [1.0, 26.0]


def test_a_round_is_told_with_its_exact_hops() -> None:
    found = sent(bouncing(None), "1", "2", "5")

    assert found.loops == (Loop(("1-2>", "2-4>"), ("4-6>", "4-6<"), "A"),)
    assert [each.broker for each in found.arrivals] == ["2"]


@pytest.mark.parametrize(
    ("limit", "path", "broker"),
    [
        (0, "", "1"),
        (2, "1-2> 2-4>", "4"),
        (3, "1-2> 2-4> 4-6>", "6"),
        (6, "1-2> 2-4> 4-6> 4-6< 4-6> 4-6<", "4"),
    ],
)
def test_a_limit_of_hops_ends_a_round(limit: int, path: str, broker: str) -> None:
    found = sent(bouncing(limit), "1", "5")

    assert found.drops == (Drop(tuple(path.split()), broker, "hop limit"),)
    assert (found.arrivals, found.loops) == ((), ())


def test_a_huge_limit_of_hops_needs_no_huge_memory() -> None:
    found = sent(bouncing(10**15), "1", "5")

    assert found.drops[0].reason == "hop limit"
    assert len(found.drops[0].path) == LONGEST_PATH


@pytest.mark.parametrize(("limit", "arrives"), [(2, False), (3, True)])
def test_a_limit_of_hops_must_be_as_large_as_the_way(limit: int, arrives: bool) -> None:
    found = sent(mesh_of(SIX, Routing(SHORTEST, hop_limit=limit)), "1", "5")

    assert bool(found.arrivals) is arrives
    assert [each.reason for each in found.drops] == ([] if arrives else ["hop limit"])


def test_the_limit_of_a_link_on_the_way_counts() -> None:
    found = sent(changed(mesh_of(SIX), "4-5>", hop_limit=2), "1", "5")

    assert found.drops == (Drop(("1-2>", "2-4>"), "4", "hop limit"),)


@pytest.mark.parametrize(
    ("filters", "passes"),
    [
        ({"accepts": (Pattern("B"),)}, False),
        ({"accepts": (Pattern("B"), Pattern("A"))}, True),
        ({"refuses": (Pattern("*"),)}, False),
        ({"refuses": (Pattern("B"),)}, True),
    ],
)
def test_filters_on_the_way_keep_topics_out(filters: dict[str, tuple[Pattern, ...]], passes: bool) -> None:
    found = sent(changed(mesh_of(SIX), "2-4>", **filters), "1", "5", "2")

    assert {each.broker for each in found.arrivals} == ({"2", "5"} if passes else {"2"})
    assert found.drops == (() if passes else (Drop(("1-2>",), "2", "filter of 2-4>"),))


def test_routers_leave_names_alone() -> None:
    found = sent(changed(mesh_of(SIX), "1-2>", rename=Rename(add="X")), "1", "2")

    assert found.arrivals[0].topic == "A"


def test_a_topic_is_written_as_the_broker_writes_it() -> None:
    mesh = mesh_of("1-2")
    mesh = replace(
        mesh, brokers=(replace(mesh.brokers[0], dialect="mqtt"), replace(mesh.brokers[1], dialect="amqp"))
    )

    found = sent(mesh, "1", "2", topic="a/b")

    assert (found.topic, found.arrivals[0].topic) == ("a/b", "a.b")


def test_a_dead_broker_publishes_nothing() -> None:
    assert sent(mesh_of(SIX), "1", "5", failures=dead("1")) == Spread("1", "A")


def test_a_message_that_runs_into_what_is_dead_is_dropped_there() -> None:
    found = sent(mesh_of(SIX, Routing(SHORTEST, rerouted=False)), "1", "5", "6", failures=cut("2-4"))

    assert found.drops == (Drop(("1-2>",), "2", "2-4 is dead"),)
    assert found.crossed == {"1-2>"}
