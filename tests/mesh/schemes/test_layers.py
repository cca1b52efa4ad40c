"""Layers: what is safe in a layer carries nothing for others, and everything that can be is safe in one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.routing.graph import NONE
from angarium.mesh.schemes.graphs import RandomGraph
from angarium.mesh.schemes.layers import WHOLE_MESH, Layers, layers
from tests.effort import examples
from tests.mesh.routing.meshes import TRIANGLE, cut, dead, mesh_of
from tests.mesh.schemes.meshes import BOW_TIE, TWO_RINGS, ring, two_way_meshes
from tests.mesh.schemes.plain import Plain


def problems(found: Layers) -> set[str]:
    """What is wrong with layers, by their definition."""
    plain = Plain(found.graph.mesh)
    told = set()
    for layer in range(1, len(found) + 1):
        told |= set(_of_layer(found, plain, layer))
    for broker in plain.brokers:
        if (found.safe[broker] == NONE) != _is_articulation(plain, broker):
            told.add("a broker that can be safe is not, or the reverse")
    for hop, pair in enumerate(sorted(plain.hop_costs)):
        doubled = plain.second_link(*pair) is not None
        if (found.absent[hop] == NONE) != (not doubled and not _joined(plain, pair, pair, frozenset())):
            told.add("a link that can be safe is not, or the reverse")
        elif found.absent[hop] > WHOLE_MESH and found.members[found.absent[hop], hop]:
            told.add("a safe link is in its layer")
    return told


def _of_layer(found: Layers, plain: Plain, layer: int) -> list[str]:
    table, told = found.table(layer), []
    for source, to in plain.next:
        at, length = source, 0
        while at != to and length <= len(plain.brokers):
            at, length = int(table[at, to]), length + 1
            if at == NONE:
                return [*told, "somebody does not reach somebody"]
            if at != to and found.safe[at] == layer:
                told.append("a safe broker carries transit traffic")
    return told


def _joined(plain: Plain, ends: tuple[int, int], without: tuple[int, int], gone: frozenset[int]) -> bool:
    seen, waiting = {ends[0]}, [ends[0]]
    while waiting:
        at = waiting.pop()
        for after in plain.neighbours(at):
            if after not in seen | gone and {at, after} != set(without):
                seen.add(after)
                waiting.append(after)
    return ends[1] in seen


def _is_articulation(plain: Plain, broker: int) -> bool:
    around = plain.neighbours(broker)
    nothing = (broker, broker)
    return any(not _joined(plain, (around[0], each), nothing, frozenset({broker})) for each in around[1:])


@given(mesh=two_way_meshes(), wanted=st.none() | st.integers(1, 6))
@settings(max_examples=examples(50))
def test_layers_are_whole_and_what_is_safe_is_not_needed(mesh: Mesh, wanted: int | None) -> None:
    assert problems(layers(mesh, wanted)) == set()


def test_the_same_mesh_has_the_same_layers() -> None:
    mesh = RandomGraph(24, 40, 5).mesh()

    once, again = layers(mesh), layers(replace(mesh, name="another"))

    assert np.array_equal(once.members, again.members)
    assert np.array_equal(once.safe, again.safe)


def test_a_safe_broker_with_two_links_is_noticed() -> None:
    found = layers(ring(5))
    spoiled = found.members.copy()
    spoiled[1:] = True

    assert "a safe broker carries transit traffic" in problems(replace(found, members=spoiled))
    assert "a safe link is in its layer" in problems(replace(found, members=spoiled))


def test_a_layer_that_falls_apart_is_noticed() -> None:
    found = layers(mesh_of(TWO_RINGS))
    spoiled = found.members.copy()
    spoiled[1, found.graph.hops_of_broker[0]] = False

    assert problems(replace(found, members=spoiled)) >= {"somebody does not reach somebody"}


def test_a_broker_that_is_safe_nowhere_is_noticed() -> None:
    found = layers(mesh_of(TRIANGLE))
    without = found.safe.copy()
    without[0] = NONE

    assert problems(replace(found, safe=without)) == {"a broker that can be safe is not, or the reverse"}


def test_a_ring_needs_a_layer_for_every_link() -> None:
    assert len(layers(ring(7))) == 7


def test_more_layers_can_be_had_and_have_shorter_detours() -> None:
    mesh = RandomGraph(32, 64, 1).mesh()

    few, many = layers(mesh), layers(mesh, 8)

    assert len(few) < 8 <= len(many)
    assert many.detour_hops[many.detour_hops > 0].mean() < few.detour_hops[few.detour_hops > 0].mean()


def test_six_layers_are_enough_for_1024_brokers_of_degree_4() -> None:
    found = layers(RandomGraph(1024, 2048, 1).mesh())

    assert 1 < len(found) <= 6


def test_the_layer_of_a_failure_is_without_it() -> None:
    found = layers(mesh_of(BOW_TIE))

    for name in ("1", "2", "5", "6"):
        assert found.safe[found.graph.number(name)] == found.layer_for(dead(name)) != NONE
    assert found.layer_for(dead("3")) is found.layer_for(cut("3-4")) is None
    layer = found.layer_for(cut("1-2"))
    assert layer and not found.members[layer, found.graph.hop_between[0, 1]]


def test_there_is_no_layer_for_two_failures_at_once() -> None:
    found = layers(mesh_of(BOW_TIE))

    assert found.layer_for(cut("1-2", "5-6")) is None
    assert found.layer_for(Failures(frozenset({"1"}), frozenset({"5-6"}))) is None


def test_a_detour_goes_round_the_next_broker_unless_that_is_the_destination() -> None:
    found = layers(ring(5))

    assert found.detour(0, 1, 2) == found.safe[1]
    assert found.detour(0, 1, 1) == found.absent[found.graph.hop_between[0, 1]]
    assert found.detours[0, 2] == found.detour(0, 1, 2)
    assert found.detour_hops[0, 2] == 3


def test_a_second_link_needs_no_other_layer() -> None:
    mesh = mesh_of("1-2 2-3 3-1")
    again = tuple(replace(link, name=f"{link.name}'", cable="again") for link in mesh.links[:2])
    found = layers(replace(mesh, links=(*mesh.links, *again)))

    assert found.layer_for(cut("1-2")) == found.layer_for(cut("again")) == WHOLE_MESH
    assert found.detour(0, 1, 1) == WHOLE_MESH
    assert found.detour_hops[0, 1] == 1
