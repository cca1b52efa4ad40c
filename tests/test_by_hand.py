"""What is written by hand on purpose gives what libraries give (docs/adr/0020-written-by-hand.md).

Patterns are compared with PCRE in tests/mesh/importers/test_rabbitmq_regexp.py, and guarantees over time with
SPIN, TLC and NuSMV in tests/checker/logic.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import rustworkx
from hypothesis import given, settings
from scipy import stats

from angarium.checker.walks.statistics import student
from angarium.mesh.distributions import EXPONENTIAL, NORMAL, UNIFORM, Part
from angarium.mesh.mesh import SHORTEST, Mesh, Routing
from angarium.mesh.probability.limits import between, late
from angarium.mesh.routing.sweep import sweep
from angarium.mesh.routing.tables import Tables, tables
from tests.effort import examples
from tests.mesh.routing.meshes import cut, largest_part, meshes, simple, zoo
from tests.needs import needs

# --- paths ------------------------------------------------------------------------------------


def as_graph(mesh: Mesh) -> rustworkx.PyDiGraph:
    graph = rustworkx.PyDiGraph(multigraph=True)
    number = {broker.name: graph.add_node(broker.name) for broker in mesh.brokers}
    graph.add_edges_from([(number[link.source], number[link.target], link.cost) for link in mesh.links])
    return graph


def lengths_by_tables(found: Tables) -> dict[tuple[int, int], float]:
    """What a message costs that goes where the tables say, for every pair that they connect."""
    lengths = {}
    for source, target in product(range(found.graph.brokers), repeat=2):
        at, cost = source, 0.0
        while at != target and found.next[at, target] >= 0:
            after = int(found.next[at, target])
            link = found.link(at, after)
            assert link is not None
            at, cost = after, cost + link.cost
        if at == target and source != target:
            lengths[source, target] = cost
    return lengths


def lengths_by_rustworkx(mesh: Mesh) -> dict[tuple[int, int], float]:
    found = rustworkx.all_pairs_dijkstra_path_lengths(as_graph(mesh), float)
    return {(source, target): length for source, row in found.items() for target, length in row.items()}


@given(meshes())
@settings(max_examples=examples(200), deadline=None)
def test_tables_lead_along_the_paths_of_rustworkx(mesh: Mesh) -> None:
    mesh = replace(mesh, routing=Routing(SHORTEST))

    assert lengths_by_tables(tables(mesh)) == lengths_by_rustworkx(mesh)


@needs("zoo")
@pytest.mark.thorough
def test_tables_of_the_zoo_lead_along_the_paths_of_rustworkx() -> None:
    for mesh in (mesh for mesh in zoo() if len(mesh.brokers) <= 80):
        assert lengths_by_tables(tables(mesh)) == lengths_by_rustworkx(mesh)


@needs("zoo")
def test_links_that_cut_a_net_in_two_are_the_bridges_of_rustworkx() -> None:
    for mesh in (largest_part(simple(mesh)) for mesh in zoo() if len(mesh.brokers) <= 40):
        bridges = rustworkx.bridges(as_graph(mesh).to_undirected(multigraph=False))
        found = sweep(mesh, map(cut, mesh.cables))

        assert sum(each.lost > 0 for each in found) == len(bridges)


# --- intervals and chances --------------------------------------------------------------------


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 7, 10, 30, 100, 1000, 100_000])
def test_students_t_is_scipys(freedom: int) -> None:
    assert student(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=2e-3)


@pytest.mark.parametrize("tries", [1, 2, 9, 100, 12_345, 10_000_000])
@pytest.mark.parametrize("share", [0, 0.001, 0.3, 0.5, 0.999, 1])
@pytest.mark.parametrize("doubt", [0.2, 0.05, 1e-6])
def test_clopper_and_pearsons_limits_are_scipys(tries: int, share: float, doubt: float) -> None:
    hits = round(tries * share)
    expected = stats.binomtest(hits, tries).proportion_ci(1 - doubt, method="exact")

    assert between(hits, tries, doubt) == pytest.approx((expected.low, expected.high), rel=1e-7, abs=1e-12)


@pytest.mark.parametrize("bound", [0.5, 3.0, 10.0, 40.0])
def test_a_sum_of_exponential_times_is_scipys_gamma(bound: float) -> None:
    low, high = late(0.0, (Part(EXPONENTIAL, 2.0),) * 3, bound)

    assert low <= stats.gamma.sf(bound, 3, scale=2.0) <= high
    assert high - low < 1e-3


@pytest.mark.parametrize("bound", [0.5, 3.0, 5.0, 9.0])
def test_single_times_are_scipys(bound: float) -> None:
    normal = stats.truncnorm(-2.0, np.inf, loc=4.0, scale=2.0)
    found = [Part(UNIFORM, 2.0, 6.0), Part(EXPONENTIAL, 3.0), Part(NORMAL, 4.0, 2.0)]
    expected = [stats.uniform(2.0, 4.0), stats.expon(scale=3.0), normal]

    assert [part.longer(bound) for part in found] == pytest.approx([each.sf(bound) for each in expected])
