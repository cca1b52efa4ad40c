"""Claims on runs in SMV: the text, what is refused, and that it means what we say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, assume, given, settings

from angarium.checker.explore.graph import Graph
from angarium.checker.explore.interpret import initial_states
from angarium.checker.export.smv import smv
from angarium.checker.ir.formula import Atom, Fairness, Formula, Quantified, TemporalGuarantee
from angarium.checker.ir.transition import TransitionSystem
from angarium.core.errors import ExportError
from tests.checker.export.machines import claim, formulas, holds, machine, trees
from tests.checker.export.smv_reader import Smv
from tests.checker.export.smv_time import Runs
from tests.checker.export.systems import counter, op, read
from tests.checker.logic.graphs import CRASH_1, FILE, HAND_1, TICK, WORK_1, P, Q, graph, graphs
from tests.checker.logic.textbook_runs import always, demands, eventually, next_, two
from tests.effort import examples
from tests.nusmv import needs_nusmv, run_nusmv

TOP, LOW = Atom(op(read("x"), "==", 3), "x == 3"), Atom(op(read("x"), "<", 0), "x < 0")
WEAK = Fairness("weak", "action", ("up",))
TEXT = """\
DEFINE atom_1 := (x = 3);
DEFINE possible_1 := (can_up);
DEFINE taken_1 := ((action = up));
"""
SPECS = """\
JUSTICE ((!possible_1) | taken_1);
-- often (fairness: weak by action of up)
LTLSPEC NAME ltl_often := (((G (F ((!possible_1) | taken_1)))) -> (G (F atom_1)));
-- always (fairness: weak by action of up)
CTLSPEC NAME ctl_always := (AG (AF atom_1));
"""


def text_of(model: TransitionSystem, *only: str) -> str:
    return smv(model, initial_states(model), only=only or None)


def says(model: TransitionSystem, name: str = "claim") -> bool:
    text = text_of(model, name)
    logic = {each.name: each.logic for each in model.temporal}[name]
    return Runs(Smv(text), initial_states(model)).true(f"{logic}_{name}")


def two_claims(*fairness: Fairness) -> TransitionSystem:
    tree = Quantified("A", "G", (Quantified("A", "F", (TOP,)),))
    often = TemporalGuarantee("often", "ltl", always(eventually(TOP)), (WEAK,))
    return replace(counter(), temporal=(often, TemporalGuarantee("always", "ctl", tree, fairness)))


def test_text() -> None:
    text = text_of(two_claims(WEAK))
    assert TEXT in text
    assert text.endswith(SPECS)


def test_formulas_under_different_fairness_go_out_one_by_one() -> None:
    weak = Fairness("weak", "action", ("fall",))
    text = text_of(two_claims(weak))
    assert "JUSTICE" not in text
    assert "-- always is left out: SMV cannot express a CTL formula beside others under another" in text
    assert "with --only always" in text
    assert "JUSTICE" in text_of(two_claims(weak), "always")
    with pytest.raises(ExportError, match="beside others under another fairness"):
        text_of(two_claims(weak), "always", "often")


def test_what_is_claimed_without_fairness_needs_no_justice() -> None:
    assert "JUSTICE" not in text_of(two_claims())
    assert "CTLSPEC NAME ctl_always" in text_of(two_claims())


def test_strong_fairness_of_trees_is_refused() -> None:
    strong = two_claims(Fairness("strong", "action", ("up",)))
    assert "-- always is left out: SMV cannot express strong fairness of a CTL formula" in text_of(strong)
    with pytest.raises(ExportError, match="strong fairness of a CTL formula, in the guarantee always"):
        text_of(strong, "always")


def test_divergence_is_left_out() -> None:
    model = replace(counter(), temporal=(TemporalGuarantee("quiet", "divergence", None),))
    assert "-- quiet is left out: SMV cannot express divergence\n" in text_of(model)


def test_a_run_may_stand_still_only_if_there_are_faults() -> None:
    assert "stands_still" not in text_of(two_claims())
    assert "stands_still" in text_of(machine(graph([{}], [""]), claim(always(P))))
    assert "stands_still" not in text_of(machine(graph([{}], [""])))


# --- what the text means ----------------------------------------------------------------

ROUND = graph(
    [{TICK: 1, FILE: 0}, {TICK: 0, WORK_1: 2}, {HAND_1: 2, CRASH_1: 3}, {}], ["", "", "p", "q"], initial=1
)
WORKER = Fairness("strong", "process", ("worker",))


@pytest.mark.parametrize(
    ("formula", "fairness", "expected"),
    [
        (eventually(P), (), False),
        (eventually(P), (WORKER,), False),
        (eventually(P), (WORKER, Fairness("weak", "action", ("tick",))), True),
        (two("W", next_(two("U", P, Q)), P), (), False),
        (Quantified("E", "F", (Quantified("A", "G", (Q,)),)), (), True),
        (Quantified("A", "F", (P,)), (), False),
        (Quantified("A", "W", (Quantified("E", "X", (P,)), P)), (), False),
        (Quantified("E", "R", (P, Quantified("E", "F", (P,)))), (), True),
    ],
    ids=lambda each: str(each) if isinstance(each, bool) else "",
)
def test_claims(formula: Formula, fairness: tuple[Fairness, ...], expected: bool) -> None:
    model = machine(ROUND, claim(formula, *fairness))
    assert holds(model)["claim"] == expected
    assert says(model) == expected


@settings(max_examples=examples(100), suppress_health_check=list(HealthCheck))
@given(graphs(states=4, most_steps=2), formulas(2) | trees(), demands(cost=1))
def test_random_claims(steps: Graph, formula: Formula, asked: tuple[Fairness, ...]) -> None:
    model = machine(steps, claim(formula, *asked))
    assert says(model) == holds(model)["claim"]


@needs_nusmv
@settings(max_examples=examples(100), suppress_health_check=list(HealthCheck))
@given(graphs(states=5), formulas(4) | trees(), demands(cost=6))
def test_nusmv_says_the_same(steps: Graph, formula: Formula, asked: tuple[Fairness, ...]) -> None:
    model = machine(steps, claim(formula, *asked))
    try:
        text = text_of(model, "claim")
    except ExportError:
        assume(False)
    with TemporaryDirectory() as folder:
        assert run_nusmv(text, Path(folder)) == [holds(model)["claim"]]
