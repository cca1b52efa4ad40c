"""Schemes of recovery by their definitions, slowly: all cheapest paths are listed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from angarium.mesh.mesh import Mesh
from angarium.mesh.routing.graph import graph_of

Path = tuple[int, ...]


@dataclass(frozen=True)
class Plain:
    """A mesh whose cheapest paths are all listed."""

    mesh: Mesh

    @cached_property
    def hop_costs(self) -> dict[tuple[int, int], int]:
        """Between neighbours, by the cheapest link."""
        graph = graph_of(self.mesh)
        ends = zip(graph.sources.tolist(), graph.targets.tolist(), graph.costs.tolist(), strict=True)
        return {(one, other): cost for one, other, cost in ends}

    @cached_property
    def brokers(self) -> range:
        return range(len(self.mesh.brokers))

    def neighbours(self, broker: int) -> list[int]:
        return [other for one, other in sorted(self.hop_costs) if one == broker]

    @cached_property
    def paths(self) -> dict[tuple[int, int], list[Path]]:
        """All cheapest paths of each pair; none where there is no path."""
        found: dict[tuple[int, int], list[Path]] = {(b, b): [(b,)] for b in self.brokers}
        for source in self.brokers:
            for path in self.simple_ways((source,)):
                found.setdefault((source, path[-1]), []).append(path)
        return {pair: _cheapest(paths, self.cost) for pair, paths in found.items()}

    def simple_ways(self, path: Path) -> Iterator[Path]:
        for after in self.neighbours(path[-1]):
            if after not in path:
                yield (*path, after)
                yield from self.simple_ways((*path, after))

    def cost(self, path: Path) -> int:
        return sum(self.hop_costs[pair] for pair in pairwise(path))

    @cached_property
    def next(self) -> dict[tuple[int, int], int]:
        """The first broker of the cheapest paths; of several the first in the file."""
        return {
            (source, to): min(path[1] for path in paths)
            for (source, to), paths in self.paths.items()
            if source != to and paths
        }

    def second_link(self, one: int, other: int) -> int | None:
        """What the cheapest link of another cable than the cheapest one's costs, if there is one."""
        names = [broker.name for broker in self.mesh.brokers]
        links = [each for each in self.mesh.links if (each.source, each.target) == (names[one], names[other])]
        links.sort(key=lambda link: link.cost)
        return next((each.cost for each in links if each.fails_as != links[0].fails_as), None)

    def alternates(self, source: int, to: int, *, around: bool = False) -> dict[int, int]:
        """The neighbours from which no cheapest path leads back, with the cost of the path through each."""
        after = self.next[source, to]
        found = {}
        for neighbour in self.neighbours(source):
            cost = self.hop_costs[source, neighbour]
            if neighbour == after:
                second = None if around else self.second_link(source, neighbour)
                if second is None:
                    continue
                cost = second
            paths = self.paths.get((neighbour, to), [])
            avoided = {source, after} if around else {source}
            if paths and not any(avoided & set(path) for path in paths):
                found[neighbour] = cost + self.cost(paths[0])
        return found

    def uses(self, path: Path, one: int, other: int) -> bool:
        return any(set(pair) == {one, other} for pair in pairwise(path))

    def p_space(self, broker: int, one: int, other: int) -> set[int]:
        reached = {to: paths for (source, to), paths in self.paths.items() if source == broker and paths}
        return {to for to, paths in reached.items() if not any(self.uses(p, one, other) for p in paths)}

    def q_space(self, one: int, other: int) -> set[int]:
        reaching = {source: paths for (source, to), paths in self.paths.items() if to == other and paths}
        return {at for at, paths in reaching.items() if not any(self.uses(p, one, other) for p in paths)}


def _cheapest(paths: list[Path], cost: Callable[[Path], int]) -> list[Path]:
    least = min(map(cost, paths))
    return [path for path in paths if cost(path) == least]
