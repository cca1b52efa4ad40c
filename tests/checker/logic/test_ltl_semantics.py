"""What formulas and fairness mean on a run that repeats itself."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.checker.ir.formula import Atom, Fairness, Formula, Negation, Quantified, Truth
from angarium.checker.logic.fairness import classes
from angarium.checker.logic.semantics import Letter, Moment, is_fair, true_on_lasso, truths
from tests.checker.logic import textbook_ltl
from tests.checker.logic.graphs import FILE, SYSTEM, TICK, P, Q
from tests.checker.logic.textbook_runs import always, eventually, formulas, next_, two
from tests.effort import examples


def letters(words: list[str]) -> list[Letter]:
    return [partial(_is_in, word) for word in words]


def _is_in(word: str, atom: Atom) -> bool:
    return atom.text in word


lassos = st.lists(st.sets(st.sampled_from("pqr")).map("".join), min_size=1, max_size=5).flatmap(
    lambda words: st.tuples(st.just(words), st.integers(0, len(words) - 1))
)


@given(formulas(), lassos)
@settings(max_examples=examples(200))
def test_agrees_with_the_textbook(formula: Formula, lasso: tuple[list[str], int]) -> None:
    words, cycle = lasso
    following = {n: {n + 1 if n + 1 < len(words) else cycle} for n in range(len(words))}
    only_run = textbook_ltl.World(following, {0}, lambda n, atom: atom.text in words[n])

    assert true_on_lasso(formula, letters(words), cycle) == textbook_ltl.holds(only_run, formula)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (next_(P), [True, False, True, True]),
        (eventually(Q), [True, True, True, True]),
        (always(P), [False, False, False, False]),
        (two("U", P, Q), [False, False, False, True]),
        (two("W", P, Truth(False)), [False, False, False, False]),
        (two("R", Q, P), [False, False, False, True]),
        (Negation(P), [False, False, True, False]),
    ],
)
def test_each_operator_at_each_moment(formula: Formula, expected: list[bool]) -> None:
    assert truths(formula, letters(["p", "p", "", "pq"]), 1) == expected


def test_a_formula_of_ctl_is_refused() -> None:
    with pytest.raises(TypeError, match="not a formula of LTL"):
        true_on_lasso(Quantified("A", "G", (P,)), letters(["p"]), 0)


# --- fairness -------------------------------------------------------------------------------------

BUSY, IDLE, FILES = (
    Moment(frozenset({TICK, FILE}), TICK),
    Moment(frozenset({TICK}), TICK),
    Moment(frozenset({FILE}), FILE),
)


@pytest.mark.parametrize(
    ("cycle", "weak", "strong"),
    [
        ([BUSY], False, False),
        ([BUSY, IDLE], True, False),
        ([IDLE], True, True),
        ([BUSY, FILES], True, True),
        ([Moment(frozenset(), None)], True, True),
        ([Moment(frozenset({FILE}), None)], False, False),
    ],
)
def test_fairness(cycle: list[Moment], weak: bool, strong: bool) -> None:
    assert is_fair(classes(SYSTEM, (Fairness("weak", "action"),)), cycle) == weak
    assert is_fair(classes(SYSTEM, (Fairness("strong", "action"),)), cycle) == strong
    assert is_fair(classes(SYSTEM, ()), cycle)
