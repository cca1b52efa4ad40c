"""Interval arithmetic: between which bounds the value of an expression must lie.

The kernel's emitter computes an interval beside each value, from the ranges of variables,
parameters and loops. A check that the interval proves needless (an index that is never outside,
a divisor that is never 0) is not emitted, and a value with one possible outcome is a constant.
Intervals only ever over-estimate; `ANY` is what is known of a value of which nothing is known.
Bounds are clipped to 64 bits; `overflows` says where a result may lie beyond them. The lowest number of 64
bits is left out: its opposite does not exist, and it serves as a sign of failure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from angarium.checker.ir.syntax import OPERATIONS, BinaryOp

HIGHEST = 2**63 - 1
LOWEST = -HIGHEST


@dataclass(frozen=True, slots=True)
class Interval:
    """All integers from low to high, both included."""

    low: int
    high: int

    @property
    def single(self) -> bool:
        return self.low == self.high

    def inside(self, low: int, high: int) -> bool:
        """Whether every value lies in low .. high."""
        return low <= self.low and self.high <= high

    def holds(self, value: int) -> bool:
        return self.low <= value <= self.high

    def join(self, other: Interval) -> Interval:
        """What is known of a value that comes from one of two places."""
        return Interval(min(self.low, other.low), max(self.high, other.high))

    def meet(self, other: Interval) -> Interval:
        """What is known of a value that lies in another interval too: the other one if nothing is in both."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Interval(low, high) if low <= high else other


ANY = Interval(LOWEST, HIGHEST)
TRUTH = Interval(0, 1)


def exactly(value: int) -> Interval:
    return Interval(value, value)


def hull(*values: int) -> Interval:
    """The smallest interval around some values, clipped."""
    return Interval(max(LOWEST, min(values)), min(HIGHEST, max(values)))


def overflows(op: BinaryOp, left: Interval, right: Interval) -> bool:
    """Whether a result may need more than 64 bits."""
    ends = [OPERATIONS[op](x, y) for x in (left.low, left.high) for y in (right.low, right.high)]
    return min(ends) < LOWEST or max(ends) > HIGHEST


def add(left: Interval, right: Interval) -> Interval:
    return hull(left.low + right.low, left.high + right.high)


def subtract(left: Interval, right: Interval) -> Interval:
    return hull(left.low - right.high, left.high - right.low)


def multiply(left: Interval, right: Interval) -> Interval:
    return hull(*(x * y for x in (left.low, left.high) for y in (right.low, right.high)))


def floor_divide(left: Interval, right: Interval) -> Interval:
    """Of the quotients that exist: 0 as a divisor is left out."""
    ends = (right.low, right.high, -1, 1)
    divisors = [d for d in ends if d != 0 and right.holds(d)]
    return hull(*(x // d for x in (left.low, left.high) for d in divisors)) if divisors else ANY


def modulo(left: Interval, right: Interval) -> Interval:
    """Python's remainder has the sign of the divisor."""
    if right.low > 0 and left.inside(0, right.low - 1):
        return left
    return hull(min(right.low + 1, 0), max(right.high - 1, 0))


def repeated(body: Interval, times: int) -> Interval:
    """The sum of at most so many values."""
    return hull(0, times * body.low, times * body.high)


def _truth(always: bool, never: bool) -> Interval:
    return exactly(1) if always else exactly(0) if never else TRUTH


def less(left: Interval, right: Interval) -> Interval:
    return _truth(left.high < right.low, left.low >= right.high)


def less_equal(left: Interval, right: Interval) -> Interval:
    return _truth(left.high <= right.low, left.low > right.high)


def equal(left: Interval, right: Interval) -> Interval:
    same = left.single and left == right
    return _truth(same, left.high < right.low or right.high < left.low)


def negate(truth: Interval) -> Interval:
    return subtract(exactly(1), truth)


COMPARISONS: dict[str, Callable[[Interval, Interval], Interval]] = {
    "==": equal,
    "!=": lambda left, right: negate(equal(left, right)),
    "<": less,
    "<=": less_equal,
    ">": lambda left, right: less(right, left),
    ">=": lambda left, right: less_equal(right, left),
}
