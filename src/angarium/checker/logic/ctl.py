"""CTL: what is claimed of the tree of runs, decided on the explored graph, and runs that show why.

A formula holds if it is true in every initial state. One that holds may claim nothing (`vacuity`). For each
formula the set of its states is computed from those of its parts, by fixpoints. *Some run* is done directly.
*All runs* is its opposite: all runs do something if not some run does the opposite. The opposite of `p W q`
has no letter in formulas; here it is M: `p M q` is true where q is true up to and including a moment at
which p is.

With fairness, runs are fair ones. Only EG changes: a run inside a set must come to a part of it in which it
can be fair for ever. EX and EU stay as they are, because every finite run can be continued by a fair one: go
to a strongly connected part that cannot be left and take all its steps again and again; what is possible
there then happens.

*Some run does this* is shown by that run; *all runs do this* is refuted by one that does the opposite. So
each path quantifier that is existential in this sense contributes a part of the run: a shortest path to the
state that decides, from where the formula inside goes on, or a path that is repeated for ever. Where the
rest is about all runs, no run can show it: the story ends in the state of which it is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from operator import and_, or_
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from angarium.checker.explore.graph import Graph
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
    Truth,
)
from angarium.checker.logic.decision import Decision, Run
from angarium.checker.logic.fairness import classes
from angarium.checker.logic.fixpoint import Adjacency, Path, States
from angarium.checker.logic.lasso import lasso
from angarium.checker.logic.product import Components, components_within
from angarium.checker.logic.sentences import quoted, sentence
from angarium.checker.logic.vacuity import vacuous

Op = Literal["X", "F", "G", "U", "W", "R", "M"]
OPPOSITE: dict[Op, Op] = {"X": "X", "F": "G", "G": "F", "U": "R", "R": "U", "W": "M"}
"""What some run does with the opposites of the operands if not all runs do this."""


@dataclass(frozen=True, slots=True)
class Lasso:
    """A run without end."""

    start: int
    entries: tuple[int, ...]
    """The steps' numbers among all steps."""
    cycle: int
    """How many come before those that are repeated; if it is all of them, the run then stands still."""


@dataclass(frozen=True)
class Judge:
    """Knows in which states of a graph formulas are true."""

    graph: Graph
    demands: tuple[Fairness, ...]
    positions: Mapping[Atom, int]
    """The bit of each atom."""
    _known: dict[Formula, States] = field(default_factory=dict)

    @cached_property
    def steps(self) -> Adjacency:
        return Adjacency(self.graph.rows, self.graph.targets)

    @cached_property
    def everywhere(self) -> States:
        return np.ones(self.graph.states, np.bool_)

    def holds(self, formula: Formula) -> bool:
        """Whether a formula is true in every initial state."""
        return bool(self.states(formula)[: self.graph.initial].all())

    def states(self, formula: Formula) -> States:
        """Where a formula is true."""
        if formula not in self._known:
            self._known[formula] = self._states(formula)
        return self._known[formula]

    def _states(self, formula: Formula) -> States:
        match formula:
            case Truth(value):
                return self.everywhere & value
            case Atom():
                bit = np.uint64(1 << self.positions[formula])
                return (self.graph.atoms & bit).astype(np.bool_)
            case Negation(operand):
                return ~self.states(operand)
            case Conjunction(inside):
                return reduce(and_, map(self.states, inside), self.everywhere)
            case Disjunction(inside):
                return reduce(or_, map(self.states, inside), ~self.everywhere)
            case Implies(left, right):
                return ~self.states(left) | self.states(right)
            case Quantified("E", op, operands):
                return self.some(op, *map(self.states, operands))
            case Quantified(_, op, operands):
                return ~self.some(OPPOSITE[op], *(~self.states(each) for each in operands))
            case Over():
                raise TypeError(f"{formula.op} without A or E is no CTL")

    def some(self, op: Op, first: States, second: States | None = None) -> States:
        """From where some run does something with sets of states."""
        until, other = self.steps.some_until, first if second is None else second
        match op:
            case "X":
                return self.steps.some_next(first)
            case "F":
                return until(self.everywhere, first)
            case "G":
                return self.some_always(first)
            case "U":
                return until(first, other)
            case "W":
                return until(first, other) | self.some_always(first)
            case "R":
                return until(other, first & other) | self.some_always(other)
            case "M":
                return until(other, first & other)

    def some_always(self, inside: States) -> States:
        """From where some fair run stays inside a set."""
        if not self.demands:
            return self.steps.some_always(inside)
        return self.steps.some_until(inside, self._fair_components(inside).fair)

    def lasso(self, starts: NDArray[np.intp], inside: States) -> Lasso:
        """A short fair run inside a set from one of some states, from which there is one."""
        components = self._fair_components(inside)
        path = self.steps.path(starts, inside, components.fair)
        assert path is not None, "no fair run stays inside the set"
        run = lasso(components, np.array([path.end], np.uint32))
        entries = (*path.entries, *self.steps.follow(path.end, run.choices))
        return Lasso(path.start, entries, len(path.entries) + (run.cycle or 0))

    def _fair_components(self, inside: States) -> Components:
        return components_within(self.graph, classes(self.graph.system, self.demands), inside)


