"""A running search in one line, with an estimate of what is left.

Breadth-first levels of a finite system grow, level off and shrink: the logarithm of their sizes is close to
a parabola. So its slope, the logarithm of how much greater each level is than the one before, falls along a
straight line. The estimate fits that line to the latest levels and follows it until levels are empty.

While levels still grow, such a line says little: on the bundled systems it was wrong by a factor of five.
So there is no estimate before levels have all but stopped growing, which is when about half of the states
are known; from there on it was within a third of the truth, and soon within a tenth.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import exp, log
from statistics import linear_regression

from angarium.explore.engine import Progress
from angarium.report.layout import duration, memory, rounded

FITTED = 6
"""How many of the latest ratios the line is fitted to."""
LEVEL = 0.1
"""The slope up to which levels have all but stopped growing: each is a tenth greater than the last."""
FAR = 1.0
"""How many times the levels so far may still come, for an estimate to be worth anything."""


def line(progress: Progress) -> str:
    """Where the search is; what matters most comes first, as a narrow terminal shows only the beginning."""
    if progress.judging:
        return f"judging {progress.judging} on {rounded(progress.states)} states"
    speed = progress.states / max(progress.seconds, 1e-9)
    left = states_left(progress)
    estimate = [] if left is None else [f"~{rounded(left)} left ({duration(left / max(speed, 1.0))})"]
    parts = [
        f"{rounded(progress.states)} states",
        *estimate,
        f"{rounded(speed)}/s",
        f"depth {progress.depth}",
        f"frontier {rounded(progress.frontier)}",
        memory(progress.bytes),
    ]
    return ", ".join(parts)


def states_left(progress: Progress) -> int | None:
    """How many states are still to be found, if that can be guessed."""
    following = levels_left(progress.levels)
    if following is None:
        return None
    return max(0, round(sum(progress.levels) + sum(following)) - progress.states)


def levels_left(levels: Sequence[int]) -> list[float] | None:
    """The sizes of the levels to come, if the sizes of those so far say anything about them."""
    slopes = [log(after / before) for before, after in pairwise(levels) if before and after]
    slopes = slopes[-FITTED:]
    if len(slopes) < FITTED or slopes[-1] > LEVEL:
        return None
    change, base = linear_regression(range(FITTED), slopes)
    return _follow(levels, change, base + change * FITTED) if change < 0 else None


def _follow(levels: Sequence[int], change: float, slope: float) -> list[float] | None:
    """Level after level along the line, until they are empty; None if that is too far away."""
    following, size = [], float(levels[-1])
    while (size := size * exp(slope)) >= 1:
        following.append(size)
        slope += change
        if len(following) > FAR * len(levels):
            return None
    return following
