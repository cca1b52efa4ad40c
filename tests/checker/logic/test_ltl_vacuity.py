"""Formulas that hold because nothing was asked, and how the others are said to be broken."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from angarium.checker.explore.graph import Graph
from angarium.checker.ir.formula import (
    Atom,
    Conjunction,
    Disjunction,
    Fairness,
    Formula,
    Implies,
    Negation,
    Truth,
)
from angarium.checker.logic.ltl import decide
from angarium.checker.logic.sentences import text
from angarium.checker.logic.vacuity import claims, true_states
from tests.checker.logic.graphs import FILE, POSITIONS, TICK, P, Q, R, graph, graphs
from tests.checker.logic.textbook_runs import (
    always,
    breaks,
    demands,
    eventually,
    formulas,
    is_fair,
    lassos,
    leads_to,
    next_,
    two,
)
from tests.effort import examples
from tests.zoo import op, read

QUIET = graph([{TICK: 1}, {TICK: 0}], ["q", "q"])
"""q all the time, and nothing else."""


@pytest.mark.parametrize(
    ("formula", "why"),
    [
        (leads_to(P, Q), "`p` is never true"),
        (leads_to(Q, Q), None),
        (always(Implies(P, Truth(False))), None),
        (always(Implies(P, Conjunction((Q, Negation(Q))))), None),
        (Implies(P, always(Q)), "`p` is not true at the start"),
        (Implies(Q, always(Q)), None),
        (Implies(eventually(P), always(R)), "`eventually p` is not true at the start"),
        (Implies(eventually(Q), always(Q)), None),
        (Conjunction((leads_to(Q, Q), leads_to(R, Q))), "`r` is never true"),
        (leads_to(Conjunction((Q, P)), Q), "`q and p` is never true"),
        (leads_to(Disjunction((Q, P)), Q), None),
        (leads_to(Negation(P), Q), None),
        (leads_to(next_(P), Q), "`next p` is never true"),
        (eventually(Implies(P, R)), "it holds whatever `r` is"),
        (Negation(Implies(Q, P)), None),
        (Implies(Implies(P, R), Q), None),
        (Negation(Negation(leads_to(P, Q))), "it holds whatever `eventually q` is"),
        (always(Q), None),
    ],
    ids=lambda each: text(each) if isinstance(each, Formula) else None,
)
def test_what_says_nothing(formula: Formula, why: str | None) -> None:
    decision = decide(QUIET, formula, (), POSITIONS)

    assert decision.holds
    assert decision.vacuous == why


def test_what_is_true_only_later_is_not_asked_at_the_start() -> None:
    steps = graph([{TICK: 1}, {TICK: 1}], ["q", "p"])

    assert decide(steps, Implies(P, Q), (), POSITIONS).vacuous == "`p` is not true at the start"


def test_what_is_true_somewhere_is_asked_on_some_fair_run() -> None:
    steps = graph([{TICK: 0, FILE: 1}, {TICK: 2, FILE: 2}, {}], ["", "p", "q"])

    decision = decide(steps, leads_to(P, Q), (Fairness("strong", "instance"),), POSITIONS)

    assert decision.holds
    assert decision.vacuous is None


@given(graphs(states=3), formulas(), demands())
@settings(max_examples=examples(150))
def test_what_does_not_matter_can_be_anything(
    steps: Graph, formula: Formula, asked: tuple[Fairness, ...]
) -> None:
    """If a formula is said to be vacuous, some stronger one holds; if not, each stronger one is broken."""
    decision = decide(steps, formula, asked, POSITIONS)
    if decision.holds:
        stronger = [claim.stronger for claim in claims(formula)]
        held = [each for each in stronger if decide(steps, each, asked, POSITIONS).holds]
        assert bool(held) == (decision.vacuous is not None)
        short = [run for run in lassos(steps, 3) if is_fair(steps, asked, run)]
        assert not any(breaks(steps, each, run) for each in held for run in short)


def test_where_a_plain_condition_is_true() -> None:
    steps = graph([{TICK: 1}, {TICK: 2}, {}], ["p", "q", "pq"])

    def true(formula: Formula) -> list[bool] | None:
        found = true_states(steps.atoms, formula, POSITIONS)
        return None if found is None else found.tolist()

    assert true(Implies(P, Q)) == [False, True, True]
    assert true(Conjunction((P, Q))) == [False, False, True]
    assert true(Disjunction((Negation(P), Truth(False)))) == [False, True, False]
    assert true(Conjunction(())) == [True, True, True]
    assert true(Conjunction((P, next_(Q)))) is None


# --- sentences ------------------------------------------------------------------------------------

LINE = graph([{TICK: 1}, {TICK: 2}, {}], ["p", "pq", "r"])
BLINKING = graph([{TICK: 1}, {TICK: 0}], ["p", "q"])


@pytest.mark.parametrize(
    ("steps", "formula", "sentence"),
    [
        (LINE, Q, "`q` is false"),
        (LINE, Negation(P), "`p` is true"),
        (LINE, next_(R), "after step 1 `r` is false"),
        (LINE, always(P), "after step 2 `p` is false"),
        (LINE, always(Q), "at the start `q` is false"),
        (LINE, eventually(Conjunction((P, R))), "`p and r` never comes true"),
        (LINE, leads_to(R, Q), "after step 2 `r` is true and `q` never comes true after that"),
        (LINE, always(Implies(Q, R)), "after step 1 `q` is true and `r` is false"),
        (LINE, always(Implies(Q, next_(Q))), "after step 1 `q` is true and after step 2 `q` is false"),
        (LINE, always(eventually(Q)), "from step 2 on `q` is never true"),
        (LINE, eventually(always(P)), "`p` is false again and again"),
        (LINE, eventually(always(Negation(R))), "`r` is true again and again"),
        (LINE, two("U", P, Truth(False)), "`False` never comes true"),
        (LINE, two("U", Q, R), "at the start `q` is false and `r` is false"),
        (LINE, two("W", P, Truth(False)), "after step 2 `p` is false and `False` is false"),
        (LINE, two("R", R, P), "after step 2 `p` is false, and `r` was not true before"),
        (LINE, Conjunction((P, eventually(P), always(P))), "after step 2 `p` is false"),
        (LINE, Disjunction((Q, always(P))), "`q` is false and after step 2 `p` is false"),
        (LINE, always(next_(P)), "after step 2 `p` is false"),
        (LINE, Negation(eventually(R)), "`eventually r` is true"),
        (LINE, Truth(False), "`False` is false"),
        (BLINKING, always(Implies(Q, next_(Q))), "after step 1 `q` is true and after step 2 `q` is false"),
        (BLINKING, next_(next_(next_(always(Q)))), "after step 4 `q` is false"),
    ],
    ids=lambda each: text(each) if isinstance(each, Formula) else None,
)
def test_how_a_run_breaks_it(steps: Graph, formula: Formula, sentence: str) -> None:
    assert decide(steps, formula, (), POSITIONS).summary == sentence


@pytest.mark.parametrize(
    ("formula", "written"),
    [
        (leads_to(P, Q), "always (p -> eventually q)"),
        (two("U", Negation(P), always(Q)), "not p until always q"),
        (two("W", two("R", P, Q), Conjunction((P, Q, R))), "(p release q) weak_until (p and q and r)"),
        (Disjunction((next_(P), Implies(P, Q))), "next p or (p -> q)"),
        (always(Atom(op(read("n"), "<", 3), "n < 3")), "always (n < 3)"),
        (Atom(read("n")), "the condition"),
        (Conjunction(()), "True"),
        (Disjunction(()), "False"),
    ],
)
def test_text(formula: Formula, written: str) -> None:
    assert text(formula) == written
