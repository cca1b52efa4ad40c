"""CTL: what is claimed of the tree of runs, decided on the explored graph.

A formula holds if it is true in every initial state. One that holds may claim nothing (`vacuity`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from angarium.checker.explore.graph import Graph
from angarium.checker.ir.formula import Atom, Fairness, Formula
from angarium.checker.logic.ctl_states import Judge
from angarium.checker.logic.ctl_story import Teller, is_shown
from angarium.checker.logic.decision import Decision
from angarium.checker.logic.vacuity import vacuous


def decide(
    graph: Graph, formula: Formula, demands: tuple[Fairness, ...], positions: Mapping[Atom, int]
) -> Decision:
    """Whether a formula is true in every initial state, on runs that are as fair as demanded."""
    judge = Judge(graph, demands, positions)
    holds = judge.holds(formula)
    if holds and not is_shown(formula, truth=True):
        return Decision(True, vacuous=vacuous(graph, formula, positions, judge.holds))
    starts = np.flatnonzero(judge.states(formula)[: graph.initial] == holds)
    teller = Teller(judge)
    tale = teller.tell(formula, holds, starts)
    claims_nothing = vacuous(graph, formula, positions, judge.holds) if holds else None
    return Decision(holds, teller.run(tale), tale.summary, claims_nothing)
