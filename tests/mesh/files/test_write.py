from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.mesh.files.nodes import source_of
from angarium.mesh.files.scalars import quoted
from angarium.mesh.files.write import written_mesh
from angarium.mesh.files.yaml_file import mesh_of
from angarium.mesh.mesh import DIALECTS, Broker, Link, Mesh, Publisher, Subscriber
from tests.mesh.files import meshes
from tests.mesh.files.texts import mesh


def read_again(given: Mesh) -> Mesh:
    return mesh_of(source_of("again.yaml", written_mesh(given)))


@st.composite
def brokers(draw: st.DrawFn) -> tuple[Broker, ...]:
    names = draw(meshes.names(4, least=1))
    return tuple(
        Broker(
            name,
            draw(st.sampled_from(DIALECTS)),
            draw(meshes.TIMES),
            draw(st.just("") | meshes.NAMES),
            draw(st.none() | st.sampled_from([other for other in names if other != name] or [None])),
        )
        for name in names
    )


@st.composite
def links(draw: st.DrawFn, ends: list[str]) -> tuple[Link, ...]:
    """Single links under any name, and pairs as one entry for both ways makes them."""
    found: list[Link] = []
    for name in draw(meshes.names(4)):
        rules, source, target = draw(meshes.rules()), *draw(st.tuples(*[st.sampled_from(ends)] * 2))
        if source != target and draw(st.booleans()):
            cable, before = draw(st.sampled_from([(name, f"{name}:"), (f"{source}-{target}", "")]))
            pair = replace(rules, cable=cable, connection=draw(st.sampled_from(["", cable])))
            found += (
                replace(pair, name=f"{before}{one}->{other}", source=one, target=other)
                for one, other in ((source, target), (target, source))
            )
        else:
            more = {"cable": draw(st.just("") | meshes.NAMES), "connection": draw(st.just("") | meshes.NAMES)}
            rename = draw(st.none() | meshes.renames())
            usual = draw(st.sampled_from([name, f"{source}->{target}"]))
            found.append(replace(rules, name=usual, source=source, target=target, rename=rename, **more))
    return tuple({link.name: link for link in found}.values())


@st.composite
def any_mesh(draw: st.DrawFn) -> Mesh:
    those = draw(brokers())
    ends = [broker.name for broker in those]
    some = st.sampled_from(ends)
    return Mesh(
        draw(meshes.NAMES),
        those,
        draw(links(ends)),
        tuple(Publisher(name, draw(some), draw(meshes.patterns())) for name in draw(meshes.names(3))),
        tuple(
            Subscriber(name, draw(some), draw(meshes.patterns()), draw(st.none() | meshes.TIMES))
            for name in draw(meshes.names(3))
        ),
        draw(meshes.routings(ends)),
        tuple(draw(st.lists(meshes.REMARKS, max_size=2))),
    )


@settings(max_examples=150, deadline=None)
@given(any_mesh())
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
