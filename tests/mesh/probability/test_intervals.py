"""Clopper and Pearson's limits: known values, what they promise, and sums over classes."""

from __future__ import annotations

from math import comb

import pytest

from angarium.mesh.probability.limits import Class, beta_share, between, together


def at_least(hits: int, tries: int, chance: float) -> float:
    """The chance of so many hits or more."""
    return sum(comb(tries, n) * chance**n * (1 - chance) ** (tries - n) for n in range(hits, tries + 1))


@pytest.mark.parametrize(("hits", "tries"), [(0, 10), (1, 20), (7, 50), (50, 50)])
def test_each_limit_is_wrong_with_half_of_the_doubt(hits: int, tries: int) -> None:
    low, high = between(hits, tries, 0.05)

    assert low == 0 if hits == 0 else at_least(hits, tries, low) == pytest.approx(0.025)
    assert high == 1 if hits == tries else 1 - at_least(hits + 1, tries, high) == pytest.approx(0.025)


def test_nothing_seen_in_many_tries_is_still_possible() -> None:
    low, high = between(0, 1_000_000, 0.05)

    assert low == 0
    assert high == pytest.approx(3.689e-6, rel=1e-3)


def test_without_tries_anything_is_possible() -> None:
    assert between(0, 0, 0.05) == (0.0, 1.0)


def test_the_beta_function_is_that_of_binomial_sums() -> None:
    assert beta_share(0.3, 4, 7) == pytest.approx(at_least(4, 10, 0.3))
    assert (beta_share(0, 4, 7), beta_share(1, 4, 7)) == (0, 1)


@pytest.mark.parametrize("chance", [0.003, 0.04, 0.5])
def test_the_limits_of_classes_hold_as_often_as_they_say(chance: float) -> None:
    weights, tries = (0.9, 0.1), (60, 20)
    covered = 0.0
    for one in range(tries[0] + 1):
        for other in range(tries[1] + 1):
            classes = [Class(weights[0], tries[0], one), Class(weights[1], tries[1], other)]
            found = together(classes, 0.0, 0.9)
            likely = _exactly(one, tries[0], chance) * _exactly(other, tries[1], chance)
            covered += likely * (found.low <= chance <= found.high)

    assert covered >= 0.9


def _exactly(hits: int, tries: int, chance: float) -> float:
    return comb(tries, hits) * chance**hits * (1 - chance) ** (tries - hits)


def test_what_is_certain_has_no_doubt_and_what_is_left_out_counts_as_a_hit() -> None:
    classes = [Class(0.75, 10, 0, certain=True), Class(0.125, 4, 4, certain=True)]

    found = together(classes, 0.125, 0.95)

    assert (found.low, found.value, found.high) == (0.125, 0.125, 0.25)
