"""Normal forms say the same as formulas, and automata accept the runs of which they are true."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import example, given, settings

from angarium.checker.ir.formula import (
    Atom,
    Conjunction,
    Disjunction,
    Formula,
    Implies,
    Negation,
    Over,
    Quantified,
    Truth,
    parts,
)
from angarium.checker.ir.syntax import Const
from angarium.checker.logic import buchi
from angarium.checker.logic.buchi import Automaton, automaton
from angarium.checker.logic.normal import FALSE, TRUE, normal, opposite
from angarium.checker.logic.semantics import true_on_lasso
from angarium.core.errors import LimitError
from tests.checker.logic.graphs import POSITIONS, P, Q, R
from tests.checker.logic.test_ltl_semantics import lassos, letters
from tests.checker.logic.textbook_runs import always, eventually, formulas, leads_to, next_, two
from tests.effort import examples

# --- normal forms ---------------------------------------------------------------------------------


def everything(formula: Formula) -> Iterator[Formula]:
    yield formula
    for part in parts(formula):
        yield from everything(part)


@given(formulas(most=6), lassos)
@settings(max_examples=examples(400))
def test_a_normal_form_means_the_same(formula: Formula, lasso: tuple[list[str], int]) -> None:
    words, cycle = lasso
    truth = true_on_lasso(formula, letters(words), cycle)

    assert true_on_lasso(normal(formula), letters(words), cycle) == truth
    assert true_on_lasso(opposite(formula), letters(words), cycle) != truth


@given(formulas(most=6))
@settings(max_examples=examples(200))
def test_only_atoms_are_negated_and_only_few_operators_are_left(formula: Formula) -> None:
    for part in everything(normal(formula)):
        assert not isinstance(part, Negation) or isinstance(part.operand, Atom)
        assert not isinstance(part, Implies)
        assert not isinstance(part, Over) or part.op != "W"
        assert not isinstance(part, Truth) or part == normal(formula)


@pytest.mark.parametrize(
    ("formula", "simple"),
    [
        (Conjunction(()), TRUE),
        (Disjunction(()), FALSE),
        (Conjunction((P, Negation(P))), FALSE),
        (Disjunction((P, Negation(P))), TRUE),
        (Conjunction((always(P), always(Q))), always(Conjunction((P, Q)))),
        (Disjunction((eventually(P), eventually(Q))), eventually(Disjunction((P, Q)))),
        (
            Disjunction((always(eventually(P)), always(eventually(Q)))),
            always(eventually(Disjunction((P, Q)))),
        ),
        (eventually(eventually(P)), eventually(P)),
        (eventually(always(eventually(P))), always(eventually(P))),
        (next_(always(eventually(P))), always(eventually(P))),
        (two("U", P, always(eventually(Q))), always(eventually(Q))),
        (eventually(two("U", P, Q)), eventually(Q)),
        (always(two("R", P, Q)), always(Q)),
        (two("U", TRUE, P), eventually(P)),
        (two("R", FALSE, P), always(P)),
        (two("W", P, FALSE), always(P)),
        (two("U", P, P), P),
        (always(next_(P)), next_(always(P))),
    ],
)
def test_simpler_forms(formula: Formula, simple: Formula) -> None:
    assert normal(formula) == simple


def test_a_formula_of_ctl_has_no_normal_form() -> None:
    with pytest.raises(TypeError, match="not a formula of LTL"):
        normal(Quantified("E", "F", (P,)))


# --- automata -------------------------------------------------------------------------------------


def accepts(machine: Automaton, words: list[str], cycle: int) -> bool:
    """Whether an automaton accepts a run that repeats itself, by looking for a cycle with all marks."""
    edges = list(_edges(machine, words, cycle))
    start = (0, 0)
    reach = {one: {other for first, other, _ in edges if first == one} for one, _, _ in edges}
    for middle in list(reach):
        for one in reach:
            if middle in reach[one]:
                reach[one] |= reach[middle]
    for one in reach:
        if one in reach[one] and (one == start or one in reach.get(start, set())):
            together = {other for other in reach[one] if one in reach.get(other, set())}
            seen = [marks for first, other, marks in edges if first in together and other in together]
            if np.bitwise_or.reduce(np.array(seen, np.uint64)) == machine.marks:
                return True
    return False


Node = tuple[int, int]


def _edges(machine: Automaton, words: list[str], cycle: int) -> Iterator[tuple[Node, Node, int]]:
    for moment, word in enumerate(words):
        following = moment + 1 if moment + 1 < len(words) else cycle
        letter = sum(1 << "pqr".index(each) for each in word)
        for state in range(machine.states):
            for rule in machine.rules[int(machine.rows[state]) : int(machine.rows[state + 1])]:
                true, false, to, marks = map(int, rule)
                if letter & true == true and not letter & false:
                    yield (moment, state), (following, to), marks


@given(formulas(most=5), lassos)
@settings(max_examples=examples(300))
@example(two("U", next_(P), always(Q)), (["p", "pq"], 1))
def test_an_automaton_accepts_what_the_formula_is_true_of(
    formula: Formula, lasso: tuple[list[str], int]
) -> None:
    words, cycle = lasso

    accepted = accepts(automaton(formula, POSITIONS), words, cycle)

    assert accepted == true_on_lasso(formula, letters(words), cycle)


@pytest.mark.parametrize(
    ("formula", "states"),
    [
        (TRUE, 1),
        (FALSE, 1),
        (Negation(leads_to(P, Q)), 2),
        (leads_to(P, Q), 2),
        (Negation(eventually(always(P))), 1),
        (Negation(always(eventually(P))), 2),
        (always(P), 1),
        (eventually(P), 2),
        (two("U", P, Q), 2),
        (two("R", P, Q), 2),
        (next_(P), 3),
        (Conjunction(tuple(always(eventually(each)) for each in (P, Q, R))), 1),
        (Negation(Implies(always(eventually(P)), leads_to(Q, R))), 2),
    ],
)
def test_automata_are_small(formula: Formula, states: int) -> None:
    assert automaton(formula, POSITIONS).states == states


def test_which_states_can_accept() -> None:
    machine = automaton(Negation(leads_to(P, Q)), POSITIONS)

    assert machine.hopeful.tolist() == [0, 1]
    assert machine.waits
    assert not automaton(leads_to(P, Q), POSITIONS).waits
    assert automaton(next_(P), POSITIONS).hopeful.tolist() == [0, 0, 1]
    assert automaton(FALSE, POSITIONS).hopeful.tolist() == [0]


def test_atoms_are_where_they_are_said_to_be() -> None:
    machine = automaton(Conjunction((P, Negation(Q))), {P: 62, Q: 5})

    assert [1 << 62, 1 << 5] in machine.rules[:, :2].tolist()


# --- limits ---------------------------------------------------------------------------------------


def other(number: int) -> Atom:
    return Atom(Const(number), f"c{number}")


def test_too_many_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buchi, "MOST_STATES", 8)
    deep: Formula = P
    for _ in range(9):
        deep = next_(deep)

    with pytest.raises(LimitError, match="more than 8 states") as raised:
        automaton(deep, POSITIONS)

    assert "split the formula" in str(raised.value)


def test_too_many_ways_to_go_on() -> None:
    many = Conjunction(tuple(always(eventually(other(n))) for n in range(11)))

    with pytest.raises(LimitError, match="more than 1,024 ways to go on"):
        automaton(many, {other(n): n for n in range(11)})


def test_too_many_ways_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buchi, "MOST_RULES_IN_ALL", 2)

    with pytest.raises(LimitError, match="more than 2 ways from state to state"):
        automaton(two("U", P, Q), POSITIONS)


def test_too_many_promises() -> None:
    many = Disjunction(tuple(two("U", other(n), P) for n in range(65)))

    with pytest.raises(LimitError, match="more than 64 parts"):
        automaton(many, {**POSITIONS, **{other(n): n for n in range(65)}})
