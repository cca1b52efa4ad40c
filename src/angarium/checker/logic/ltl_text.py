"""How a run breaks a formula of LTL, as a sentence.

The sentence follows the formula inwards to what is false, and when: it is made for one run, whose moments
say of every part of the formula whether it is true there. Moment n is what is so after step n; moment 0 is
the start.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from angarium.checker.ir.formula import Conjunction, Disjunction, Formula, Implies, Negation, Over, TimeOp
from angarium.checker.logic.semantics import Letter, Truths, truths
from angarium.checker.logic.wording import quoted

AFTER, START, FROM = "after step", "at the start", "from step"


def said(formula: Formula, truth: bool) -> str:
    """That a formula is true, or that it is false."""
    if isinstance(formula, Negation):
        return said(formula.operand, not truth)
    return f"{quoted(formula)} is {'true' if truth else 'false'}"


def how_broken(formula: Formula, letters: Sequence[Letter], cycle: int) -> str:
    """How a run breaks a formula."""
    return _Teller(letters, cycle).false(formula, 0)


def _at(moment: int, why: str) -> str:
    """What is so at a moment, unless it says itself when."""
    if why.startswith((AFTER, START, FROM)):
        return why
    return f"{AFTER} {moment} {why}" if moment else f"{START} {why}"


@dataclass(frozen=True, slots=True)
class _Teller:
    letters: Sequence[Letter]
    cycle: int
    known: dict[Formula, Truths] = field(default_factory=dict)

    def false(self, formula: Formula, now: int) -> str:
        """Why a formula is false at a moment."""
        match formula:
            case Implies(left, right):
                return f"{said(left, True)} and {self.false(right, now)}"
            case Conjunction(parts):
                return self.false(next(part for part in parts if not self._is_true(part, now)), now)
            case Disjunction(parts) if parts:
                return " and ".join(self.false(part, now) for part in parts)
            case Over(op, operands):
                return self._over(op, operands, now)
            case _:
                return said(formula, False)

    def _over(self, op: TimeOp, operands: tuple[Formula, ...], now: int) -> str:
        match op, operands:
            case "X", (operand,):
                return _at(now + 1, self.false(operand, now + 1))
            case "F", (Over("G", (operand,)),):
                return f"{said(operand, False)} again and again"
            case "F", (operand,):
                return self._never(operand, now)
            case "G", (Over("F", (operand,)) as often,):
                return f"{FROM} {self._first_false(often, now)} on {quoted(operand)} is never true"
            case "R", (left, right):
                return f"{self._not_always(right, now)}, and {quoted(left)} was not true before"
            case "U", (_, right) if not any(self._is_true(right, each) for each in self._ahead(now)):
                return self._never(right, now)
            case _:
                return self._not_always(operands[0] if op == "G" else Disjunction(operands), now)

    def _never(self, operand: Formula, now: int) -> str:
        return f"{quoted(operand)} never comes true{' after that' if now else ''}"

    def _not_always(self, operand: Formula, now: int) -> str:
        """When a formula that should stay true is false, and why."""
        moment = self._first_false(operand, now)
        return _at(moment, self.false(operand, moment))

    # --- moments ------------------------------------------------------------------------------------

    def _first_false(self, formula: Formula, now: int) -> int:
        return next(each for each in self._ahead(now) if not self._is_true(formula, each))

    def _is_true(self, formula: Formula, moment: int) -> bool:
        if formula not in self.known:
            self.known[formula] = truths(formula, self.letters, self.cycle)
        return self.known[formula][self._folded(moment)]

    def _ahead(self, now: int) -> Iterator[int]:
        """The moments from one on, until each that is repeated has been there."""
        return iter(range(now, max(now, self.cycle) + len(self.letters)))

    def _folded(self, moment: int) -> int:
        """The moment of the lasso that is meant by one that may lie in a later repetition."""
        count = len(self.letters)
        return moment if moment < count else self.cycle + (moment - count) % (count - self.cycle)
