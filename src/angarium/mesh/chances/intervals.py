"""Between which limits a chance is, when something happened so often in so many tries.

Clopper and Pearson's interval covers the true chance at least as often as it says, also for chances near 0,
where the usual formula with a normal distribution gives nothing at all. Its limits are quantiles of beta
distributions; those come from the continued fraction of the incomplete beta function, by bisection.

A sum over classes with known weights is between the sums of their limits. So that all limits hold at the
same time, each class gets its part of the doubt (Bonferroni): the interval is a little wider than it need
be, never too narrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, lgamma, log, log1p

_TINY = 1e-300
_STEPS = 500
_BISECTIONS = 200


@dataclass(frozen=True, slots=True)
class Chance:
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


def together(classes: Sequence[Class], rest: float, confidence: float) -> Chance:
    """The chance over all classes; `rest` is the weight of what no class has."""
    doubtful = sum(not each.certain for each in classes)
    doubt = (1 - confidence) / max(doubtful, 1)
    low = high = value = 0.0
    for each in classes:
        limits = between(each.hits, each.tries, doubt) if not each.certain else _certain(each)
        low += each.weight * limits[0]
        high += each.weight * limits[1]
        value += each.weight * (each.hits / each.tries if each.tries else 0.0)
    return Chance(value, low, min(1.0, high + rest))


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
