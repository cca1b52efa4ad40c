"""Simulations made up for the tests of reports: figures that are easy to follow."""

from __future__ import annotations

from collections.abc import Sequence

from angarium.checker.explore.stories import replay
from angarium.checker.walks.plan import Plan
from angarium.checker.walks.results import (
    Alternative,
    Bin,
    Difference,
    Ends,
    Simulation,
    Statistic,
    Walking,
)
from angarium.checker.walks.statistics import Comparison
from angarium.checker.walks.sweep import Axis, Sweep, SweepRequest
from angarium.core.control import Cut
from angarium.core.result import CheckVerdict, Parameters, Verdict
from tests.zoo import counter

UNKNOWN = CheckVerdict(
    guarantee="small", kind="invariant", verdict=Verdict.UNKNOWN, description="n is small."
)
VIOLATED = CheckVerdict(
    guarantee="small",
    kind="invariant",
    verdict=Verdict.VIOLATED,
    description="n is small.",
    story=replay(counter(), (0, 0, 0), subject="counter"),
)


def statistic(mean: float = 18.0, *, name: str = "total-releases", low: int = 1, width: int = 2) -> Statistic:
    """Figures in five bins of 10, 20, 40, 20 and 10, from low on."""
    counts = (10, 20, 40, 20, 10)
    bins = tuple(Bin(low + n * width, low + n * width + width - 1, each) for n, each in enumerate(counts))
    middle, high = low + 2 * width, bins[-1].high
    quantiles = {0.05: low, 0.25: low + width, 0.5: middle, 0.75: middle + 1, 0.95: high - 1, 0.99: high}
    return Statistic(
        name,
        "Releases until balance.",
        100,
        100,
        mean,
        2.0,
        mean - 0.5,
        mean + 0.5,
        low,
        high,
        quantiles,
        bins,
    )


NOTHING = Statistic(
    "never", "", 0, 0, float("nan"), float("nan"), float("nan"), float("nan"), None, None, {}, ()
)
"""An observation that no walk gave a figure for."""


def simulation(
    statistics: Sequence[Statistic] = (),
    *,
    parameters: Parameters | None = None,
    verdicts: Sequence[CheckVerdict] = (UNKNOWN,),
    ends: Ends | None = None,
    walks: int = 100,
    cut: Cut | None = None,
) -> Simulation:
    return Simulation(
        subject="counter",
        parameters=parameters or {"high": 3, "rule": "always"},
        model_hash="0" * 12,
        engine="local",
        threads=2,
        plan=Plan(runs=100, seed=7),
        goal="All is done.",
        extent=Walking(
            complete=cut is None,
            cut=cut,
            walks=walks,
            ends=ends or Ends(goal=walks),
            steps=walks * 12,
            seconds=0.5,
            cpu_seconds=0.75,
        ),
        statistics=statistics,
        verdicts=verdicts,
    )


def comparison() -> Comparison:
    """An alternative that needs fewer releases."""
    other = simulation([statistic(12.0)], parameters={"high": 3, "rule": "poorer"})
    difference = Difference("total-releases", -6.0, -6.7, -5.3)
    return Comparison(simulation([statistic(18.0)]), (Alternative({"rule": "poorer"}, other, (difference,)),))


def swept(*axes: Axis, missing: Sequence[tuple[str, ...]] = (), cut: Cut | None = None) -> Sweep:
    """A sweep over axes of numbers, in which every mean is the product of the parameters."""
    grid: list[tuple[str, ...]] = [()]
    for axis in axes:
        grid = [(*before, value) for before in grid for value in axis.values]
    made = {values: simulation([statistic(_product(values))]) for values in grid if values not in missing}
    asked = SweepRequest("counter", {"high": "3"}, axes, Plan(runs=100, seed=7))
    return Sweep(asked, {"high": "3"}, "spark", 2, made, 2.5, cut)


def _product(values: Sequence[str]) -> float:
    found = 1.0
    for value in values:
        found *= float(value) if value.isdigit() else 1.0
    return found


def axis(name: str, low: int, high: int) -> Axis:
    return Axis(name, tuple(str(value) for value in range(low, high + 1)))
