"""The smallest hop limit that reaches everyone, and whether it doubles anything."""

from __future__ import annotations

from itertools import permutations

from angarium.mesh.mesh import Mesh
from angarium.mesh.verify.hop_limits import HopLimits, Wanted, smallest_hop_limit
from tests.mesh.delivery.meshes import TOPIC, complete, limited, link, mesh_of, ring


def everyone(mesh: Mesh) -> list[Wanted]:
    """Everything that is published anywhere is wanted everywhere else."""
    names = [broker.name for broker in mesh.brokers]
    return [Wanted(origin, TOPIC, at) for origin, at in permutations(names, 2)]


def found(mesh: Mesh) -> HopLimits:
    result = smallest_hop_limit(mesh, everyone(mesh))
    assert result is not None
    return result


def federated(*pairs: tuple[str, str]) -> Mesh:
    both = [ends for pair in pairs for ends in (pair, pair[::-1])]
    return mesh_of(link(*ends, hop_limit=1, avoids_visited=True) for ends in both)


def test_a_ring_of_six_needs_five_and_doubles_nothing() -> None:
    result = found(ring(6, hop_limit=1))

    assert result.smallest == 5
    assert not result.duplicates
    assert not result.unreachable


def test_a_complete_mesh_needs_one() -> None:
    assert found(complete(4, limit=3)).smallest == 1


def test_a_tree_needs_its_longest_way() -> None:
    tree = federated(("b1", "b2"), ("b2", "b3"), ("b3", "b4"), ("b2", "b5"), ("b5", "b6"), ("b6", "b7"))

    assert found(tree).smallest == 5
    assert not found(tree).duplicates


def test_a_ring_both_ways_reaches_all_in_half_of_it_and_doubles_who_is_opposite() -> None:
    ring_of_four = federated(("b1", "b2"), ("b2", "b3"), ("b3", "b4"), ("b4", "b1"))

    result = found(ring_of_four)

    assert result.smallest == 2
    assert result.duplicates
    assert len(result.tried[-1].doubled) == 4


def test_each_limit_says_who_is_reached() -> None:
    result = found(ring(4, hop_limit=1))

    assert [(each.limit, len(each.reached)) for each in result.tried] == [(1, 4), (2, 8), (3, 12)]


def test_who_cannot_be_reached_at_all_needs_no_limit() -> None:
    result = found(mesh_of([link("b1", "b2", hop_limit=3), link("b2", "b3", hop_limit=3)]))

    assert result.smallest == 2
    assert len(result.unreachable) == 3


def test_links_without_a_limit_keep_none() -> None:
    result = found(mesh_of([link("b1", "b2", hop_limit=2), link("b2", "b3"), link("b3", "b1")]))

    assert result.smallest == 2


def test_a_mesh_without_limits_needs_none() -> None:
    mesh = limited(ring(3), None)

    assert smallest_hop_limit(mesh, everyone(mesh)) is None
