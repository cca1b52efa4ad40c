"""Claims on runs in Promela: the text, what is refused, and that SPIN says what we say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings

from angarium.checker.explore.graph import Graph
from angarium.checker.explore.interpret import initial_states
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.export.promela import promela
from angarium.checker.ir.formula import (
    Atom,
    Fairness,
    Formula,
    Implies,
    Negation,
    Quantified,
    TemporalGuarantee,
    Truth,
)
from angarium.checker.ir.transition import Guarantee, TransitionSystem
from angarium.core.errors import ExportError, UsageError
from tests.checker.export.machines import claim, formulas, holds, machine
from tests.checker.export.systems import counter, op, read
from tests.checker.logic.graphs import CRASH_1, FILE, HAND_1, TICK, WORK_1, P, Q, graph, graphs
from tests.checker.logic.textbook_runs import always, demands, eventually, leads_to, next_, two
from tests.effort import is_thorough
from tests.spin import needs_spin, run_ltl, run_spin
from tests.zoo import division

pytestmark = pytest.mark.slow

EXAMPLES = 40 if is_thorough() else 4
"""How many random claims are given to SPIN, at about a second each."""

TOP = Atom(op(read("x"), "==", 3), "x == 3")
WEAK, STRONG = Fairness("weak", "action"), Fairness("strong", "action")
BLOCK = """\
#ifdef LTL_up_again
/* up-again: It rises. (fairness: weak by action of up) */
bit atom_1 = 0; /* x == 3 */
hidden int took_ = -1;
byte turn_ = 0;
#define RUNS
#define BEGIN do :: atomic { if
#define END fi; d_step { atom_1 = (x == 4); turn_ = (turn_ == 1 -> 0 : turn_); \
turn_ = ((turn_ == 0 && ((took_ == 0) || !(can_up))) -> turn_ + 1 : turn_); \
turn_ = (turn_ <= 1 && !(can_up || can_fall) -> 1 : turn_) } } od
#define TAKE(step) took_ = step;
ltl up_again { (([]<> (turn_ == 1)) -> ([] (<> atom_1))) }
#endif
#ifndef RUNS
#define BEGIN do
#define END od
#define TAKE(step)
#endif
"""
LOOP = """\
  BEGIN
  :: d_step { can_up -> TAKE(0) x = (x + 1) }
  :: d_step { can_fall -> TAKE(1) x = 0 }
#ifndef RUNS
  :: d_step { !inv_low -> assert(false) }
#endif
  END
