"""The meshes of examples/meshes: what the thesis and the brokers' own documents say of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.mesh.files.find import load
from angarium.mesh.mesh import Mesh, Routing
from angarium.mesh.routing.tables import tables
from angarium.mesh.routing.walk import walk
from scripts import fifty_brokers

MESHES = Path(__file__).parents[3] / "examples" / "meshes"
SIX = {
    "b1": "b2>b2 b3>b2 b4>b2 b5>b2 b6>b2",
    "b2": "b1>b1 b3>b3 b4>b4 b5>b4 b6>b4",
    "b3": "b1>b2 b2>b2 b4>b2 b5>b2 b6>b2",
    "b4": "b1>b2 b2>b2 b3>b2 b5>b5 b6>b6",
    "b5": "b1>b4 b2>b4 b3>b4 b4>b4 b6>b4",
    "b6": "b1>b4 b2>b4 b3>b4 b4>b4 b5>b4",
}
"""The thirty entries that the thesis prints (5.2.3)."""


def mesh(name: str) -> Mesh:
    return load(str(MESHES / name))


def path(found: Mesh, source: str, destination: str) -> tuple[str, ...]:
    return walk(tables(found), source, destination).brokers


@pytest.mark.parametrize("path", sorted(MESHES.glob("*.yaml")), ids=lambda path: path.name)
def test_an_example_is_a_mesh_with_clients(path: Path) -> None:
    found = load(str(path))

    assert found.publishers
    assert found.subscribers


def test_shortest_paths_give_the_table_of_the_six_brokers() -> None:
    found = tables(mesh("six-brokers.yaml"))

    for broker, entries in SIX.items():
        for destination, after in (entry.split(">") for entry in entries.split()):
            assert walk(found, broker, destination).brokers[1] == after


def test_the_topics_of_the_six_brokers_are_those_of_the_thesis() -> None:
    found = mesh("six-brokers.yaml")

    pairs = [(each.topics[0].text, each.broker) for each in found.subscribers]
    assert pairs == [("A", "b2"), ("A", "b5"), ("B", "b4"), ("C", "b1"), ("C", "b6"), ("D", "b3")]
    assert [(each.topics[0].text, each.broker) for each in found.publishers] == [
        ("A", "b1"),
        ("B", "b3"),
        ("C", "b5"),
        ("D", "b6"),
    ]


def test_where_broker_1_is_dead_its_clients_are_at_2_and_3() -> None:
    found = mesh("six-brokers-broker-1-dead.yaml")

    assert found.publishers[0].broker == "b2"
    assert [each.broker for each in found.subscribers if each.topics[0].text == "C"] == ["b3", "b6"]
    assert len(found.cables) == 4


def test_the_injected_fault_is_the_only_difference_to_the_right_table() -> None:
    given = mesh("six-brokers-fault.yaml").routing.tables

    wrong = {
        (broker, destination): after
        for broker, entries in given.items()
        for destination, after in entries.items()
        if f"{destination}>{after}" not in SIX[broker].split()
    }
    assert wrong == {("b4", destination): "b6" for destination in ("b1", "b2", "b3", "b5")}
    assert sum(map(len, given.values())) == 30


def test_with_the_fault_a_message_goes_round_between_4_and_6() -> None:
    assert path(mesh("six-brokers-fault.yaml"), "b1", "b5") == ("b1", "b2", "b4", "b6", "b4")


def test_the_three_brokers_stand_in_for_each_other_in_a_circle() -> None:
    found = mesh("three-brokers.yaml")

    assert {each.name: each.substitute for each in found.brokers} == {"b1": "b2", "b2": "b3", "b3": "b1"}


def test_the_triangle_is_that_of_the_recovery_tables() -> None:
    found = mesh("triangle.yaml")

    assert found.cables == ("b1-b2", "b1-b3", "b2-b3")
    assert found.routing == Routing("shortest")


def test_the_fifty_brokers_are_what_the_script_writes() -> None:
    assert (MESHES / "fifty-brokers.yaml").read_text(encoding="utf-8") == fifty_brokers.text()


def test_the_known_ways_of_the_fifty_brokers_are_the_shortest() -> None:
    found = mesh("fifty-brokers.yaml")

    for known in fifty_brokers.KNOWN_WAYS:
        names = tuple(f"b{broker}" for broker in known)
        assert path(found, names[0], names[-1]) == names


def test_the_fifty_brokers_have_the_known_links_and_four_neighbours_on_average() -> None:
    found = mesh("fifty-brokers.yaml")

    cables = set(found.cables)
    assert {f"b{one}-b{other}" for one, other in fifty_brokers.KNOWN_LINKS} <= cables
    assert len(cables) == 100
    assert {link.target for link in found.links if link.source == "b17"} == {"b13", "b16", "b18"}


def test_every_one_of_the_fifty_brokers_can_be_reached() -> None:
    found = mesh("fifty-brokers.yaml")

    assert all(path(found, "b1", broker.name)[-1] == broker.name for broker in found.brokers)
    assert all(len(wanting) == 5 for wanting in subscribers(found).values())


def subscribers(found: Mesh) -> dict[str, list[str]]:
    by_topic: dict[str, list[str]] = {}
    for each in found.subscribers:
        by_topic.setdefault(each.topics[0].text, []).append(each.broker)
    return by_topic


def test_the_federated_triangle_is_that_of_rabbitmqs_test() -> None:
    found = mesh("federated-triangle.yaml")

    assert len(found.links) == 6
    assert {(link.hop_limit, link.avoids_visited) for link in found.links} == {(2, True)}
    assert [
        len([each for each in found.subscribers if each.broker == name]) for name in ("eu", "us", "ap")
    ] == [3] * 3


def test_the_ring_leads_one_way_with_five_hops() -> None:
    found = mesh("ring-of-six.yaml")

    assert [(link.source, link.target) for link in found.links] == [
        (f"r{number}", f"r{number % 6 + 1}") for number in range(1, 7)
    ]
    assert {(link.hop_limit, link.avoids_visited) for link in found.links} == {(5, True)}


def test_a_bridge_of_the_bridged_triangle_does_not_echo() -> None:
    found = mesh("bridged-triangle.yaml")

    assert len({link.connection for link in found.links}) == 3
    assert all(link.connection == link.cable for link in found.links)
