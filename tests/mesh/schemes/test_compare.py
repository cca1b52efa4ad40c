"""The figures of a comparison are those of packets that walk through a mesh in which a link is cut."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings

from angarium.core.errors import MeshError
from angarium.mesh.mesh import Broker, Failures, Mesh
from angarium.mesh.recovery.tables import coloured, recovery, super_table
from angarium.mesh.routing.graph import NONE, graph_of
from angarium.mesh.routing.tables import shortest
from angarium.mesh.schemes import compare as comparing
from angarium.mesh.schemes import graphs as measuring
from angarium.mesh.schemes.alternates import alternates, remote
from angarium.mesh.schemes.compare import SCHEMES, Comparison, compare
from angarium.mesh.schemes.graphs import RandomGraph
from angarium.mesh.schemes.layers import layers
from tests.effort import examples
from tests.mesh.routing.meshes import SIX, TRIANGLE, cut, mesh_of
from tests.mesh.schemes.meshes import BOW_TIE, two_way_meshes


@dataclass
class Walks:
    """What becomes of every packet of every pair whose path has a link that is cut."""

    mesh: Mesh
    lengths: dict[str, Counter[int]] = field(default_factory=lambda: {name: Counter() for name in SCHEMES})
    shortest: Counter[str] = field(default_factory=Counter)
    undelivered: Counter[str] = field(default_factory=Counter)
    cut: int = 0

    def __post_init__(self) -> None:
        self.graph = graph_of(self.mesh)
        self.table = shortest(self.graph)
        self.layers, self.alternates, self.remote = (
            layers(self.mesh),
            alternates(self.mesh),
            remote(self.mesh),
        )
        for cable in self.mesh.cables:
            self._cut(cut(cable))

    def _cut(self, failures: Failures) -> None:
        costs = self.graph.costs_under(failures)
        after = shortest(self.graph, failures)
        for source in range(self.graph.brokers):
            for to in range(self.graph.brokers):
                path = self._path(self.table, source, to)
                hops = [self.graph.hop_between[pair] for pair in pairwise(path)]
                changed = [place for place, hop in enumerate(hops) if costs[hop] != self.graph.costs[hop]]
                if not changed:
                    continue
                best = self._path(after, source, to)
                if not best:
                    self.cut += 1
                    continue
                self._count(path, changed[0], best, costs)

    def _count(self, path: list[int], seen: int, best: list[int], costs: np.ndarray) -> None:
        witness, to = path[seen], path[-1]
        repaired = {
            "healthy": path[seen:],
            "layers": self._layered(witness, to),
            "lfa": self._alternate(witness, to),
            "remote": self._alternate(witness, to) or self._tunnel(witness, to),
        }
        for scheme, rest in (("tables", best), *repaired.items()):
            whole = best if scheme == "tables" else path[:seen] + rest
            if not rest:
                self.undelivered[scheme] += 1
                continue
            if scheme != "healthy":
                self._check(whole, costs)
            self.lengths[scheme][len(whole) - 1] += 1
            self.shortest[scheme] += len(best) - 1

    def _check(self, path: list[int], costs: np.ndarray) -> None:
        """No packet crosses a hop that has no living link."""
        hops = [self.graph.hop_between[pair] for pair in pairwise(path)]
        assert all(costs[hop] > 0 for hop in hops)

    def _path(self, table: np.ndarray, source: int, to: int) -> list[int]:
        path = [source]
        while path[-1] != to:
            after = int(table[path[-1], to])
            if after == NONE:
                return []
            path.append(after)
        return path

    def _layered(self, witness: int, to: int) -> list[int]:
        layer = self.layers.detour(witness, int(self.table[witness, to]), to)
        return [] if layer is None else self._path(self.layers.table(layer), witness, to)

    def _alternate(self, witness: int, to: int) -> list[int]:
        other = int(self.alternates[witness, to])
        return [] if other == NONE else [witness, *self._path(self.table, other, to)]

    def _tunnel(self, witness: int, to: int) -> list[int]:
        hop = self.graph.hop_between[witness, int(self.table[witness, to])]
        first, repair = int(self.remote.first[hop]), int(self.remote.repair[hop])
        if repair == NONE:
            return []
        return [witness, *self._path(self.table, first, repair), *self._path(self.table, repair, to)[1:]]


def figures(walks: Walks, scheme: str) -> tuple[tuple[int, ...], int, int]:
    lengths = walks.lengths[scheme]
    counts = tuple(lengths[hops] for hops in range(max(lengths, default=-1) + 1))
    return counts, walks.undelivered[scheme], walks.shortest[scheme]


def check(found: Comparison, walks: Walks) -> None:
    assert found.cut == walks.cut
    for each in found.ranked:
        assert (each.affected, each.undelivered, each.shortest) == figures(walks, each.scheme), each.scheme


@given(mesh=two_way_meshes(most=8))
@settings(max_examples=examples(50))
def test_the_figures_are_those_of_packets(mesh: Mesh) -> None:
    check(compare(mesh), Walks(mesh))


@pytest.mark.parametrize("seed", range(3))
def test_the_figures_are_those_of_packets_in_larger_meshes(seed: int) -> None:
    mesh = RandomGraph(20, 32, seed).mesh()

    check(compare(mesh), Walks(mesh))


def test_a_scheme_that_forgets_an_alternate_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    mesh = RandomGraph(12, 20, 3).mesh()
    walks = Walks(mesh)

    def forgetful(*given: object, **options: bool) -> np.ndarray:
        found = alternates(mesh, **options).copy()
        first = tuple(np.argwhere(found != NONE)[0])
        found[first] = NONE
        return found

    monkeypatch.setattr(comparing, "alternates_of", forgetful)
    with pytest.raises(AssertionError, match="lfa"):
        check(compare(mesh), walks)


def test_figures_do_not_depend_on_the_number_of_threads() -> None:
    mesh = RandomGraph(70, 120, 1).mesh()

    assert compare(mesh, threads=1) == compare(mesh, threads=3)


def test_all_pairs_are_those_that_are_affected_and_all_others() -> None:
    mesh = mesh_of(BOW_TIE)

    found = compare(mesh)

    pairs = found.brokers * (found.brokers - 1) * found.links
    assert sum(found.of("tables").everyone) == pairs - found.cut
    assert sum(found.of("lfa").everyone) == pairs - found.cut - found.of("lfa").undelivered
    assert found.affected == found.of("tables").delivered + found.cut


def test_the_triangle_by_hand() -> None:
    found = compare(mesh_of(TRIANGLE))

    assert (found.affected, found.cut, found.bridges, found.layers) == (6, 0, 0, 3)
    assert [each.affected for each in found.ranked] == [(0, 6), (0, 0, 6), (0, 0, 6), (0, 0, 6), (0, 0, 6)]
    assert (found.coverage.pairs, found.coverage.lfa, found.coverage.inner) == (6, 6, 0)
    assert (found.entries.plain, found.entries.condensed) == (3 * 2 * 4, 3 * 4)


def test_in_a_tree_nothing_can_be_repaired() -> None:
    found = compare(mesh_of(SIX))

    assert found.bridges == found.links == 5
    assert found.affected == found.cut > 0
    assert all(each.delivered == 0 and each.stretch is None for each in found.ranked)


@pytest.mark.parametrize("text", [TRIANGLE, BOW_TIE, SIX, "1-2:2 2-3 3-4 4-1 1-3:3"])
def test_condensed_entries_are_the_rows_of_the_super_tables(text: str) -> None:
    mesh = mesh_of(text)
    tables = recovery(mesh, coloured(mesh, [cut(cable) for cable in mesh.cables]))

    rows = sum(len(super_table(tables.of_broker(broker)).rows) for broker in range(len(mesh.brokers)))

    assert compare(mesh).entries.condensed == rows


def test_a_pair_whose_first_link_is_doubled_is_covered() -> None:
    mesh = mesh_of("1-2 2-3")
    again = tuple(replace(link, name=f"{link.name}'", cable="again") for link in mesh.links[:2])

    found = compare(replace(mesh, links=(*mesh.links, *again))).coverage

    assert (found.pairs, found.lfa, found.remote) == (3, 3, 3)


def test_a_mesh_without_links_has_nothing_to_compare() -> None:
    found = compare(Mesh("alone", (Broker("a"), Broker("b")), ()))

    assert (found.affected, found.coverage.pairs, found.entries.condensed) == (0, 0, 0)


def test_a_link_that_leads_one_way_is_in_no_layer() -> None:
    mesh = mesh_of("1-2 2-3 3-1")
    one_way = replace(mesh, links=mesh.links[:-1])

    found = compare(one_way)

    check(found, Walks(one_way))
    assert found.of("layers").undelivered > 0


def test_a_cable_between_three_brokers_is_refused() -> None:
    mesh = mesh_of("1-2 2-3")
    shared = replace(mesh, links=tuple(replace(link, cable="duct") for link in mesh.links))

    with pytest.raises(MeshError, match="the cable duct joins 3 brokers"):
        compare(shared)


def test_too_many_brokers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "MOST_BROKERS", 2)

    with pytest.raises(MeshError, match="schemes of recovery for 3 brokers"):
        compare(mesh_of(TRIANGLE))
