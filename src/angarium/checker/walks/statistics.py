"""What the figures of many walks say: mean and spread, quantiles, how often each was seen.

Which walks count is a matter of honesty. If the model names a goal, those that came to it: the others were
stopped somewhere on the way, and say only that it takes longer. Without a goal, those that ended where
nothing more could happen; and if none did, all of them. How many walks ended otherwise is told beside the
figures (`Simulation.ends`), never mixed in.

An observation with arguments gives several figures a walk (the releases of each queue), and they depend on
each other. It is the walks that are independent: each is a *cluster*, and the mean is a ratio, the sum of the
walks' sums by the sum of their counts, whose standard error is that of the sums' residuals. If each walk has
as many figures, that is the standard error of the walks' means.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from angarium.checker.ir.transition import Observation, Walks
from angarium.checker.walks.results import Bin, End, Sample, Statistic
from angarium.checker.walks.student import student

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
