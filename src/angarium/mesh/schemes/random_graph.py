"""Random connected meshes, the same for the same seed on every machine.

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
from heapq import heapify, heappop, heappush
from math import isqrt

from angarium.core.errors import UsageError
from angarium.mesh.files.gml import both_ways
from angarium.mesh.mesh import SHORTEST, Broker, Mesh, Routing
from angarium.mesh.schemes.ways import MOST_BROKERS

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
