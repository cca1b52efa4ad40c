"""Limits of the chance that a sum of times is late: closed forms, drawn sums, and rounding both paths."""

from __future__ import annotations

import random
from math import exp

import pytest

from angarium.mesh.distributions import Part
from angarium.mesh.probability import limits
from angarium.mesh.probability.limits import certainly_late, late
from tests.mesh.probability.meshes import drawn

E3 = Part("exponential", 3)


def erlang(count: int, mean: float, time: float) -> float:
    """The chance that a sum of exponential times is longer."""
    x, term, total = time / mean, 1.0, 1.0
    for number in range(1, count):
        term *= x / number
        total += term
    return exp(-x) * total


@pytest.mark.parametrize("count", [2, 3, 6])
def test_the_limits_enclose_a_sum_of_exponential_times(count: int) -> None:
    low, high = late(1.0, (E3,) * count, 21.0)

    assert low <= erlang(count, 3, 20) <= high
    assert high - low < 1e-3


@pytest.mark.parametrize("bound", [3.0, 8.0, 13.0])
def test_the_limits_enclose_a_sum_of_two_uniform_times(bound: float) -> None:
    uniform = Part("uniform", 0, 10)
    triangle = 1 - bound**2 / 200 if bound <= 10 else (20 - bound) ** 2 / 200

    low, high = late(0, (uniform, uniform), bound)

    assert low <= triangle <= high
    assert high - low < 1e-3


def test_the_limits_enclose_what_is_drawn() -> None:
    parts = (Part("exponential", 2), Part("normal", 1, 4), Part("uniform", 1, 5))
    dice = random.Random(3)

    low, high = late(2, parts, 14)
    share = sum(sum(drawn(part, dice) for part in parts) > 12 for _ in range(40_000)) / 40_000

    assert low - 0.006 < share < high + 0.006


def test_more_cells_bring_the_limits_together(monkeypatch: pytest.MonkeyPatch) -> None:
    gaps = []
    for cells in (63, 1023):
        monkeypatch.setattr(limits, "CELLS", cells)
        late.cache_clear()
        low, high = late(0, (E3, E3), 10)
        gaps.append(high - low)
        assert low <= erlang(2, 3, 10) <= high
    late.cache_clear()

    assert gaps[1] < gaps[0] / 10


def test_one_part_has_its_formula_and_no_gap() -> None:
    low, high = late(4, (E3,), 10)

    assert low == high == pytest.approx(exp(-2))


@pytest.mark.parametrize(
    ("constant", "parts", "bound", "always"),
    [
        (5.0, (), 5.0, False),
        (5.1, (), 5.0, True),
        (0.1 + 0.2, (), 0.3, False),
        (5.0, (Part("uniform", 1, 2),), 7.0, False),
        (5.0, (Part("uniform", 1, 2),), 5.5, True),
        (5.0, (E3,), 5.0, True),
        (5.0, (E3,), None, False),
        (5.0, (Part("uniform", 1, 2),), 6.5, None),
    ],
)
def test_what_is_certain_is_known(
    constant: float, parts: tuple[Part, ...], bound: float | None, always: bool | None
) -> None:
    assert certainly_late(constant, parts, bound) is always
    if always is not None:
        assert late(constant, parts, bound) == (float(always), float(always))