Starts = NDArray[np.intp]
"""Numbers of states, any of which the run may begin in."""
_AFTER = "after step "
_UNLESS = ", unless something happens that nobody owes"


@dataclass(frozen=True, slots=True)
class Explanation:
    """A part of a run, and what it shows."""

    start: int
    entries: tuple[int, ...]
    summary: str
    cycle: int | None = None
    """How many come before those that are repeated; if it is all of them, the run then stands still."""


def is_shown(formula: Formula, truth: bool) -> bool:
    """Whether some run shows that a formula is true, or false."""
    match formula:
        case Quantified(quantifier):
            return (quantifier == "E") == truth
        case Negation(operand):
            return is_shown(operand, not truth)
        case Implies(left, right):
            return is_shown(left, not truth) or is_shown(right, truth)
        case Conjunction(parts) | Disjunction(parts):
            return any(is_shown(part, truth) for part in parts)
        case _:
            return False


@dataclass(frozen=True, slots=True)
class Explainer:
    """Finds the runs."""

    judge: Judge

    def explain(self, formula: Formula, truth: bool, starts: Starts, taken: int = 0) -> Explanation:
        """A run that shows that the formula is true, or false, in a state in which it is.

        `taken` is how many steps come before, so that the summary can count them.
        """
        match formula:
            case Negation(operand):
                return self.explain(operand, not truth, starts, taken)
            case Implies(left, right):
                return self.explain(Disjunction((Negation(left), right)), truth, starts, taken)
            case Conjunction(inside) | Disjunction(inside):
                every = isinstance(formula, Conjunction) == truth
                return (self._explain_all if every else self._explain_one)(inside, truth, starts, taken)
            case Quantified() if is_shown(formula, truth):
                return self._explain_run(formula, starts, taken)
            case _:
                return Explanation(int(starts[0]), (), self._sentence(formula, truth, int(starts[0])))

    def _sentence(self, formula: Formula, truth: bool, state: int) -> str:
        """What is true in a state; where a run stands still, it is said what that leaves out."""
        inner = formula
        while isinstance(inner, Negation):
            inner = inner.operand
        unless = _UNLESS if isinstance(inner, Quantified) and self._is_rest(state) else ""
        return sentence(formula, truth) + unless

    def _is_rest(self, state: int) -> bool:
        """Whether a run stands still here though it need not: another state leads here without a step."""
        graph = self.judge.graph
        entries = np.flatnonzero((graph.targets == state) & (graph.labels == graph.stutter))
        return bool((np.searchsorted(graph.rows, entries, "right") - 1 != state).any())

    def _explain_all(
        self, formulas: Sequence[Formula], truth: bool, starts: Starts, taken: int
    ) -> Explanation:
        """Several things may happen on different runs: the first of them is shown, the others are said."""
        said: list[Formula] = [each for each in formulas if not isinstance(each, Truth)]
        said = said or [Truth(truth)]
        shown = next((each for each in said if is_shown(each, truth)), said[-1])
        explanation = self.explain(shown, truth, starts, taken)
        others = [self._sentence(each, truth, explanation.start) for each in said if each is not shown]
        return replace(explanation, summary=", and ".join([*others, explanation.summary]))

    def _explain_one(
        self, formulas: Sequence[Formula], truth: bool, starts: Starts, taken: int
    ) -> Explanation:
        """The first that decides; one that a run shows before the others."""
        for each in sorted(formulas, key=lambda each: not is_shown(each, truth)):
            decides = self.judge.states(each)[starts] == truth
            if decides.any():
                return self.explain(each, truth, starts[decides], taken)
        raise AssertionError("no part of the formula decides it")

    # --- path quantifiers -------------------------------------------------------------------------

    def _explain_run(self, formula: Quantified, starts: Starts, taken: int) -> Explanation:
        """The run of an existential formula, or of the opposite of a universal one."""
        wanted = formula.quantifier == "E"
        op: Op = formula.op if wanted else OPPOSITE[formula.op]
        sets = [self.judge.states(each) == wanted for each in formula.operands]
        path = self._path(op, starts, *sets)
        if path is None:
            stays = 1 if op == "R" else 0
            return self._for_ever(formula.operands[stays], wanted, starts, sets[stays])
        decided = formula.operands[1:] if op in ("U", "W") else formula.operands
        return self._then(path, decided, wanted, taken)

    def _path(self, op: Op, starts: Starts, first: States, last: States | None = None) -> Path | None:
        """A shortest path to where the run is decided; None if it never is."""
        other = first if last is None else last
        match op:
            case "X":
                return self._step(int(starts[0]), first)
            case "F":
                return self.judge.steps.path(starts, self.judge.everywhere, first)
            case "U" | "W":
                return self.judge.steps.path(starts, first, other)
            case "R" | "M":
                return self.judge.steps.path(starts, other, first & other)
            case "G":
                return None

    def _step(self, state: int, goal: States) -> Path:
        start, end = self.judge.steps.rows[state : state + 2].tolist()
        targets = self.judge.steps.targets
        entry = next(entry for entry in range(start, end) if goal[targets[entry]])
        return Path(state, (entry,), int(targets[entry]))

    def _then(self, path: Path, decided: Sequence[Formula], truth: bool, taken: int) -> Explanation:
        """Go to the end of a path, and on from there."""
        steps = sum(not self._stands_still(entry) for entry in path.entries)
        rest = self._explain_all(decided, truth, np.array([path.end]), taken + steps)
        is_placed = not steps or rest.summary.startswith(_AFTER)
        summary = rest.summary if is_placed else f"{_AFTER}{taken + steps} {rest.summary}"
        cycle = None if rest.cycle is None else len(path.entries) + rest.cycle
        return Explanation(path.start, path.entries + rest.entries, summary, cycle)

    def _for_ever(self, formula: Formula, truth: bool, starts: Starts, inside: States) -> Explanation:
        found = self.judge.lasso(starts, inside)
        summary = f"{quoted(formula)} is {'true' if truth else 'false'} for ever"
        return Explanation(found.start, found.entries, summary, found.cycle)

    # --- addresses --------------------------------------------------------------------------------

    def run(self, explanation: Explanation) -> Run:
        """The run of a explanation; standing still is no step, but goes on for ever."""
        entries = [entry for entry in explanation.entries if not self._stands_still(entry)]
        cycle = explanation.cycle if len(entries) == len(explanation.entries) else len(entries)
        return Run(explanation.start, self.judge.steps.choices(entries), cycle)

    def _stands_still(self, entry: int) -> bool:
        return int(self.judge.graph.labels[entry]) == self.judge.graph.stutter


def decide(
    graph: Graph, formula: Formula, demands: tuple[Fairness, ...], positions: Mapping[Atom, int]
) -> Decision:
    """Whether a formula is true in every initial state, on runs that are as fair as demanded."""
    judge = Judge(graph, demands, positions)
    holds = judge.holds(formula)
    if holds and not is_shown(formula, truth=True):
        return Decision(True, vacuous=vacuous(graph, formula, positions, judge.holds))
    starts = np.flatnonzero(judge.states(formula)[: graph.initial] == holds)
    explainer = Explainer(judge)
    explanation = explainer.explain(formula, holds, starts)
    claims_nothing = vacuous(graph, formula, positions, judge.holds) if holds else None
    return Decision(holds, explainer.run(explanation), explanation.summary, claims_nothing)
