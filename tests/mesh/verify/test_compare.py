"""What a change changes."""

from __future__ import annotations

from dataclasses import replace

from angarium.mesh.mesh import SHORTEST, Mesh, Pattern, Subscriber
from angarium.mesh.verify.budget import NONE, ONE
from angarium.mesh.verify.difference import Difference, compare
from tests.mesh.verify.building import cable, mesh, topic

CHAIN = mesh("a b c", cable("a", "b"), cable("b", "c"), kind=SHORTEST, **topic("T", "a", "b", "c"))
RING = replace(CHAIN, links=(*CHAIN.links, *cable("a", "c")))


def told(differences: list[Difference]) -> list[tuple[str, str]]:
    return [(each.kind, each.subscriber) for each in differences]


def test_a_mesh_does_not_differ_from_itself() -> None:
    assert compare(CHAIN, CHAIN, ONE) == []


def test_a_link_more_is_faster_and_protects() -> None:
    found = compare(CHAIN, RING, ONE)

    assert told(found) == [("faster", "sc"), ("protected", "sb"), ("protected", "sc")]


def test_a_link_less_is_slower_and_exposes_the_bad_news_first() -> None:
    found = compare(RING, CHAIN, ONE)

    assert told(found) == [("slower", "sc"), ("exposed", "sb"), ("exposed", "sc")]
    exposed = found[1].new
    assert exposed and {str(each) for each in exposed.deadly} == {"link a-b"}


def test_a_link_that_is_gone_loses() -> None:
    cut = replace(CHAIN, links=CHAIN.links[:2])

    assert told(compare(CHAIN, cut, NONE)) == [("lost", "sc")]
    assert told(compare(cut, CHAIN, NONE)) == [("gained", "sc")]


def test_a_higher_hop_limit_doubles() -> None:
    def triangle(limit: int) -> Mesh:
        rules = {"hop_limit": limit, "avoids_visited": True}
        pairs = (("a", "b"), ("b", "c"), ("c", "a"))
        return mesh("a b c", *(cable(x, y, **rules) for x, y in pairs), **topic("T", "a", "b"))

    (worse,) = compare(triangle(1), triangle(2))
    (better,) = compare(triangle(2), triangle(1))

    assert (worse.kind, worse.old and worse.old.copies, worse.new and worse.new.copies) == ("doubled", 1, 2)
    assert better.kind == "once"


def test_filters_of_both_meshes_tell_topics_apart() -> None:
    everything = (Pattern("#", "mqtt"),)
    brokers = tuple(replace(broker, dialect="mqtt") for broker in CHAIN.brokers)
    publisher = replace(CHAIN.publishers[0], topics=everything)
    open_mesh = mesh(
        "a b",
        cable("a", "b", connection="a-b"),
        publishers=(publisher,),
        subscribers=(Subscriber("s", "b", everything),),
    )
    open_mesh = replace(open_mesh, brokers=brokers[:2])
    narrow = replace(
        open_mesh,
        links=tuple(replace(link, refuses=(Pattern("secret/#", "mqtt"),)) for link in open_mesh.links),
    )

    found = compare(open_mesh, narrow)

    assert [(each.kind, each.topic) for each in found] == [("lost", "secret")]


def test_a_subscriber_that_is_new_gains() -> None:
    more = replace(CHAIN, subscribers=(*CHAIN.subscribers, Subscriber("new", "a", (Pattern("T"),))))

    assert told(compare(CHAIN, more)) == [("gained", "new")]
