"""CTL: what is claimed of the tree of runs, decided on the explored graph.

A formula holds if it is true in every initial state. One that holds may claim nothing: where it holds as
well with what an implication asks for replaced by false, nothing was asked (Beer et al., *Efficient
detection of vacuity in temporal model checking*, 2001).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from angarium.explore.graph import Graph
from angarium.logic.ctl_states import Judge
from angarium.logic.ctl_story import Teller, is_shown
from angarium.logic.ctl_text import quoted
from angarium.logic.decision import Decision
from angarium.model.formula import (
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
    parts,
)


def decide(
    graph: Graph, formula: Formula, demands: tuple[Fairness, ...], positions: Mapping[Atom, int]
) -> Decision:
    """Whether a formula is true in every initial state, on runs that are as fair as demanded."""
    judge = Judge(graph, demands, positions)
    holds = judge.holds(formula)
    if holds and not is_shown(formula, truth=True):
        return Decision(True, vacuous=_vacuous(judge, formula))
    starts = np.flatnonzero(judge.states(formula)[: graph.initial] == holds)
    teller = Teller(judge)
    tale = teller.tell(formula, holds, starts)
    vacuous = _vacuous(judge, formula) if holds else None
    return Decision(holds, teller.run(tale), tale.summary, vacuous)


# --- vacuity ------------------------------------------------------------------------------------------


def _vacuous(judge: Judge, formula: Formula) -> str | None:
    """Why a formula that holds claims nothing, if it does not."""
    for implication, stronger in _stronger(formula):
        if not judge.states(implication.left).any():
            return f"{quoted(implication.left)} is never true"
        if judge.holds(stronger):
            return f"it holds whatever {quoted(implication.right)} is"
    return None


def _stronger(formula: Formula, *, positive: bool = True) -> Iterator[tuple[Implies, Formula]]:
    """Each implication that is claimed, and the whole formula with nothing allowed to follow it."""
    if isinstance(formula, Implies) and positive and formula.right != Truth(False):
        yield formula, Implies(formula.left, Truth(False))
    for position, part in enumerate(parts(formula)):
        turned = isinstance(formula, Negation) or (isinstance(formula, Implies) and position == 0)
        for implication, stronger in _stronger(part, positive=positive != turned):
            yield implication, _with_part(formula, position, stronger)


def _with_part(formula: Formula, position: int, part: Formula) -> Formula:
    """A formula with another part in one place."""
    changed = (*parts(formula)[:position], part, *parts(formula)[position + 1 :])
    match formula:
        case Negation():
            return Negation(part)
        case Implies():
            return Implies(*changed)
        case Conjunction() | Disjunction():
            return replace(formula, parts=changed)
        case Over() | Quantified():
            return replace(formula, operands=changed)
        case Atom() | Truth():
            raise TypeError(f"{formula} has no parts")
