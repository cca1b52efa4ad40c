from __future__ import annotations

import html
import json
import re

import pytest

from angarium.mesh.draw import Drawing, Mark, mermaid
from angarium.mesh.mesh import Broker, Failures, Link, Mesh
from tests.mesh.draw.meshes import MESHES, mesh_of, ring

TEXT = r'"(?:[\w ,/-]|#\d+;|<br/>)*"'
NODE = re.compile(rf"(b\d+)\(({TEXT})\)")
EDGE = re.compile(rf"(b\d+) (---|-->|-\.-|-\.->|==>)(?:\|({TEXT})\|)? (b\d+)")
STYLE = re.compile(r"(?:style|linkStyle) [\w,]+ [\w:#,. -]+")
LEGEND = re.compile(rf"legend\[{TEXT}\]")


def body(text: str) -> list[str]:
    """The statements, each of a form that we know."""
    first, title, second, kind, *lines = text.splitlines()
    assert (first, second, kind) == ("---", "---", "flowchart LR")
    assert title.startswith("title: ") and json.loads(title.removeprefix("title: "))
    statements = [line.removeprefix("    ") for line in lines]
    forms = (NODE, EDGE, STYLE, LEGEND)
    assert [line for line in statements if not any(form.fullmatch(line) for form in forms)] == []
    return statements


def nodes(text: str) -> dict[str, str]:
    return {found[1]: read(found[2]) for line in body(text) if (found := NODE.fullmatch(line))}


def edges(text: str) -> list[tuple[str, str, str, str]]:
    found = (EDGE.fullmatch(line) for line in body(text))
    return [(each[1], each[2], read(each[3] or '""'), each[4]) for each in found if each]


def read(quoted: str) -> str:
    """What Mermaid makes of a string."""
    return html.unescape(re.sub(r"#(\d+);", r"&#\1;", quoted[1:-1].replace("<br/>", "\n")))


@pytest.mark.parametrize("name", MESHES)
def test_every_broker_and_every_cable_is_there_once(name: str) -> None:
    mesh = MESHES[name]

    text = mermaid(Drawing(mesh))

    assert len(nodes(text)) == len(mesh.brokers)
    assert len(edges(text)) == len(mesh.cables)


@pytest.mark.parametrize(
    "name",
    ['"] --> evil["', "%%{init: {}}%%", "</script><b>&lt;", "`# a`", "1. list", "- list", "end", "style:#x;"],
)
def test_names_mean_nothing_to_mermaid(name: str) -> None:
    text = mermaid(Drawing(mesh_of([name, "b"], [(name, "b")])))

    assert nodes(text) == {"b1": name, "b2": "b"}
    assert "1." not in "".join(body(text)) and '"-' not in "".join(body(text))


def test_arrows_tell_one_way_from_both_ways_and_dead_from_alive() -> None:
    one = Link("one", "a", "b")
    brokers = (Broker("a"), Broker("b"), Broker("c"))
    mesh = Mesh("m", brokers, (one, *mesh_of("bc", [("b", "c")]).links))

    alive = [arrow for _, arrow, *_ in edges(mermaid(Drawing(mesh)))]
    dead = [arrow for _, arrow, *_ in edges(mermaid(Drawing(mesh, Failures(frozenset({"b"})))))]

    assert (alive, dead) == (["-->", "---"], ["-.->", "-.-"])


def test_dead_parts_say_so() -> None:
    text = mermaid(Drawing(ring(3), Failures(frozenset({"b0"}), frozenset({"b1-b2"}))))

    assert nodes(text)["b1"] == "b0 (dead)"
    assert [label for _, _, label, _ in edges(text)] == ["", "dead", ""]
    assert "style b1 stroke:#8a8a8a,stroke-dasharray:5 4" in body(text)


def test_marked_ways_are_numbered_coloured_and_explained() -> None:
    marks = (Mark("loop", ("b0>b1", "b1>b0"), "there and back"), Mark("path", ("b2>b0",)))

    text = mermaid(Drawing(ring(3), marks=marks))

    assert [each[:3] for each in edges(text)[3:]] == [
        ("b1", "==>", "A1"),
        ("b2", "==>", "A2"),
        ("b3", "==>", "B1"),
    ]
    styles = [line for line in body(text) if line.startswith("linkStyle")]
    assert styles == [
        "linkStyle 3,4 stroke:#d55e00,stroke-width:4px",
        "linkStyle 5 stroke:#0072b2,stroke-width:3px",
    ]
    assert any("there and back" in line for line in body(text) if line.startswith("legend"))
