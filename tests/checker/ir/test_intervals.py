"""Intervals hold every value that an operation can have."""

from __future__ import annotations

import operator
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from angarium.checker.ir import intervals
from angarium.checker.ir.intervals import COMPARISONS, Interval

Operation = Callable[[Interval, Interval], Interval]
EXACT: list[tuple[Operation, Callable[[int, int], int]]] = [
    (intervals.add, operator.add),
    (intervals.subtract, operator.sub),
    (intervals.multiply, operator.mul),
    (intervals.floor_divide, operator.floordiv),
    (intervals.modulo, operator.mod),
    (COMPARISONS["=="], operator.eq),
    (COMPARISONS["!="], operator.ne),
    (COMPARISONS["<"], operator.lt),
    (COMPARISONS["<="], operator.le),
    (COMPARISONS[">"], operator.gt),
    (COMPARISONS[">="], operator.ge),
]
numbers = st.integers(-7, 7)


@st.composite
def around(draw: st.DrawFn) -> tuple[Interval, int]:
    low, value, high = sorted(draw(st.tuples(numbers, numbers, numbers)))
    return Interval(low, high), value


@pytest.mark.parametrize(("ranged", "exact"), EXACT)
@given(left=around(), right=around())
def test_every_outcome_is_inside(
    ranged: Operation,
    exact: Callable[[int, int], int],
    left: tuple[Interval, int],
    right: tuple[Interval, int],
) -> None:
    if exact in (operator.floordiv, operator.mod) and right[1] == 0:
        return
    assert ranged(left[0], right[0]).holds(exact(left[1], right[1]))


def test_single_outcomes_are_recognised() -> None:
    assert COMPARISONS["<"](Interval(0, 2), Interval(3, 5)) == Interval(1, 1)
    assert COMPARISONS["=="](Interval(0, 2), Interval(3, 5)) == Interval(0, 0)
    assert intervals.modulo(Interval(0, 2), Interval(3, 3)) == Interval(0, 2)


def test_bounds_are_clipped_to_64_bits() -> None:
    assert intervals.multiply(intervals.ANY, intervals.ANY) == intervals.ANY
