"""Guarantees of meshes, healthy and under failures, on meshes whose answers are known."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from angarium.core.control import TimeIsUp, time_limit
from angarium.core.result import Verdict
from angarium.mesh.mesh import (
    FORWARD,
    NOTHING,
    SHORTEST,
    TABLES,
    Broker,
    Failures,
    Link,
    Mesh,
    Pattern,
    Publisher,
    Remark,
    Rename,
    Routing,
    Subscriber,
)
from angarium.mesh.verify.budget import HEALTHY, NONE, ONE, Size, read_budget
from angarium.mesh.verify.verify import found_under, verify
from angarium.mesh.verify.violations import Verification
from tests.mesh.verify.building import cable, mesh, topic

LINK, BROKER = Size(links=1), Size(brokers=1)
HOLDS, VIOLATED = Verdict.HOLDS, Verdict.VIOLATED


def verdicts(verification: Verification, guarantee: str) -> dict[Size, Verdict]:
    return dict(next(each.verdicts for each in verification.guarantees if each.guarantee == guarantee))


def lost(verification: Verification) -> set[tuple[str, str]]:
    """What is dead, and whose broker gets nothing then."""
    return {
        (str(each.failures), each.need.at)
        for each in verification.violations
        if each.guarantee == "reachability" and each.need
    }


CHAIN = mesh("a b c", cable("a", "b"), cable("b", "c"), kind=SHORTEST, **topic("T", "a", "b", "c"))


def test_a_chain_of_routers_loses_what_is_behind_a_dead_link() -> None:
    found = verify(CHAIN)

    assert verdicts(found, "reachability") == {HEALTHY: HOLDS, LINK: VIOLATED, BROKER: VIOLATED}
    assert lost(found) == {
        ("link a-b", "b"),
        ("link a-b", "c"),
        ("link b-c", "c"),
        ("broker b", "c"),
    }


def test_clients_that_die_with_their_broker_are_not_lost() -> None:
    found = verify(CHAIN)

    assert found.looked.out_of_service == 2 + 1 + 1  # a dead: both; b dead: its own; c dead: its own
    assert not any(each == ("broker c", "c") for each in lost(found))


def test_clients_of_a_dead_broker_move_to_its_substitute() -> None:
    brokers = (Broker("a", substitute="b"), Broker("b"), Broker("c"))

    found = verify(replace(CHAIN, brokers=brokers))

    assert found.looked.moved == 2  # when a is dead, its publisher is at b, and both get it from there
    assert ("broker a", "b") not in lost(found)


def test_a_ring_of_routers_survives_every_single_failure_but_not_two_links() -> None:
    ring = mesh(
        "a b c", cable("a", "b"), cable("b", "c"), cable("c", "a"), kind=SHORTEST, **topic("T", "a", "b", "c")
    )

    one, two = verify(ring, ONE), verify(ring, read_budget("links=2"))

    assert verdicts(one, "reachability") == {HEALTHY: HOLDS, LINK: HOLDS, BROKER: HOLDS}
    assert verdicts(two, "reachability") == {HEALTHY: HOLDS, LINK: HOLDS, Size(links=2): VIOLATED}


def test_a_loss_is_told_for_the_smallest_failure_only() -> None:
    found = verify(CHAIN, read_budget("links=2"))

    assert lost(found) == {("link a-b", "b"), ("link a-b", "c"), ("link b-c", "c")}


def test_a_table_that_leads_in_a_circle_is_a_loop_with_its_hops() -> None:
    tables = {"a": {"c": "b"}, "b": {"c": "a"}}
    faulty = replace(CHAIN, routing=Routing(TABLES, tables), **topic("T", "a", "c"))  # type: ignore[arg-type]

    found = verify(faulty, NONE)

    assert verdicts(found, "loop-free") == {HEALTHY: VIOLATED}
    assert verdicts(found, "reachability") == {HEALTHY: VIOLATED}
    loop = next(each for each in found.violations if each.guarantee == "loop-free")
    assert (loop.path, loop.round) == ((), ("a->b", "b->a"))


def test_a_missing_entry_is_a_black_hole_where_the_message_was_taken() -> None:
    faulty = replace(CHAIN, routing=Routing(TABLES, {"a": {"c": "b"}}), **topic("T", "a", "c"))  # type: ignore[arg-type]

    found = verify(faulty, NONE)

    hole = next(each for each in found.violations if each.guarantee == "no-black-hole")
    assert hole.path == ("a->b",)
    assert "b drops what is for c: no entry for c" in hole.what


def triangle(limit: int | None) -> Mesh:
    rules = {"hop_limit": limit, "avoids_visited": True}
    return mesh(
        "a b c",
        cable("a", "b", **rules),
        cable("b", "c", **rules),
        cable("c", "a", **rules),
        **topic("T", "a", "a", "b", "c"),
    )


def test_a_federated_triangle_with_two_hops_brings_everything_twice() -> None:
    found = verify(triangle(2), NONE)

    copies = {each.need.at: each.copies for each in found.violations if each.need}
    assert copies == {"b": 2, "c": 2}
    assert verdicts(found, "hop-limit") == {HEALTHY: HOLDS}


def test_with_one_hop_it_brings_everything_once_until_a_link_dies() -> None:
    found = verify(triangle(1))

    assert verdicts(found, "no-duplicates") == {HEALTHY: HOLDS, LINK: HOLDS, BROKER: HOLDS}
    assert verdicts(found, "reachability")[LINK] is VIOLATED


def test_the_smallest_hop_limit_is_told_with_what_it_doubles() -> None:
    found = verify(triangle(2), NONE)

    note = next(each.note for each in found.guarantees if each.guarantee == "hop-limit")
    assert note.startswith(
        "1 is the smallest hop limit with which all arrives that can; nothing arrives twice"
    )


def ring(limit: int) -> Mesh:
    names = "a b c d e f"
    follows = [*zip(names.split(), [*names.split()[1:], "a"], strict=True)]
    links = tuple(Link(f"{x}->{y}", x, y, hop_limit=limit, avoids_visited=True) for x, y in follows)
    return mesh(names, links, **topic("T", "a", *names.split()))


def test_a_ring_of_six_needs_five_hops() -> None:
    enough, short = verify(ring(5), NONE), verify(ring(4), NONE)

    assert verdicts(enough, "reachability") == verdicts(enough, "hop-limit") == {HEALTHY: HOLDS}
    assert lost(short) == {("nothing", "f")}
    assert verdicts(short, "hop-limit") == verdicts(short, "no-black-hole") == {HEALTHY: VIOLATED}
    what = next(each.what for each in short.violations if each.guarantee == "hop-limit")
    assert what.endswith("5 is the smallest that suffices")


def test_three_bridges_both_ways_go_round() -> None:
    bridges = [cable(x, y, connection=f"{x}-{y}") for x, y in (("a", "b"), ("b", "c"), ("c", "a"))]

    found = verify(mesh("a b c", *bridges, **topic("T", "a", "b")), NONE)

    rounds = {frozenset(each.round) for each in found.violations if each.guarantee == "loop-free"}
    assert rounds == {frozenset({"a->b", "b->c", "c->a"}), frozenset({"a->c", "c->b", "b->a"})}
    assert any(each.guarantee == "no-duplicates" and each.copies is None for each in found.violations)


def test_what_goes_round_is_found_although_nobody_wants_it() -> None:
    bridges = [cable(x, y, connection=f"{x}-{y}") for x, y in (("a", "b"), ("b", "c"), ("c", "a"))]
    ignored = mesh("a b c", *bridges, **topic("T", "a"))
    wants_else = replace(ignored, subscribers=(Subscriber("s", "b", (Pattern("U"),)),))

    found = verify(wants_else)

    assert verdicts(found, "loop-free") == {HEALTHY: VIOLATED, LINK: VIOLATED, BROKER: VIOLATED}


def test_a_larger_failure_breaks_what_a_smaller_one_breaks() -> None:
    found = verify(CHAIN, read_budget("links=2,brokers=1"))

    assert set(verdicts(found, "reachability").values()) == {HOLDS, VIOLATED}
    assert verdicts(found, "reachability")[Size(links=2)] is VIOLATED
    assert verdicts(found, "reachability")[Size(2, 1)] is VIOLATED


def test_a_hop_limit_is_not_blamed_for_what_no_limit_would_reach() -> None:
    rules = {"hop_limit": 1, "avoids_visited": True}
    links = [cable("a", "b", **rules), cable("b", "c", **rules)]

    found = verify(mesh("a b c island", *links, **topic("T", "a", "c", "island")), NONE)

    assert lost(found) == {("nothing", "c"), ("nothing", "island")}
    blamed = {each.need.at for each in found.violations if each.guarantee == "hop-limit" and each.need}
    assert blamed == {"c"}


def test_what_arrives_under_another_name_says_so() -> None:
    mirror = Link("eu->us", "eu", "us", rename=Rename(add="eu."))
    brokers = (Broker("eu", "mirrormaker"), Broker("us", "mirrormaker"))
    orders = (Pattern("orders", "mirrormaker"),)
    mirrored = Mesh(
        "m", brokers, (mirror,), (Publisher("shop", "eu", orders),), (Subscriber("billing", "us", orders),)
    )

    found = verify(mirrored, NONE)

    told = [each.what for each in found.violations if each.guarantee == "reachability"]
    assert told == ["eu to us arrives as eu.orders, which is not what is wanted"]


def test_latency_counts_links_and_brokers_also_on_the_way_round_a_failure() -> None:
    slow = mesh(
        "a b c",
        cable("a", "b", latency=1.0),
        cable("b", "c", latency=10.0),
        cable("a", "c", latency=1.0),
        kind=SHORTEST,
    )
    bounded = replace(
        slow,
        publishers=(Publisher("p", "a", (Pattern("T"),)),),
        subscribers=(Subscriber("s", "b", (Pattern("T"),), latency_bound=5.0),),
    )

    found = verify(bounded)

    assert verdicts(found, "latency") == {HEALTHY: HOLDS, LINK: VIOLATED, BROKER: HOLDS}
    assert [str(each.failures) for each in found.violations if each.guarantee == "latency"] == ["link a-b"]


def test_only_subscribers_whose_bound_is_not_kept_are_named() -> None:
    slow = mesh("a b", cable("a", "b", latency=7.0), kind=SHORTEST)
    bounds = {"patient": 9.0, "hasty": 5.0, "hastier": 3.0, "any": None}
    bounded = replace(
        slow,
        publishers=(Publisher("p", "a", (Pattern("T"),)),),
        subscribers=tuple(Subscriber(name, "b", (Pattern("T"),), bound) for name, bound in bounds.items()),
    )

    late = next(each for each in verify(bounded).violations if each.guarantee == "latency")

    assert late.what.endswith("takes 7 ms, the bound is 3 ms")
    assert late.need is not None
    assert [each.subscriber for each in late.need.demands] == ["hasty", "hastier"]
    assert late.cost == 2


def test_clients_without_a_counterpart_are_found() -> None:
    lonely = replace(
        CHAIN,
        publishers=(Publisher("p", "a", (Pattern("T"), Pattern("U"))),),
        subscribers=(Subscriber("s", "b", (Pattern("T"),)), Subscriber("t", "b", (Pattern("V"),))),
    )

    found = verify(lonely, NONE)

    told = {each.guarantee: each.what for each in found.violations}
    assert told == {
        "publishers-have-subscribers": "p publishes U at a, and nobody wants it",
        "subscribers-have-publishers": "t wants V at b, and nobody publishes that",
    }


def test_a_dangling_reference_is_a_violation_and_other_remarks_are_not() -> None:
    remarks = (Remark("dangling", "policy p names no upstream", "add it"), Remark("note", "well"))

    found = verify(replace(CHAIN, remarks=remarks), NONE)

    assert [each.what for each in found.violations] == ["policy p names no upstream; add it"]


def test_a_bridge_that_renames_serves_who_wants_the_new_name() -> None:
    bridge = Link("edge->hub", "edge", "hub", rename=Rename(add="site1/"))
    brokers = (Broker("edge", "mqtt"), Broker("hub", "mqtt"))
    clients = {
        "publishers": (Publisher("sensor", "edge", (Pattern("temp", "mqtt"),)),),
        "subscribers": (Subscriber("good", "hub", (Pattern("site1/#", "mqtt"),)),),
    }
    renamed = Mesh("m", brokers, (bridge,), **clients)  # type: ignore[arg-type]
    old_name = (Subscriber("old", "hub", (Pattern("temp", "mqtt"),)),)

    assert verdicts(verify(renamed, NONE), "reachability") == {HEALTHY: HOLDS}
    assert verdicts(verify(replace(renamed, subscribers=old_name), NONE), "reachability") == {
        HEALTHY: VIOLATED
    }


def test_a_filter_that_stops_part_of_what_is_wanted_is_seen() -> None:
    bridge = Link("a->b", "a", "b", accepts=(Pattern("x/#", "mqtt"),))
    brokers = (Broker("a", "mqtt"), Broker("b", "mqtt"))
    everything = (Pattern("#", "mqtt"),)
    filtered = Mesh(
        "m", brokers, (bridge,), (Publisher("p", "a", everything),), (Subscriber("s", "b", everything),)
    )

    found = verify(filtered, NONE)

    assert verdicts(found, "reachability") == {HEALTHY: VIOLATED}
    assert verdicts(found, "no-black-hole") == {HEALTHY: HOLDS}  # b never took it
    (bad,) = [each for each in found.violations if each.guarantee == "reachability"]
    assert bad.need and [demand.topic[1] != "x" for demand in bad.need.demands] == [True]


def test_without_clients_every_broker_probes_what_the_links_would_bring() -> None:
    one_way = mesh("a b", (Link("a->b", "a", "b"),))

    found = verify(one_way, NONE)

    assert found.probed
    assert verdicts(found, "reachability") == {HEALTHY: HOLDS}  # nobody says that a should hear of b
    assert found.looked.demands == 3  # a to a, a to b, b to b


def test_a_large_mesh_that_is_cut_still_has_an_answer() -> None:
    """For which a time limit leaves five seconds: what is said of each broker is looked up once."""
    names = [f"b{number}" for number in range(10_000)]
    large = mesh(" ".join(names), *(cable(*ends) for ends in pairwise(names)))

    with time_limit(0.1):
        found = verify(large)

    assert str(found.looked.cut) == "time limit of 0.1 s"
    assert {verdict for each in found.guarantees for verdict in each.verdicts.values()} == {Verdict.UNKNOWN}


def test_probes_of_routers_are_counted_in_pairs() -> None:
    bare = replace(CHAIN, publishers=(), subscribers=())

    found = verify(bare)

    assert found.looked.demands == 6
    told = {str(each.failures): each.pairs for each in found.violations}
    assert told == {"link a-b": 4, "link b-c": 4, "broker b": 2}


def test_pairs_that_are_cut_off_anyway_are_no_news_under_a_failure() -> None:
    apart = mesh("a b c d", cable("a", "b"), cable("c", "d"), kind=SHORTEST)

    found = verify(apart)

    assert {str(each.failures): each.pairs for each in found.violations} == {
        "nothing": 8,
        "link a-b": 10,
        "link c-d": 10,
    }


def test_what_goes_wrong_now_is_all_that_a_drawing_shows() -> None:
    found = found_under(CHAIN, Failures(cables=frozenset({"b-c"})))

    assert [each.need.at for each in found if each.need and each.guarantee == "reachability"] == ["c"]
    assert found_under(CHAIN, NOTHING) == []


def test_a_cut_sweep_leaves_open_what_it_has_not_seen() -> None:
    found = verify(CHAIN, timeout=0.0)

    assert str(found.looked.cut) == "time limit of 0 s"
    assert set(verdicts(found, "loop-free").values()) == {Verdict.UNKNOWN}
    assert verdicts(found, "no-dangling-references") == {HEALTHY: HOLDS}


def test_what_is_cut_before_anything_is_known_is_unknown_altogether(monkeypatch: pytest.MonkeyPatch) -> None:
    def prepared(_: Mesh) -> None:
        raise TimeIsUp(5)

    monkeypatch.setattr("angarium.mesh.verify.verify.prepared", prepared)

    found = verify(CHAIN, timeout=5)

    assert str(found.looked.cut) == "time limit of 5 s"
    assert {verdict for each in found.guarantees for verdict in each.verdicts.values()} == {Verdict.UNKNOWN}
    assert len(found.guarantees) > 3


def test_only_some_guarantees_are_judged_if_only_some_are_wanted() -> None:
    found = verify(CHAIN, only=["loop-free"])

    assert [each.guarantee for each in found.guarantees] == ["loop-free"]


@pytest.mark.parametrize("kind", [SHORTEST, FORWARD])
def test_an_interrupt_leaves_a_truthful_answer(kind: str) -> None:
    def interrupt(_: str) -> None:
        raise KeyboardInterrupt

    found = verify(replace(CHAIN, routing=Routing(kind)), observe=interrupt)

    assert str(found.looked.cut) == "interrupted"
    assert verdicts(found, "no-black-hole")[BROKER] is Verdict.UNKNOWN
