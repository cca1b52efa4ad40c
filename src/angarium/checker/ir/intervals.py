"""Intervals: between which two numbers the value of an expression lies, wherever it has one.

A variable's cell never leaves its range, because a write that would leave it fails. From there the interval
of an expression follows by arithmetic on the ends. The kernel's emitter computes an interval beside each
value, the exporters ask `Ranges`: a check that the interval proves needless (an index that is never outside,
a divisor that is never 0) is left out, and a value with one possible outcome is a constant.

Intervals only ever over-estimate; `ANY` is what is known of a value of which nothing is known. Bounds are
clipped to 64 bits, as what needs more has no value; `overflows` says where a result may lie beyond them. The
lowest number of 64 bits is left out: its opposite does not exist, and it serves as a sign of failure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import NamedTuple

from angarium.checker.ir.syntax import (
    OPERATIONS,
    Binary,
    BinaryOp,
    Call,
    Const,
    Expr,
    IfElse,
    LetIn,
    Local,
    Not,
    Read,
    Reduce,
    Within,
)
from angarium.checker.ir.traversal import parts

HIGHEST = 2**63 - 1
LOWEST = -HIGHEST


class Interval(NamedTuple):
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


Scope = Mapping[str, Interval]
"""The interval of each local name."""


class Fixed(dict[str, Interval]):
    """A scope that does not change any more, so that what is found in it can be kept: by the expression's
    identity, for comparing two takes as long as computing an interval."""

    __slots__ = ("intervals", "simple")

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self.intervals: dict[int, tuple[Expr, Interval]] = {}
        self.simple: dict[int, tuple[Expr, Expr]] = {}
        """Simplified expressions. The first of each pair keeps the identity from being given again."""


def fixed(scope: Scope) -> Fixed:
    """The scope as it is now."""
    return scope if isinstance(scope, Fixed) else Fixed(scope)


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
    low, high = min(right.low + 1, 0), max(right.high - 1, 0)
    return Interval(low, min(high, left.high) if left.low >= 0 and low == 0 else high)


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


def opposite(truth: Interval) -> Interval:
    return subtract(exactly(1), truth)


COMPARISONS: dict[str, Callable[[Interval, Interval], Interval]] = {
    "==": equal,
    "!=": lambda left, right: opposite(equal(left, right)),
    "<": less,
    "<=": less_equal,
    ">": lambda left, right: less(right, left),
    ">=": lambda left, right: less_equal(right, left),
}
ARITHMETIC: dict[str, Callable[[Interval, Interval], Interval]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "//": floor_divide,
    "%": modulo,
}


def truth(interval: Interval) -> Interval:
    """Of a number, whether it is not 0."""
    return opposite(equal(interval, exactly(0)))


class Ranges:
    """The intervals of expressions over one system's variables."""

    def __init__(self, cells: Mapping[str, Interval], call: Callable[[Call, Scope], Interval]) -> None:
        self._cells, self._call = cells, call

    def of(self, expr: Expr, scope: Scope) -> Interval:
        """Where the value of an unrolled expression lies."""
        if not isinstance(scope, Fixed):
            return self._of(expr, scope)
        if (known := scope.intervals.get(id(expr))) is None:
            known = scope.intervals[id(expr)] = (expr, self._of(expr, scope))
        return known[1]

    def _of(self, expr: Expr, scope: Scope) -> Interval:
        match expr:
            case Const(value):
                return exactly(value)
            case Local(name):
                return scope[name]
            case Read(variable):
                return self._cells[variable.partition("~")[0]]
            case Binary(op, left, right):
                return self._binary(op, self.of(left, scope), self.of(right, scope))
            case Not(operand) | Within(operand):
                return self._unary(expr, self.of(operand, scope))
            case IfElse(_, then, otherwise):
                return self.of(then, scope).join(self.of(otherwise, scope))
            case LetIn(name, value, body):
                return self.of(body, {**scope, name: self.of(value, scope)})
            case Call():
                return self._call(expr, scope)
            case Reduce():
                raise TypeError("a comprehension has no interval before it is unrolled")

    def widest(self, expr: Expr, scope: Scope) -> Interval:
        """Around the values of the expression and of everything that is computed for it."""
        inner = scope
        if isinstance(expr, LetIn):
            inner = {**scope, expr.name: self.of(expr.value, scope)}
        parts_of = (self.widest(part, inner) for part in parts(expr))
        return reduce(Interval.join, parts_of, self.of(expr, scope))

    def _unary(self, expr: Not | Within, operand: Interval) -> Interval:
        if isinstance(expr, Within):
            return operand.meet(Interval(expr.low, expr.high))
        return opposite(truth(operand))

    def _binary(self, op: str, left: Interval, right: Interval) -> Interval:
        if op in ARITHMETIC:
            return ARITHMETIC[op](left, right)
        if op in COMPARISONS:
            return COMPARISONS[op](left, right)
        one, other = truth(left), truth(right)
        combine = min if op == "and" else max
        return Interval(combine(one.low, other.low), combine(one.high, other.high))
