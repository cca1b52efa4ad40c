"""Expressions in one form: folded further than `fold` does, for whoever compares expressions.

Constants move outwards, so that a cell's offset meets the constant it is compared with; of the four orders
only `<=` and `>` are left; a condition is 0 or 1. Neither the value changes nor whether there is one:
`x // y * 0` is not 0 where y is 0, and the right side of `and` goes only where the left side is the constant
that makes it unreachable.

    x + 2 < 5        ->  x <= 2
    3 == x - 1       ->  x == 4
    not (x <= y)     ->  x > y
"""

from __future__ import annotations

from collections.abc import Callable

from angarium.checker.ir import fold
from angarium.checker.ir.fold import FALSE, TRUE
from angarium.checker.ir.syntax import (
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

FAILS = Binary("//", Const(1), Const(0))
"""An expression that fails wherever it is evaluated."""

_MIRROR: dict[BinaryOp, BinaryOp] = {
    "==": "==",
    "!=": "!=",
    "<": ">",
    "<=": ">=",
    ">": "<",
    ">=": "<=",
}


def is_truth(expr: Expr) -> bool:
    """Whether the value is 0 or 1 by the expression's form."""
    match expr:
        case Const(value):
            return value in (0, 1)
        case Binary(op):
            return op in _MIRROR or op in ("and", "or")
        case IfElse(_, then, otherwise):
            return is_truth(then) and is_truth(otherwise)
        case LetIn(_, _, body):
            return is_truth(body)
    return isinstance(expr, Not)


def truth(expr: Expr) -> Expr:
    """0 if the value is 0, else 1."""
    return expr if is_truth(expr) else binary("!=", expr, Const(0))


def negate(expr: Expr) -> Expr:
    """1 if the value is 0, else 0."""
    return truth(expr.operand) if isinstance(expr, Not) else fold.negation(expr)


def choose(condition: Expr, then: Expr, otherwise: Expr) -> Expr:
    """One of two expressions."""
    if then == TRUE and otherwise == FALSE:
        return truth(condition)
    return fold.if_else(condition, then, otherwise)


def conjunction(*terms: Expr) -> Expr:
    """All of the terms, from left to right."""
    return fold.joined("and", terms, binary)


def conjuncts(expr: Expr) -> tuple[Expr, ...]:
    """The terms of which an expression is the conjunction, from left to right."""
    match expr:
        case Binary("and", left, right):
            return conjuncts(left) + conjuncts(right)
    return (expr,)


def disjunction(*terms: Expr) -> Expr:
    """One of the terms, from left to right."""
    return fold.joined("or", terms, binary)


def binary(op: BinaryOp, left: Expr, right: Expr, at: int = 0) -> Expr:
    """An operation on two expressions."""
    if op in ("and", "or"):
        return _logical(op, left, right)
    if isinstance(left, Const) and isinstance(right, Const):
        return fold.binary(op, left, right, at)
    if op in _MIRROR:
        return _comparison(op, left, right, at)
    if op == "-" and isinstance(right, Const):
        return _sum(left, -right.value)
    if op in ("+", "*") and isinstance(left, Const):
        left, right = right, left
    if op == "+" and isinstance(right, Const):
        return _sum(left, right.value)
    return fold.binary(op, left, right, at)


def _logical(op: BinaryOp, left: Expr, right: Expr) -> Expr:
    neutral = TRUE if op == "and" else FALSE
    if isinstance(left, Const):
        return truth(right) if bool(left.value) == bool(neutral.value) else truth_of(left)
    if right == neutral:
        return truth(left)
    return Binary(op, left, right)


def truth_of(constant: Const) -> Const:
    """A constant as 0 or 1."""
    return Const(int(bool(constant.value)))


def _sum(expr: Expr, number: int) -> Expr:
    base, offset = split(expr)
    total = offset + number
    return Binary("+", base, Const(total)) if total else base


def _comparison(op: BinaryOp, left: Expr, right: Expr, at: int) -> Expr:
    if isinstance(left, Const):
        op, left, right = _MIRROR[op], right, left
    base, offset = split(left)
    if isinstance(right, Const):
        return _against(op, base, right.value - offset, at)
    other, shift = split(right)
    return Binary(op, _sum(base, offset - shift), other, at)


def _against(op: BinaryOp, expr: Expr, number: int, at: int) -> Expr:
    """A comparison with a constant, in one form: only `<=` and `>` of the four."""
    match op:
        case "<":
            return Binary("<=", expr, Const(number - 1), at)
        case ">=":
            return Binary(">", expr, Const(number - 1), at)
    return Binary(op, expr, Const(number), at)


def split(expr: Expr) -> tuple[Expr, int]:
    """An expression as something and the constant that is added to it."""
    match expr:
        case Binary("+", base, Const(value)):
            return base, value
    return expr, 0


def within(value: Expr, low: int, high: int, what: str, at: int) -> Expr:
    """A value that must lie in a range, if it is not known to."""
    known = isinstance(value, Const) and low <= value.value <= high
    return value if known else Within(value, low, high, what, at)


def rebuild(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """The expression with a change made to each of its direct parts."""
    match expr:
        case Const() | Local():
            return expr
        case Read(variable, index, at):
            return Read(variable, change(index), at)
        case Binary(op, left, right, at):
            return binary(op, change(left), change(right), at)
        case Not(operand):
            return negate(change(operand))
        case IfElse(condition, then, otherwise):
            return choose(change(condition), change(then), change(otherwise))
        case LetIn(name, value, body):
            return LetIn(name, change(value), change(body))
        case Call(helper, arguments):
            return Call(helper, tuple(change(each) for each in arguments))
        case Within(value, low, high, what, at):
            return within(change(value), low, high, what, at)
        case Reduce():
            raise TypeError("a comprehension is unrolled before it is rebuilt")
