"""What federations, bridges and mirrors make of a message, where it is known."""

from __future__ import annotations

import pytest

from angarium.core.errors import MeshError
from angarium.mesh.delivery import copy_states
from angarium.mesh.delivery.forward import Forwarding
from angarium.mesh.delivery.outcome import Drop, Loop, Spread
from angarium.mesh.mesh import Broker, Failures, Link, Mesh, Pattern, Rename, Subscriber
from angarium.mesh.topics.topic import IDENTITY, Transform
from tests.mesh.delivery.meshes import TOPIC, bridges, complete, copies, link, mesh_of, ring


def spread(mesh: Mesh, origin: str = "b1", failures: Failures = Failures()) -> Spread:  # noqa: B008 - frozen
    return Forwarding(mesh).spread(origin, TOPIC, failures)


def test_a_triangle_both_ways_with_two_hops_and_three_queues_each_makes_fifteen_copies() -> None:
    found = copies(spread(complete(3, limit=2)))

    assert found == {"b1": 1, "b2": 2, "b3": 2}
    assert sum(3 * count for count in found.values() if count) == 15


def test_a_ring_of_three_with_two_hops_brings_one_copy_each() -> None:
    assert copies(spread(ring(3, hop_limit=2, avoids_visited=True))) == {"b1": 1, "b2": 1, "b3": 1}


def test_a_ring_of_six_needs_five_hops() -> None:
    enough = spread(ring(6, hop_limit=5))
    too_few = spread(ring(6, hop_limit=4))

    assert copies(enough) == {f"b{number}": 1 for number in range(1, 7)}
    assert not enough.drops
    assert copies(too_few) == {f"b{number}": 1 for number in range(1, 6)}
    assert too_few.drops == (Drop(("b1>b2", "b2>b3", "b3>b4", "b4>b5"), "b5", "hop limit"),)


@pytest.mark.parametrize(("limit", "each"), [(1, 1), (2, 3), (3, 5)])
def test_four_brokers_that_federate_with_all_multiply_copies_with_the_hop_limit(
    limit: int, each: int
) -> None:
    assert copies(spread(complete(4, limit))) == {"b1": 1, "b2": each, "b3": each, "b4": each}


def test_a_pair_that_federates_both_ways_gets_one_copy_whatever_the_limit() -> None:
    assert copies(spread(complete(2, limit=2))) == {"b1": 1, "b2": 1}


def test_ten_brokers_that_federate_with_all_without_a_limit_get_a_copy_for_each_way_without_repetition() -> (
    None
):
    # paths of one to nine links: one for each choice and order of the brokers between
    between = [1]
    for number in range(8, 0, -1):
        between.append(between[-1] * number)

    assert copies(spread(complete(10)))["b2"] == sum(between)


def test_three_bridges_in_a_triangle_go_round_both_ways_for_ever() -> None:
    found = spread(bridges(("b1", "b2"), ("b2", "b3"), ("b3", "b1")))

    assert copies(found) == {"b1": None, "b2": None, "b3": None}
    assert found.loops == (
        Loop((), ("bridge0 b1>b2", "bridge1 b2>b3", "bridge2 b3>b1"), "t"),
        Loop((), ("bridge2 b1>b3", "bridge1 b3>b2", "bridge0 b2>b1"), "t"),
    )


def test_two_bridges_between_two_brokers_echo_for_ever() -> None:
    found = spread(bridges(("b1", "b2"), ("b1", "b2")))

    assert copies(found) == {"b1": None, "b2": None}
    assert len(found.loops) == 2


def test_a_star_of_bridges_that_do_not_echo_has_no_loop() -> None:
    found = spread(bridges(("b1", "hub"), ("b2", "hub"), ("hub", "b3")))

    assert copies(found) == {"b1": 1, "hub": 1, "b2": 1, "b3": 1}
    assert not found.loops


def test_a_star_of_bridges_that_echo_has_a_loop() -> None:
    arms = [(name, "hub") for name in ("b1", "b2")]
    found = spread(mesh_of(link(*ends) for arm in arms for ends in (arm, arm[::-1])))

    assert found.loops
    assert copies(found)["b2"] is None


def test_what_lies_behind_a_round_gets_copies_without_end_and_what_lies_before_does_not() -> None:
    mesh = mesh_of([link("b1", "b2"), link("b2", "b3"), link("b3", "b2"), link("b3", "b4")])

    found = spread(mesh)

    assert copies(found) == {"b1": 1, "b2": None, "b3": None, "b4": None}
    assert found.loops == (Loop(("b1>b2",), ("b2>b3", "b3>b2"), "t"),)


