"""TLA+: the text, what is refused, and that TLC counts what the interpreter counts."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, assume, given, settings

from angarium.checker.explore.interpret import initial_states
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.export.tla import tla
from angarium.checker.ir.transition import STAYS_IN_RANGE, Guarantee, TransitionSystem
from angarium.core.control import Limits
from angarium.core.errors import ExportError
from tests.checker.explore.random_systems import systems
from tests.checker.export.systems import counter, op, read, single_active_consumer
from tests.effort import is_thorough
from tests.tlc import distinct_states, needs_tlc, run_tlc
from tests.zoo import division, handoff, overflow, symmetric

EXAMPLES = 20 if is_thorough() else 3

GOLDEN = """\
---- MODULE counter ----
EXTENDS Integers
VARIABLES x
vars == << x >>

TypeOK ==
  /\\ x \\in (-1)..(3)

Init ==
  \\/ (x = 0)

up ==
  LET
      x_1 == (x + 1)
  IN
  /\\ (x <= 2)
  /\\ x' = x_1

fall ==
  LET
      x_1 == (-1)
  IN
  /\\ (x = 3)
  /\\ x' = x_1

Next ==
  \\/ up
  \\/ fall

Spec == Init /\\ [][Next]_vars

StaysInRange == TRUE

Inv_low == (x <= 2)

Rest_never == (~ENABLED Next) => FALSE

Reach_bottom == (x = (-1))

Not_Reach_bottom == ~Reach_bottom

====
"""
X = read("x")
LOW = Guarantee("low", "invariant", op(X, "<", 3))
NEVER = Guarantee("never", "at_rest", op(0, "==", 1))
BOTTOM = Guarantee("bottom", "reaches", op(X, "==", -1))


def test_text() -> None:
    assert tla(counter(LOW, NEVER, BOTTOM), [(0,)]) == GOLDEN


def test_several_initial_states_are_a_disjunction() -> None:
    assert "Init ==\n  \\/ (x = 0)\n  \\/ (x = 2)\n" in tla(counter(), [(0,), (2,)])


def test_helpers_and_actions_keep_their_parameters() -> None:
    model = single_active_consumer(2, 2)
    text = tla(model, initial_states(model))
    assert "\nactive_count(a) == " in text
    assert "\nrelease(a, q) ==\n" in text
    assert "  \\/ \\E a \\in 0..1 : \\E q \\in 0..1 : release(a, q)\n" in text
    assert "(active_count(a) > ideal(a))" in text


def test_no_initial_state_is_refused() -> None:
    with pytest.raises(ExportError, match=r"TLA\+ cannot express a system without initial") as error:
        tla(counter(), [])
    assert error.value.code == "ANG040"


# --- TLC --------------------------------------------------------------------------------


@needs_tlc
def test_violations(tmp_path: Path) -> None:
    text = tla(counter(LOW, NEVER, BOTTOM), [(0,)])
    names = ["TypeOK", "StaysInRange", "Inv_low", "Rest_never", "Not_Reach_bottom"]
    violated = [name for name in names if "is violated" in run_tlc(text, tmp_path, name)]
    assert violated == ["Inv_low", "Not_Reach_bottom"]


@needs_tlc
@pytest.mark.parametrize(
    "model",
    [counter(), handoff(), overflow(), symmetric(), division(), single_active_consumer(2, 2)],
    ids=lambda model: model.name,
)
def test_counts(model: TransitionSystem, tmp_path: Path) -> None:
    assert_same_counts(model, tmp_path)


@needs_tlc
@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(systems())
def test_random_systems(model: TransitionSystem) -> None:
    assume(initial_states(model))
    assume(all(each.low > -(2**20) and each.high < 2**20 for each in model.variables))
    assume(ReferenceEngine().search(model, limits=Limits(max_states=300)).coverage.cut is None)
    with TemporaryDirectory() as folder:
        assert_same_counts(model, Path(folder))


def assert_same_counts(model: TransitionSystem, folder: Path) -> None:
    """The same states, and `StaysInRange` violated by both or by none."""
    text = tla(model, initial_states(model))
    silent = replace(model, guarantees=())
    outcome = ReferenceEngine().search(model)
    said = run_tlc(text, folder, "StaysInRange")
    assert bool(re.search("is violated|is equal to FALSE", said)) == (STAYS_IN_RANGE in outcome.runs), said
    if STAYS_IN_RANGE not in outcome.runs:
        assert distinct_states(said) == ReferenceEngine().search(silent).coverage.states
