"""Formulas over time as text: a table of words for each language, and one walk over the formula.

What a language has no operator for is either built from others, in the template (weak until, release), or
cannot be said. A guarantee that a target cannot say is left out with a comment that gives the reason, so
that the others can go out; who asks for it by its name gets the reason as an error.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field

from angarium.checker.export.unroll import Env, Unroller, refusal
from angarium.checker.ir import fair_classes as classes
from angarium.checker.ir.fair_classes import Owed, Step
from angarium.checker.ir.formula import (
    Atom,
    Conjunction,
    Disjunction,
    Fairness,
    Formula,
    Implies,
    Negation,
    Over,
    Quantified,
    TemporalGuarantee,
    TimeOp,
    Truth,
    atoms,
)
from angarium.checker.ir.syntax import Const, Expr
from angarium.checker.ir.transition import STAYS_IN_RANGE, Guarantee, TransitionSystem
from angarium.core.errors import UsageError, did_you_mean

OPERATORS: dict[TimeOp, str] = {
    "X": "next",
    "F": "eventually",
    "G": "always",
    "U": "until",
    "W": "weak until",
    "R": "release",
}
LOGICS = {"ltl": "LTL", "ctl": "CTL", "divergence": "divergence", "determinism": "determinism"}
Lines = list[str]
SayAtom = Callable[[Atom, int], str]
"""The text of an atom, so many steps ahead."""


class CannotSayError(Exception):
    """A language has no way to say something; the message names it."""


@dataclass(frozen=True)
class Words:
    """How a language speaks of runs; {0} and {1} are the operands."""

    true: str
    false: str
    negation: str
    conjunction: str
    """What stands between the parts."""
    disjunction: str
    implication: str
    over: Mapping[TimeOp, str] = field(default_factory=dict)
    quantified: Mapping[str, str] = field(default_factory=dict)
    """By the quantifier and the operator: `AG`."""
    looks_ahead: bool = False
    """Whether `next` is asked of the atoms: it can be moved inwards through everything else."""

    @property
    def many(self) -> dict[type[Formula], tuple[str, str]]:
        """What stands between parts, and for no parts."""
        return {Conjunction: (self.conjunction, self.true), Disjunction: (self.disjunction, self.false)}


def spell(formula: Formula, words: Words, atom: SayAtom, ahead: int = 0) -> str:
    """A formula in a language's words."""

    def part(inside: Formula) -> str:
        return spell(inside, words, atom, ahead)

    match formula:
        case Atom():
            return atom(formula, ahead)
        case Truth(value):
            return words.true if value else words.false
        case Negation(operand):
            return words.negation.format(part(operand))
        case Conjunction(inside) | Disjunction(inside):
            join, empty = words.many[type(formula)]
            return f"({join.join(map(part, inside))})" if inside else empty
        case Implies(left, right):
            return words.implication.format(part(left), part(right))
        case Over("X", (operand,)) if words.looks_ahead:
            return spell(operand, words, atom, ahead + 1)
        case Over(op, operands):
            return _template(words.over, op, op).format(*map(part, operands))
        case Quantified(quantifier, op, operands):
            return _template(words.quantified, quantifier + op, op).format(*map(part, operands))


def _template(templates: Mapping[TimeOp, str] | Mapping[str, str], key: str, op: TimeOp) -> str:
    found: str | None = dict[str, str](templates).get(key)  # type: ignore[arg-type]
    if found is None:
        raise CannotSayError(f"the operator {OPERATORS[op]}")
    return found


# --- which guarantees go out ----------------------------------------------------------------------

Only = Collection[str] | None
"""The names of the guarantees that are asked for; None for all."""


@dataclass(frozen=True)
class Claims:
    """The guarantees of a system that are to go out to one target."""

    system: TransitionSystem
    target: str
    only: Only = None

    def __post_init__(self) -> None:
        on_states = [each.name for each in self.system.guarantees]
        known = {STAYS_IN_RANGE, *on_states, *(each.name for each in self.system.temporal)}
        for name in self.only or ():
            if name not in known:
                what = f"{self.system.name} has no guarantee {name}"
                raise UsageError("ANG012", what, possible=did_you_mean(name, known))

    @property
    def states(self) -> tuple[Guarantee, ...]:
        """What is claimed of states."""
        return tuple(each for each in self.system.guarantees if self._wants(each.name))

    @property
    def runs(self) -> tuple[TemporalGuarantee, ...]:
        """What is claimed of runs."""
        return tuple(each for each in self.system.temporal if self._wants(each.name))

    def number(self, atom: Atom) -> int:
        """The position of an atom among those of all formulas that go out, from 1."""
        formulas = [each.formula for each in self.runs if each.formula]
        return list(dict.fromkeys(each for formula in formulas for each in atoms(formula))).index(atom) + 1

    def _wants(self, name: str) -> bool:
        return self.only is None or name in self.only

    def say(
        self,
        guarantees: Iterable[TemporalGuarantee],
        write: Callable[[TemporalGuarantee], Lines],
        comment: str,
    ) -> Lines:
        """What each guarantee becomes; for one that cannot be said a comment, in the template given."""
        return [line for each in guarantees for line in self._one(each, write, comment)]

    def _one(
        self, guarantee: TemporalGuarantee, write: Callable[[TemporalGuarantee], Lines], comment: str
    ) -> Lines:
        try:
            return write(guarantee)
        except CannotSayError as error:
            if self.only is None:
                return [comment.format(f"{guarantee.name} is left out: {self.target} cannot express {error}")]
            construct = f"{error}, in the guarantee {guarantee.name}"
            raise refusal(self.system, self.target, construct, at=guarantee.at) from None


def one_line(text: str) -> str:
    """A text that can stand in a comment of any language."""
    return " ".join(text.replace("*/", "* /").replace("/*", "/ *").split())


def owed(unroller: Unroller, demands: tuple[Fairness, ...]) -> Owed:
    """The classes of all demands together."""

    def value(expr: Expr, local: Mapping[str, int]) -> int:
        known = {name: Const(number) for name, number in local.items()}
        found = unroller.expr(expr, Env(dict(known), {}))
        assert isinstance(found, Const), found
        return found.value

    steps = list(classes.steps(unroller.system.actions, value)) if demands else []
    for demand in demands:
        _refuse_unknown_names(unroller, demand, steps)
    return classes.owed(steps, demands)


def _refuse_unknown_names(unroller: Unroller, demand: Fairness, steps: list[Step]) -> None:
    known = {step.action.name for step in steps} | {name for step in steps for name, _ in step.processes}
    for name in demand.of:
        if name not in known:
            raise unroller.refuse(f"fairness of {name}, which is neither an action nor a process,")