def test_routes_do_not_hand_on_what_came_over_a_route() -> None:
    names = ("b1", "b2", "b3", "b4")
    route = {"kind": "route", "not_after": frozenset({"route"})}

    found = spread(mesh_of(link(one, two, **route) for one in names for two in names if one != two))

    assert copies(found) == dict.fromkeys(names, 1)


def test_a_longer_limit_costs_no_more_where_histories_end_every_way() -> None:
    assert spread(complete(5, limit=10**9)) == spread(complete(5))


def test_brokers_known_under_one_name_are_mistaken_for_each_other() -> None:
    brokers = [Broker(name, "mqtt", identity="rabbit") for name in ("b1", "b3")]
    links = [link("b1", "b2", avoids_visited=True), link("b2", "b3", avoids_visited=True)]

    assert copies(spread(mesh_of(links, brokers))) == {"b1": 1, "b2": 1}


def test_a_shovel_leaves_no_trace_in_histories() -> None:
    shovel = link("b1", "b2", counts=False)
    back = link("b2", "b1", hop_limit=1, avoids_visited=True)

    found = spread(mesh_of([shovel, back]))

    assert copies(found) == {"b1": 2, "b2": 2}


def test_the_quickest_way_counts_brokers_and_then_hops() -> None:
    slow = [
        Broker("b1", "mqtt", latency=1.0),
        Broker("b2", "mqtt", latency=10.0),
        Broker("b3", "mqtt", latency=2.0),
    ]
    links = [
        link("b1", "b2", latency=1.0),
        link("b2", "b4", latency=1.0),
        link("b1", "b3", latency=4.0),
        link("b3", "b5", latency=2.0),
        link("b5", "b4", latency=2.0),
        link("b3", "b4", latency=4.0),
    ]

    first = next(each for each in spread(mesh_of(links, slow)).arrivals if each.broker == "b4")

    assert (first.path, first.latency, first.copies) == (("b1>b3", "b3>b4"), 11.0, 3)


def test_latencies_that_are_equal_but_for_rounding_are_equal() -> None:
    links = [
        link("b1", "b2", latency=0.1),
        link("b2", "b3", latency=0.2),
        link("b1", "b3", latency=0.1 + 0.2),
    ]

    last = spread(mesh_of(links)).arrivals[-1]

    assert (last.broker, last.path) == ("b3", ("b1>b3",))


def test_where_it_was_published_a_message_arrives_over_no_way() -> None:
    found = spread(mesh_of([link("b2", "b1")], [Broker("b1", "mqtt", latency=3.0)]))

    (only,) = found.arrivals
    assert (only.broker, only.topic, only.copies, only.path, only.latency) == ("b1", "t", 1, (), 3.0)
    assert only.renamed == IDENTITY
    assert not found.crossed


def test_renamed_copies_are_told_apart() -> None:
    links = [link("b1", "b2"), Link("renaming", "b1", "b2", rename=Rename(add="site/"))]

    found = spread(mesh_of(links))

    assert [(each.broker, each.topic, each.copies) for each in found.arrivals[1:]] == [
        ("b2", "t", 1),
        ("b2", "site/t", 1),
    ]
    assert found.arrivals[2].renamed == Transform(("",), ("", "site"))


def test_a_name_that_is_changed_and_changed_back_is_the_old_one() -> None:
    links = [link("b1", "b2", rename=Rename(add="site/")), link("b2", "b3", rename=Rename(strip="site/"))]

    found = spread(mesh_of(links))

    assert found.arrivals[-1].renamed == IDENTITY


def test_prefixes_that_are_added_in_a_ring_only_lengthen_the_name_each_round() -> None:
    mesh = ring(3, rename=Rename(add="again/"))

    found = spread(mesh)

    assert found.loops == (Loop((), ("b1>b2", "b2>b3", "b3>b1"), "t", grows=True),)
    assert [each.copies for each in found.arrivals if each.topic == "again/t"] == [1]
    assert found.arrivals[-1].copies is None


def test_names_also_grow_within_a_word() -> None:
    found = spread(ring(2, rename=Rename(add="again")))

    assert found.loops == (Loop((), ("b1>b2", "b2>b1"), "t", grows=True),)


def test_who_wants_a_name_of_a_few_rounds_gets_it_once() -> None:
    wants = Subscriber("s", "b1", (Pattern("a/a/a/a/a/a/t", "mqtt"),))
    mesh = ring(2, rename=Rename(add="a/"))
    mesh = Mesh(mesh.name, mesh.brokers, mesh.links, subscribers=(wants,))

    found = spread(mesh)

    assert [each.copies for each in found.arrivals if each.topic == "a/a/a/a/a/a/t"] == [1]


def test_a_filter_that_refuses_its_own_prefix_ends_the_growth() -> None:
    mirror = {"rename": Rename(add="a/"), "refuses": (Pattern("a/#", "mqtt"),)}

    found = spread(ring(2, **mirror))

    assert copies(found) == {"b1": 1, "b2": 1}
    assert not found.loops


