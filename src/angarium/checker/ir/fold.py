"""Expressions that simplify as they are built, and keep the form in which a model has them.

Parameters are constants by the time a model is compiled, so most of what a model says about them can be
decided here: a guard that can never be true takes its action with it, a switched-off feature costs nothing.
What people read and what addresses depend on is built by this module; `normal_form` folds further.

    binary("+", Const(1), Const(2))          ->  Const(3)
    binary("and", Const(0), Local("x"))      ->  Const(0)

`pruned` asks what a block can touch once some of its names are known to be numbers; the result never runs:

    known: sent = 2
    If(sent == 1, (Write("x", ...),))        ->  nothing: this branch is never taken
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, Protocol

from angarium.checker.ir.syntax import (
    OPERATIONS,
    Binary,
    BinaryOp,
    Block,
    Const,
    Expr,
    For,
    If,
    IfElse,
    Let,
    Local,
    Not,
    Read,
    Stmt,
)
from angarium.checker.ir.traversal import statements

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
    return joined("and", parts)


def disjunction(parts: Iterable[Expr]) -> Expr:
    """Any of the parts, from left to right."""
    return joined("or", parts)


def between(expr: Expr, bounds: Bounds) -> Expr:
    """Whether a number is in a range."""
    return binary("and", binary(">=", expr, Const(bounds.low)), binary("<=", expr, Const(bounds.high)))


def joined(
    op: Literal["and", "or"], parts: Iterable[Expr], build: Callable[[BinaryOp, Expr, Expr], Expr] = binary
) -> Expr:
    """The parts joined by an operation, from left to right; TRUE or FALSE if there are none."""
    whole: Expr = TRUE if op == "and" else FALSE
    for part in parts:
        whole = build(op, whole, part)
    return whole


def is_simple(expr: Expr) -> bool:
    """Whether it costs nothing to write the expression twice, or not at all: it cannot fail."""
    match expr:
        case Read(_, Const(index)):
            return index >= 0
    return isinstance(expr, Const | Local)


Known = dict[str, Const]


def pruned(block: Block, known: Known) -> Block:
    """The statements that may run, given what is known; what a `Let` binds to a number becomes known."""
    return tuple(left for statement in block for left in _pruned(statement, known))


def _pruned(statement: Stmt, known: Known) -> Block:
    match statement:
        case Let(name, value):
            known.pop(name, None)
            settled = _settled(value, known)
            if isinstance(settled, Const):
                known[name] = settled
        case If(condition, then, otherwise):
            settled = _settled(condition, known)
            if isinstance(settled, Const):
                return pruned(then if settled.value else otherwise, known)
            _forget(known, (*then, *otherwise))
            return (If(condition, pruned(then, dict(known)), pruned(otherwise, dict(known))),)
        case For(name, low, high, body):
            _forget(known, body)
            return (For(name, low, high, pruned(body, dict(known))),)
    return (statement,)


def _forget(known: Known, block: Block) -> None:
    for statement in statements(block):
        if isinstance(statement, Let):
            known.pop(statement.name, None)


def _settled(expr: Expr, known: Known) -> Expr:
    """An expression with what is known filled in, as far as it can be computed."""
    match expr:
        case Local(name):
            return known.get(name, expr)
        case Binary(op, left, right, at):
            return binary(op, _settled(left, known), _settled(right, known), at)
        case Not(operand):
            return negation(_settled(operand, known))
    return expr
