"""Conditions that protect what stands behind them, also when they are parts of a formula.

The atoms of a formula are evaluated in every state, each for itself. But `implies(line, line[0] == x)` asks
for the first item only where there is one. So an atom that may fail is evaluated only where what stands
before it at the same moment lets it matter; elsewhere it counts as false, and the formula is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from angarium.checker.frontend.fold import TRUE, binary, negation
from angarium.checker.frontend.scan import expressions
from angarium.checker.ir.formula import (
    Atom,
    Conjunction,
    Disjunction,
    Formula,
    Implies,
    Negation,
    Over,
    Quantified,
)
from angarium.checker.ir.syntax import Binary, Call, Const, Expr, Read, Reduce, Within


def guarded(formula: Formula, guard: Expr = TRUE) -> Formula:
    """The formula, in which an atom is evaluated only where it matters."""
    match formula:
        case Atom(condition) if _may_fail(condition):
            return replace(formula, condition=binary("and", guard, condition))
        case Negation(operand):
            return Negation(guarded(operand, guard))
        case Conjunction(parts):
            return Conjunction(_in_order(parts, guard, lambda condition: condition))
        case Disjunction(parts):
            return Disjunction(_in_order(parts, guard, negation))
        case Implies(left, right):
            behind = binary("and", guard, left.condition) if isinstance(left, Atom) else guard
            return replace(formula, left=guarded(left, guard), right=guarded(right, behind))
        case Over(operands=operands) | Quantified(operands=operands):
            return replace(formula, operands=tuple(map(guarded, operands)))
        case _:
            return formula


def _in_order(
    parts: tuple[Formula, ...], guard: Expr, lets_pass: Callable[[Expr], Expr]
) -> tuple[Formula, ...]:
    found = []
    for part in parts:
        found.append(guarded(part, guard))
        if isinstance(part, Atom):
            guard = binary("and", guard, lets_pass(part.condition))
    return tuple(found)


def _may_fail(expr: Expr) -> bool:
    return any(_may_fail_here(each) for each in expressions(expr))


def _may_fail_here(expr: Expr) -> bool:
    match expr:
        case Read(_, index):
            return not isinstance(index, Const) or index.value < 0
        case Binary(op):
            return op in ("//", "%")
        case Reduce(op, empty=None):
            return op in ("min", "max")
    return isinstance(expr, Call | Within)
