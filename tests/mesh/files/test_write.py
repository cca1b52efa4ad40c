from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.mesh.files.nodes import source_of
from angarium.mesh.files.scalars import quoted
from angarium.mesh.files.write import written_mesh
from angarium.mesh.files.yaml_file import mesh_of
from angarium.mesh.mesh import Mesh
from tests.effort import examples
from tests.mesh.files import meshes
from tests.mesh.files.texts import mesh


def read_again(given: Mesh) -> Mesh:
    return mesh_of(source_of("again.yaml", written_mesh(given)))


@settings(max_examples=examples(150))
@given(meshes.any_mesh())
def test_a_written_mesh_reads_back_as_the_same(given: Mesh) -> None:
    assert read_again(given) == given


@given(st.text().filter(lambda text: not any("\ud800" <= each <= "\udfff" for each in text)))
def test_any_text_reads_back_as_the_same(text: str) -> None:
    written = f"brokers: [b1]\nremarks: [{{kind: note, what: {quoted(text)}}}]"

    assert mesh_of(source_of("text.yaml", written)).remarks[0].what == text


def test_a_mesh_is_written_as_a_person_would() -> None:
    text = """\
mesh: six brokers
dialect: mqtt
routing: {kind: shortest, hop-limit: 16}
brokers:
  b1: {latency: 2 ms, substitute: b2}
  b2:
  b3: {dialect: amqp}
links:
  - b1 - b2
  - b1 -> b3
  - {between: [b2, b3], name: wan, cost: 3, hop-limit: 2, buffering: 30 s}
  - {from: b3, to: b1, accepts: [a.b, "#"], rename: {strip: a/, add: b/}}
publishers:
  p: {at: b1, topics: [a/b]}
subscribers:
  s: {at: b2, topics: [a/+, {pattern: a, scope: vhost}], within: 50 ms}
"""

    assert written_mesh(mesh(text)) == text


def test_tables_and_remarks_are_written() -> None:
    text = """\
mesh: pair
routing: tables
brokers:
  b1:
  b2:
tables:
  b1: {b2: b2}
remarks:
  - {kind: dangling, what: no upstream, remedy: add it, at: "eu.json:3:14"}
"""

    assert written_mesh(mesh(text)) == text
