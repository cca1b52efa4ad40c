"""Intervals: between which two numbers an expression's value lies, wherever it has one.

A variable's cell never leaves its type's range, because a write that would leave it fails. From
there the interval of an expression follows by arithmetic on the ends. It is used to drop checks
that cannot fail, to bound loops, to choose how wide a number must be, and to divide without
minding the sign.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

from angarium.checker.export.fold import parts
from angarium.checker.ir.syntax import (
    Binary,
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

Interval = tuple[int, int]
Scope = Mapping[str, Interval]
"""The interval of each local name."""


def hull(*intervals: Interval) -> Interval:
    """The smallest interval around some."""
    return min(low for low, _ in intervals), max(high for _, high in intervals)


def meet(one: Interval, other: Interval) -> Interval:
    """What lies in both; the other one if nothing does."""
    low, high = max(one[0], other[0]), min(one[1], other[1])
    return (low, high) if low <= high else other


def quotient(left: Interval, right: Interval) -> Interval:
    """Where `left // right` lies, for divisors other than 0."""
    divisors = [d for d in (*right, -1, 1) if d and right[0] <= d <= right[1]] or [1]
    values = [end // divisor for end, divisor in product(left, divisors)]
    return min(values), max(values)


def remainder(left: Interval, right: Interval) -> Interval:
    """Where `left % right` lies, for divisors other than 0."""
    if left[0] >= 0 and left[1] < right[0]:
        return left
    low, high = min(right[0] + 1, 0), max(right[1] - 1, 0)
    return low, min(high, left[1]) if left[0] >= 0 and low == 0 else high


def _product(left: Interval, right: Interval) -> Interval:
    values = [one * other for one, other in product(left, right)]
    return min(values), max(values)


_ARITHMETIC: dict[str, Callable[[Interval, Interval], Interval]] = {
    "+": lambda left, right: (left[0] + right[0], left[1] + right[1]),
    "-": lambda left, right: (left[0] - right[1], left[1] - right[0]),
    "*": _product,
    "//": quotient,
    "%": remainder,
}
_CERTAIN: dict[str, Callable[[Interval, Interval], bool]] = {
    "<": lambda left, right: left[1] < right[0],
    "<=": lambda left, right: left[1] <= right[0],
    ">": lambda left, right: left[0] > right[1],
    ">=": lambda left, right: left[0] >= right[1],
    "==": lambda left, right: left == right and left[0] == left[1],
    "!=": lambda left, right: left[1] < right[0] or left[0] > right[1],
}
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def comparison(op: str, left: Interval, right: Interval) -> Interval:
    """(1, 1) or (0, 0) where the intervals decide a comparison, else (0, 1)."""
    if _CERTAIN[op](left, right):
        return 1, 1
    return (0, 0) if _CERTAIN[_OPPOSITE[op]](left, right) else (0, 1)


class Ranges:
    """The intervals of expressions over one system's variables."""

    def __init__(self, cells: Mapping[str, Interval], call: Callable[[Call, Scope], Interval]) -> None:
        self._cells, self._call = cells, call

    def of(self, expr: Expr, scope: Scope) -> Interval:
        """Where the value of an unrolled expression lies."""
        match expr:
            case Const(value):
                return value, value
            case Local(name):
                return scope[name]
            case Read(variable):
                return self._cells[variable.partition("~")[0]]
            case Binary(op, left, right):
                return self._binary(op, self.of(left, scope), self.of(right, scope))
            case Not(operand) | Within(operand):
                return self._unary(expr, self.of(operand, scope))
            case IfElse(_, then, otherwise):
                return hull(self.of(then, scope), self.of(otherwise, scope))
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
        return hull(self.of(expr, scope), *(self.widest(part, inner) for part in parts(expr)))

    def _unary(self, expr: Not | Within, operand: Interval) -> Interval:
        if isinstance(expr, Within):
            return meet(operand, (expr.low, expr.high))
        low, high = self._truth(operand)
        return 1 - high, 1 - low

    def _binary(self, op: str, left: Interval, right: Interval) -> Interval:
        if op in _ARITHMETIC:
            return _ARITHMETIC[op](left, right)
        if op in _CERTAIN:
            return comparison(op, left, right)
        (low, high), (other_low, other_high) = self._truth(left), self._truth(right)
        if op == "and":
            return low and other_low, high and other_high
        return low or other_low, high or other_high

    @staticmethod
    def _truth(interval: Interval) -> Interval:
        low, high = interval
        return int(low > 0 or high < 0), int((low, high) != (0, 0))
