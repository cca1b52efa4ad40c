"""How far it is in a mesh, of every pair of brokers at once; and random meshes, the same on every machine.

Hops come from the compiled functions that follow tables. Costs are added along the paths: who comes after two
hops is found by looking up a table in itself, then after four, eight and so on.

Random meshes are connected, and the same for the same seed on every machine.

A random tree joins all brokers, every tree being equally likely (Prüfer); then links are added between
brokers that have none, every set of them being equally likely (Floyd's sampling). The random numbers are
SplitMix64. A number below n is the rest of a division by n; it is from an equal choice by less than one part
in 2**50 here.

Some links of such a mesh are usually bridges: what hangs on them cannot be protected.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush
from math import isqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from angarium.core.errors import MeshError, UsageError
from angarium.mesh.files.find import MOST_FILES, load
from angarium.mesh.files.gml import both_ways
from angarium.mesh.mesh import SHORTEST, Broker, Failures, Mesh, Routing, check_none
from angarium.mesh.routing import sweep_core
from angarium.mesh.routing.graph import NONE, Graph, Ints, graph_of
from angarium.mesh.routing.tables import CORE, Addresses, Routed, in_threads, shortest, threads_for
from angarium.native.calls import Array

Costs = NDArray[np.int64]
FAR = 1 << 60
"""The cost of what cannot be reached: sums of a few of them are still numbers."""
MOST_BROKERS = 2048
"""Schemes are compared by tables of every pair, a dozen of them: about 200 MiB of so many brokers."""


@dataclass(frozen=True)
class Distances:
    """The cheapest paths of a mesh in which nothing has failed."""

    graph: Graph
    next: Ints
    """By broker and destination: the next broker; -1 if there is none."""

    @cached_property
    def hops(self) -> Ints:
        """By broker and destination; -1 where there is no path."""
        return hops_over(self.graph, self.graph.costs)

    @cached_property
    def costs(self) -> Costs:
        """By broker and destination; FAR where there is no path."""
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


def distances(mesh: Mesh) -> Distances:
    """The cheapest paths over the links of a mesh, whatever its own routing is."""
    graph = graph_of(mesh)
    _check(graph)
    return Distances(graph, shortest(graph))


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
    """How many hops the cheapest path of each pair has, if hops cost so much; -1 where there is no path."""
    routed = Routed(graph, costs)
    states = np.empty((graph.brokers, graph.brokers), np.uint8)
    hops = np.empty((graph.brokers, graph.brokers), np.int32)

    def work(_: int, column: Addresses, turn: Array) -> None:
        CORE.call("walks", routed.words, column.words, states, hops, turn)

    in_threads(routed, threads_for(graph, None), work)
    return np.where(states == sweep_core.ARRIVES, hops, NONE).T.astype(np.int32, order="C")


def _summed(table: Ints, each: Costs) -> Costs:
    """The sum of what the steps of every path cost."""
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


_WORD = (1 << 64) - 1
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class RandomGraph:
    """Says which random mesh; it is made when it is needed, and wherever."""

    brokers: int
    links: int
    seed: int

    @property
    def size(self) -> str:
        return f"{self.brokers}x{self.links}"

    def mesh(self) -> Mesh:
        """The mesh: brokers b1, b2 and so on, all links at cost 1."""
        names = [f"b{number}" for number in range(1, self.brokers + 1)]
        ends = sorted(_pairs(self.brokers, self.links, _numbers(self.seed)))
        links = tuple(link for one, other in ends for link in both_ways(names[one], names[other], 1))
        name = f"{self.size} seed {self.seed}"
        return Mesh(name, tuple(map(Broker, names)), links, routing=Routing(SHORTEST))


def read_size(text: str) -> tuple[int, int]:
    """How many brokers and links, from text such as 32x64."""
    brokers, cross, links = text.lower().partition("x")
    if not (cross and brokers.isdecimal() and links.isdecimal() and text.isascii() and len(text) <= 20):
        raise _impossible(f"{text!r} does not say how many brokers and links")
    found = int(brokers), int(links)
    if not 2 <= found[0] <= MOST_BROKERS:
        raise _impossible(f"{text!r}: {found[0]:,} brokers")
    if not found[0] - 1 <= found[1] <= found[0] * (found[0] - 1) // 2:
        raise _impossible(f"{text!r}: {found[1]:,} links")
    return found


def _impossible(what: str) -> UsageError:
    return UsageError(
        "ANG013",
        f"--random {what}",
        possible=f"2 to {MOST_BROKERS:,} brokers; links to join them all, and at most one for every two",
        remedy="for example --random 32x64",
    )


def _numbers(seed: int) -> Iterator[int]:
    """SplitMix64."""
    state = seed & _WORD
    while True:
        state = (state + 0x9E3779B97F4A7C15) & _WORD
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _WORD
        yield mixed ^ (mixed >> 31)


def _pairs(brokers: int, links: int, numbers: Iterator[int]) -> set[Pair]:
    """The ends of all links, the smaller number first."""
    tree = set(_tree(brokers, numbers))
    taken = [rank - place for place, rank in enumerate(sorted(map(_rank, tree)))]
    free = brokers * (brokers - 1) // 2 - len(tree)
    more = _sample(free, links - len(tree), numbers)
    return tree | {_pair(number + bisect_right(taken, number)) for number in more}


def _tree(brokers: int, numbers: Iterator[int]) -> Iterator[Pair]:
    """A tree from its Prüfer sequence: the least leaf is joined to the next of it, and taken away."""
    sequence = [next(numbers) % brokers for _ in range(brokers - 2)]
    joins = Counter(sequence)
    leaves = [broker for broker in range(brokers) if not joins[broker]]
    heapify(leaves)
    for broker in sequence:
        leaf = heappop(leaves)
        yield min(leaf, broker), max(leaf, broker)
        joins[broker] -= 1
        if not joins[broker]:
            heappush(leaves, broker)
    one, other = heappop(leaves), heappop(leaves)
    yield min(one, other), max(one, other)


def _sample(among: int, count: int, numbers: Iterator[int]) -> set[int]:
    """So many different numbers below `among`."""
    chosen: set[int] = set()
    for last in range(among - count, among):
        number = next(numbers) % (last + 1)
        chosen.add(last if number in chosen else number)
    return chosen


def _rank(pair: Pair) -> int:
    """The place of a pair among all pairs, sorted by the larger number and then the smaller."""
    return pair[1] * (pair[1] - 1) // 2 + pair[0]


def _pair(rank: int) -> Pair:
    larger = (1 + isqrt(1 + 8 * rank)) // 2
    return rank - larger * (larger - 1) // 2, larger


WHOLE_MESHES = (".gml", ".yaml", ".yml")
"""Files that are a mesh each; other files of a folder are brokers' configuration, and one mesh together."""


def meshes_at(path: str) -> list[Mesh]:
    """The meshes of a file or a folder."""
    folder = Path(path)
    inside = sorted(folder.iterdir())[:MOST_FILES] if folder.is_dir() else []
    found = [each for each in inside if each.suffix.lower() in WHOLE_MESHES and not each.name.startswith(".")]
    return [load(str(each)) for each in found] or [load(path)]
