from __future__ import annotations

from itertools import combinations

import pytest

from angarium.core.errors import MeshError
from angarium.mesh.draw import Drawing, Mark, svg
from angarium.mesh.files.gml import read_gml
from angarium.mesh.mesh import Broker, Failures, Link, Mesh, Pattern, Publisher, Rename, Subscriber
from tests.mesh.draw.meshes import MESHES, mesh_of, ring
from tests.mesh.draw.seen import overlap, shapes, view_box, with_class, words
from tests.needs import ZOO, needs

NASTY = '<script>alert("1")</script>&amp;\x00\x1b[31m\u202e\ud800\uffff]]>'


@pytest.mark.parametrize("name", MESHES)
def test_every_broker_is_drawn_once(name: str) -> None:
    mesh = MESHES[name]

    text = svg(Drawing(mesh))

    drawn = [each.hint.split("\n")[0] for each in with_class(text, "card") + with_class(text, "dot")]
    assert sorted(drawn) == sorted(f"broker {broker.name}" for broker in mesh.brokers)


@pytest.mark.parametrize("name", MESHES)
def test_every_cable_is_drawn_once(name: str) -> None:
    mesh = MESHES[name]

    text = svg(Drawing(mesh))

    drawn = [each.hint.split(": ")[0] for each in with_class(text, "cable") if ": " in each.hint]
    assert sorted(drawn) == sorted(mesh.cables)


@pytest.mark.parametrize("name", MESHES)
def test_brokers_do_not_overlap_nor_do_their_names(name: str) -> None:
    text = svg(Drawing(MESHES[name]))

    nodes = [each.sides for each in with_class(text, "card") + with_class(text, "dot")]
    names = [each.sides for each in with_class(text, "halo")]
    assert [pair for pair in combinations(nodes, 2) if overlap(*pair)] == []
    assert [pair for pair in combinations(names, 2) if overlap(*pair)] == []
    assert [(node, name) for node in nodes for name in names if overlap(node, name)] == []


@pytest.mark.parametrize("name", MESHES)
def test_nothing_is_outside_of_the_picture(name: str) -> None:
    mesh = MESHES[name]
    marks = (Mark("loop", tuple(link.name for link in mesh.links[:9]), "somewhere " * 30),)

    text = svg(Drawing(mesh, Failures(frozenset({mesh.brokers[0].name})), marks, title="A long title " * 20))

    left, top, right, bottom = view_box(text)
    outside = [
        each
        for each in shapes(text)
        if each.sides[0] < left or each.sides[1] < top or each.sides[2] > right or each.sides[3] > bottom
    ]
    assert outside == []


@needs("zoo")
@pytest.mark.parametrize("net", ["Abilene", "Cogentco"])
def test_brokers_of_a_real_net_do_not_overlap(net: str) -> None:
    mesh = read_gml(str(ZOO / f"{net}.gml"))

    text = svg(Drawing(mesh))

    nodes = [each.sides for each in with_class(text, "card") + with_class(text, "dot")]
    assert len(nodes) == len(mesh.brokers)
    assert [pair for pair in combinations(nodes, 2) if overlap(*pair)] == []


@pytest.mark.parametrize("name", ["by chance 3", "fifty-brokers", "tree of 100"])
def test_the_same_mesh_always_looks_the_same(name: str) -> None:
    first = svg(Drawing(MESHES[name]))

    again = svg(Drawing(MESHES[name]))

    assert again == first


