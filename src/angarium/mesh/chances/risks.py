"""What can fail by itself, and how many of these things are down at a time.

Brokers, cables and shared risks that say how often they fail are down independently of each other, each
with its own chance. How many are down is then distributed as Poisson's binomial: the coefficients of the
product of (1 - p) + p x over all of them. Failures are rare: one in ten thousand moments has two of them.
So moments are divided by the number of failures, each class with its exact weight, and in each class sets
are drawn as they are likely there. With odds o = p / (1 - p), a set of k is as likely as the product of its
odds; the sums of such products over all that come behind a place say which risk is the next one down.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from angarium.core.errors import MeshError
from angarium.mesh.chances.distributions import Failing
from angarium.mesh.mesh import NOTHING, Failures, Link, Mesh

Floats = NDArray[np.float64]
Sets = NDArray[np.int64]
"""A row for each set: the numbers of its risks, ascending."""


@dataclass(frozen=True, slots=True)
class Risk:
    """Something that fails by itself."""

    name: str
    failures: Failures
    """What is dead when it is down."""
    down: float
    """The share of time in which it is."""


def risks_of(mesh: Mesh) -> tuple[Risk, ...]:
    """Everything that can fail, in the order of the file: brokers, cables, shared risks."""
    brokers = ((each.name, Failures(frozenset([each.name])), each.failing) for each in mesh.brokers)
    cables = ((name, Failures(cables=frozenset([name])), of) for name, of in _cables(mesh.links).items())
    shared = ((each.name, each.failures, each.failing) for each in mesh.shared_risks)
    listed = (*brokers, *cables, *shared)
    return tuple(Risk(name, dead, of.down) for name, dead, of in listed if of is not None and of.down > 0)


def _cables(links: Iterable[Link]) -> dict[str, Failing]:
    """How often each cable fails; links of one cable must not contradict each other."""
    found: dict[str, Failing] = {}
    for link in links:
        if link.failing is None or link.source == link.target:
            continue
        before = found.setdefault(link.fails_as, link.failing)
        if before != link.failing:
            raise MeshError(
                "ANG121",
                f"{link.name} says mtbf {link.failing.mtbf:g} h and mttr {link.failing.mttr:g} h, but another"
                f" link of the cable {link.fails_as} says {before.mtbf:g} h and {before.mttr:g} h",
                possible="links of one cable fail together, so they fail equally often",
                remedy="say the same for all links of the cable, or say it once",
                place=link.place,
            )
    return found


def dead_in(risks: Sequence[Risk], numbers: Iterable[int]) -> Failures:
    """What is dead when some risks are down."""
    down = [risks[number].failures for number in numbers]
    if not down:
        return NOTHING
    return Failures(
        frozenset().union(*(each.brokers for each in down)),
        frozenset().union(*(each.cables for each in down)),
    )


@dataclass(frozen=True)
class Strata:
    """How likely each number of failures is, and which of them they are."""

    down: tuple[float, ...]
    weights: tuple[float, ...]
    """The chance that just so many are down, from 0 to all."""
    behind: Floats
    """By number of failures and place: the sum of the products of odds of all sets of so many from there."""

    @property
    def healthy(self) -> float:
        return self.weights[0]

    def sets(self, size: int) -> int:
        """How many sets of so many there are."""
        return comb(len(self.down), size)

    def all_of(self, size: int) -> Iterator[tuple[tuple[int, ...], float]]:
        """Every set of so many, with its chance."""
        nothing = prod(1 - chance for chance in self.down)
        odds = [chance / (1 - chance) for chance in self.down]
        for numbers in combinations(range(len(self.down)), size):
            yield numbers, nothing * prod(odds[number] for number in numbers)

    def beyond(self, size: int) -> float:
        """The chance that more than so many are down."""
        return sum(sorted(self.weights[size + 1 :]))

    def enough(self, rest: float) -> int:
        """The least number of failures beyond which the chance is no more than a rest."""
        return next(size for size in range(len(self.weights)) if self.beyond(size) <= rest)

    def drawn(self, size: int, count: int, random: np.random.Generator) -> Sets:
        """So many sets of a size, drawn as they are likely among those of the size."""
        chosen = np.empty((count, size), np.int64)
        place = np.zeros(count, np.int64)
        for column in range(size):
            left = self.behind[size - column]
            share = random.random(count) * left[place]
            # `left` falls from place to place: the next risk is the last where it is more than the share
            found = np.searchsorted(-left, -share, side="left") - 1
            chosen[:, column] = np.maximum(found, place)
            place = chosen[:, column] + 1
        return chosen


def strata_of(risks: Sequence[Risk]) -> Strata:
    """The numbers of failures of risks that are independent of each other."""
    down = tuple(risk.down for risk in risks)
    weights = np.zeros(len(down) + 1)
    weights[0] = 1.0
    for chance in down:
        weights[1:] = weights[1:] * (1 - chance) + weights[:-1] * chance
        weights[0] *= 1 - chance
    return Strata(down, tuple(weights.tolist()), _behind(down))


MOST_AT_ONCE = 16
"""Sets of more failures are not drawn: their sums of products are not kept."""


def _behind(down: Sequence[float]) -> Floats:
    count = len(down)
    behind = np.zeros((min(count, MOST_AT_ONCE) + 1, count + 1))
    behind[0] = 1.0
    for place in range(count - 1, -1, -1):
        odds = down[place] / (1 - down[place])
        behind[1:, place] = behind[1:, place + 1] + odds * behind[:-1, place + 1]
    return behind