"""


def text_of(model: TransitionSystem, *only: str) -> str:
    return promela(model, initial_states(model), only=only or None)


def up_again(*guarantees: Guarantee) -> TransitionSystem:
    fairness = (Fairness("weak", "action", ("up",)),)
    often = TemporalGuarantee("up-again", "ltl", always(eventually(TOP)), fairness, "It rises.")
    return replace(counter(*guarantees), temporal=(often,))


def test_text() -> None:
    low = Guarantee("low", "invariant", op(read("x"), "<", 3))
    text = text_of(up_again(low))
    assert BLOCK in text
    assert LOOP in text
    assert "inv_low" not in text_of(up_again(low), "up-again")
    assert "LTL_" not in text_of(up_again(low), "low")


def test_what_is_owed_anyway_needs_no_turn() -> None:
    often = claim(always(eventually(TOP)), Fairness("weak", "all"))
    assert "turn_" not in text_of(replace(counter(), temporal=(often,)))


def test_a_formula_that_looks_ahead_is_asked_late() -> None:
    text = text_of(replace(counter(), temporal=(claim(always(Implies(TOP, next_(next_(TOP))))),)))
    assert "ltl claim { ((age_ < 2) U ((age_ == 2) && ([] (atom_1_was_2 -> atom_1)))) }" in text


def test_the_claim_is_chosen_by_the_name_of_the_guarantee() -> None:
    named = TemporalGuarantee("x", "ltl", eventually(TOP))
    text = text_of(replace(counter(), temporal=(named,)))
    assert "#ifdef LTL_x\n" in text
    assert "ltl x_2 { (<> atom_1) }" in text


def test_what_cannot_be_said_is_left_out_or_refused() -> None:
    tree = TemporalGuarantee("tree", "ctl", Quantified("A", "G", (TOP,)), at=9)
    model = replace(counter(), temporal=(tree, TemporalGuarantee("quiet", "divergence", None)))
    text = text_of(model)
    assert "/* tree is left out: Promela cannot express CTL */" in text
    assert "/* quiet is left out: Promela cannot express divergence */" in text
    assert "  do\n" in text
    with pytest.raises(ExportError, match="cannot express CTL, in the guarantee tree") as error:
        text_of(model, "tree")
    assert error.value.place is not None
    assert error.value.place.line == 9


def test_a_guarantee_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="counter has no guarantee up-agian") as error:
        text_of(up_again(), "up-agian")
    assert "did you mean up-again?" in str(error.value)


def test_fairness_of_what_is_not_there() -> None:
    often = claim(always(eventually(TOP)), Fairness("weak", "action", ("jump",)))
    with pytest.raises(ExportError, match="fairness of jump"):
        text_of(replace(counter(), temporal=(often,)))


# --- SPIN -------------------------------------------------------------------------------


def says(model: TransitionSystem, folder: Path, name: str = "claim") -> bool:
    return run_ltl(text_of(model), name, folder)


@needs_spin
def test_claims_on_runs_do_not_change_the_counts(tmp_path: Path) -> None:
    found = run_spin(text_of(up_again()), tmp_path)
    coverage = ReferenceEngine().search(counter()).coverage
    assert (found.states, found.transitions, found.errors) == (coverage.states, coverage.transitions, 0)


LINE = graph([{TICK: 1}, {TICK: 2}, {}], ["p", "q", "q"])
"""p, then q; nothing more can happen in the third state."""


@needs_spin
@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (P, True),
        (Q, False),
        (Truth(False), False),
        (next_(Q), True),
        (next_(P), False),
        (next_(next_(next_(next_(Q)))), True),
        (eventually(always(Q)), True),
        (always(eventually(P)), False),
        (two("U", P, Q), True),
        (two("U", P, Negation(P)), True),
        (two("U", Q, P), True),
        (two("W", P, Truth(False)), False),
        (two("W", Q, P), True),
        (two("R", P, P), True),
        (two("R", Q, P), False),
        (leads_to(P, Q), True),
        (leads_to(Q, P), False),
        (Negation(Negation(eventually(Negation(next_(Q))))), False),
    ],
    ids=lambda each: None if isinstance(each, bool) else "",
)
def test_an_operator(formula: Formula, expected: bool, tmp_path: Path) -> None:
    model = machine(LINE, claim(formula))
    assert holds(model)["claim"] == expected
    assert says(model, tmp_path) == expected


ROUND = graph([{TICK: 1, FILE: 0}, {TICK: 0, WORK_1: 2, FILE: 1}, {HAND_1: 2, TICK: 2}], ["", "", "p"])
"""A circle of two states with a way out in the second, to where steps change nothing."""


@needs_spin
@pytest.mark.parametrize(
    ("fairness", "expected"),
    [
        ((), False),
        ((Fairness("weak", "all"),), False),
        ((WEAK,), False),
        ((STRONG,), True),
        ((Fairness("strong", "instance", ("work",)),), False),
        ((Fairness("strong", "instance", ("work",)), Fairness("weak", "action", ("tick",))), True),
        ((Fairness("strong", "process", ("clerk",)),), False),
        ((Fairness("weak", "process"), Fairness("strong", "process", ("worker",))), True),
    ],
    ids=lambda each: ", ".join(f.text for f in each) if isinstance(each, tuple) else str(each),
)
def test_fairness(fairness: tuple[Fairness, ...], expected: bool, tmp_path: Path) -> None:
    model = machine(ROUND, claim(eventually(P), *fairness))
    assert holds(model)["claim"] == expected
    assert says(model, tmp_path) == expected


LAZY = graph([{TICK: 1}, {CRASH_1: 2}, {}], ["", "q", "p"])
"""A step, and then nothing but a fault can happen."""


@needs_spin
@pytest.mark.parametrize(
    ("formula", "fairness", "expected"),
    [
        (eventually(P), (), False),
        (eventually(P), (Fairness("weak", "all"),), False),
        (eventually(P), (Fairness("weak", "all", ("crash",)),), True),
        (eventually(always(P)), (Fairness("strong", "instance", ("crash",)),), True),
        (next_(two("W", Q, P)), (), True),
        (next_(next_(next_(Q))), (), False),
        (leads_to(Q, next_(Implies(Q, always(Q)))), (), True),
    ],
    ids=lambda each: str(each) if isinstance(each, bool) else "",
)
def test_nobody_owes_a_fault(
    formula: Formula, fairness: tuple[Fairness, ...], expected: bool, tmp_path: Path
) -> None:
    model = machine(LAZY, claim(formula, *fairness))
    assert holds(model)["claim"] == expected
    assert says(model, tmp_path) == expected


@needs_spin
def test_a_condition_without_a_value_is_a_violated_assertion(tmp_path: Path) -> None:
    share = Atom(op(op(6, "//", read("n")), ">", 0), "6 // n > 0")
    model = replace(
        division(), actions=division().actions[:1], guarantees=(), temporal=(claim(always(share)),)
    )
    assert run_spin(text_of(model), tmp_path).errors == 1


@needs_spin
def test_a_system_in_which_nothing_ever_happens(tmp_path: Path) -> None:
    still = graph([{}], ["p"])
    model = machine(still, claim(always(next_(P)), STRONG), claim(eventually(Q), WEAK, name="other"))
    assert says(model, tmp_path)
    assert not says(model, tmp_path, "other")


@needs_spin
@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(graphs(states=5), formulas(3), demands(cost=6))
def test_random_claims(steps: Graph, formula: Formula, asked: tuple[Fairness, ...]) -> None:
    model = machine(steps, claim(formula, *asked))
    with TemporaryDirectory() as folder:
        assert says(model, Path(folder)) == holds(model)["claim"]
