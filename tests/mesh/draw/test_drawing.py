from __future__ import annotations

import pytest

from angarium.core.errors import MeshError
from angarium.mesh.draw import Drawing, Mark
from angarium.mesh.draw.drawing import lettered
from angarium.mesh.mesh import Broker, Failures, Link, Mesh
from tests.mesh.draw.meshes import ring


def test_the_links_of_a_cable_between_two_brokers_are_one_strand() -> None:
    links = (
        Link("1", "a", "b", "bridge"),
        Link("2", "b", "a", "bridge"),
        Link("3", "a", "b", "bridge"),
        Link("4", "a", "c", "bridge"),
        Link("5", "a", "a", "bridge"),
    )

    strands = Drawing(Mesh("m", (Broker("a"), Broker("b"), Broker("c")), links)).strands

    assert [(each.first, each.second, [link.name for link in each.links]) for each in strands] == [
        ("a", "b", ["1", "2", "3"]),
        ("a", "c", ["4"]),
    ]
    assert [each.both_ways for each in strands] == [True, False]


@pytest.mark.parametrize(
    ("dead", "marks", "what"),
    [
        (Failures(brokers=frozenset({"b9"})), (), "there is no broker 'b9'"),
        (Failures(cables=frozenset({"b0>b1"})), (), "there is no link 'b0>b1'"),
        (Failures(), (Mark("loop", ("b0>b2",)),), "there is no link 'b0>b2'"),
        (Failures(), (Mark("lost", (), at="x"),), "there is no broker 'x'"),
        (Failures(), (Mark("lots", ()),), "there is no kind of mark 'lots'"),
    ],
)
def test_names_that_the_mesh_does_not_have_are_refused(
    dead: Failures, marks: tuple[Mark, ...], what: str
) -> None:
    with pytest.raises(MeshError, match=what) as refusal:
        Drawing(ring(5), dead, marks)

    assert refusal.value.code == "ANG123"
    assert "possible: " in refusal.value.possible


def test_marks_are_lettered_unless_there_is_only_one() -> None:
    mark = Mark("path", ())

    assert lettered((mark,)) == [("", mark)]
    assert [letters for letters, _ in lettered((mark,) * 28)][24:] == ["Y", "Z", "AA", "AB"]
