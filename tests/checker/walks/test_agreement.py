"""RabbitMQ's apps at 10 queues and 10 apps, against an independent simulation of 4,000 walks each."""

from __future__ import annotations

from math import sqrt

import pytest

from angarium.checker.walks.native_walks import simulate
from angarium.checker.walks.plan import Plan
from tests.checker.walks.observed import sac

RUNS = 4_000
INDEPENDENT = [
    ("random", "by-action", 50.69, 0.09, 5.51, 185.6),
    ("random", "uniform", 55.52, 0.12, 7.41, 186.5),
    ("sequential", "by-action", 18.32, 0.14, 8.82, 191.9),
    ("sequential", "uniform", 43.83, 0.17, 10.59, 272.2),
]
"""Mode, schedule; of all releases the mean, its standard error and the standard deviation; steps."""


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "schedule", "mean", "error", "sd", "steps"), INDEPENDENT)
def test_releases_until_balance(
    mode: str, schedule: str, mean: float, error: float, sd: float, steps: float
) -> None:
    system = sac(10, 10, mode)

    found, sample = simulate(system, Plan(RUNS, schedule=schedule), subject="rabbitmq-sac", threads=2)
    by_name = {each.observation: each for each in found.statistics}
    total, of_queues = by_name["times(release)"], by_name["per queue"]

    assert found.walks == RUNS
    assert abs(total.mean - mean) < 4 * sqrt(total.sd**2 / RUNS + error**2)
    assert total.sd == pytest.approx(sd, rel=0.1)
    assert of_queues.mean == pytest.approx(total.mean / 10)
    assert abs(sample.steps.mean() - steps) < 4 * sample.steps.std() * sqrt(2 / RUNS)
