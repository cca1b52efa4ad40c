"""The figures that are known of the 276 nets of the Internet Topology Zoo."""

from __future__ import annotations

import numpy as np
import pytest

from angarium.mesh.mesh import Mesh
from angarium.mesh.routing.sweep import sweep
from angarium.mesh.routing.tables import Tables, tables
from tests.mesh.routing.meshes import cut, largest_part, simple, singles, zoo
from tests.needs import needs
from tests.oracles.subpaths import is_closed

pytestmark = needs("zoo")

SMALLER = 120
"""The known figures are of the nets with at most so many brokers: of the largest connected part of each, with
one link between two brokers."""


@pytest.fixture(scope="module")
def parts() -> list[Mesh]:
    return [largest_part(simple(mesh)) for mesh in zoo() if len(mesh.brokers) <= SMALLER]


def cutting(mesh: Mesh) -> int:
    """How many links cut the net in two when they fail."""
    found = sweep(mesh, map(cut, mesh.cables))
    return sum(each.lost > found.healthy.lost for each in found)


def test_26_of_276_nets_stay_connected_whichever_link_fails() -> None:
    nets = [simple(mesh) for mesh in zoo()]

    assert len(nets) == 276
    assert sum(cutting(mesh) == 0 and sweep(mesh, []).healthy.lost == 0 for mesh in nets) == 26


def test_3717_of_10986_links_cut_their_net(parts: list[Mesh]) -> None:
    assert len(parts) == 267
    assert sum(len(mesh.cables) for mesh in parts) == 10_986
    assert sum(cutting(mesh) for mesh in parts) == 3_717


def test_the_way_back_is_another_one_for_12634_of_199851_pairs(parts: list[Mesh]) -> None:
    different = [ways_that_differ_back(tables(mesh)) for mesh in parts]

    assert sum(len(mesh.brokers) * (len(mesh.brokers) - 1) // 2 for mesh in parts) == 199_851
    assert (sum(different), sum(count > 0 for count in different)) == (12_634, 166)


def ways_that_differ_back(found: Tables) -> int:
    """Pairs of brokers whose ways to each other are not the same brokers in reverse."""
    after, count = found.next, found.graph.brokers
    differ = np.zeros((count, count), bool)
    source, destination = np.divmod(np.arange(count * count), count)
    there = source.copy()
    for _ in range(count):
        going = there != destination
        following = np.where(going, after[there, destination], there)
        # going back from the destination, the broker behind the following one must be this one
        differ |= (going & (after[following, source] != there)).reshape(count, count)
        there = following
    return int(np.triu(differ | differ.T, 1).sum())


def test_shortest_ways_are_closed_in_every_net(parts: list[Mesh]) -> None:
    assert all(is_closed(tables(mesh)) for mesh in parts)


@pytest.mark.slow
def test_every_pair_under_every_single_failure_of_every_net() -> None:
    found = [sweep(mesh, singles(mesh)) for mesh in zoo()]

    assert sum(each.pairs for each in found) == 1_060_913_640
    assert sum(each.tallies[:, 1].sum() for each in found) == 0
