"""Bounds of statistics: what is known of a mean or a quantile after so many walks, and not more.

A figure of a simulation is an estimate. The claim holds if the whole interval in which the true value lies
(at 95 %) keeps to the bound, and is violated if none of it does; between the two it is unknown, and more
walks decide. Of a quantile the interval is that between two ranks, which does not depend on how figures are
spread.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from angarium.app.pipeline.claims import Bound
from angarium.checker.walks.results import Bin, Simulation, Statistic
from angarium.core.result import Verdict

_NORMAL = 1.96
_QUANTILE = re.compile(r"p(\d{1,2}(?:\.\d+)?)")
POSSIBLE = "mean, p50, p95, p99.9"


def quantile_of(statistic: str) -> float | None:
    """p95 is 0.95; None if it is no quantile."""
    found = _QUANTILE.fullmatch(statistic)
    return float(found[1]) / 100 if found else None


def is_statistic(name: str) -> bool:
    return name == "mean" or bool(quantile_of(name))


def runs_needed(bound: Bound, expect: Verdict, runs: int) -> int:
    """As many walks as are asked for, or as many as a verdict needs that is expected of a bound."""
    few, enough = runs, runs
    while not _can_be(bound, expect, enough):
        few, enough = enough, 2 * enough
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (few, middle) if _can_be(bound, expect, middle) else (middle, enough)
    return enough


def _can_be(bound: Bound, expect: Verdict, runs: int) -> bool:
    """Whether the end of the interval that decides is known after so many walks."""
    share = quantile_of(bound.statistic)
    lower, upper = (runs - 1, 2) if share is None else _ranks(runs, share)
    below, above = lower >= 1, upper <= runs
    if expect is Verdict.HOLDS:
        return (above or bound.at_most is None) and (below or bound.at_least is None)
    return (below and bound.at_most is not None) or (above and bound.at_least is not None)


def judged(bound: Bound, found: Simulation) -> tuple[Verdict, str]:
    """The verdict on a bound, and the sentence that gives the reason.

    What walks would have shown that did not come to their end, nobody knows: with such, nothing holds.
    """
    observed = _observed(bound, found.statistics)
    if observed is None or not observed.count:
        return Verdict.UNKNOWN, f"{bound.observation or 'what is observed'} was seen in no walk"
    low, high = _interval(bound.statistic, observed)
    verdict = _compared(bound, low, high)
    known = f"{low:g} to {high:g} (95 %)"
    told = f"{bound.statistic} of {observed.observation} is {known}, wanted {bound.wanted()}"
    missing = _unfinished(found)
    if missing:
        told = f"{told}; {missing}"
        verdict = Verdict.UNKNOWN if verdict is Verdict.HOLDS else verdict
    return verdict, told


def _unfinished(found: Simulation) -> str:
    """Which walks are missing in the figures."""
    if found.cut:
        return f"only {found.walks:,} of {found.plan.runs:,} walks were made ({found.cut})"
    limit = found.extent.ends.limit
    return f"{limit:,} of {found.walks:,} walks ended at the limit of steps" if limit else ""


def _observed(bound: Bound, statistics: Sequence[Statistic]) -> Statistic | None:
    return next((each for each in statistics if bound.observation in (None, each.observation)), None)


def _compared(bound: Bound, low: float, high: float) -> Verdict:
    most = math.inf if bound.at_most is None else bound.at_most
    least = -math.inf if bound.at_least is None else bound.at_least
    if low > most or high < least:
        return Verdict.VIOLATED
    return Verdict.HOLDS if high <= most and low >= least else Verdict.UNKNOWN


def _interval(statistic: str, observed: Statistic) -> tuple[float, float]:
    """Where the true value lies; without end on a side on which too few walks say nothing."""
    share = quantile_of(statistic)
    if share is None:
        known = math.isfinite(observed.low) and math.isfinite(observed.high)
        return (observed.low, observed.high) if known else (-math.inf, math.inf)
    lower, upper = _ranks(observed.count, share)
    return (
        -math.inf if lower < 1 else _figure_at(observed, lower).low,
        math.inf if upper > observed.count else _figure_at(observed, upper).high,
    )


def _ranks(count: int, share: float) -> tuple[int, int]:
    """Between which ranks of so many figures a quantile lies: below 1 and above all of them is nothing."""
    spread = _NORMAL * math.sqrt(count * share * (1 - share))
    return math.floor(count * share - spread), math.ceil(count * share + spread) + 1


def _figure_at(observed: Statistic, rank: int) -> Bin:
    """Between which figures that of a rank is."""
    seen = 0
    for each in observed.histogram:
        seen += each.count
        if seen >= rank:
            return each
    raise ValueError(f"the histogram of {observed.observation} has no figure {rank}")
