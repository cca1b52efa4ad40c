"""Who is joined with whom: what every broker knows of the mesh before anything happens.

The protocol watches *pairs*: two brokers with at least one link between them, whichever way it leads. A pair
is what heartbeats can see. Several cables between the same two brokers are one pair: as long as one of them
carries heartbeats the pair lives, and when none does all of them are taken for dead, also for other pairs
that share them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from angarium.core.errors import MeshError, did_you_mean
from angarium.mesh.mesh import Failures, Mesh

Pair = tuple[str, str]
"""Two brokers that are joined, the one that comes first in the file first."""
Pairs = frozenset[Pair]


@dataclass(frozen=True)
class Chart:
    """The brokers in the order of their file, and the cables of each pair."""

    brokers: tuple[str, ...]
    cables: Mapping[Pair, frozenset[str]]

    @cached_property
    def number(self) -> Mapping[str, int]:
        return {name: number for number, name in enumerate(self.brokers)}

    @cached_property
    def neighbours(self) -> Mapping[str, tuple[str, ...]]:
        """Of each broker, in the order of the file."""
        found: dict[str, list[str]] = {name: [] for name in self.brokers}
        for one, other in self.cables:
            found[one].append(other)
            found[other].append(one)
        return {name: tuple(sorted(others, key=self.number.__getitem__)) for name, others in found.items()}

    @cached_property
    def _pairs_of_cable(self) -> Mapping[str, tuple[Pair, ...]]:
        found: dict[str, list[Pair]] = {}
        for pair, cables in self.cables.items():
            for cable in cables:
                found.setdefault(cable, []).append(pair)
        return {cable: tuple(pairs) for cable, pairs in found.items()}

    def pair(self, one: str, other: str) -> Pair:
        """Two brokers in the order in which a pair names them."""
        return (one, other) if self.number[one] < self.number[other] else (other, one)

    def killed(self, failures: Failures) -> Pairs:
        """The pairs that failures leave without a living cable, or without one of the two."""
        touched = chain.from_iterable(self._pairs_of_cable.get(cable, ()) for cable in failures.cables)
        cut = {pair for pair in touched if self.cables[pair] <= failures.cables}
        left = {self.pair(name, other) for name in failures.brokers for other in self.neighbours[name]}
        return frozenset(cut | left)

    def cables_of(self, pairs: Iterable[Pair]) -> Failures:
        """The failures that kill these pairs."""
        return Failures(cables=frozenset().union(*(self.cables[pair] for pair in pairs)))

    def reached(self, start: str, dead: Pairs) -> frozenset[str]:
        """The brokers of the component of a broker, itself among them."""
        found, waiting = {start}, [start]
        while waiting:
            here = waiting.pop()
            living = [each for each in self.neighbours[here] if self.pair(here, each) not in dead]
            waiting += [each for each in living if each not in found]
            found.update(living)
        return frozenset(found)

    def check(self, broker: str) -> str:
        """The broker; MeshError if there is none of this name."""
        if broker not in self.number:
            raise MeshError(
                "ANG123",
                f"no broker is called {broker!r}",
                possible=did_you_mean(broker, self.brokers),
                remedy="name a broker of the mesh",
            )
        return broker


def chart_of(mesh: Mesh) -> Chart:
    """The chart of a mesh."""
    brokers = tuple(broker.name for broker in mesh.brokers)
    empty = Chart(brokers, {})
    cables: dict[Pair, set[str]] = {}
    for link in mesh.links:
        if link.source != link.target:
            cables.setdefault(empty.pair(link.source, link.target), set()).add(link.fails_as)
    return Chart(brokers, {pair: frozenset(names) for pair, names in cables.items()})