def test_names_can_neither_bring_markup_nor_characters_that_xml_forbids() -> None:
    topic = (Pattern(NASTY),)
    link = Link(NASTY, NASTY, "b", accepts=topic, rename=Rename(add=NASTY), buffering=NASTY)
    within = Link("within", NASTY, NASTY)
    brokers = (Broker(NASTY, dialect=NASTY, identity=NASTY, substitute=NASTY), Broker("b"))
    publishers, subscribers = (Publisher(NASTY, NASTY, topic),), (Subscriber(NASTY, "b", topic),)
    mesh = Mesh(NASTY, brokers, (link, within), publishers, subscribers)

    text = svg(Drawing(mesh, Failures(cables=frozenset({NASTY})), (Mark("lost", (NASTY,), NASTY),), NASTY))

    assert {each.name for each in shapes(text)} <= {"rect", "circle", "path", "polygon", "text"}
    assert "<script" not in text
    assert not set(text) & set("\x00\x1b\u202e\ud800\uffff")
    assert any("alert(" in line for line in words(text))


def test_a_long_name_is_cut_and_whole_in_the_tooltip() -> None:
    name = "a" * 50 + "-" + "z" * 50

    text = svg(Drawing(mesh_of([name, "b"], [(name, "b")])))

    assert name not in words(text)
    assert any(line.startswith("aaa") and "…" in line and line.endswith("zzz") for line in words(text))
    assert f"broker {name}" in {each.hint for each in with_class(text, "card")}


def test_only_a_cable_that_leads_one_way_has_an_arrowhead() -> None:
    one = Link("one", "a", "b")
    mesh = Mesh("m", (Broker("a"), Broker("b"), Broker("c")), (one, *ring_links("b", "c")))

    tips = [each.hint for each in with_class(svg(Drawing(mesh)), "tip")]

    assert [hint for hint in tips if hint.startswith("one: ")] == ["one: a → b\none: a → b"]
    assert [hint for hint in tips if hint.startswith("b-c")] == []


def ring_links(first: str, second: str) -> tuple[Link, ...]:
    return mesh_of([first, second], [(first, second)]).links


def test_cables_between_the_same_brokers_curve_apart() -> None:
    links = tuple(Link(f"link{number}", "a", "b") for number in range(3))

    text = svg(Drawing(Mesh("m", (Broker("a"), Broker("b")), links)))

    middles = {each.sides[1] for each in with_class(text, "cable") if each.hint.startswith("link")}
    middles |= {each.sides[3] for each in with_class(text, "cable") if each.hint.startswith("link")}
    assert len(middles) > 3


def test_a_link_within_a_broker_is_a_note_and_no_line() -> None:
    mesh = Mesh("m", (Broker("a"),), (Link("shovel", "a", "a"),))

    text = svg(Drawing(mesh))

    assert "1 link within" in words(text)
    assert with_class(text, "cable") == []


def test_what_is_special_about_a_link_stands_beside_it() -> None:
    links = (Link("up", "a", "b", cost=5, hop_limit=1, accepts=(Pattern("x/#", "mqtt"),)),)

    text = svg(Drawing(Mesh("m", (Broker("a"), Broker("b")), links)))

    assert "cost 5 · at most 1 hop · x/#" in words(text)


def test_what_differs_there_and_back_says_which_way_it_means() -> None:
    links = (Link("up", "a", "b", "cable", cost=5), Link("down", "b", "a", "cable", cost=7))

    text = svg(Drawing(Mesh("m", (Broker("a"), Broker("b")), links)))

    assert {"to b: cost 5", "to a: cost 7"} <= set(words(text))


def test_labels_cover_neither_brokers_nor_each_other() -> None:
    mesh = MESHES["federated-triangle"]

    text = svg(Drawing(mesh))

    labels = [each.sides for each in with_class(text, "behind")]
    cards = [each.sides for each in with_class(text, "card")]
    assert len(labels) == 3
    assert [pair for pair in combinations(labels + cards, 2) if overlap(*pair)] == []


def test_clients_are_named_up_to_some_and_then_counted() -> None:
    subscribers = tuple(Subscriber(f"s{number}", "a", (Pattern("t"),)) for number in range(14))
    mesh = Mesh("m", (Broker("a"),), (), (Publisher("p", "a", (Pattern("t"),)),), subscribers)

    text = svg(Drawing(mesh))

    assert {"p: t", "s0: t", "s2: t", "+ 11 more"} <= set(words(text))
    assert "s3: t" not in words(text)
    (more,) = (each for each in shapes(text) if (each.element.text or "") == "+ 11 more")
    assert more.hint.startswith("s3 wants t\n")


