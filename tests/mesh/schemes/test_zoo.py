"""Figures that are known of the nets of the Internet Topology Zoo.

Of the 276 nets all but Kdl, the largest; links between the same two brokers are one, and every link costs 1.
Counted are ordered pairs of brokers whose first link is no bridge.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.app.report.mesh_schemes import coverage
from angarium.mesh.schemes.compare import Comparison
from angarium.mesh.schemes.many import compare_all, merged, together
from angarium.mesh.schemes.results import Group
from tests.mesh.routing.meshes import zoo
from tests.needs import needs

pytestmark = needs("zoo")

LARGEST = "Kdl"


@pytest.fixture(scope="module")
def nets() -> dict[str, Comparison]:
    found = compare_all([merged(mesh) for mesh in zoo() if mesh.name != LARGEST])
    assert len(found.comparisons) == 275
    return {each.name: each for each in found.comparisons}


def test_alternates_cover_47_per_cent_of_the_pairs(nets: dict[str, Comparison]) -> None:
    found = together(list(nets.values()), "Zoo").coverage

    assert (found.lfa, found.pairs) == (174_568, 369_063)
    assert round(100 * found.lfa / found.pairs, 1) == 47.3


def test_remote_alternates_cover_all_pairs_if_the_space_is_extended(nets: dict[str, Comparison]) -> None:
    found = together(list(nets.values()), "Zoo").coverage

    assert found.lfa < found.near_remote < found.remote == found.pairs


def test_alternates_cover_62_per_cent_of_abilene(nets: dict[str, Comparison]) -> None:
    found = nets["Abilene"].coverage

    assert (found.lfa, found.pairs) == (68, 110)


@pytest.mark.parametrize(("name", "condensed", "plain"), [("Abilene", 20.4, 150), ("Geant2012", 85.2, 2418)])
def test_condensed_entries_of_a_broker(
    nets: dict[str, Comparison], name: str, condensed: float, plain: int
) -> None:
    found = nets[name]

    assert round(found.entries.condensed / found.brokers + 1e-9, 1) == condensed
    assert found.entries.plain == plain * found.brokers


def test_layers_and_tables_deliver_whatever_is_connected(nets: dict[str, Comparison]) -> None:
    total = together(list(nets.values()), "Zoo")

    for scheme in ("tables", "layers", "remote"):
        assert total.of(scheme).undelivered == 0
    assert total.of("tables").hops < total.of("remote").hops < total.of("layers").hops


def test_the_picture_of_the_documents_is_as_it_is_drawn_now(nets: dict[str, Comparison]) -> None:
    comparisons = list(nets.values())
    group = Group("topology-zoo", len(nets), comparisons, together(comparisons, "topology-zoo"))

    picture = Path(__file__).parents[3] / "docs" / "pictures" / "schemes-zoo-coverage.svg"
    assert coverage(group) == picture.read_text()
