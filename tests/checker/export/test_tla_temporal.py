"""Claims on runs in TLA+: the text, what is refused, and that TLC says what we say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings

from angarium.checker.explore.graph import Graph
from angarium.checker.explore.interpret import initial_states
from angarium.checker.export.tla import tla, tlc
from angarium.checker.ir.formula import (
    Atom,
    Fairness,
    Formula,
    Negation,
    Quantified,
    TemporalGuarantee,
    Truth,
)
from angarium.checker.ir.transition import Guarantee, TransitionSystem
from angarium.core.errors import ExportError, UsageError
from angarium.systems.registry import load
from tests.checker.export.machines import claim, formulas, holds, machine
from tests.checker.export.systems import counter, op, read
from tests.checker.logic.graphs import CRASH_1, HAND_1, TICK, WORK_1, P, Q, graph, graphs
from tests.checker.logic.textbook_runs import always, demands, eventually, leads_to, next_, two
from tests.effort import is_thorough
from tests.tlc import needs_tlc, tlc_holds

pytestmark = pytest.mark.slow

EXAMPLES = 20 if is_thorough() else 3

TOP = Atom(op(read("x"), "==", 3), "x == 3")
OFTEN = TemporalGuarantee("up-again", "ltl", always(eventually(TOP)), (Fairness("strong", "action"),))
SECTION = """\
Maximal == WF_vars(Next)

Atom_1 == (x = 3) \\* x == 3

\\* up-again (fairness: strong by action)
Spec_up_again ==
  /\\ Spec
  /\\ Maximal
  /\\ SF_vars(up)
  /\\ SF_vars(fall)
Live_up_again == ([](<>Atom_1))
"""


def text_of(model: TransitionSystem, *only: str) -> str:
    return tla(model, initial_states(model), only=only or None)


def test_text() -> None:
    assert SECTION in text_of(replace(counter(), temporal=(OFTEN,)))


def test_classes_are_actions_with_their_arguments() -> None:
    model = machine(graph([{}], [""]), claim(always(P), Fairness("weak", "process")))
    text = text_of(model)
    assert "  /\\ WF_vars(work(0) \\/ hand(0))\n" in text
    assert "  /\\ WF_vars((\\E w \\in 0..1 : hand(w)) \\/ file)\n" in text
    assert "Work ==\n  \\/ tick\n  \\/ \\E w \\in 0..1 : work(w)\n" in text


def test_a_run_may_stand_still_where_a_step_changes_nothing() -> None:
    still = machine(graph([{TICK: 1}, {TICK: 1}], ["", ""]), claim(always(P)))
    assert "\\/ []<>(ENABLED (Next /\\ UNCHANGED vars))" in text_of(still)


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        (next_(TOP), "the operator next"),
        (two("U", TOP, TOP), "the operator until"),
        (two("W", TOP, TOP), "the operator weak until"),
        (always(two("R", TOP, TOP)), "the operator release"),
        (Quantified("A", "G", (TOP,)), "CTL"),
    ],
)
def test_what_cannot_be_said_is_left_out_or_refused(formula: Formula, words: str) -> None:
    model = replace(counter(), temporal=(claim(formula), OFTEN))
    text = text_of(model)
    assert f"\\* claim is left out: TLA+ cannot express {words}\n" in text
    assert "Live_up_again" in text
    with pytest.raises(ExportError, match=f"cannot express {words}, in the guarantee claim"):
        text_of(model, "claim")


def test_configurations() -> None:
    low = Guarantee("low", "invariant", op(read("x"), "<", 4))
    never = Guarantee("bottom", "reaches", op(read("x"), "==", -1))
    model = replace(counter(low, never), temporal=(OFTEN,))
    states = "SPECIFICATION Spec\nINVARIANT TypeOK\nINVARIANT StaysInRange\nINVARIANT Inv_low\n"
    assert tlc(model, [(0,)]) == states
    assert tlc(model, [(0,)], only=["low"]) == states
    runs = "SPECIFICATION Spec_up_again\nPROPERTY Live_up_again\n"
    assert tlc(model, [(0,)], only=["up-again"]) == runs
    with pytest.raises(UsageError, match="cannot be about all of these: low, up-again"):
        tlc(model, [(0,)], only=["up-again", "low"])


# --- TLC --------------------------------------------------------------------------------


def says(model: TransitionSystem, folder: Path, name: str = "claim") -> bool:
    initial = initial_states(model)
    return tlc_holds(tla(model, initial), tlc(model, initial, only=[name]), folder)


ROUND = graph([{TICK: 1}, {TICK: 0, WORK_1: 2, CRASH_1: 1}, {HAND_1: 2, CRASH_1: 3}, {}], ["", "", "p", "q"])
"""A circle with a way out, behind which nothing changes but by a fault."""


@needs_tlc
@pytest.mark.parametrize(
    ("formula", "fairness", "expected"),
    [
        (eventually(P), (), False),
        (eventually(P), (Fairness("strong", "process", ("worker",)),), True),
        (leads_to(P, Q), (Fairness("weak", "all"),), False),
        (leads_to(P, Q), (Fairness("weak", "action", ("crash",)),), True),
        (Negation(eventually(Truth(False))), (), True),
    ],
    ids=lambda each: str(each) if isinstance(each, bool) else "",
)
def test_claims(formula: Formula, fairness: tuple[Fairness, ...], expected: bool, tmp_path: Path) -> None:
    model = machine(ROUND, claim(formula, *fairness))
    assert holds(model)["claim"] == expected
    assert says(model, tmp_path) == expected


@pytest.mark.sample(1)
@needs_tlc
@pytest.mark.parametrize(
    ("mode", "subscribed", "balanced"), [("sequential", False, True), ("random", True, True)]
)
def test_single_active_consumer(mode: str, subscribed: bool, balanced: bool, tmp_path: Path) -> None:
    model = load("rabbitmq-sac", {"queues": "2", "apps": "2", "mode": mode})
    assert says(model, tmp_path, "eventually-all-subscribed") == subscribed
    assert says(model, tmp_path, "eventually-balanced") == balanced


@needs_tlc
@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(graphs(states=5), formulas(3, "FG"), demands(cost=8))
def test_random_claims(steps: Graph, formula: Formula, asked: tuple[Fairness, ...]) -> None:
    model = machine(steps, claim(always(formula), *asked))
    with TemporaryDirectory() as folder:
        assert says(model, Path(folder)) == holds(model)["claim"]