def test_a_filter_that_keeps_a_copy_from_a_broker_is_a_drop() -> None:
    links = [link("b1", "b2"), link("b2", "b3", accepts=(Pattern("other", "mqtt"),))]

    assert spread(mesh_of(links)).drops == (Drop(("b1>b2",), "b2", "filter of b2>b3"),)


def test_a_filter_before_a_broker_that_is_reached_otherwise_is_no_drop() -> None:
    links = [link("b1", "b2"), link("b2", "b3", accepts=(Pattern("other", "mqtt"),)), link("b1", "b3")]

    assert not spread(mesh_of(links)).drops


def test_parts_of_a_broker_get_one_copy_however_they_are_linked() -> None:
    def bound(source: str, target: str) -> Link:
        only = (Pattern("#", "amqp", source),)
        return Link(f"{source}>{target}", "b1", "b1", accepts=only, rename=Rename(scope=target), counts=False)

    parts = [bound("e1", "e2"), bound("e1", "e3"), bound("e2", "e4"), bound("e3", "e4"), bound("e4", "e1")]
    mesh = mesh_of(parts, [Broker("b1", "amqp")])

    found = Forwarding(mesh).spread("b1", ("e1", "t"))

    assert {each.topic: each.copies for each in found.arrivals} == {
        "e1: t": 1,
        "e2: t": 1,
        "e3: t": 1,
        "e4: t": 1,
    }
    assert not found.loops
    assert found.copies_at("b1", {each.renamed for each in found.arrivals}) == 1


def test_two_copies_that_enter_a_broker_are_two_in_each_of_its_parts() -> None:
    part = Link("part", "b2", "b2", rename=Rename(scope="e"), counts=False)
    mesh = mesh_of([link("b1", "b2"), Link("again", "b1", "b2"), part])

    found = spread(mesh)

    assert [(each.topic, each.copies) for each in found.arrivals if each.broker == "b2"] == [
        ("t", 2),
        ("e: t", 2),
    ]
    assert found.copies_at("b2", {each.renamed for each in found.arrivals}) == 2
    assert found.arrivals[-1].path == ("b1>b2", "part")


def test_what_came_over_a_route_stays_so_within_a_broker() -> None:
    route = {"kind": "route", "not_after": frozenset({"route"})}
    part = Link("part", "b2", "b2", rename=Rename(scope="e"), counts=False)

    found = spread(mesh_of([link("b1", "b2", **route), part, link("b2", "b3", **route)]))

    assert set(copies(found)) == {"b1", "b2"}


def test_a_dead_broker_publishes_nothing() -> None:
    found = spread(ring(3), failures=Failures(brokers=frozenset({"b1"})))

    assert found == Spread("b1", "t")


def test_dead_brokers_and_cables_carry_nothing() -> None:
    mesh = bridges(("b1", "b2"), ("b2", "b3"), ("b3", "b4"))

    cut = spread(mesh, failures=Failures(cables=frozenset({"bridge1"})))
    dead = spread(mesh, failures=Failures(brokers=frozenset({"b3"})))

    assert copies(cut) == copies(dead) == {"b1": 1, "b2": 1}
    assert cut.crossed == {"bridge0 b1>b2"}


def test_what_a_broker_does_within_itself_cannot_be_cut() -> None:
    part = Link("part", "b1", "b1", rename=Rename(scope="e"), counts=False)

    found = spread(mesh_of([part]), failures=Failures(cables=frozenset({"part"})))

    assert len(found.arrivals) == 2


def test_every_link_that_a_copy_crosses_is_told() -> None:
    assert spread(complete(3, limit=1)).crossed == {"b1>b2", "b1>b3"}


def test_a_mesh_of_too_many_ways_is_refused_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copy_states, "CROSSINGS", 1000)

    with pytest.raises(MeshError, match="more than 1,000 different crossings in m") as refused:
        spread(complete(12, limit=8))

    assert refused.value.code == "ANG125"
    assert refused.value.possible == "the largest hop limit is 8"
    assert "smaller hop limit" in refused.value.remedy


def test_names_that_a_broker_lengthens_within_itself_for_ever_are_refused() -> None:
    part = Link("part", "b1", "b1", rename=Rename(add="a/"), counts=False)

    with pytest.raises(MeshError, match="link part adds some") as refused:
        spread(mesh_of([part]))

    assert refused.value.code == "ANG125"


def test_publishing_at_a_broker_that_is_not_there_is_refused() -> None:
    with pytest.raises(MeshError, match="there is no broker b9 in m") as refused:
        spread(ring(3), origin="b9")

    assert refused.value.code == "ANG123"
    assert "b1" in refused.value.possible
