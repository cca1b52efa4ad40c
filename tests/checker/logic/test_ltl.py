"""LTL on explored graphs: what is decided, and the run that is shown."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.checker.explore.graph import Graph
from angarium.checker.ir.formula import Conjunction, Fairness, Formula, Implies, Negation, Truth
from angarium.checker.logic.decision import Run
from angarium.checker.logic.ltl import decide
from tests.checker.logic import textbook_ltl
from tests.checker.logic.graphs import (
    FILE,
    HAND_1,
    POSITIONS,
    TICK,
    WORK_1,
    WORK_2,
    P,
    Q,
    R,
    contests,
    graph,
    graphs,
)
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
    with_fairness,
)
from tests.effort import examples

# --- second opinions ------------------------------------------------------------------------------


@given(graphs(), formulas())
@settings(max_examples=examples(150))
def test_agrees_with_the_textbook(steps: Graph, formula: Formula) -> None:
    decision = decide(steps, formula, (), POSITIONS)

    assert decision.holds == textbook_ltl.holds(textbook_ltl.world(steps, POSITIONS), formula)


LIVELY = (eventually(P), always(eventually(P)), leads_to(Q, P), next_(eventually(P)), eventually(always(P)))


@given(contests(), st.sampled_from(LIVELY), demands(cost=2, least=1))
@settings(max_examples=examples(150))
def test_fairness_agrees_with_the_textbook(
    steps: Graph, formula: Formula, asked: tuple[Fairness, ...]
) -> None:
    decision = decide(steps, formula, asked, POSITIONS)

    assert decision.holds == textbook_ltl.holds(*with_fairness(steps, formula, asked))


@given(graphs(states=3), formulas(), demands())
@settings(max_examples=examples(100))
def test_no_short_run_knows_better(steps: Graph, formula: Formula, asked: tuple[Fairness, ...]) -> None:
    decision = decide(steps, formula, asked, POSITIONS)
    broken = [run for run in lassos(steps, 4) if breaks(steps, formula, run) and is_fair(steps, asked, run)]

    assert not (decision.holds and broken), broken[0]


@given(graphs() | contests(), formulas() | st.sampled_from(LIVELY), demands())
@settings(max_examples=examples(300))
def test_a_run_that_is_shown_is_one_that_breaks_the_formula_and_is_fair(
    steps: Graph, formula: Formula, asked: tuple[Fairness, ...]
) -> None:
    decision = decide(steps, formula, asked, POSITIONS)

    if decision.run is not None:
        assert not decision.holds and decision.summary
        assert breaks(steps, formula, decision.run)
        assert is_fair(steps, asked, decision.run)
    else:
        assert decision.holds


@given(graphs(), demands())
@settings(max_examples=examples(100))
def test_there_is_always_a_fair_run(steps: Graph, asked: tuple[Fairness, ...]) -> None:
    assert not decide(steps, Truth(False), asked, POSITIONS).holds


# --- each operator --------------------------------------------------------------------------------

LINE = graph([{TICK: 1}, {TICK: 2}, {}], ["p", "pq", "r"])
"""p, then p and q, then r for ever."""


@pytest.mark.parametrize(
    ("formula", "holds"),
    [
        (P, True),
        (Q, False),
        (next_(Q), True),
        (next_(next_(Q)), False),
        (eventually(R), True),
        (always(P), False),
        (always(eventually(R)), True),
        (eventually(always(R)), True),
        (eventually(always(P)), False),
        (two("U", P, Q), True),
        (two("U", P, R), True),
        (two("U", Q, R), False),
        (two("U", P, Truth(False)), False),
        (two("W", P, R), True),
        (two("W", P, Q), True),
        (two("W", P, Truth(False)), False),
        (two("R", Q, P), True),
        (two("R", R, P), False),
        (two("R", Truth(False), P), False),
        (leads_to(Q, R), True),
        (leads_to(R, Q), False),
        (Implies(Q, next_(P)), True),
        (Negation(always(P)), True),
    ],
)
def test_an_operator(formula: Formula, holds: bool) -> None:
    assert decide(LINE, formula, (), POSITIONS).holds == holds


def test_each_promise_must_be_kept() -> None:
    both = Conjunction((always(eventually(R)), always(eventually(P))))

    assert decide(LINE, Negation(both), (), POSITIONS).holds


def test_all_initial_states_count() -> None:
    steps = graph([{TICK: 0}, {TICK: 1}], ["p", ""], initial=2)

    decision = decide(steps, P, (), POSITIONS)

    assert decision.run == Run(1, (0,), 0)


# --- the run that is shown ------------------------------------------------------------------------


def test_a_run_that_ends_stands_still() -> None:
    assert decide(LINE, always(P), (), POSITIONS).run == Run(0, (0, 0), 2)


def test_a_run_that_never_moves() -> None:
    steps = graph([{}], [""])

    assert decide(steps, eventually(P), (), POSITIONS).run == Run(0, (), 0)


def test_a_step_that_changes_nothing_is_a_step_of_a_run() -> None:
    steps = graph([{TICK: 0, FILE: 1}, {}], ["", "p"])

    assert decide(steps, eventually(P), (), POSITIONS).run == Run(0, (0,), 0)


def test_the_nearest_component_is_shown() -> None:
    chain = [{TICK: 1, FILE: 4}, {TICK: 2}, {TICK: 3}, {TICK: 3}, {TICK: 5}, {TICK: 5}]
    steps = graph(chain, ["", "", "", "", "", ""])

    assert decide(steps, eventually(P), (), POSITIONS).run == Run(0, (1, 0, 0), 2)


def test_the_nearest_cycle_is_shown() -> None:
    ring = graph([{TICK: 1}, {TICK: 2}, {TICK: 3, FILE: 1}, {TICK: 4}, {TICK: 0}], [""] * 5)

    assert decide(ring, eventually(P), (), POSITIONS).run == Run(0, (0, 0, 1), 1)


def test_the_repeated_part_begins_as_early_as_it_can() -> None:
    ring = graph([{TICK: 1}, {TICK: 2}, {TICK: 0}], ["", "p", ""])

    run = decide(ring, Negation(always(eventually(P))), (), POSITIONS).run

    assert run == Run(0, (0, 0, 0), 0)


def test_the_automaton_goes_round_twice_but_the_run_once() -> None:
    ring = graph([{TICK: 1}, {TICK: 0}], ["p", "q"])
    both = Negation(always(Implies(P, next_(next_(P)))))

    assert decide(ring, both, (), POSITIONS).run == Run(0, (0, 0), 0)


# --- fairness -------------------------------------------------------------------------------------

WAITING = graph([{TICK: 1, FILE: 2}, {TICK: 0, FILE: 2}, {}], ["", "", "p"])
"""File is possible all the time, and leads to p; ticking goes on for ever."""
FLICKERING = graph([{TICK: 1, FILE: 2}, {TICK: 0}, {}], ["", "", "p"])
"""The same, but file is possible only every other time."""


@pytest.mark.parametrize(
    ("steps", "asked", "holds"),
    [
        (WAITING, (), False),
        (WAITING, (Fairness("weak", "action"),), True),
        (WAITING, (Fairness("weak", "process"),), True),
        (WAITING, (Fairness("weak", "instance", ("file",)),), True),
        (WAITING, (Fairness("weak", "process", ("clerk",)),), True),
        (WAITING, (Fairness("weak", "action", ("tick",)),), False),
        (WAITING, (Fairness("weak", "all"),), False),
        (WAITING, (Fairness("strong", "all"),), False),
        (FLICKERING, (Fairness("weak", "action"),), False),
        (FLICKERING, (Fairness("strong", "action"),), True),
        (FLICKERING, (Fairness("strong", "instance", ("tick",)),), False),
        (FLICKERING, (Fairness("weak", "action"), Fairness("strong", "process", ("clerk",))), True),
    ],
)
def test_strengths(steps: Graph, asked: tuple[Fairness, ...], holds: bool) -> None:
    assert decide(steps, eventually(P), asked, POSITIONS).holds == holds


def test_workers_are_processes_of_their_own() -> None:
    steps = graph([{WORK_1: 1, WORK_2: 2}, {WORK_1: 0, WORK_2: 2}, {}], ["", "", "p"])

    assert not decide(steps, eventually(P), (Fairness("weak", "action"),), POSITIONS).holds
    assert decide(steps, eventually(P), (Fairness("weak", "process"),), POSITIONS).holds
    assert decide(steps, eventually(P), (Fairness("weak", "instance"),), POSITIONS).holds


def test_a_rendezvous_is_a_step_of_both() -> None:
    steps = graph([{WORK_1: 1, HAND_1: 2}, {WORK_1: 0, HAND_1: 2}, {}], ["", "", "p"])

    assert not decide(steps, eventually(P), (Fairness("weak", "process", ("worker",)),), POSITIONS).holds
    assert decide(steps, eventually(P), (Fairness("weak", "process", ("clerk",)),), POSITIONS).holds


def test_faults_are_owed_only_by_name() -> None:
    crash = graph([{TICK: 1, 6: 2}, {TICK: 0, 6: 2}, {}], ["", "", "p"])

    assert not decide(crash, eventually(P), (Fairness("weak", "action"),), POSITIONS).holds
    assert not decide(crash, eventually(P), (Fairness("weak", "process", ("worker",)),), POSITIONS).holds
    assert decide(crash, eventually(P), (Fairness("weak", "action", ("crash",)),), POSITIONS).holds


def test_a_step_that_changes_nothing_is_not_owed_and_pays_nothing() -> None:
    idle = graph([{TICK: 0}], [""])
    paid = graph([{TICK: 1, FILE: 0}, {TICK: 0, FILE: 2}, {}], ["", "", "p"])

    assert not decide(idle, eventually(P), (Fairness("weak", "all"),), POSITIONS).holds
    assert decide(paid, eventually(P), (Fairness("strong", "action"),), POSITIONS).holds


def test_standing_still_is_fair_where_nothing_more_can_happen() -> None:
    assert not decide(graph([{}], [""]), eventually(P), (Fairness("strong", "all"),), POSITIONS).holds


def test_what_the_way_back_makes_possible_is_owed_too() -> None:
    steps = graph([{TICK: 1}, {TICK: 0, FILE: 2}, {TICK: 0}], ["", "", ""])

    run = decide(steps, eventually(P), (Fairness("strong", "action"),), POSITIONS).run

    assert run == Run(0, (0, 1, 0), 0)


def test_a_strong_class_can_be_avoided_in_a_part_of_a_component() -> None:
    steps = graph([{TICK: 1, WORK_1: 2}, {TICK: 0, FILE: 3}, {WORK_1: 0, WORK_2: 2}, {}], ["", "", "", "p"])
    asked = (Fairness("strong", "action", ("file",)),)

    run = decide(steps, eventually(P), asked, POSITIONS).run

    assert run == Run(0, (1, 0), 0)
