"""Estimates of the number of states, against recorded searches whose end is known."""

from __future__ import annotations

from itertools import pairwise
from math import exp, log

import pytest

from angarium.checker.explore import estimate
from angarium.checker.explore.estimate import Range, Smaller, carried_depth, carried_states, stretched, whole
from benchmarks.estimates import BANDS, Trial, inside, trials

LEAST = (0.7, 0.85, 0.85, 0.9, 0.9)
"""How often the truth must be between the bounds, by how much was known."""
DOUBLING = [2**n for n in range(12)]


@pytest.fixture(scope="module")
def tried() -> list[Trial]:
    return list(trials())


def bounded(some: list[Trial]) -> list[Trial]:
    return [each for each in some if each.said.high is not None]


# --- how often it is right ---------------------------------------------------------------------


def test_nine_times_of_ten_the_truth_is_between_the_bounds(tried: list[Trial]) -> None:
    assert len(tried) > 1000
    assert inside(bounded(tried)) >= 0.9
    assert len(bounded(tried)) >= 0.6 * len(tried)


@pytest.mark.parametrize(("band", "least"), list(zip(BANDS, LEAST, strict=True)))
def test_also_if_little_is_known(tried: list[Trial], band: tuple[float, float], least: float) -> None:
    some = bounded([each for each in tried if band[0] <= each.part < band[1]])
    assert len(some) >= 20
    assert inside(some) >= least


def test_the_more_is_known_the_nearer_it_comes(tried: list[Trial]) -> None:
    def typical(some: list[Trial]) -> float:
        off = sorted(abs(log((each.said.likely or 1) / each.search.states)) for each in bounded(some))
        return off[len(off) // 2]

    bands = [[each for each in tried if low <= each.part < high] for low, high in BANDS]
    errors = [typical(some) for some in bands]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < log(1.15)


def test_it_shows_if_the_interval_is_too_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimate, "LEAST", 0.95)
    monkeypatch.setattr(estimate, "MOST", 1.05)
    monkeypatch.setattr(estimate, "MOST_IF_TELLING", 1.05)
    assert inside(bounded(list(trials()))) < 0.7


# --- the grounds -------------------------------------------------------------------------------


def test_what_grows_evenly_is_carried_along_one_parameter() -> None:
    smaller = [Smaller((1,), [1, 99, 900]), Smaller((2,), [1, 99])]
    assert carried_states(smaller) == pytest.approx(10_000)
    assert carried_depth(smaller) == pytest.approx(4)


def test_what_multiplies_logarithms_is_carried_across_two() -> None:
    smaller = [Smaller((1, 1), [100]), Smaller((0, 1), [10_000]), Smaller((1, 0), [1_000])]
    assert carried_states(smaller) == pytest.approx(10**6)


def test_what_was_too_large_is_carried_itself() -> None:
    smaller = [Smaller((2,), [1000]), Smaller((3,), [100])]
    assert carried_states(smaller) == pytest.approx(10**5)


@pytest.mark.parametrize(
    "smaller", [[], [Smaller((1,), [500])], [Smaller((1, 0), [500]), Smaller((0, 1), [90])]]
)
def test_too_few_scenarios_carry_nothing(smaller: list[Smaller]) -> None:
    assert carried_states(smaller) is None


def test_nothing_is_carried_very_far() -> None:
    corner = tuple([1] * 6)
    raised = [tuple(int(n != axis) for n in range(6)) for axis in range(6)]
    smaller = [Smaller(place, [100 * (1 + sum(place) % 6)]) for place in (corner, *raised)]
    assert carried_states(smaller) is None


def test_a_curve_is_stretched_in_both_directions() -> None:
    curve = [n * (20 - n) / 8 for n in range(11)]
    small = levels_of(curve)
    large = levels_of([1.3 * each for each in curve])
    smaller = [Smaller((1,), small), Smaller((2,), small)]
    assert stretched(large[:7], smaller) == pytest.approx(sum(large), rel=0.1)
    assert sum(large[:7]) < 0.1 * sum(large)


def levels_of(curve: list[float]) -> list[int]:
    known = [round(exp(each)) for each in curve]
    return [known[0], *(after - before for before, after in pairwise(known))]


# --- what is said of the whole -------------------------------------------------------------------


def test_without_grounds_there_is_no_bound() -> None:
    assert whole(5000, DOUBLING, []) == (Range(5000), [])


def test_what_is_already_refuted_is_no_ground() -> None:
    smaller = [Smaller((1,), [1000]), Smaller((2,), [500])]
    assert whole(sum(DOUBLING), DOUBLING, smaller) == (Range(sum(DOUBLING)), [])


def test_no_bound_is_below_what_was_found() -> None:
    smaller = [Smaller((1,), DOUBLING), Smaller((2,), DOUBLING[:8])]
    said, grounds = whole(60_000, DOUBLING, smaller)
    assert grounds == ["carried"]
    assert said.likely is not None
    assert said.high is not None
    assert 60_000 <= said.low <= said.likely <= said.high
