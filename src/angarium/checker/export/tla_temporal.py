r"""What is claimed of runs, in TLA+, with the fairness that it is claimed under.

For each LTL guarantee there is a specification of its own: `Spec_name` is `Spec` with the runs that count,
and `Live_name` is the claim. TLC checks one with a configuration of two lines (`tla.tlc`).

Our runs go on as long as anything can happen: that is weak fairness of `Next`. Where nothing but faults can
happen they need not: then a run either goes on for ever or stops where no `Work` is possible. A step that
changes nothing is no step in TLA+, but one of our runs may take it for ever, so where such steps cannot be
ruled out `Maximal` lets a run also stand still in a state that has one. What is owed of a class is `WF` or
`SF` of its steps: TLA+'s own notions, in which a step that changes nothing does not count, are the ones
that we took over.

TLA+ has `always` and `eventually`. TLC knows neither until, weak until and release nor `next`, which would
tell a step from standing still; a formula that needs them is left out, and so is CTL.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from angarium.checker.export.before import can_stand_still
from angarium.checker.export.names import Names
from angarium.checker.export.owed import Group, arguments_of, owed
from angarium.checker.export.temporal import LOGICS, CannotSayError, Claims, Lines, Words, one_line, spell
from angarium.checker.export.unroll import Unroller
from angarium.checker.ir.formula import Atom, TemporalGuarantee, atoms, fairness_text
from angarium.checker.ir.transition import Action

CONSTANTS = {"TRUE": "(vars = vars)", "FALSE": "(vars # vars)"}
"""TLC says of `~<>FALSE` that it is violated; it does not look into these."""
WORDS = Words(
    true=CONSTANTS["TRUE"],
    false=CONSTANTS["FALSE"],
    negation="(~{0})",
    conjunction=" /\\ ",
    disjunction=" \\/ ",
    implication="({0} => {1})",
    over={"F": "(<>{0})", "G": "([]{0})"},
)
COMMENT = "\\* {0}"
MAXIMAL = "WF_vars(Next)"
MAXIMAL_BUT_FOR_FAULTS = "[]<><<Next>>_vars \\/ []<>(~ENABLED <<Work>>_vars)"
OR_STANDS_STILL = "[]<>(ENABLED (Next /\\ UNCHANGED vars))"


@dataclass(frozen=True)
class RunClaims:
    """The claims on runs of one module."""

    claims: Claims
    names: Names
    atom: Callable[[Atom], str]
    operator: Callable[[Action], str]
    """The name of an action's operator."""
    some: Callable[[Action], str]
    """The action with some arguments."""
    checked: dict[str, str] = field(default_factory=dict)
    """For each guarantee that was said, the configuration with which TLC checks it."""

    def text(self) -> Lines:
        """The sections of all claims."""
        said = self.claims.say(self.claims.runs, self._claim, COMMENT)
        if not said:
            return []
        return [*self._work(), f"Maximal == {self._maximal}", *map(self._condition, self._atoms), *said]

    def _condition(self, atom: Atom) -> str:
        text = self.atom(atom)
        return f"{self.name(atom)} == {CONSTANTS.get(text, text)} \\* {one_line(atom.text)}"

    @cached_property
    def _maximal(self) -> str:
        still = can_stand_still(Unroller(self.claims.system, self.claims.target))
        goes_on = MAXIMAL_BUT_FOR_FAULTS if self._faulty else MAXIMAL
        return f"{goes_on} \\/ {OR_STANDS_STILL}" if still else goes_on

    @property
    def _faulty(self) -> bool:
        return any(action.optional for action in self.claims.system.actions)

    def _work(self) -> Lines:
        """Everything but faults, if there are any."""
        steps = [f"  \\/ {self.some(action)}" for action in self.claims.system.actions if not action.optional]
        return ["\n".join(["Work ==", *steps] if steps else ["Work == FALSE"])] if self._faulty else []

    def _claim(self, guarantee: TemporalGuarantee) -> Lines:
        if guarantee.logic != "ltl" or guarantee.formula is None:
            raise CannotSayError(LOGICS[guarantee.logic])
        formula = spell(guarantee.formula, WORDS, lambda atom, _: self.name(atom))
        demands = owed(Unroller(self.claims.system, self.claims.target), guarantee.fairness)
        fair = [
            *(f"WF_vars({self._steps(group)})" for group in demands.weak),
            *(f"SF_vars({self._steps(group)})" for group in demands.strong),
        ]
        spec = self.names(("spec", guarantee.name), f"Spec_{guarantee.name}")
        live = self.names(("live", guarantee.name), f"Live_{guarantee.name}")
        self.checked[guarantee.name] = f"SPECIFICATION {spec}\nPROPERTY {live}\n"
        lines = [f"\\* {one_line(f'{guarantee.name} (fairness: {fairness_text(guarantee.fairness)})')}"]
        more = [each for each in fair if each != self._maximal]
        lines += [f"{spec} ==", "  /\\ Spec", "  /\\ Maximal", *(f"  /\\ {each}" for each in more)]
        return ["\n".join([*lines, f"{live} == {formula}"])]

    def name(self, atom: Atom) -> str:
        """The operator that an atom is."""
        return self.names(("atom", atom), f"Atom_{self.claims.number(atom)}")

    @property
    def _atoms(self) -> list[Atom]:
        formulas = [each.formula for each in self.claims.runs if each.logic == "ltl" and each.formula]
        return list(dict.fromkeys(atom for formula in formulas for atom in atoms(formula)))

    def _steps(self, group: Group) -> str:
        """The action that is any step of a class."""
        actions = self.claims.system.actions
        parts = [part for action in actions for part in self._of(action, group)]
        whole = all((action.name, each) in group for action in actions for each in arguments_of(action))
        return "Next" if whole else " \\/ ".join(parts)

    def _of(self, action: Action, group: Group) -> Lines:
        every = list(arguments_of(action))
        inside = [each for each in every if (action.name, each) in group]
        if inside == every:
            return [f"({self.some(action)})" if action.parameters else self.some(action)]
        return [f"{self.operator(action)}({', '.join(map(_number, each))})" for each in inside]


def _number(value: int) -> str:
    return str(value) if value >= 0 else f"({value})"
