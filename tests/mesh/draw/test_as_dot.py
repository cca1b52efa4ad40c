from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from angarium.mesh.draw import Drawing, Mark, dot
from angarium.mesh.mesh import Broker, Failures, Link, Mesh, Pattern, Publisher
from tests.mesh.draw.meshes import MESHES, ring

TOKEN = re.compile(r'\s*(?:(?P<quoted>"(?:[^"\\\n]|\\.)*")|(?P<word>\w+)|(?P<sign>->|[\[\]{},;=]))')
Statement = tuple[tuple[str, ...], dict[str, str]]


def tokens(text: str) -> Iterator[str]:
    position = 0
    while position < len(text.rstrip()):
        found = TOKEN.match(text, position)
        assert found, f"no DOT: {text[position : position + 40]!r}"
        yield found.group().strip()
        position = found.end()


def statements(text: str) -> list[Statement]:
    """The nodes and edges of a file of the subset that we write, each with its attributes."""
    kind, _, brace, *inside, last = tokens(text)
    assert (kind, brace, last) == ("digraph", "{", "}")
    found, rest = [], iter(inside)
    for token in rest:
        ends = [token]
        while (token := next(rest)) == "->":
            ends.append(next(rest))
        assert token == "["
        found.append((tuple(ends), dict(attributes(rest))))
        assert next(rest) == ";"
    return found


def attributes(rest: Iterator[str]) -> Iterator[tuple[str, str]]:
    while True:
        key, equals, value = next(rest), next(rest), next(rest)
        assert equals == "=" and value.startswith('"')
        yield key, unquoted(value)
        if next(rest) == "]":
            return


def unquoted(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: {"n": "\n"}.get(found[1], found[1]), text[1:-1]).replace(
        "&amp;", "&"
    )


def nodes(text: str) -> dict[str, dict[str, str]]:
    defaults = {"graph", "node", "edge"}
    return {ends[0]: looks for ends, looks in statements(text) if len(ends) == 1 and ends[0] not in defaults}


def edges(text: str) -> list[Statement]:
    return [(ends, looks) for ends, looks in statements(text) if len(ends) == 2]


@pytest.mark.parametrize("name", MESHES)
def test_every_broker_and_every_cable_is_there_once(name: str) -> None:
    mesh = MESHES[name]

    text = dot(Drawing(mesh))

    drawn = [looks["tooltip"].split("\n")[0] for looks in nodes(text).values()]
    assert drawn == [f"broker {broker.name}" for broker in mesh.brokers]
    assert [looks["tooltip"].split(": ")[0] for _, looks in edges(text)] == list(mesh.cables)


def test_names_stay_within_their_quotes() -> None:
    name = 'a"];evil [label="\\N\\" & <b>\n\x00'
    mesh = Mesh(name, (Broker(name), Broker("b")), (Link(name, name, "b"),), (publisher(name),))

    text = dot(Drawing(mesh))

    assert list(nodes(text)) == ["b1", "b2"]
    assert nodes(text)["b1"]["label"].startswith('a"];evil [label="\\N\\" & <b>\n')
    assert "\x00" not in text


def publisher(name: str) -> Publisher:
    return Publisher(name, name, (Pattern(name),))


def test_a_cable_that_leads_both_ways_has_no_arrowhead() -> None:
    mesh = Mesh("m", (Broker("a"), Broker("b")), (Link("one", "a", "b"),))

    assert [looks["dir"] for _, looks in edges(dot(Drawing(mesh)))] == ["forward"]
    assert {looks["dir"] for _, looks in edges(dot(Drawing(ring(3))))} == {"none"}


def test_dead_parts_are_dashed() -> None:
    text = dot(Drawing(ring(3), Failures(frozenset({"b0"}), frozenset({"b1-b2"}))))

    assert [looks.get("style") for looks in nodes(text).values()] == ["rounded,dashed", None, None]
    assert [(looks["style"], looks.get("label")) for _, looks in edges(text)] == [
        ("dashed", None),
        ("dashed", "dead"),
        ("dashed", None),
    ]


def test_a_marked_way_is_drawn_hop_by_hop_without_pulling_at_the_layout() -> None:
    text = dot(Drawing(ring(3), marks=(Mark("lost", ("b0>b1", "b1>b2"), "gone"),)))

    hops = [(ends, looks["label"], looks["style"]) for ends, looks in edges(text) if "constraint" in looks]
    assert hops == [(("b1", "b2"), "1", "dashed"), (("b2", "b3"), "2", "dashed")]
    assert nodes(text)["b3"]["penwidth"] == "3"
    assert "lost: gone" in dict(statements(text))[("graph",)]["label"]
