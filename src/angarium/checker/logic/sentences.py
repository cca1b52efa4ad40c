"""Formulas as people write them, on one line, and what a run shows of them, as sentences.

The sentence on a formula of LTL follows it inwards to what is false, and when: it is made for one run, whose
moments say of every part of the formula whether it is true there. Moment n is what is so after step n;
moment 0 is the start.

A formula also says for whom: `p` should come true in `eventually p`, `q` in `p until q`. If such a condition
is false in every state that is repeated for ever, those for whom it is false in all of them are named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from angarium.checker.explore.culprits import blamed_throughout
from angarium.checker.ir.formula import (
    Atom,
    Conjunction,
    Disjunction,
    Formula,
    Implies,
    Negation,
    Over,
    Quantified,
    TimeOp,
    Truth,
)
from angarium.checker.ir.transition import Cells, TransitionSystem
from angarium.checker.logic.semantics import Letter, Truths, truths

_WORDS: dict[TimeOp, str] = {
    "X": "next", "F": "eventually", "G": "always", "U": "until", "W": "weak_until", "R": "release",
}  # fmt: skip


def text(formula: Formula) -> str:
    """A formula on one line."""
    match formula:
        case Atom(text=words):
            return words or "the condition"
        case Truth(value):
            return str(value)
        case Negation(operand):
            return f"not {_inside(operand)}"
        case Conjunction(parts) | Disjunction(parts):
            word = "and" if isinstance(formula, Conjunction) else "or"
            return f" {word} ".join(map(_inside, parts)) or str(isinstance(formula, Conjunction))
        case Implies(left, right):
            return f"{_inside(left)} -> {_inside(right)}"
        case Over(op, (operand,)):
            return f"{_WORDS[op]} {_inside(operand)}"
        case Over(op, (left, right)):
            return f"{_inside(left)} {_WORDS[op]} {_inside(right)}"
        case Quantified(quantifier, op, (operand,)):
            return f"{quantifier}{op} {_inside(operand)}"
        case Quantified(quantifier, op, (left, right)):
            return f"{quantifier}[{text(left)} {op} {text(right)}]"
    raise TypeError(f"no formula: {formula}")


def _inside(formula: Formula) -> str:
    """A formula as a part of another."""
    single = isinstance(formula, Over) and len(formula.operands) == 1
    simple = single or isinstance(formula, Truth | Negation | Quantified)
    return text(formula) if simple or _is_word(formula) else f"({text(formula)})"


def _is_word(formula: Formula) -> bool:
    return isinstance(formula, Atom) and text(formula).replace("_", "").isalnum()


def quoted(formula: Formula) -> str:
    """A formula in the middle of a sentence."""
    return f"`{text(formula)}`"


_TRUTH = {True: "true", False: "false"}
_SENTENCES: dict[tuple[str, str, bool], str] = {
    ("A", "X", True): "after every step {0} is true",
    ("E", "X", False): "after no step {0} is true",
    ("A", "F", True): "{0} becomes true in every run",
    ("E", "F", False): "{0} can never become true",
    ("A", "G", True): "{0} stays true in every run",
    ("E", "G", False): "{0} cannot stay true",
    ("A", "U", True): "{1} becomes true in every run, and {0} is true until then",
    ("E", "U", False): "{1} cannot become true with {0} true until then",
    ("A", "W", True): "{0} is true in every run as long as {1} has not been",
    ("E", "W", False): "{0} cannot stay true as long as {1} has not been",
    ("A", "R", True): "{1} is true in every run up to the moment at which {0} is",
    ("E", "R", False): "{1} cannot stay true up to the moment at which {0} is",
}
"""What is said of all runs, and shown by none."""


def sentence(formula: Formula, truth: bool) -> str:
    """That a formula is true, or that it is false."""
    match formula:
        case Negation(operand):
            return sentence(operand, not truth)
        case Quantified(quantifier, op, operands) if (quantifier, op, truth) in _SENTENCES:
            return _SENTENCES[quantifier, op, truth].format(*map(quoted, operands))
        case _:
            return f"{quoted(formula)} is {_TRUTH[truth]}"


AFTER, START, FROM = "after step", "at the start", "from step"


def how_broken(formula: Formula, letters: Sequence[Letter], cycle: int) -> str:
    """How a run breaks a formula."""
    return _Explainer(letters, cycle).false(formula, 0)


def _at(moment: int, why: str) -> str:
    """What is so at a moment, unless it says itself when."""
    if why.startswith((AFTER, START, FROM)):
        return why
    return f"{AFTER} {moment} {why}" if moment else f"{START} {why}"


@dataclass(frozen=True, slots=True)
class _Explainer:
    letters: Sequence[Letter]
    cycle: int
    known: dict[Formula, Truths] = field(default_factory=dict)

    def false(self, formula: Formula, now: int) -> str:
        """Why a formula is false at a moment."""
        match formula:
            case Implies(left, right):
                return f"{sentence(left, True)} and {self.false(right, now)}"
            case Conjunction(parts):
                return self.false(next(part for part in parts if not self._is_true(part, now)), now)
            case Disjunction(parts) if parts:
                return " and ".join(self.false(part, now) for part in parts)
            case Over(op, operands):
                return self._over(op, operands, now)
            case _:
                return sentence(formula, False)

    def _over(self, op: TimeOp, operands: tuple[Formula, ...], now: int) -> str:
        match op, operands:
            case "X", (operand,):
                return _at(now + 1, self.false(operand, now + 1))
            case "F", (Over("G", (operand,)),):
                return f"{sentence(operand, False)} again and again"
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


def for_whom(system: TransitionSystem, formula: Formula, repeated: Sequence[Cells]) -> str:
    """` for m1 and m3`, behind the sentence on how a formula is broken; empty if nobody can be named.

    Only a formula with one promise is sure to have broken that one.
    """
    promised = list(dict.fromkeys(_awaited(formula)))
    return blamed_throughout(system, promised[0].condition, repeated) if len(promised) == 1 else ""


def _awaited(formula: Formula) -> Iterator[Atom]:
    """The conditions that a formula claims to come true."""
    match formula:
        case Over("F" | "U", (*_, Atom() as promise)):
            yield promise
        case Implies(_, right):
            yield from _awaited(right)
        case Conjunction(inside) | Disjunction(inside) | Over(operands=inside):
            yield from (atom for part in inside for atom in _awaited(part))
