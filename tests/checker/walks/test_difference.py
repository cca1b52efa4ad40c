"""The difference of two means, and its interval."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from angarium.checker.ir.transition import Observation
from angarium.checker.walks.difference import Alternative, Comparison, differences
from angarium.checker.walks.results import Statistic
from angarium.checker.walks.statistics import statistic
from angarium.checker.walks.student import student
from tests.app.report.simulations import simulation
from tests.app.report.simulations import statistic as made_up


def of(values: list[int], name: str = "releases") -> Statistic:
    figures = np.array(values, np.int64)[:, None]
    return statistic(Observation(name, "", ()), figures, np.ones(figures.shape, np.bool_))


def test_welch_by_hand() -> None:
    """Six and four figures: 5.0 less, standard error sqrt(14/6 + 20/3/4) = 2, 6.49 degrees of freedom."""
    before, after = of([6, 8, 10, 10, 12, 14]), of([2, 4, 6, 8])
    [found] = differences(simulation([before]), simulation([after]))
    error = sqrt(8 / 6 + (20 / 3) / 4)
    freedom = error**4 / ((8 / 6) ** 2 / 5 + (20 / 12) ** 2 / 3)
    assert found.mean == -5.0
    assert found.high - found.mean == pytest.approx(student(freedom) * error, rel=1e-9)
    assert found.is_clear == (found.high < 0)


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    random, hits = np.random.default_rng(7), 0
    for _ in range(400):
        before = of(random.poisson(9, 12).tolist())
        after = of(random.poisson(5, 40).tolist())
        [found] = differences(simulation([before]), simulation([after]))
        hits += found.low <= -4 <= found.high
    assert 0.91 <= hits / 400 <= 0.985


def test_figures_that_do_not_vary_differ_exactly() -> None:
    [found] = differences(simulation([of([3, 3])]), simulation([of([2, 2])]))
    assert (found.mean, found.low, found.high, found.is_clear) == (-1.0, -1.0, -1.0, True)


def test_one_walk_says_nothing_about_a_difference() -> None:
    assert list(differences(simulation([of([3])]), simulation([of([2, 2])]))) == []


def test_only_what_both_observe_is_compared() -> None:
    both = differences(simulation([of([1, 2]), of([1, 2], "steps")]), simulation([of([1, 3], "steps")]))
    assert [each.observation for each in both] == ["steps"]


def test_simulations_are_told_apart_by_what_is_changed() -> None:
    other = simulation([made_up()], parameters={"high": "4", "rule": "poorer"})
    alternatives = (Alternative({"rule": "poorer"}, other, ()), Alternative({"high": "4"}, other, ()))
    compared = Comparison(simulation([made_up()]), alternatives)
    assert compared.labels == ("rule=always, high=3", "rule=poorer", "high=4")
    assert Comparison(simulation([made_up()])).labels == ("",)


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(1, 12.7062), (2, 4.3027), (3, 3.1824), (5, 2.5706), (10, 2.2281), (30, 2.0423), (1000, 1.9623)],
)
def test_students_t_is_that_of_the_tables(freedom: int, quantile: float) -> None:
    assert student(freedom) == pytest.approx(quantile, rel=0.002)
