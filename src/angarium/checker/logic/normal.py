"""Formulas of LTL in a form that automata are made from.

In *negation normal form* only atoms are negated, implications are gone, and so is W: p W q says what q R (p
or q) says. On the way formulas are made simpler where that is cheap, because each until and each
disjunction that is left costs states of the automaton. Formulas that speak only of what happens for ever,
such as `always eventually p`, have the same truth all along a run: what is said of their future is said of
them now.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from angarium.checker.ir.formula import (
    Atom,
    Conjunction,
    Disjunction,
    Formula,
    Implies,
    Negation,
    Over,
    TimeOp,
    Truth,
)

TRUE, FALSE = Truth(True), Truth(False)
_DUAL: dict[TimeOp, TimeOp] = {"X": "X", "F": "G", "G": "F", "U": "R", "R": "U"}


def normal(formula: Formula) -> Formula:
    """The negation normal form of a formula, made simpler."""
    return _normal(formula, True)


def opposite(formula: Formula) -> Formula:
    """The negation normal form of what a formula denies."""
    return _normal(formula, False)


def _normal(formula: Formula, positive: bool) -> Formula:
    match formula:
        case Atom():
            return formula if positive else Negation(formula)
        case Truth(value):
            return Truth(value == positive)
        case Negation(operand):
            return _normal(operand, not positive)
        case Implies(left, right):
            return _join(positive, (_normal(left, not positive), _normal(right, positive)))
        case Conjunction(parts) | Disjunction(parts):
            either = isinstance(formula, Disjunction) == positive
            return _join(either, [_normal(part, positive) for part in parts])
        case Over(op, operands):
            return _over(op, operands, positive)
        case _:
            raise TypeError(f"not a formula of LTL: {formula}")


def _over(op: TimeOp, operands: tuple[Formula, ...], positive: bool) -> Formula:
    if op == "W":
        left, right = operands
        return _over("R", (right, Disjunction((left, right))), positive)
    inside = tuple(_normal(operand, positive) for operand in operands)
    return over(op if positive else _DUAL[op], inside)


def _join(either: bool, parts: Iterable[Formula]) -> Formula:
    return any_of(parts) if either else all_of(parts)


# --- joining formulas -----------------------------------------------------------------------------


def all_of(parts: Iterable[Formula]) -> Formula:
    """A conjunction."""
    found = _together(_flat(Conjunction, parts), "G", Conjunction)
    if FALSE in found or _contradict(found):
        return FALSE
    left = tuple(part for part in found if part != TRUE)
    return left[0] if len(left) == 1 else Conjunction(left) if left else TRUE


def any_of(parts: Iterable[Formula]) -> Formula:
    """A disjunction."""
    found = _together(_flat(Disjunction, parts), "F", Disjunction)
    if TRUE in found or _contradict(found):
        return TRUE
    left = tuple(part for part in found if part != FALSE)
    return left[0] if len(left) == 1 else Disjunction(left) if left else FALSE


def _flat(kind: type[Conjunction | Disjunction], parts: Iterable[Formula]) -> Iterator[Formula]:
    for part in parts:
        if isinstance(part, Conjunction | Disjunction) and isinstance(part, kind):
            yield from part.parts
        else:
            yield part


def _together(
    parts: Iterable[Formula], op: Literal["F", "G"], kind: type[Conjunction | Disjunction]
) -> list[Formula]:
    """Distinct parts; always p and always q is always (p and q), and so for either and eventually."""
    found = list(dict.fromkeys(parts))
    for pattern in (op, _around(op)):
        alike = [_inside(part, pattern) for part in found]
        inner = [each for each in alike if each is not None]
        if len(inner) > 1:
            rest = [part for part, each in zip(found, alike, strict=True) if each is None]
            joined = all_of(inner) if kind is Conjunction else any_of(inner)
            found = [*rest, _wrapped(joined, pattern)]
    return list(dict.fromkeys(found))


def _around(op: Literal["F", "G"]) -> str:
    return "FG" if op == "G" else "GF"


def _inside(formula: Formula, pattern: str) -> Formula | None:
    """What stands inside the operators, if they are the outermost ones."""
    for op in pattern:
        if not isinstance(formula, Over) or formula.op != op:
            return None
        formula = formula.operands[0]
    return formula


def _wrapped(formula: Formula, pattern: str) -> Formula:
    for op in reversed(pattern):
        formula = over("F" if op == "F" else "G", (formula,))
    return formula


def _contradict(parts: list[Formula]) -> bool:
    return any(isinstance(part, Negation) and part.operand in parts for part in parts)


# --- operators over time --------------------------------------------------------------------------


def over(op: TimeOp, operands: tuple[Formula, ...]) -> Formula:
    """An operator (not W) on formulas in normal form."""
    last = operands[-1]
    if isinstance(last, Truth) or lasting(last):
        return last
    if len(operands) == 1:
        return _one(op, last)
    return _two(op, operands[0], last)


def lasting(formula: Formula) -> bool:
    """Whether a formula has the same truth all along a run."""
    match formula:
        case Over("F", (Over("G"),)) | Over("G", (Over("F"),)):
            return True
        case Conjunction(parts) | Disjunction(parts):
            return all(map(lasting, parts))
        case _:
            return False


def _one(op: TimeOp, operand: Formula) -> Formula:
    match op, operand:
        case ("F", Over("F")) | ("G", Over("G")):
            return operand
        case ("F", Over("U", (_, right))) | ("G", Over("R", (_, right))):
            return over(op, (right,))
        case ("F" | "G", Over("X", (inner,))):
            return over("X", (over(op, (inner,)),))
        case _:
            return Over(op, (operand,))


def _two(op: TimeOp, left: Formula, right: Formula) -> Formula:
    """Until and release: eventually and always are those with a constant on the left."""
    alone: TimeOp = "F" if op == "U" else "G"
    if left == Truth(op == "R") or left == right or (isinstance(right, Over) and right.op == alone):
        return right
    if left == Truth(op == "U"):
        return over(alone, (right,))
    return Over(op, (left, right))
