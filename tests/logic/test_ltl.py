"""LTL on explored graphs: what is decided, the run that is shown, and what is said of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.explore.graph import Graph
from angarium.logic.decision import Decision, Run
from angarium.logic.ltl import decide, word
from angarium.logic.semantics import true_on_lasso
from angarium.model.formula import (
    Atom,
    Conjunction,
    Disjunction,
    Formula,
    Implies,
    Negation,
    Over,
    TimeOp,
    Truth,
    parts,
)
from tests.logic import textbook_ltl
from tests.logic.graphs import (
    FILE,
    POSITIONS,
    TICK,
    WORK_1,
    WORK_2,
    P,
    Q,
    R,
    graph,
    graphs,
)


def always(formula: Formula) -> Formula:
    return Over("G", (formula,))


def eventually(formula: Formula) -> Formula:
    return Over("F", (formula,))


def two(op: TimeOp, left: Formula = P, right: Formula = Q) -> Formula:
    return Over(op, (left, right))


def leads_to(left: Formula, right: Formula) -> Formula:
    return always(Implies(left, eventually(right)))


def timed(formula: Formula) -> int:
    """How many operators over time a formula has."""
    return isinstance(formula, Over) + sum(map(timed, parts(formula)))


def formulas(most: int = 4, atoms: tuple[Atom, ...] = (P, Q, R)) -> st.SearchStrategy[Formula]:
    """Any formula with at most so many operators over time."""
    leaves: st.SearchStrategy[Formula] = st.sampled_from([*atoms, *atoms, Truth(True), Truth(False)])
    return st.recursive(leaves, _around, max_leaves=6).filter(lambda formula: timed(formula) <= most)


def _around(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    several = st.lists(inner, max_size=3).map(tuple)
    one: st.SearchStrategy[TimeOp] = st.sampled_from(["X", "F", "G"])
    both: st.SearchStrategy[TimeOp] = st.sampled_from(["U", "W", "R"])
    return st.one_of(
        inner.map(Negation),
        several.map(Conjunction),
        several.map(Disjunction),
        st.builds(Implies, inner, inner),
        st.builds(lambda op, operand: Over(op, (operand,)), one, inner),
        st.builds(lambda op, left, right: Over(op, (left, right)), both, inner, inner),
    )


def lassos(steps: Graph, longest: int) -> Iterator[Run]:
    """Every run of at most so many steps whose last state it was in before."""

    def go_on(start: int, states: list[int], choices: list[int]) -> Iterator[Run]:
        for earlier, state in enumerate(states[:-1]):
            if state == states[-1]:
                yield Run(start, tuple(choices), earlier)
        if len(choices) < longest:
            row = steps.targets[int(steps.rows[states[-1]]) : int(steps.rows[states[-1] + 1])]
            for choice, target in enumerate(row):
                yield from go_on(start, [*states, int(target)], [*choices, choice])

    for start in range(steps.initial):
        yield from go_on(start, [start], [])


def breaks(steps: Graph, formula: Formula, run: Run) -> bool:
    return not true_on_lasso(formula, *word(steps, run, POSITIONS))


# --- two opinions ---------------------------------------------------------------------------------


@given(graphs(), formulas())
@settings(max_examples=300, deadline=None)
def test_agrees_with_the_textbook(steps: Graph, formula: Formula) -> None:
    decision = decide(steps, formula, (), POSITIONS)

    assert decision.holds == textbook_ltl.holds(textbook_ltl.world(steps, POSITIONS), formula)
