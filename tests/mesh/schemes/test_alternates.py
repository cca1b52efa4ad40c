"""Alternates and remote alternates are those of the RFCs, whose definitions speak of all cheapest paths."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from angarium.mesh.mesh import Link, Mesh
from angarium.mesh.routing.graph import NONE
from angarium.mesh.schemes import alternates as near
from angarium.mesh.schemes.alternates import alternates, p_space, q_space, remote
from angarium.mesh.schemes.graphs import distances
from tests.effort import examples
from tests.mesh.routing.meshes import mesh_of
from tests.mesh.schemes.meshes import BOW_TIE, ring, two_way_meshes
from tests.mesh.schemes.plain import Plain


def expected(mesh: Mesh, *, around: bool) -> dict[tuple[int, int], int]:
    """The cheapest alternate of each pair that has a path, the first in the file; -1 if there is none."""
    plain = Plain(mesh)
    found = {}
    for source, to in plain.next:
        costs = plain.alternates(source, to, around=around)
        found[source, to] = min(costs, key=lambda each: (costs[each], each), default=NONE)
    return found


def differences(mesh: Mesh, *, around: bool = False) -> list[tuple[int, int]]:
    found = alternates(mesh, around_broker=around)
    wanted = np.full(found.shape, NONE)
    for pair, neighbour in expected(mesh, around=around).items():
        wanted[pair] = neighbour
    return [(int(s), int(d)) for s, d in np.argwhere(found != wanted)]


@pytest.mark.parametrize("around", [False, True])
@given(mesh=two_way_meshes(most=6))
@settings(max_examples=examples(40))
def test_an_alternate_is_the_cheapest_neighbour_from_which_no_cheapest_way_leads_back(
    mesh: Mesh, around: bool
) -> None:
    assert differences(mesh, around=around) == []


def test_a_neighbour_whose_ways_may_lead_back_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    square = ring(4)
    assert differences(square) == []

    def careless(costs: np.ndarray, broker: int, neighbours: np.ndarray) -> np.ndarray:
        return costs[neighbours] <= costs[neighbours, broker][:, np.newaxis] + costs[broker]

    monkeypatch.setattr(near, "loop_free", careless)
    assert differences(square) != []


def test_a_ring_of_four_has_alternates_only_to_the_opposite_broker() -> None:
    found = alternates(ring(4))

    assert {(int(s), int(d)) for s, d in np.argwhere(found != NONE)} == {(0, 2), (1, 3), (2, 0), (3, 1)}


def test_a_second_link_to_the_next_broker_is_an_alternate() -> None:
    mesh = mesh_of("1-2 2-3")
    doubled = Mesh(mesh.name, mesh.brokers, (*mesh.links, *_again(mesh)), routing=mesh.routing)

    assert alternates(mesh)[0, 2] == NONE
    assert alternates(doubled)[0, 2] == 1
    assert alternates(doubled, around_broker=True)[0, 2] == NONE


def _again(mesh: Mesh) -> tuple[Link, ...]:
    return tuple(replace(link, name=f"{link.name}'", cable=f"{link.cable}'") for link in mesh.links[:2])


# --- remote ---------------------------------------------------------------------------------------


@given(mesh=two_way_meshes(most=6))
@settings(max_examples=examples(40))
def test_the_spaces_are_those_of_all_cheapest_ways(mesh: Mesh) -> None:
    plain, found = Plain(mesh), distances(mesh)

    for hop, (one, other) in enumerate(sorted(plain.hop_costs)):
        assert set(np.flatnonzero(q_space(found, hop)).tolist()) == plain.q_space(one, other)
        for broker in plain.brokers:
            inside = p_space(found, np.array([broker]), hop)[0]
            assert set(np.flatnonzero(inside).tolist()) == plain.p_space(broker, one, other)


@pytest.mark.parametrize("extended", [False, True])
@given(mesh=two_way_meshes(most=6))
@settings(max_examples=examples(40))
def test_a_repair_is_the_nearest_broker_in_both_spaces(mesh: Mesh, extended: bool) -> None:
    plain, found = Plain(mesh), remote(mesh, extended=extended)

    for hop, (one, other) in enumerate(sorted(plain.hop_costs)):
        both = plain.q_space(one, other) & _reached(plain, one, other, extended)
        both.discard(one)
        costs = {each: _tunnel(plain, one, other, each) for each in both}
        nearest = min(both, key=lambda each: (costs[each], each), default=NONE)
        assert found.repair[hop] == nearest
        if nearest != NONE:
            assert found.first[hop] != other
            first = plain.hop_costs[one, int(found.first[hop])]
            assert first + plain.cost(plain.paths[int(found.first[hop]), nearest][0]) == costs[nearest]


def _reached(plain: Plain, one: int, other: int, extended: bool) -> set[int]:
    if not extended:
        return plain.p_space(one, one, other)
    others = [each for each in plain.neighbours(one) if each != other]
    return {each for neighbour in others for each in plain.p_space(neighbour, one, other)}


def _tunnel(plain: Plain, one: int, other: int, to: int) -> int:
    """What the cheapest tunnel costs that begins with another neighbour and never uses the link."""
    return min(
        plain.hop_costs[one, neighbour] + plain.cost(plain.paths[neighbour, to][0])
        for neighbour in plain.neighbours(one)
        if neighbour != other and to in plain.p_space(neighbour, one, other)
    )


@given(mesh=two_way_meshes(most=7, costs=1))
@settings(max_examples=examples(40))
def test_at_equal_costs_every_link_that_is_no_bridge_has_an_extended_repair(mesh: Mesh) -> None:
    plain, found = Plain(mesh), remote(mesh)

    for hop, (one, other) in enumerate(sorted(plain.hop_costs)):
        round_it = any(
            path[-1] == other and not plain.uses(path, one, other) for path in plain.simple_ways((one,))
        )
        assert (found.repair[hop] != NONE) == round_it


def test_an_even_ring_needs_the_extended_space() -> None:
    assert (remote(ring(6), extended=False).repair == NONE).all()
    assert (remote(ring(6)).repair != NONE).all()


def test_a_bridge_has_no_repair() -> None:
    mesh = mesh_of(BOW_TIE)
    found = remote(mesh)

    bridge = [hop for hop, pair in enumerate(sorted(Plain(mesh).hop_costs)) if set(pair) == {2, 3}]

    assert np.flatnonzero(found.repair == NONE).tolist() == bridge
