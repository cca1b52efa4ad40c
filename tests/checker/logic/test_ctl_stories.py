"""What stories of CTL say: the run that decides, in a sentence, and when a formula says nothing."""

from __future__ import annotations

import pytest

from angarium.checker.ir.formula import (
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
from angarium.checker.logic.ctl import decide
from angarium.checker.logic.decision import Run
from angarium.checker.logic.sentences import text
from tests.checker.logic.graphs import POSITIONS, TICK, WORK_1, P, Q, R, graph

NOTHING = Truth(False)


def A(op: str, *operands: Formula) -> Quantified:  # noqa: N802 - as it is written
    return Quantified("A", op, operands)  # type: ignore[arg-type]


def E(op: str, *operands: Formula) -> Quantified:  # noqa: N802
    return Quantified("E", op, operands)  # type: ignore[arg-type]


LINE = graph([{TICK: 1}, {TICK: 2, WORK_1: 0}, {}], ["p", "pq", "r"])
"""p, then p and q, then r for ever; or back."""


@pytest.mark.parametrize(
    ("formula", "run", "summary"),
    [
        (P, Run(0, ()), ""),
        (Q, Run(0, ()), "`q` is false"),
        (NOTHING, Run(0, ()), "`False` is false"),
        (A("G", P), Run(0, (0, 0)), "after step 2 `p` is false"),
        (A("G", Implies(Q, P)), Run(0, ()), ""),
        (A("F", R), Run(0, (0, 1), 0), "`r` is false for ever"),
        (A("F", Conjunction((Q, R))), Run(0, (0, 1), 0), "`q and r` is false for ever"),
        (A("X", P), Run(0, ()), ""),
        (A("X", Negation(Q)), Run(0, (0,)), "after step 1 `q` is true"),
        (A("U", P, R), Run(0, (0, 1), 0), "`r` is false for ever"),
        (A("U", P, NOTHING), Run(0, (0, 0)), "after step 2 `p` is false"),
        (A("W", P, Q), Run(0, ()), ""),
        (A("W", P, NOTHING), Run(0, (0, 0)), "after step 2 `p` is false"),
        (A("R", NOTHING, P), Run(0, (0, 0)), "after step 2 `p` is false"),
        (E("F", R), Run(0, (0, 0)), "after step 2 `r` is true"),
        (E("G", P), Run(0, (0, 1), 0), "`p` is true for ever"),
        (E("U", P, R), Run(0, (0, 0)), "after step 2 `r` is true"),
        (E("G", Q), Run(0, ()), "`q` cannot stay true"),
        (E("X", R), Run(0, ()), "after no step `r` is true"),
        (E("X", E("X", R)), Run(0, (0, 0)), "after step 2 `r` is true"),
        (E("W", P, NOTHING), Run(0, (0, 1), 0), "`p` is true for ever"),
        (E("R", Q, P), Run(0, (0,)), "after step 1 `q` is true, and `p` is true"),
        (E("R", R, P), Run(0, (0, 1), 0), "`p` is true for ever"),
        (A("G", E("F", P)), Run(0, (0, 0)), "after step 2 `p` can never become true"),
        (A("G", A("F", P)), Run(0, (0, 0), 2), "after step 2 `p` is false for ever"),
        (
            A("G", Implies(Q, A("F", R))),
            Run(0, (0, 1, 0), 1),
            "after step 1 `q` is true, and `r` is false for ever",
        ),
        (Conjunction((E("F", Q), A("F", R))), Run(0, (0, 1), 0), "`r` is false for ever"),
        (Disjunction((A("F", R), E("F", R))), Run(0, (0, 0)), "after step 2 `r` is true"),
        (Negation(E("F", R)), Run(0, (0, 0)), "after step 2 `r` is true"),
        (E("F", E("G", R)), Run(0, (0, 0), 2), "after step 2 `r` is true for ever"),
        (E("F", A("X", R)), Run(0, (0, 0)), "after step 2 after every step `r` is true"),
        (E("F", Conjunction((R, E("X", R)))), Run(0, (0, 0), 2), "after step 2 `r` is true, and `r` is true"),
    ],
    ids=lambda value: text(value) if not isinstance(value, Run | str) else "",
)
def test_the_run_and_its_sentence(formula: Formula, run: Run, summary: str) -> None:
    decision = decide(LINE, formula, (), POSITIONS)

    assert decision.summary == summary
    assert decision.run == (run if summary else None)


def test_the_nearest_of_several_initial_states_is_taken() -> None:
    far_and_near = graph([{TICK: 2}, {TICK: 3}, {TICK: 3}, {}], ["p", "p", "p", ""], initial=2)

    assert decide(far_and_near, A("G", P), (), POSITIONS).run == Run(1, (0,))


def test_a_short_cut_that_breaks_the_condition_is_not_taken() -> None:
    steps = [{TICK: 1, WORK_1: 2}, {TICK: 4}, {TICK: 3}, {TICK: 4}, {}]
    forked = graph(steps, ["p", "", "p", "p", "pr"])

    assert decide(forked, E("U", P, R), (), POSITIONS).run == Run(0, (1, 0, 0))
    assert decide(forked, E("R", R, P), (), POSITIONS).run == Run(0, (1, 0, 0))
    assert decide(forked, A("W", Negation(R), Negation(P)), (), POSITIONS).run == Run(0, (1, 0, 0))


def test_a_fair_run_takes_what_is_owed() -> None:
    around = graph([{TICK: 1, WORK_1: 2}, {TICK: 0}, {TICK: 0}], ["", "", "p"])
    weak, strong = (Fairness(strength, "action", ("tick", "work")) for strength in ("weak", "strong"))

    assert decide(around, A("F", P), (weak,), POSITIONS).run == Run(0, (0, 0), 0)
    assert decide(around, A("F", P), (strong,), POSITIONS).holds
    assert not decide(around, A("F", P), (), POSITIONS).holds


def test_a_run_of_ltl_is_refused() -> None:
    with pytest.raises(TypeError, match="no CTL"):
        decide(LINE, Over("G", (P,)), (), POSITIONS)


# --- vacuity ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "vacuous"),
    [
        (A("G", Implies(R, A("F", R))), None),
        (A("G", Implies(Conjunction((P, R)), A("F", Q))), "`p and r` is never true"),
        (A("G", Implies(Q, E("F", R))), None),
        (A("G", Implies(R, NOTHING)), None),
        (Implies(Q, R), "`q` is not true at the start"),
        (Negation(Conjunction((Negation(Implies(Q, R)), P))), "it holds whatever `r` is"),
        (Negation(E("F", Implies(P, NOTHING))), None),
        (Negation(Implies(P, R)), None),
        (Implies(Implies(Q, R), P), None),
        (Disjunction((E("F", P), Implies(P, R))), "it holds whatever `r` is"),
        (E("F", Implies(P, Q)), "it holds whatever `q` is"),
        (A("W", Implies(Q, Q), R), None),
    ],
    ids=lambda value: text(value) if value and not isinstance(value, str) else "",
)
def test_a_formula_that_holds_may_claim_nothing(formula: Formula, vacuous: str | None) -> None:
    assert decide(LINE, formula, (), POSITIONS).vacuous == vacuous


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        (A("G", Implies(P, A("F", Q))), "AG (p -> AF q)"),
        (E("U", P, Conjunction((Q, R))), "E[p U q and r]"),
        (Negation(Disjunction((P, Q))), "not (p or q)"),
        (Conjunction(()), "True"),
        (Disjunction(()), "False"),
    ],
)
def test_formulas_are_written_as_people_do(formula: Formula, words: str) -> None:
    assert text(formula) == words
