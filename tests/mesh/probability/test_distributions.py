"""Times that vary: their chances and means, and the chance that something is down."""

from __future__ import annotations

import random
from math import exp

import pytest

from angarium.mesh.distributions import Failing, Part, Varying, parts_of, settled
from tests.mesh.probability.meshes import drawn

PARTS = (
    Part("constant", 5),
    Part("uniform", 2, 8),
    Part("exponential", 3),
    Part("normal", 6, 2),
    Part("normal", 1, 4),
)


def name_of(part: Part) -> str:
    return f"{part.kind} {part.first:g} {part.second:g}"


@pytest.mark.parametrize("part", PARTS, ids=name_of)
def test_mean_and_chances_are_those_of_many_drawn_times(part: Part) -> None:
    dice = random.Random(7)

    times = [drawn(part, dice) for _ in range(20_000)]

    assert sum(times) / len(times) == pytest.approx(part.mean, abs=0.1)
    for time in (1.0, 4.0, 7.0):
        share = sum(each > time for each in times) / len(times)
        assert share == pytest.approx(part.longer(time), abs=0.012)


@pytest.mark.parametrize("part", PARTS, ids=name_of)
def test_nothing_is_quicker_than_the_least_or_slower_than_the_most(part: Part) -> None:
    before, behind = part.least - 0.001, part.most

    assert part.longer(before) == 1.0
    assert part.longer(behind) == 0.0


def test_an_exponential_time_has_its_formula() -> None:
    assert Part("exponential", 4).longer(4) == pytest.approx(exp(-1))


def test_what_does_not_vary_is_told_apart() -> None:
    parts = (Part("constant", 2), Part("exponential", 3), Part("uniform", 4, 4), Part("constant", 1))

    assert settled(parts) == (7, (Part("exponential", 3),))


def test_a_time_without_a_distribution_is_constant() -> None:
    assert parts_of(2.5, None) == (Part("constant", 2.5),)
    assert parts_of(7, Varying((Part("exponential", 7),))) == (Part("exponential", 7),)


def test_something_is_down_for_its_share_of_the_time() -> None:
    assert Failing(mtbf=99, mttr=1).down == 0.01
    assert Failing(mtbf=10, mttr=0).down == 0
