"""What the figures of many walks say: mean and spread, quantiles, and how two simulations differ.

Which walks count is a matter of honesty. If the model names a goal, those that came to it: the others were
stopped somewhere on the way, and say only that it takes longer. Without a goal, those that ended where
nothing more could happen; and if none did, all of them. How many walks ended otherwise is shown beside the
figures (`Simulation.ends`), never mixed in.

An observation with arguments gives several figures a walk (the releases of each queue), and they depend on
each other. It is the walks that are independent: each is a *cluster*, and the mean is a ratio, the sum of
the walks' sums by the sum of their counts, whose standard error is that of the sums' residuals. If each walk
has as many figures, that is the standard error of the walks' means. *Student's t* says how many standard
errors reach from a mean to the ends of its 95 % confidence interval: 1.96 for many figures and more for few.

Two simulations are compared by *Welch's* interval: the samples need neither be equally large nor vary
equally. With standard errors s and t of means over m and n walks the difference has the standard error r =
sqrt(s² + t²), and Welch and Satterthwaite's

    r⁴ / (s⁴ / (m - 1) + t⁴ / (n - 1))

degrees of freedom. The standard errors are taken out of the statistics' own intervals, which count what one
walk gives as one figure, so observations with arguments are treated rightly as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, inf, nan, pi, sqrt, tan
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from angarium.checker.ir.transition import Observation, Walks
from angarium.checker.walks.results import Alternative, Bin, Difference, End, Sample, Simulation, Statistic
from angarium.core.result import assigned

_SHARE = 0.975
_NORMAL = NormalDist().inv_cdf(_SHARE)


def student(freedom: float) -> float:
    """The 97.5 % quantile for so many degrees of freedom."""
    if freedom < 1:
        return inf
    if freedom < 2:
        return tan(pi * (_SHARE - 0.5))
    if freedom < 3:
        return (2 * _SHARE - 1) * sqrt(2 / (4 * _SHARE * (1 - _SHARE)))
    x = _NORMAL
    terms = (
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
        (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160,
    )
    return x + sum(term / freedom ** (power + 1) for power, term in enumerate(terms))


QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
MOST_BINS = 30
Numbers = NDArray[np.int64]
Truths = NDArray[np.bool_]


def statistics(walks: Walks, sample: Sample) -> Iterator[Statistic]:
    """A statistic of each observation that gave any figure."""
    counting = counted(sample.ends, has_goal=walks.goal is not None)
    for observation in walks.observations:
        columns = [n for n, (name, _) in enumerate(sample.columns) if name == observation.name]
        values, known = sample.values[:, columns], sample.known[:, columns] & counting[:, None]
        if known.any():
            yield statistic(observation, values, known)


def counted(ends: NDArray[np.uint8], *, has_goal: bool) -> Truths:
    """Which walks count, by how they ended."""
    wanted = ends == (End.GOAL if has_goal else End.REST)
    return wanted if has_goal or wanted.any() else np.ones(len(ends), np.bool_)


def statistic(observation: Observation, values: Numbers, known: Truths) -> Statistic:
    """The statistic of figures, one row a walk, of which at least one is known."""
    figures = np.sort(values[known])
    mean = float(figures.mean())
    reach = _reach(values, known, mean)
    return Statistic(
        observation=observation.name,
        description=observation.description,
        walks=int(known.any(axis=1).sum()),
        count=len(figures),
        mean=mean,
        sd=float(figures.std(ddof=1)) if len(figures) > 1 else 0.0,
        low=mean - reach,
        high=mean + reach,
        minimum=int(figures[0]),
        maximum=int(figures[-1]),
        quantiles={share: int(figures[ceil(share * len(figures)) - 1]) for share in QUANTILES},
        histogram=tuple(_histogram(figures)),
    )


def _reach(values: Numbers, known: Truths, mean: float) -> float:
    """How far the 95 % confidence interval reaches from the mean; one walk alone has none."""
    counts = known.sum(axis=1)
    residuals = (np.where(known, values, 0).sum(axis=1) - mean * counts)[counts > 0]
    walks = len(residuals)
    if walks < 2:
        return nan
    error = sqrt(walks / (walks - 1) * float(np.square(residuals).sum())) / int(counts.sum())
    return student(walks - 1) * error


def _histogram(figures: Numbers) -> Iterator[Bin]:
    """Bins of whole numbers, all as wide, from the least figure on, up to the one with the greatest."""
    low, high = int(figures[0]), int(figures[-1])
    width = -(-(high - low + 1) // MOST_BINS)
    starts = range(low, high + 1, width)
    ends = np.searchsorted(figures, [start + width for start in starts])
    for start, count in zip(starts, np.diff(ends, prepend=0), strict=True):
        yield Bin(start, start + width - 1, int(count))


def differences(before: Simulation, after: Simulation) -> Iterator[Difference]:
    """For each observation that both have, how much greater its mean is in the second."""
    known = {each.observation: each for each in before.statistics}
    for each in after.statistics:
        other = known.get(each.observation)
        if other and other.walks > 1 and each.walks > 1:
            yield _welch(other, each)


def _welch(before: Statistic, after: Statistic) -> Difference:
    first, second = _error(before) ** 2, _error(after) ** 2
    mean, error = after.mean - before.mean, sqrt(first + second)
    reach = student(_freedom(first, before.walks, second, after.walks)) * error if error else 0.0
    return Difference(after.observation, mean, mean - reach, mean + reach)


def _error(statistic: Statistic) -> float:
    return (statistic.high - statistic.low) / 2 / student(statistic.walks - 1)


def _freedom(first: float, walks: int, second: float, others: int) -> float:
    return (first + second) ** 2 / (first**2 / (walks - 1) + second**2 / (others - 1))


@dataclass(frozen=True, slots=True)
class Comparison:
    """A simulation, and alternatives to it; without any, it is just a simulation."""

    simulation: Simulation
    alternatives: tuple[Alternative, ...] = ()

    @property
    def all(self) -> tuple[Simulation, ...]:
        return (self.simulation, *(each.simulation for each in self.alternatives))

    @property
    def labels(self) -> tuple[str, ...]:
        """What tells the simulations apart; nothing if there is but one."""
        changed = dict.fromkeys(name for each in self.alternatives for name in each.changes)
        usual = {name: self.simulation.parameters[name] for name in changed}
        return tuple(
            ", ".join(assigned(each)) for each in (usual, *(one.changes for one in self.alternatives))
        )

    @property
    def labelled(self) -> list[tuple[str, Alternative]]:
        """The alternatives, each with what tells it apart."""
        return list(zip(self.labels[1:], self.alternatives, strict=True))
