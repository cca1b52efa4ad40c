"""Certain limits: of a probability, by how often something happened, and of a sum of random times.

Clopper and Pearson's interval covers the true chance at least as often as it says, also for probabilities
near 0, where the usual formula with a normal distribution gives nothing at all. Its limits are quantiles of
beta distributions; those come from the continued fraction of the incomplete beta function, by bisection.

A sum over classes with known weights is between the sums of their limits. So that all limits hold at the
same time, each class gets its part of the doubt (Bonferroni): the interval is a little wider than it need
be, never too narrow.

The probability that a sum of independent times is longer than a bound is found between two limits.

What is always the same is taken off the bound. If one part is left, or none, there is a formula. Else the
time up to the bound is divided into `CELLS` cells, and every part is rounded down to the edge of a cell,
and, in a second calculation, up. Rounded down, the sum is never longer than the real one, so its chance of
being late is a lower limit; rounded up, an upper one. The two meet as cells get smaller.

Times are not negative, so what is beyond the bound in one part is late whatever the others are: only cells
up to the bound are needed. Distributions on cells are added by the product of their Fourier transforms;
what rounding errors of the transforms can do (Higham, Accuracy and Stability of Numerical Algorithms, 24.1:
the error of a transform of n numbers is at most log2 n times 8 half units in the last place, in the
Euclidean norm) is added to the limits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import erfc, exp, lgamma, log, log1p, log2, sqrt

import numpy as np
from numpy.typing import NDArray

from angarium.mesh.distributions import EXPONENTIAL, UNIFORM, Part

_TINY = 1e-300
_STEPS = 500
_BISECTIONS = 200


@dataclass(frozen=True, slots=True)
class Probability:
    """A chance: what it is taken for, and between which limits it is."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Class:
    """A class of moments: how likely it is, and how often something happened in so many tries."""

    weight: float
    tries: int
    hits: int
    certain: bool = False
    """Whether all tries of this class go alike, so that one has said it all."""


def together(classes: Sequence[Class], rest: float, confidence: float) -> Probability:
    """The chance over all classes; `rest` is the weight of what no class has."""
    doubtful = sum(not each.certain for each in classes)
    doubt = (1 - confidence) / max(doubtful, 1)
    low = high = value = 0.0
    for each in classes:
        limits = between(each.hits, each.tries, doubt) if not each.certain else _certain(each)
        low += each.weight * limits[0]
        high += each.weight * limits[1]
        value += each.weight * (each.hits / each.tries if each.tries else 0.0)
    return Probability(value, low, min(1.0, high + rest))


def _certain(each: Class) -> tuple[float, float]:
    share = each.hits / each.tries
    return share, share


@lru_cache(maxsize=65536)
def between(hits: int, tries: int, doubt: float) -> tuple[float, float]:
    """Clopper and Pearson's limits, each wrong with half of the doubt at most."""
    if not tries:
        return 0.0, 1.0
    low = _quantile(doubt / 2, hits, tries - hits + 1) if hits else 0.0
    high = _quantile(1 - doubt / 2, hits + 1, tries - hits) if hits < tries else 1.0
    return low, high


def _quantile(share: float, a: int, b: int) -> float:
    """Where the beta distribution reaches a share."""
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if beta_share(middle, a, b) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def beta_share(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """Its continued fraction, by Lentz's method."""
    c, d = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1))
    result = d
    for step in range(1, _STEPS):
        even = step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step))
        odd = -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1))
        for term in (even, odd):
            d = 1 / _not_zero(1 + term * d)
            c = _not_zero(1 + term / c)
            result *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return result


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


CELLS = (1 << 15) - 1
"""With one edge more than cells, transforms have a power of two of numbers, which is quickest."""
_HALF_UNIT = 2.0**-53
_TRANSFORMS = 3
_DIGITS = 9
"""Of a bound less constants, which are decimal numbers: what differs behind these is rounding."""

Floats = NDArray[np.float64]
Limits = tuple[float, float]


@lru_cache(maxsize=4096)
def late(constant: float, parts: tuple[Part, ...], bound: float | None) -> Limits:
    """Between which limits the chance is that the sum is longer than the bound."""
    always = certainly_late(constant, parts, bound)
    if always is not None or bound is None:
        return float(bool(always)), float(bool(always))
    room = round(bound - constant, _DIGITS)
    if len(parts) == 1:
        chance = parts[0].longer(room)
        return chance, chance
    return _on_cells(parts, room)


def certainly_late(constant: float, parts: Sequence[Part], bound: float | None) -> bool | None:
    """Whether a sum is late always (true) or never (false), if either is so."""
    if bound is None:
        return False
    room = round(bound - constant, _DIGITS)
    least, most = sum(part.least for part in parts), sum(part.most for part in parts)
    if most <= room:
        return False
    return True if room < least or room == 0 else None


def _on_cells(parts: Sequence[Part], room: float) -> Limits:
    edges = np.linspace(0.0, room, CELLS + 1)
    down, up = _Sum(), _Sum()
    for part in parts:
        longer = _longer(part, edges)
        at_once = 1 - longer[0]
        within = longer[:-1] - longer[1:]
        down.add(np.concatenate([[at_once + within[0]], within[1:], [0.0]]))
        up.add(np.concatenate([[at_once], within]))
    # the last cell of `down` is for what is just at the bound, where nothing that varies ever is
    low, high = 1 - down.total - down.error, 1 - up.total + up.error
    return max(0.0, low), min(1.0, high)


def _longer(part: Part, edges: Floats) -> Floats:
    """The chance that a part is longer than each edge; numpy is quicker where it knows the formula."""
    if part.kind == EXPONENTIAL:
        return np.exp(-edges / part.first)
    if part.kind == UNIFORM:
        return np.clip((part.second - edges) / (part.second - part.first), 0.0, 1.0)
    away = (edges - part.first) / (part.second * sqrt(2))
    return np.array(list(map(erfc, away.tolist()))) / erfc(-part.first / (part.second * sqrt(2)))


class _Sum:
    """The distribution of a sum of times on the cells, as far as they are within the bound."""

    def __init__(self) -> None:
        self.cells: Floats | None = None
        self.error = 0.0

    @property
    def total(self) -> float:
        assert self.cells is not None
        return float(self.cells.sum())

    def add(self, cells: Floats) -> None:
        """One more part."""
        if self.cells is None:
            self.cells = cells
            return
        size = 2 * len(cells)
        norms = sqrt(float(np.square(self.cells).sum() * np.square(cells).sum()))
        self.error += _TRANSFORMS * log2(size) * 8 * _HALF_UNIT * sqrt(len(cells)) * norms
        product = np.fft.rfft(self.cells, size) * np.fft.rfft(cells, size)
        self.cells = np.maximum(np.fft.irfft(product, size)[: len(cells)], 0.0)
