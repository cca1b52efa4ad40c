"""Formulas over time, and what a run must be to count: fairness.

A formula is built from *atoms*, conditions on one state. `Over` joins formulas along one run (LTL);
`Quantified` says it of all runs from a state or of some (CTL). A formula is of one logic: the two are never
mixed. `Implies` is kept as it was written, because an implication whose first part never happens says nothing
(vacuity).

A run is a sequence of states without end, one step between each and the next. Where nothing more can happen,
the last state is repeated for ever; where nothing but faults can happen, it may be, because nobody owes a
fault. Nowhere else does a run stand still.

Fairness says which runs count. *Weak*: what is possible without interruption from some moment on happens
again and again. *Strong*: what is possible again and again does so. What must happen is a *class* of steps:
any step at all (`all`), any step of one process (`process`), of one action (`action`), or of one action with
the same arguments (`instance`). As in TLA+, a step that changes nothing neither counts as possible nor as
happening. Faults are never owed: a class holds no faults unless it is named by `of`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from angarium.checker.ir.syntax import Expr

TimeOp = Literal["X", "F", "G", "U", "W", "R"]
"""Next, eventually, always; until, weak until, release."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A condition on one state; `text` is how it was written."""

    condition: Expr
    text: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Truth:
    """True or false, in every state."""

    value: bool


@dataclass(frozen=True, slots=True)
class Negation:
    """That something is not so."""

    operand: Formula


@dataclass(frozen=True, slots=True)
class Conjunction:
    """All of them; true if there are none."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Disjunction:
    """At least one of them; false if there are none."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Implies:
    """If the one, then the other."""

    left: Formula
    right: Formula
    at: int = field(default=0, compare=False, repr=False)
    """Where it was written: those that came of one by unrolling an `all` share it. 0 is nowhere."""


@dataclass(frozen=True, slots=True)
class Over:
    """Along the run: X, F and G have one operand; U, W and R two."""

    op: TimeOp
    operands: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Quantified:
    """Along all runs from here (A), or along some run (E)."""

    quantifier: Literal["A", "E"]
    op: TimeOp
    operands: tuple[Formula, ...]


Formula = Atom | Truth | Negation | Conjunction | Disjunction | Implies | Over | Quantified


def parts(formula: Formula) -> tuple[Formula, ...]:
    """The formulas directly inside one."""
    match formula:
        case Negation(operand):
            return (operand,)
        case Conjunction(inside) | Disjunction(inside):
            return inside
        case Implies(left, right):
            return (left, right)
        case Over(operands=operands) | Quantified(operands=operands):
            return operands
        case _:
            return ()


def atoms(formula: Formula) -> tuple[Atom, ...]:
    """The distinct atoms of a formula, from left to right."""
    if isinstance(formula, Atom):
        return (formula,)
    return tuple(dict.fromkeys(atom for part in parts(formula) for atom in atoms(part)))


@dataclass(frozen=True, slots=True)
class Fairness:
    """One demand on runs; a guarantee may make several."""

    strength: Literal["weak", "strong"]
    per: Literal["all", "process", "action", "instance"]
    of: tuple[str, ...] = ()
    """Names of actions or processes; every action that is not a fault if there are none."""

    @property
    def text(self) -> str:
        """`weak by process`, `strong by instance of release`, `weak of the whole`."""
        by = "of the whole" if self.per == "all" else f"by {self.per}"
        named = f" of {' and '.join(self.of)}" if self.of else ""
        return f"{self.strength} {by}{named}"


def fairness_text(demands: tuple[Fairness, ...]) -> str:
    """Fairness as verdicts show it; `none` if nothing is demanded."""
    return ", ".join(demand.text for demand in demands) or "none"


Logic = Literal["ltl", "ctl", "divergence", "determinism"]


@dataclass(frozen=True, slots=True)
class TemporalGuarantee:
    """What is claimed of all runs (LTL), of the tree of runs (CTL), or of their events.

    `divergence` and `determinism` have no formula: no run goes on for ever with internal steps only; the
    visible events so far decide which can follow.
    """

    name: str
    logic: Logic
    formula: Formula | None
    fairness: tuple[Fairness, ...] = ()
    description: str = ""
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Question:
    """A formula that is asked from outside, as text, of a model that does not claim it."""

    logic: Literal["ltl", "ctl"]
    text: str
    fairness: str = "none"


def questions(ltl: Iterable[str], ctl: Iterable[str], fairness: str) -> tuple[Question, ...]:
    """The questions that some formulas are, all under the same fairness."""
    return (
        *(Question("ltl", text, fairness) for text in ltl),
        *(Question("ctl", text, fairness) for text in ctl),
    )


def question_names(questions: Iterable[Question]) -> list[str]:
    """A name for each question: `ltl`, `ltl-2`, `ctl`."""
    names: list[str] = []
    for question in questions:
        number = sum(name.partition("-")[0] == question.logic for name in names) + 1
        names.append(question.logic if number == 1 else f"{question.logic}-{number}")
    return names
