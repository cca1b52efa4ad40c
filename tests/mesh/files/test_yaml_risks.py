"""Shared risks of a mesh file: what they kill, and what becomes of them when a link goes."""

from __future__ import annotations

from angarium.mesh.change import RemoveLink, applied
from angarium.mesh.files.edit import edited_text
from angarium.mesh.files.nodes import source_of
from angarium.mesh.files.write import written_mesh
from angarium.mesh.mesh import Failures
from tests.mesh.files.texts import mesh

TEXT = """\
mesh: ring
brokers:
  a:
  b:
  c:
links:
  - a - b
  - b - c
  - {between: [a, c], name: wan}
shared-risks:
  duct: {links: [a-b, wan]}
  machine room: {links: [b-c], brokers: [a, b]}
"""


def test_a_link_is_named_by_its_cable_or_by_one_of_its_directions() -> None:
    named = mesh(TEXT.replace("[a-b, wan]", "[a->b, wan, 'b->a']"))

    duct, room = named.shared_risks
    assert (duct.name, duct.cables) == ("duct", ("a-b", "wan"))
    assert room.failures == Failures(frozenset({"a", "b"}), frozenset({"b-c"}))
    assert named.shared_risks == mesh(TEXT).shared_risks


def test_one_part_needs_no_list() -> None:
    assert mesh(TEXT.replace("[b-c]", "b-c")).shared_risks == mesh(TEXT).shared_risks


def test_they_are_written_as_a_person_would() -> None:
    assert written_mesh(mesh(TEXT)) == TEXT


def test_a_link_that_is_removed_is_removed_from_them_too() -> None:
    less = applied(mesh(TEXT), RemoveLink("wan"))

    assert less.shared_risks[0].cables == ("a-b",)
    assert mesh(edited_text(source_of("mesh.yaml", TEXT), RemoveLink("wan"))) == less


def test_a_risk_of_which_nothing_is_left_is_none() -> None:
    text = TEXT.replace("[a-b, wan]", "wan")

    assert [risk.name for risk in applied(mesh(text), RemoveLink("wan")).shared_risks] == ["machine room"]
