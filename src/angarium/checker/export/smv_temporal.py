"""What is claimed of runs, in SMV: LTLSPEC and CTLSPEC, with the fairness that each is claimed under.

Each atom is a DEFINE. Whether a step of a class is *possible* follows from the state; whether it is *taken*
is told by the input variable `action`, which LTLSPEC and JUSTICE may mention.

The fairness of an LTL formula is its premise. CTL has no room for a premise on runs, and JUSTICE counts for
every formula of the file: it is written only if all formulas that go out together are claimed under the
same fairness. NuSMV has no strong fairness for CTL: COMPASSION is for LTL, and not for models with input
variables.

SMV lacks weak until and release of CTL, and weak until of LTL; they are rewritten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from angarium.checker.export.names import Names
from angarium.checker.export.owed import Group, Instance, Owed, owed
from angarium.checker.export.temporal import LOGICS, CannotSayError, Claims, Lines, Words, one_line, spell
from angarium.checker.export.unroll import Unroller
from angarium.checker.ir.formula import Atom, TemporalGuarantee, atoms, fairness_text

WORDS = Words(
    true="TRUE",
    false="FALSE",
    negation="(!{0})",
    conjunction=" & ",
    disjunction=" | ",
    implication="({0} -> {1})",
    over={
        "X": "(X {0})",
        "F": "(F {0})",
        "G": "(G {0})",
        "U": "({0} U {1})",
        "W": "(({0} U {1}) | (G {0}))",
        "R": "({0} V {1})",
    },
    quantified={
        **{f"{quantifier}{op}": f"({quantifier}{op} {{0}})" for quantifier in "AE" for op in "XFG"},
        "AU": "(A [{0} U {1}])",
        "EU": "(E [{0} U {1}])",
        "AW": "(!(E [(!{1}) U ((!{0}) & (!{1}))]))",
        "EW": "((E [{0} U {1}]) | (EG {0}))",
        "AR": "(!(E [(!{0}) U (!{1})]))",
        "ER": "(!(A [(!{0}) U (!{1})]))",
    },
)
COMMENT = "-- {0}"


@dataclass(frozen=True)
class Taking:
    """A step, and what fairness must know of it."""

    instance: Instance
    name: str
    can: str
    moves: str
    """The DEFINE that says that it is possible and changes something; `can` if it always does."""

    @property
    def taken(self) -> str:
        chosen = f"(action = {self.name})"
        return chosen if self.moves == self.can else f"({chosen} & {self.moves})"


@dataclass(frozen=True)
class RunClaims:
    """The claims on runs of one module."""

    claims: Claims
    unroller: Unroller
    names: Names
    define: Callable[[object, str, str], str]
    """Names a text by a DEFINE: a key, a wish for the name, the text."""
    atom: Callable[[Atom], str]
    steps: Sequence[Taking]
    groups: dict[Group, int] = field(default_factory=dict)
    """The classes of steps that were spoken of, numbered."""

    def text(self) -> Lines:
        """The specifications, and before them what makes runs fair."""
        justice: dict[str, None] = {}

        def write(guarantee: TemporalGuarantee) -> Lines:
            return self._claim(guarantee, justice)

        said = self.claims.say(self.claims.runs, write, COMMENT)
        return [*justice, *said]

    def _claim(self, guarantee: TemporalGuarantee, justice: dict[str, None]) -> Lines:
        if guarantee.logic not in ("ltl", "ctl") or guarantee.formula is None:
            raise CannotSayError(LOGICS[guarantee.logic])
        demands = self._owed(guarantee)
        if guarantee.logic == "ctl":
            justice |= dict.fromkeys(f"JUSTICE {each};" for each in self._justice(guarantee, demands))
        bits = {each: self._defined(each) for each in atoms(guarantee.formula)}
        formula = spell(guarantee.formula, WORDS, lambda atom, _: bits[atom])
        if guarantee.logic == "ltl" and demands.groups:
            formula = f"(({' & '.join(self._premises(demands))}) -> {formula})"
        title = one_line(f"{guarantee.name} (fairness: {fairness_text(guarantee.fairness)})")
        name = self.names(("guarantee", guarantee.name), f"{guarantee.logic}_{guarantee.name}")
        return [f"-- {title}", f"{guarantee.logic.upper()}SPEC NAME {name} := {formula};"]

    def _defined(self, atom: Atom) -> str:
        return self.define(("atom", atom), f"atom_{self.claims.number(atom)}", self.atom(atom))

    # --- fairness ---------------------------------------------------------------------

    def _owed(self, guarantee: TemporalGuarantee) -> Owed:
        return owed(self.unroller, guarantee.fairness).without(self._is_trivial)

    def _is_trivial(self, group: Group) -> bool:
        """Whether every step that can happen is one of the class, or none is."""
        inside = [step for step in self.steps if step.instance in group]
        all_move = all(step.moves == step.can for step in self.steps)
        return not inside or (len(inside) == len(self.steps) and all_move)

    def _premises(self, demands: Owed) -> Iterable[str]:
        for group in demands.weak:
            yield f"(G (F {self._just(group)}))"
        for group in demands.strong:
            yield f"((G (F {self._possible(group)})) -> (G (F {self._taken(group)})))"

    def _justice(self, guarantee: TemporalGuarantee, demands: Owed) -> Iterable[str]:
        """What counts for every formula of the file."""
        if demands.strong:
            raise CannotSayError("strong fairness of a CTL formula")
        others = [each for each in self.claims.runs if each.logic in ("ltl", "ctl")]
        if demands.weak and any(self._owed(each) != demands for each in others):
            alone = f"export it by itself, with --only {guarantee.name}"
            raise CannotSayError(f"a CTL formula beside others under another fairness ({alone})")
        return [self._just(group) for group in demands.weak]

    def _just(self, group: Group) -> str:
        return f"((!{self._possible(group)}) | {self._taken(group)})"

    def _possible(self, group: Group) -> str:
        wish = f"possible_{self._number(group)}"
        return self.define(("possible", group), wish, _any(step.moves for step in self._in(group)))

    def _taken(self, group: Group) -> str:
        wish = f"taken_{self._number(group)}"
        return self.define(("taken", group), wish, _any(step.taken for step in self._in(group)))

    def _number(self, group: Group) -> int:
        return self.groups.setdefault(group, len(self.groups) + 1)

    def _in(self, group: Group) -> Iterable[Taking]:
        return (step for step in self.steps if step.instance in group)


def _any(conditions: Iterable[str]) -> str:
    return f"({' | '.join(conditions)})"
