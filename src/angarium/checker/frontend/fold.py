"""Expressions that simplify as they are built.

Parameters are constants by the time a model is compiled, so most of what a model says about them can be
decided here: a guard that can never be true takes its action with it, a switched-off feature costs nothing.

>>> binary("+", Const(1), Const(2))
Const(value=3)
>>> binary("and", Const(0), Local("x"))
Const(value=0)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from angarium.checker.ir.syntax import OPERATIONS, Binary, BinaryOp, Const, Expr, IfElse, Local, Not, Read

TRUE, FALSE, ZERO, ONE = Const(1), Const(0), Const(0), Const(1)

_NEGATED: dict[str, BinaryOp] = {
    "==": "!=",
    "!=": "==",
    "<": ">=",
    ">=": "<",
    ">": "<=",
    "<=": ">",
}
_NEUTRAL_RIGHT = {"+": 0, "-": 0, "*": 1, "//": 1}
_NEUTRAL_LEFT = {"+": 0, "*": 1}


class Bounds(Protocol):
    """What has a lowest and a highest number."""

    @property
    def low(self) -> int: ...
    @property
    def high(self) -> int: ...


def binary(op: BinaryOp, left: Expr, right: Expr, at: int = 0) -> Expr:
    """An operation, computed now if that is possible."""
    if op in ("and", "or"):
        return _logical(op, left, right)
    if isinstance(left, Const) and isinstance(right, Const):
        if op not in ("//", "%") or right.value:
            return Const(int(OPERATIONS[op](left.value, right.value)))
    elif isinstance(right, Const) and _NEUTRAL_RIGHT.get(op) == right.value:
        return left
    elif isinstance(left, Const) and _NEUTRAL_LEFT.get(op) == left.value:
        return right
    return Binary(op, left, right, at)


def _logical(op: BinaryOp, left: Expr, right: Expr) -> Expr:
    decided = 0 if op == "and" else 1
    if isinstance(left, Const):
        return left if left.value == decided else right
    if isinstance(right, Const) and right.value != decided:
        return left
    return Binary(op, left, right)


def negation(operand: Expr) -> Expr:
    """Not the operand."""
    match operand:
        case Const(value):
            return Const(int(not value))
        case Not(inner):
            return inner
        case Binary(op, left, right, at) if op in _NEGATED:
            return Binary(_NEGATED[op], left, right, at)
        case _:
            return Not(operand)


def if_else(condition: Expr, then: Expr, otherwise: Expr) -> Expr:
    """One of two expressions, chosen now if that is possible."""
    if isinstance(condition, Const):
        return then if condition.value else otherwise
    return IfElse(condition, then, otherwise)


def conjunction(parts: Iterable[Expr]) -> Expr:
    """All of the parts, from left to right."""
    whole: Expr = TRUE
    for part in parts:
        whole = binary("and", whole, part)
    return whole


def between(expr: Expr, bounds: Bounds) -> Expr:
    """Whether a number is in a range."""
    return binary("and", binary(">=", expr, Const(bounds.low)), binary("<=", expr, Const(bounds.high)))


def disjunction(parts: Iterable[Expr]) -> Expr:
    """Any of the parts, from left to right."""
    whole: Expr = FALSE
    for part in parts:
        whole = binary("or", whole, part)
    return whole


def is_simple(expr: Expr) -> bool:
    """Whether it costs nothing to write the expression twice, or not at all: it cannot fail."""
    match expr:
        case Read(_, Const(index)):
            return index >= 0
    return isinstance(expr, Const | Local)
