from __future__ import annotations

import pytest

from angarium.mesh.draw import Drawing, words
from angarium.mesh.mesh import Broker, Link, Mesh, Pattern, Rename


def test_what_cannot_be_seen_is_dropped() -> None:
    assert words.clean("a\x00b\u202ec\u200bd\ud800e\ufffe\n\tf ") == "abcde  f"


@pytest.mark.parametrize(
    ("name", "shown"),
    [("short", "short"), ("exactly-10", "exactly-10"), ("site-north-17", "site-…h-17"), ("\x00", "?")],
)
def test_a_long_name_loses_its_middle(name: str, shown: str) -> None:
    assert words.cut(name, 10) == shown


def test_full_width_letters_take_more_room_than_others_and_marks_above_them_none() -> None:
    assert words.width("漢字", 10) > words.width("ab", 10) > words.width("ij", 10)
    assert words.width("e\u0301", 10) == words.width("e", 10)


def test_a_tooltip_does_not_list_everything() -> None:
    assert words.some(list("abc")) == list("abc")
    assert words.some(["x"] * 100)[-2:] == ["x", "+ 88 more"]


@pytest.mark.parametrize(
    ("link", "label"),
    [
        (Link("l", "a", "b"), []),
        (Link("l", "a", "b", cost=3, latency=2.5), ["cost 3 · 2.5 ms"]),
        (Link("l", "a", "b", accepts=(Pattern("x"), Pattern("y"))), ["x + 1 more"]),
        (Link("l", "a", "b", refuses=(Pattern("x"),), hop_limit=2), ["at most 2 hops · not x"]),
        (Link("l", "a", "b", rename=Rename(strip="x/", add="y/")), ["strips x/, adds y/"]),
        (Link("l", "a", "b", rename=Rename(whole="z")), ["renamed z"]),
        (Link("l", "a", "b", buffering="lost"), []),
    ],
)
def test_only_what_is_not_as_usual_stands_beside_a_line(link: Link, label: list[str]) -> None:
    drawing = Drawing(Mesh("m", (Broker("a"), Broker("b")), (link,)))

    assert words.short_labels(drawing.strands[0]) == label


def test_links_of_a_cable_that_differ_are_counted() -> None:
    links = (Link("1", "a", "b", "c", accepts=(Pattern("x"),)), Link("2", "a", "b", "c"))

    strand = Drawing(Mesh("m", (Broker("a"), Broker("b")), links)).strands[0]

    assert words.short_labels(strand) == ["2 links"]


def test_a_tooltip_says_what_becomes_of_messages_while_a_link_is_down() -> None:
    assert words.of_link(Link("l", "a", "b", buffering="lost")).endswith(
        "while it is down, messages are lost"
    )
    assert words.of_link(Link("l", "a", "b", buffering="30 s")).endswith("messages are kept for 30 s")
