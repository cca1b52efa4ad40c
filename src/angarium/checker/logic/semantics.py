"""What formulas of LTL and fairness mean, written down as plainly as possible.

A run that repeats itself for ever is a *lasso*: finitely many moments, each followed by the next and the
last by the one with which the repeated part begins. An operator over time is the fixpoint of what it says
of a moment and its successor: the least one for those that promise something (F, U), the greatest for the
others (G, W, R).

Every run that is shown as evidence is judged by this file before it is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_

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
from angarium.checker.logic.fairness import Classes

Letter = Callable[[Atom], bool]
"""Which atoms are true at a moment."""
Truths = list[bool]
"""Of a formula, at each moment of a lasso."""

_GOES_ON: dict[TimeOp, Callable[[bool, bool, bool], bool]] = {
    "F": lambda _left, right, later: right or later,
    "G": lambda _left, right, later: right and later,
    "U": lambda left, right, later: right or (left and later),
    "W": lambda left, right, later: right or (left and later),
    "R": lambda left, right, later: right and (left or later),
}
"""What an operator says of a moment, given its operands there and what it says of the next moment."""
_GREATEST: tuple[TimeOp, ...] = ("G", "W", "R")


def true_on_lasso(formula: Formula, letters: Sequence[Letter], cycle: int) -> bool:
    """Whether a formula is true of the run that goes through the letters and from `cycle` on again."""
    return truths(formula, letters, cycle)[0]


def truths(formula: Formula, letters: Sequence[Letter], cycle: int) -> Truths:
    """At which moments a formula is true of the rest of the run."""
    match formula:
        case Atom():
            return [letter(formula) for letter in letters]
        case Truth(value):
            return [value] * len(letters)
        case Negation(operand):
            return [not each for each in truths(operand, letters, cycle)]
        case Conjunction(parts):
            return _each_moment(all, parts, letters, cycle)
        case Disjunction(parts):
            return _each_moment(any, parts, letters, cycle)
        case Implies(left, right):
            return truths(Disjunction((Negation(left), right)), letters, cycle)
        case Over(op, operands):
            return _over(op, [truths(operand, letters, cycle) for operand in operands], cycle)
        case _:
            raise TypeError(f"not a formula of LTL: {formula}")


def _each_moment(
    join: Callable[[Iterable[bool]], bool], parts: Sequence[Formula], letters: Sequence[Letter], cycle: int
) -> Truths:
    inside = [truths(part, letters, cycle) for part in parts]
    return [join(each[moment] for each in inside) for moment in range(len(letters))]


def _over(op: TimeOp, operands: Sequence[Truths], cycle: int) -> Truths:
    left, right = operands[0], operands[-1]
    if op == "X":
        return [*right[1:], right[cycle]]
    found, before = [op in _GREATEST] * len(right), Truths()
    while found != before:
        before = list(found)
        for moment in reversed(range(len(right))):
            later = found[moment + 1] if moment + 1 < len(right) else found[cycle]
            found[moment] = _GOES_ON[op](left[moment], right[moment], later)
    return found


@dataclass(frozen=True, slots=True)
class Moment:
    """One moment of the repeated part of a run: which steps are possible, and which one is taken."""

    possible: frozenset[int]
    """The labels of the steps that lead to another state."""
    taken: int | None
    """The label of the step; None if it does not lead to another state."""


def is_fair(classes: Classes, cycle: Sequence[Moment]) -> bool:
    """Whether a run that repeats some moments for ever is fair."""
    owed = zip(classes.members.tolist(), classes.weak.tolist(), classes.strong.tolist(), strict=True)
    return not any(_starves(members, weak, strong, cycle) for members, weak, strong in owed)


def _starves(members: Sequence[int], weak: int, strong: int, cycle: Sequence[Moment]) -> bool:
    possible = [reduce(or_, (members[label] for label in each.possible), 0) for each in cycle]
    taken = reduce(or_, (members[each.taken] for each in cycle if each.taken is not None), 0)
    return bool((weak & reduce(and_, possible) | strong & reduce(or_, possible)) & ~taken)
