"""Student's t: how many standard errors reach from a mean to the ends of its 95 % confidence interval.

It is 1.96 for many figures and more for few. The series is Fisher and Cornish's, in Abramowitz and Stegun
26.7.5; for one and two degrees of freedom, where it is poor, there are formulas.
"""

from __future__ import annotations

from math import inf, pi, sqrt, tan
from statistics import NormalDist

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
