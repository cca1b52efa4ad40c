from __future__ import annotations

from dataclasses import replace

import pytest

from angarium.core.errors import MeshError
from angarium.mesh.change import AddLink, Change, RemoveLink, SetEntry, SetHopLimit, SetPathLimit, applied
from angarium.mesh.mesh import Broker, Link, Mesh, Routing

PAIR = (
    Link("a->b", "a", "b", cable="a-b", connection="a-b"),
    Link("b->a", "b", "a", cable="a-b", connection="a-b"),
)
LIMITED = Link("b->c", "b", "c", hop_limit=1, avoids_visited=True)
MESH = Mesh("m", tuple(map(Broker, "abc")), (*PAIR, LIMITED))
TABLED = replace(MESH, routing=Routing("tables", {"a": {"b": "b"}}))


def limits(mesh: Mesh) -> list[int | None]:
    return [link.hop_limit for link in mesh.links]


def test_a_hop_limit_is_set_in_both_directions_of_a_cable() -> None:
    assert limits(applied(MESH, SetHopLimit("a-b", 3))) == [3, 3, 1]


def test_without_a_cable_every_limit_that_is_there_is_set() -> None:
    assert limits(applied(MESH, SetHopLimit(None, 5))) == [None, None, 5]


def test_the_hop_limit_of_ways_is_that_of_routing() -> None:
    assert applied(TABLED, SetPathLimit(7)).routing == Routing("tables", {"a": {"b": "b"}}, hop_limit=7)


def test_a_new_link_is_as_a_file_would_say_it() -> None:
    after = applied(MESH, AddLink("a", "c"))

    assert after.links[3:] == (
        Link("a->c", "a", "c", cable="a-c", connection="a-c"),
        Link("c->a", "c", "a", cable="a-c", connection="a-c"),
    )


def test_a_new_link_one_way_is_alone() -> None:
    assert applied(MESH, AddLink("a", "c", both_ways=False)).links[3:] == (Link("a->c", "a", "c"),)


def test_a_new_link_like_another_follows_its_rules() -> None:
    after = applied(MESH, AddLink("a", "c", like="b->c"))

    assert [(link.hop_limit, link.avoids_visited, link.connection) for link in after.links[3:]] == [
        (1, True, "")
    ] * 2


def test_a_second_link_between_two_brokers_has_a_name_of_its_own() -> None:
    once = applied(MESH, AddLink("a", "b"))
    twice = applied(once, AddLink("a", "b"))

    assert [link.name for link in once.links[3:]] == ["a-b (2):a->b", "a-b (2):b->a"]
    assert [link.cable for link in twice.links[5:]] == ["a-b (3)", "a-b (3)"]
    assert twice.cables == ("a-b", "b->c", "a-b (2)", "a-b (3)")


def test_a_link_is_removed_in_both_directions() -> None:
    assert applied(MESH, RemoveLink("a-b")).links == (LIMITED,)


def test_an_entry_is_set_or_added_and_the_old_mesh_stays_as_it_was() -> None:
    after = applied(applied(TABLED, SetEntry("a", "b", "c")), SetEntry("c", "a", "b"))

    assert after.routing.tables == {"a": {"b": "c"}, "c": {"a": "b"}}
    assert TABLED.routing.tables == {"a": {"b": "b"}}


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (SetHopLimit("a-c", 1), "there is no link a-c"),
        (RemoveLink("a-c"), "there is no link a-c"),
        (AddLink("a", "d"), "there is no broker d"),
        (AddLink("a", "c", like="x"), "there is no link x"),
        (SetEntry("a", "b", "d"), "there is no broker d"),
    ],
)
def test_a_change_of_what_is_not_there_is_refused(change: Change, what: str) -> None:
    with pytest.raises(MeshError) as caught:
        applied(TABLED, change)

    assert (caught.value.code, caught.value.what) == ("ANG123", what)


def test_a_mesh_without_tables_gets_no_entries() -> None:
    with pytest.raises(MeshError, match="routing is forward: there are no tables in which a has an entry"):
        applied(MESH, SetEntry("a", "b", "b"))


def test_changes_are_said_in_words() -> None:
    changes = (
        SetHopLimit("a-b", 3),
        SetHopLimit(None, 3),
        SetPathLimit(4),
        AddLink("a", "c"),
        AddLink("a", "c", both_ways=False),
        RemoveLink("a-b"),
        SetEntry("a", "b", "c"),
    )

    assert list(map(str, changes)) == [
        "set hop-limit 3 on a-b",
        "set hop-limit 3 on all links that have one",
        "set hop-limit 4 for routing",
        "add the link a - c",
        "add the link a -> c",
        "remove the link a-b",
        "at a, send what is for b to c",
    ]