def test_what_is_dead_is_dashed_crossed_out_and_explained() -> None:
    dead = Failures(frozenset({"b0"}), frozenset({"b2-b3"}))

    text = svg(Drawing(ring(6), dead))

    assert [each.hint.split("\n")[:2] for each in with_class(text, "card", "dead")] == [["broker b0", "dead"]]
    cables = {each.hint.split(": ")[0] for each in with_class(text, "cable", "dead") if ": " in each.hint}
    assert cables == {"b0-b1", "b5-b0", "b2-b3"}
    crossed = [each.hint.split("\n")[0] for each in with_class(text, "cross")]
    assert crossed == ["b2-b3: b2 ↔ b3", "broker b0", "a mesh"]
    assert "dashed: dead (with a cross), or cut off by that" in words(text)


def test_the_hops_of_a_marked_way_are_numbered_and_its_meaning_said() -> None:
    path = tuple(f"b{place}>b{(place + 1) % 6}" for place in range(6))

    text = svg(Drawing(ring(6), marks=(Mark("loop", path, "round and round"),)))

    assert [line for line in words(text) if line.isdigit()] == list("123456")
    assert len([each for each in with_class(text, "mark", "loop") if "\nhop " in each.hint]) == 6
    assert "loop: round and round" in words(text)


def test_several_marked_ways_have_letters_and_lanes_of_their_own() -> None:
    marks = (Mark("doubled", ("b0>b1",)), Mark("path", ("b0>b1", "b1>b2")), Mark("lost", ("b1>b0",)))

    text = svg(Drawing(ring(6), marks=marks))

    assert {"A1", "B1", "B2", "C1"} <= set(words(text))
    hops = [each for each in with_class(text, "mark") if "\nb0>b1: " in each.hint or "\nb1>b0: " in each.hint]
    assert len({each.element.get("d") for each in hops}) == 3


def test_where_something_is_lost_or_doubled_has_a_ring() -> None:
    marks = (Mark("lost", ("b0>b1", "b1>b2")), Mark("lost", (), at="b4"), Mark("loop", ("b0>b1",)))

    text = svg(Drawing(ring(6), marks=marks))

    rings = [each.sides for each in with_class(text, "ring")]
    cards = {each.hint: each.sides for each in with_class(text, "card")}
    assert [(a[0] + a[2]) / 2 for a in rings] == pytest.approx(
        [(cards[f"broker {name}"][0] + cards[f"broker {name}"][2]) / 2 for name in ("b2", "b4")], abs=0.2
    )


def test_more_marks_than_can_be_told_apart_are_counted() -> None:
    marks = tuple(Mark("path", ("b0>b1",)) for _ in range(30))

    text = svg(Drawing(ring(3), marks=marks))

    assert "+ 6 more that are not drawn" in words(text)


def test_light_and_dark_have_the_same_rules() -> None:
    text = svg(Drawing(ring(3)))

    style = text[text.index("<style>") : text.index("</style>")]
    dark = style[style.index("prefers-color-scheme:dark") :]
    assert all(f".{kind}{{stroke:" in dark for kind in ("loop", "lost", "doubled", "path", "cable"))


def test_a_mesh_without_brokers_is_a_picture_too() -> None:
    text = svg(Drawing(Mesh("empty", (), ())))

    assert "0 brokers, 0 links" in words(text)


def test_a_mesh_that_nobody_could_look_at_is_refused() -> None:
    mesh = mesh_of([f"b{number}" for number in range(1_001)], [])

    with pytest.raises(MeshError, match="1,001 brokers and 0 links are too many") as refusal:
        svg(Drawing(mesh))

    assert refusal.value.code == "ANG125"
    assert "DOT" in refusal.value.remedy
