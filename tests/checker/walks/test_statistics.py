"""Statistics of figures, against sums that can be done by hand, and how two simulations differ."""

from __future__ import annotations

from itertools import pairwise
from math import isnan, sqrt

import numpy as np
import pytest

from angarium.checker.ir.syntax import Const
from angarium.checker.ir.transition import Observation, Walks
from angarium.checker.walks.results import Alternative, Bin, End, Sample, Statistic
from angarium.checker.walks.statistics import (
    MOST_BINS,
    QUANTILES,
    Comparison,
    counted,
    differences,
    statistic,
    statistics,
    student,
)
from tests.app.report.simulations import simulation
from tests.app.report.simulations import statistic as made_up

OBSERVATION = Observation("releases", "Releases until balance.", (("", Const(0)),))


def alone(*figures: int) -> np.ndarray:
    return np.array(figures, np.int64)[:, None]


def all_known(values: np.ndarray) -> np.ndarray:
    return np.ones(values.shape, np.bool_)


def test_one_figure_a_walk() -> None:
    values = alone(2, 4, 4, 4, 5, 5, 7, 9)

    found = statistic(OBSERVATION, values, all_known(values))

    assert (found.walks, found.count, found.mean) == (8, 8, 5.0)
    assert found.sd == pytest.approx(sqrt(32 / 7))
    assert found.high - found.mean == pytest.approx(student(7) * sqrt(32 / 7) / sqrt(8))
    assert found.mean - found.low == pytest.approx(found.high - found.mean)
    assert (found.minimum, found.maximum) == (2, 9)
    assert found.histogram == tuple(Bin(n, n, count) for n, count in enumerate((1, 0, 3, 2, 0, 1, 0, 1), 2))


def test_quantiles_are_figures_that_were_seen() -> None:
    values = alone(*range(1, 101))

    found = statistic(OBSERVATION, values, all_known(values))

    assert found.quantiles == {share: round(100 * share) for share in QUANTILES}


def test_figures_of_one_walk_do_not_count_as_independent() -> None:
    """Ten queues that always show the same figure tell no more than one of them."""
    once = alone(1, 2, 3, 4, 5)
    ten_times = np.repeat(once, 10, axis=1)

    one, ten = (statistic(OBSERVATION, values, all_known(values)) for values in (once, ten_times))

    assert (ten.walks, ten.count) == (5, 50)
    assert (ten.low, ten.high) == pytest.approx((one.low, one.high))


def test_walks_with_fewer_figures_weigh_less() -> None:
    values = np.array([[1, 1, 1], [4, 0, 0]], np.int64)
    known = np.array([[True, True, True], [True, False, False]])

    found = statistic(OBSERVATION, values, known)

    assert (found.walks, found.count, found.mean) == (2, 4, 1.75)
    # The residuals are 3 - 3 * 1.75 and 4 - 1.75.
    assert found.high - found.mean == pytest.approx(student(1) * sqrt(2 * (2.25**2 + 2.25**2)) / 4)


def test_the_interval_holds_the_mean_as_often_as_it_says() -> None:
    generator = np.random.default_rng(7)
    walks = generator.poisson(3, (400, 30, 1)) + generator.poisson(2, (400, 30, 4))
    found = [statistic(OBSERVATION, each, all_known(each)) for each in walks]

    held = np.mean([each.low <= 5 <= each.high for each in found])

    assert 0.91 < held < 0.985


def test_one_walk_has_no_interval() -> None:
    found = statistic(OBSERVATION, alone(3), all_known(alone(3)))

    assert isnan(found.low)
    assert isnan(found.high)
    assert (found.mean, found.sd) == (3.0, 0.0)


@pytest.mark.parametrize("most", [28, 29, 30, 31, 1000])
def test_a_histogram_has_few_bins_of_whole_numbers_and_all_figures(most: int) -> None:
    values = alone(*range(-1, most), 0)

    bins = statistic(OBSERVATION, values, all_known(values)).histogram

    assert len(bins) <= MOST_BINS
    assert sum(each.count for each in bins) == len(values)
    assert bins[0].low == -1
    assert bins[-1].low <= most - 1 <= bins[-1].high
    assert len({each.high - each.low for each in bins}) == 1
    assert all(before.high + 1 == after.low for before, after in pairwise(bins))


GOAL, REST, LIMIT = End


@pytest.mark.parametrize(
    ("ends", "has_goal", "expected"),
    [
        ([GOAL, REST, LIMIT], True, [True, False, False]),
        ([REST, LIMIT], True, [False, False]),
        ([REST, LIMIT, REST], False, [True, False, True]),
        ([LIMIT, LIMIT], False, [True, True]),
    ],
)
def test_which_walks_count(ends: list[End], has_goal: bool, expected: list[bool]) -> None:
    assert counted(np.array(ends, np.uint8), has_goal=has_goal).tolist() == expected


def test_walks_that_did_not_come_to_the_goal_are_not_mixed_in() -> None:
    sample = Sample(
        first=0,
        ends=np.array([GOAL, LIMIT, GOAL], np.uint8),
        steps=np.array([1, 2, 3], np.int64),
        columns=(("releases", ""), ("never", "")),
        values=np.array([[1, 0], [100, 0], [3, 0]], np.int64),
        known=np.array([[True, False]] * 3),
    )
    walks = Walks(goal=Const(1), observations=(OBSERVATION, Observation("never", "", (("", Const(0)),))))

    (found,) = statistics(walks, sample)

    assert (found.observation, found.walks, found.mean, found.maximum) == ("releases", 2, 2.0, 3)


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
