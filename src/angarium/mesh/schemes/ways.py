"""How far it is: hops and costs of the cheapest way of every pair of brokers, all at once.

Hops come from the compiled functions that follow tables. Costs are added along the ways: who comes after two
hops is found by looking up a table in itself, then after four, eight and so on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from angarium.core.errors import MeshError
from angarium.mesh.failover import check_none
from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.routing import sweep_core
from angarium.mesh.routing.graph import NONE, Graph, Ints, graph_of
from angarium.mesh.routing.native import CORE, Addresses, Routed, in_threads, threads_for
from angarium.mesh.routing.tables import shortest
from angarium.native.calls import Array

Costs = NDArray[np.int64]
FAR = 1 << 60
"""The cost of what cannot be reached: sums of a few of them are still numbers."""
MOST_BROKERS = 2048
"""Schemes are compared by tables of every pair, a dozen of them: about 200 MiB of so many brokers."""


@dataclass(frozen=True)
class Ways:
    """The cheapest ways of a mesh in which nothing has failed."""

    graph: Graph
    next: Ints
    """By broker and destination: the next broker; -1 if there is none."""

    @cached_property
    def hops(self) -> Ints:
        """By broker and destination; -1 where there is no way."""
        return hops_over(self.graph, self.graph.costs)

    @cached_property
    def costs(self) -> Costs:
        """By broker and destination; FAR where there is no way."""
        graph = self.graph
        one_hop = np.full((graph.brokers, graph.brokers), FAR, np.int64)
        one_hop[graph.sources, graph.targets] = graph.costs
        found = _summed(self.next, np.take_along_axis(one_hop, np.maximum(self.next, 0), axis=1))
        return np.where(self.hops == NONE, FAR, found)

    @cached_property
    def hop(self) -> Ints:
        """By broker and destination: the number of the hop that is taken; -1 if there is none."""
        graph = self.graph
        number = np.full((graph.brokers, graph.brokers), NONE, np.int32)
        number[graph.sources, graph.targets] = np.arange(graph.hops, dtype=np.int32)
        return np.where(self.next == NONE, NONE, np.take_along_axis(number, np.maximum(self.next, 0), axis=1))

    @cached_property
    def fallback(self) -> Ints:
        """What each hop costs when the cable of its cheapest link is cut; 0 if no other link is left."""
        found = np.zeros(self.graph.hops, np.int32)
        for hop, links in enumerate(self.graph.links):
            others = (link.cost for link in links if link.fails_as != links[0].fails_as)
            found[hop] = next(others, 0)
        return found


def ways(mesh: Mesh) -> Ways:
    """The cheapest ways over the links of a mesh, whatever its own routing is."""
    graph = graph_of(mesh)
    _check(graph)
    return Ways(graph, shortest(graph))


def _check(graph: Graph) -> None:
    """Refuses what is too large, and a cable of several links whose ends are not the same two brokers."""
    if graph.brokers > MOST_BROKERS:
        raise MeshError(
            "ANG125",
            f"schemes of recovery for {graph.brokers:,} brokers",
            possible=f"they are compared for up to {MOST_BROKERS:,} brokers",
            remedy="compare parts of the mesh by themselves",
        )
    check_none(graph.mesh, "a scheme of recovery")
    for cable, hops in graph.hops_of_cable.items():
        ends = {frozenset((int(graph.sources[hop]), int(graph.targets[hop]))) for hop in hops}
        if len(ends) > 1:
            joined = sorted({graph.names[end] for pair in ends for end in pair})
            raise MeshError(
                "ANG121",
                f"the cable {cable} joins {len(joined)} brokers: {', '.join(joined[:5])}",
                possible="alternates and layers protect a link between two brokers",
                remedy="give each link a cable of its own; what fails together can be a shared risk",
            )


def ends_of(graph: Graph, failures: Failures) -> tuple[int, int] | None:
    """The two brokers that a cut cable joins, if just one is cut and nothing else is dead."""
    if failures.brokers or len(failures.cables) != 1:
        return None
    hop = min(graph.changes(failures), default=None)
    return None if hop is None else (int(graph.sources[hop]), int(graph.targets[hop]))


def hops_over(graph: Graph, costs: Ints) -> Ints:
    """How many hops the cheapest way of each pair has, if hops cost so much; -1 where there is no way."""
    routed = Routed(graph, costs)
    states = np.empty((graph.brokers, graph.brokers), np.uint8)
    hops = np.empty((graph.brokers, graph.brokers), np.int32)

    def work(_: int, column: Addresses, turn: Array) -> None:
        CORE.call("walks", routed.words, column.words, states, hops, turn)

    in_threads(routed, threads_for(graph, None), work)
    return np.where(states == sweep_core.ARRIVES, hops, NONE).T.astype(np.int32, order="C")


def _summed(table: Ints, each: Costs) -> Costs:
    """The sum of what the steps of every way cost."""
    here = np.broadcast_to(np.arange(len(table))[:, np.newaxis], table.shape)
    there = np.where(table == NONE, here, table).astype(np.int64)
    total = np.where(there == here, 0, each)
    for _ in range(len(table).bit_length()):
        total += np.take_along_axis(total, there, axis=0)
        further = np.take_along_axis(there, there, axis=0)
        if np.array_equal(further, there):
            break
        there = further
    return total
