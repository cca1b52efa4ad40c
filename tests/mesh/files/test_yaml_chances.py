"""What mesh files say about chances: read, written back, and mistakes named where they are."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.core.errors import MeshError
from angarium.mesh.distributions import Failing, Part, Varying
from angarium.mesh.files.nodes import source_of
from angarium.mesh.files.write import written_mesh
from angarium.mesh.files.yaml_file import mesh_of
from angarium.mesh.mesh import Broker, Link, Mesh, SharedRisk
from tests.effort import examples

TIMES = st.sampled_from([0.25, 1.0, 3.5, 40.0, 250.0])
PARTS = {
    "constant": st.builds(lambda time: Part("constant", time), TIMES),
    "uniform": st.builds(lambda one, other: Part("uniform", min(one, other), max(one, other)), TIMES, TIMES),
    "exponential": st.builds(lambda time: Part("exponential", time), TIMES),
    "normal": st.builds(lambda *times: Part("normal", *times), TIMES, TIMES),
}
FAILING = st.none() | st.builds(Failing, st.sampled_from([0.5, 2000.0]), st.sampled_from([0.0, 0.125, 8.0]))


@st.composite
def varying(draw: st.DrawFn) -> Varying:
    kinds = draw(st.lists(st.sampled_from(sorted(PARTS)), min_size=1, unique=True))
    return Varying(tuple(draw(PARTS[kind]) for kind in kinds))


@st.composite
def meshes(draw: st.DrawFn) -> Mesh:
    def chances() -> dict[str, object]:
        time = draw(st.none() | varying())
        return {"latency": time.mean if time else draw(TIMES), "varying": time, "failing": draw(FAILING)}

    one_way = Link("a->b", "a", "b", **chances())  # type: ignore[arg-type]
    wan = Link("b->a", "b", "a", cable="wan", **chances())  # type: ignore[arg-type]
    brokers = tuple(replace(Broker(name), **chances()) for name in "ab")  # type: ignore[arg-type]
    risk = SharedRisk("duct", ("a",), ("wan",), failing=draw(FAILING))
    return Mesh("m", brokers, (one_way, wan), shared_risks=(risk,))


@settings(max_examples=examples(60))
@given(meshes())
def test_chances_read_back_as_they_were_written(mesh: Mesh) -> None:
    assert mesh_of(source_of("again.yaml", written_mesh(mesh))) == mesh


def test_both_directions_of_a_link_have_its_chances() -> None:
    mesh = mesh_of(
        source_of(
            "mesh.yaml",
            "brokers: [a, b]\nlinks:\n"
            "  - {between: [a, b], latency: {constant: 4 ms, exponential: 2 ms}, mtbf: 2 d, mttr: 30 min}\n",
        )
    )

    for link in mesh.links:
        assert link.latency == 6
        assert link.varying == Varying((Part("constant", 4), Part("exponential", 2)))
        assert link.failing == Failing(48, 0.5)


MISTAKES = {
    "latency: {gamma: 3 ms}": "4:52 latency of a link has no entry 'gamma'",
    "latency: {}": "4:51 latency of a link says nothing",
    "latency: {exponential: 0 ms}": "4:65 latency of a link cannot be exponential with 0 ms",
    "latency: {exponential: [1 ms, 2 ms]}": "4:65 latency of a link cannot be exponential with 1 ms, 2 ms",
    "latency: {uniform: 3 ms}": "4:61 latency of a link cannot be uniform with 3 ms",
    "latency: {uniform: [3 ms, 2 ms]}": "4:61 latency of a link cannot be uniform with 3 ms, 2 ms",
    "latency: {normal: [0 ms, 2 ms]}": "4:60 latency of a link cannot be normal with 0 ms, 2 ms",
    "latency: {normal: [2 h, 1 ms]}": "4:60 latency of a link cannot be normal with 7.2e+06 ms, 1 ms",
    "latency: {normal: fast}": "4:60 normal latency of a link cannot be 'fast'",
    "latency: [1 ms, 2 ms]": "4:51 latency of a link cannot be a list",
    "mtbf: 2000 h": "4:48 a link has mtbf alone",
    "mttr: 4 h": "4:48 a link has mttr alone",
    "mtbf: 2000, mttr: 4 h": "4:48 mtbf of a link has no unit",
    "mtbf: 0 h, mttr: 4 h": "4:48 mtbf of a link cannot be 0",
    "latency: {normal: [2 ms, 0 ms]}": "4:60 latency of a link cannot be normal with 2 ms, 0 ms",
    "mtbf: 1 us, mttr: 9e99 d": "4:60 mttr of a link is so long that it is hardly ever up",
    "mtbf: often, mttr: 4 h": "4:48 mtbf of a link cannot be 'often'",
}


@pytest.mark.parametrize("entry", MISTAKES)
def test_a_mistake_is_named_where_it_is(entry: str) -> None:
    text = f"mesh: m\nbrokers: [a, b]\nlinks:\n  - {{from: a, to: b, name: the-long-way, {entry}}}\n"

    with pytest.raises(MeshError) as raised:
        mesh_of(source_of("mesh.yaml", text))

    place = raised.value.place
    assert place is not None
    assert f"{place.line}:{place.column} {raised.value.what}" == MISTAKES[entry]
    assert raised.value.possible
    assert raised.value.remedy
