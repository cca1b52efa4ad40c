"""Clients of dead brokers move to substitutes and back: the guarantees of the thesis's three brokers."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from angarium.mesh.mesh import NOTHING, Failures, Mesh, Pattern, Publisher, Subscriber
from angarium.mesh.routing.graph import Move, homes, moves, reconfigured
from tests.mesh.routing.meshes import TRIANGLE, dead, mesh_of

BROKERS = ("1", "2", "3")


def three_brokers() -> Mesh:
    """Each has a publisher and a subscriber; 2 stands in for 1, 3 for 2, 1 for 3."""
    mesh = mesh_of(TRIANGLE)
    return replace(
        mesh,
        brokers=tuple(replace(each, substitute=BROKERS[int(each.name) % 3]) for each in mesh.brokers),
        publishers=tuple(Publisher(f"p{n}", n, (Pattern(f"t{n}"),)) for n in BROKERS),
        subscribers=tuple(Subscriber(f"s{n}", n, (Pattern(f"t{n}"),)) for n in BROKERS),
    )


def where(mesh: Mesh) -> dict[str, str]:
    return {client.name: client.broker for client in (*mesh.publishers, *mesh.subscribers)}


SOME_DEAD = [dead(*some) for count in range(3) for some in combinations(BROKERS, count)]


@pytest.mark.parametrize("failures", SOME_DEAD, ids=str)
def test_every_client_of_a_dead_broker_is_at_a_living_one_and_the_others_stay(failures: Failures) -> None:
    before, after = where(three_brokers()), where(reconfigured(three_brokers(), failures))

    assert after.keys() == before.keys()
    assert not set(after.values()) & failures.brokers
    assert all(after[name] == home for name, home in before.items() if home not in failures.brokers)


@pytest.mark.parametrize(("broker", "substitute"), [("1", "2"), ("2", "3"), ("3", "1")])
def test_the_substitute_takes_over_publisher_and_subscriber(broker: str, substitute: str) -> None:
    assert moves(three_brokers(), dead(broker)) == (
        Move(f"p{broker}", "publisher", broker, substitute, (broker,)),
        Move(f"s{broker}", "subscriber", broker, substitute, (broker,)),
    )


def test_if_the_substitute_is_dead_too_its_own_takes_over() -> None:
    assert moves(three_brokers(), dead("1", "2"))[0] == Move("p1", "publisher", "1", "3", ("1", "2"))


def test_when_a_broker_returns_its_clients_return_whatever_was_dead_before() -> None:
    first = reconfigured(three_brokers(), dead("1"))
    second = reconfigured(three_brokers(), dead("3"))

    assert where(first)["p1"] == "2"
    assert where(second)["p1"] == "1"
    assert reconfigured(three_brokers(), NOTHING) == three_brokers()


@pytest.mark.parametrize("failures", SOME_DEAD, ids=str)
def test_moving_keeps_who_publishes_and_wants_what(failures: Failures) -> None:
    found = reconfigured(three_brokers(), failures)

    assert [each.topics for each in found.publishers] == [each.topics for each in found.subscribers]


def test_if_all_are_dead_clients_are_nowhere() -> None:
    found = reconfigured(three_brokers(), dead("1", "2", "3"))

    assert (found.publishers, found.subscribers) == ((), ())
    assert {move.home for move in moves(three_brokers(), dead("1", "2", "3"))} == {None}


def test_without_a_substitute_clients_are_nowhere() -> None:
    mesh = replace(three_brokers(), brokers=mesh_of(TRIANGLE).brokers)

    assert homes(mesh, dead("1")) == {"1": None, "2": "2", "3": "3"}


def test_a_substitute_of_itself_is_none() -> None:
    mesh = three_brokers()
    mesh = replace(mesh, brokers=(replace(mesh.brokers[0], substitute="1"), *mesh.brokers[1:]))

    assert homes(mesh, dead("1"))["1"] is None
