"""LTL: what is claimed of every run, decided on the explored graph.

A formula holds if no fair run makes its opposite true. The opposite's automaton runs along the graph; a run
that it accepts and that is fair ends in a fair component of the two together (`product`). From such a
component comes the run that breaks the guarantee (`lasso`), and before it is shown the plain meaning of
formulas and of fairness (`semantics`) has to agree that it does.
"""

from __future__ import annotations

from collections.abc import Mapping

from angarium.checker.explore.graph import Graph
from angarium.checker.ir.formula import Atom, Fairness, Formula
from angarium.checker.logic.buchi import automaton
from angarium.checker.logic.decision import Decision, Run
from angarium.checker.logic.fairness import Classes, classes
from angarium.checker.logic.lasso import lasso, moments_of, states_of
from angarium.checker.logic.normal import opposite
from angarium.checker.logic.product import Components, fair_components
from angarium.checker.logic.semantics import Letter, is_fair, true_on_lasso
from angarium.checker.logic.sentences import how_broken, text
from angarium.checker.logic.vacuity import vacuous

Positions = Mapping[Atom, int]


def decide(graph: Graph, formula: Formula, demands: tuple[Fairness, ...], positions: Positions) -> Decision:
    """Whether a formula is true of every run that is as fair as demanded."""
    owed = classes(graph.system, demands)
    against = _against(graph, formula, owed, positions)
    if not against.found:
        return Decision(
            True,
            vacuous=vacuous(
                graph, formula, positions, lambda other: not _against(graph, other, owed, positions).found
            ),
        )
    run = lasso(against)
    letters, cycle = word(graph, run, positions)
    _insist(graph, formula, owed, run, letters, cycle)
    return Decision(False, run, how_broken(formula, letters, cycle))


def _against(graph: Graph, formula: Formula, owed: Classes, positions: Positions) -> Components:
    """Where the fair runs end that break a formula."""
    return fair_components(graph, automaton(opposite(formula), positions), owed)


def word(graph: Graph, run: Run, positions: Positions) -> tuple[list[Letter], int]:
    """What is true at each moment of a run without end, and with which moment the repeated part begins."""
    states, cycle = states_of(graph, run)
    return [_letter(int(graph.atoms[state]), positions) for state in states], cycle


def _letter(atoms: int, positions: Positions) -> Letter:
    return lambda atom: bool(atoms >> positions[atom] & 1)


def _insist(
    graph: Graph, formula: Formula, owed: Classes, run: Run, letters: list[Letter], cycle: int
) -> None:
    """Never show a run that is no evidence."""
    if true_on_lasso(formula, letters, cycle) or not is_fair(owed, moments_of(graph, run)):
        raise RuntimeError(
            f"the run {run} was found to break `{text(formula)}`, but it does not: this is a bug"
        )
