"""Promela: the text, what is refused, and that SPIN counts what the interpreter counts."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, assume, given, settings

from angarium.checker.explore.interpret import hits, initial_states, steps
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.export.promela import promela
from angarium.checker.ir.syntax import Const, If, Let, Local, Require
from angarium.checker.ir.transition import Guarantee, TransitionSystem
from angarium.core.control import Limits
from angarium.core.errors import ExportError
from tests.checker.explore.random_systems import systems
from tests.checker.export.systems import (
    act,
    array,
    counter,
    op,
    read,
    scalar,
    single_active_consumer,
    system,
    write,
)
from tests.effort import is_thorough
from tests.models import system as model_of
from tests.spin import SpinResult, needs_spin, run_spin
from tests.zoo import division, handoff, overflow, symmetric

EXAMPLES = 40 if is_thorough() else 4
"""How many random systems are given to SPIN, at about half a second each."""

GOLDEN = """\
/* counter {hash}, exported by Angarium */
byte x = 1;

#define can_up ((x <= 3))
#define can_fall ((x == 4))
#define at_rest (!(can_up || can_fall))
#define inv_low ((x <= 3))
#define rest_never (false)
#define reach_bottom ((x == 0))

active proctype steps() {{
end_loop:
  do
  :: d_step {{ can_up -> x = (x + 1) }}
  :: d_step {{ can_fall -> x = 0 }}
  :: d_step {{ !inv_low -> assert(false) }}
  :: d_step {{ at_rest && !rest_never -> assert(false) }}
  od
}}
"""
X = read("x")
GUARANTEES = (
    Guarantee("low", "invariant", op(X, "<", 3)),
    Guarantee("never", "at_rest", op(0, "==", 1)),
    Guarantee("bottom", "reaches", op(X, "==", -1)),
)


def text_of(model: TransitionSystem) -> str:
    return promela(model, initial_states(model))


def test_text() -> None:
    model = counter(*GUARANTEES)
    assert text_of(model) == GOLDEN.format(hash=model.hash)


def test_a_witness_is_asked_for_by_name() -> None:
    model = counter(*GUARANTEES)
    text = promela(model, [(0,)], reaches="bottom")
    assert "  :: d_step { reach_bottom -> assert(false) }" in text


def test_names_that_are_reserved_or_would_become_equal_stay_apart() -> None:
    variables = (scalar("len", 0, 1), scalar("a.b", 0, 1), scalar("a_b", 0, 1))
    text = text_of(system(variables))
    assert [line for line in text.splitlines() if line.startswith("byte")] == [
        "byte len_2 = 0;",
        "byte a_b = 0;",
        "byte a_b_2 = 0;",
    ]


@pytest.mark.parametrize(
    ("low", "high", "declared"),
    [
        (0, 255, "byte x = 0;"),
        (-1, 254, "byte x = 1;"),
        (0, 256, "short x = 0;"),
        (-300, 300, "short x = 0;"),
        (0, 70000, "int x = 0;"),
    ],
)
def test_a_variable_has_the_smallest_type_that_holds_it(low: int, high: int, declared: str) -> None:
    assert declared in text_of(system((scalar("x", low, high),)))


def test_division_of_negative_numbers_is_lifted() -> None:
    model = system((scalar("x", -3, 3),), act("halve", write("x", 0, op(X, "//", 2))))
    assert "byte x = 3;" in text_of(model)
    assert "x = ((x + 3) / 2)" in text_of(model)


# --- what is refused --------------------------------------------------------------------


def refused(model: TransitionSystem, words: str) -> ExportError:
    with pytest.raises(ExportError, match=words) as error:
        text_of(model)
    assert error.value.code == "ANG040"
    assert "Promela" in str(error.value)
    return error.value


@pytest.mark.parametrize("initial", [[], [(0,), (1,)]])
def test_other_than_one_initial_state(initial: list[tuple[int, ...]]) -> None:
    with pytest.raises(ExportError, match=f"{len(initial)} initial states"):
        promela(counter(), initial)


def test_a_require_that_reads_what_its_step_has_written() -> None:
    body = write("x", 0, op(X, "+", 1)), Require(op(X, "<", 3))
    error = refused(system((scalar("x", 0, 9),), act("up", *body)), "has written before")
    assert error.place is not None
    assert (error.place.file, error.place.line) == ("model.py", 9)


def test_a_number_that_needs_more_than_32_bits() -> None:
    square = op(op(X, "*", X), "==", 4)
    refused(system((scalar("x", 0, 2**20),), act("grow", Require(square))), "in 32 bits")


def test_a_range_that_needs_more_than_32_bits() -> None:
    refused(system((scalar("x", 0, 2**40),)), "the range 0 .. 1099511627776 of x")


# --- SPIN -------------------------------------------------------------------------------


def searched(model: TransitionSystem, folder: Path) -> SpinResult:
    return run_spin(text_of(model), folder)


@needs_spin
def test_a_system_in_which_nothing_ever_happens_has_one_state(tmp_path: Path) -> None:
    assert_same_counts(system((scalar("x", 0, 1),), act("never", Require(Const(0)))), tmp_path)


@needs_spin
def test_a_require_is_lifted_over_writes_to_other_cells(tmp_path: Path) -> None:
    body = (
        write("x", 0, 1),
        If(op(read("x", 1), "==", 0), (Require(op(read("x", 1), "==", read("x", 2))),)),
        Let("n", op(read("x", 0), "+", 0)),
        write("x", 1, Local("n")),
    )
    assert_same_counts(system((array("x", 3, 0, 1),), act("go", *body)), tmp_path)


@needs_spin
@pytest.mark.parametrize("model", [counter(), handoff(), overflow(), symmetric(), division()])
def test_the_zoo(model: TransitionSystem, tmp_path: Path) -> None:
    assert_same_counts(model, tmp_path)


@needs_spin
def test_violations_are_errors(tmp_path: Path) -> None:
    low, never, bottom = GUARANTEES
    for number, (wrong, errors) in enumerate([(low, True), (never, False), (bottom, False)]):
        (folder := tmp_path / str(number)).mkdir()
        assert (searched(counter(wrong), folder).errors > 0) == errors
    text = promela(counter(bottom), [(0,)], reaches="bottom")
    assert run_spin(text, tmp_path).errors > 0


@needs_spin
def test_at_rest_is_asked_only_where_nothing_can_happen(tmp_path: Path) -> None:
    up = act("up", Require(op(X, "<", 3)), write("x", 0, op(X, "+", 1)))
    for number, (condition, errors) in enumerate([(3, 0), (2, 1)]):
        claim = Guarantee("end", "at_rest", op(X, "==", condition))
        (folder := tmp_path / str(number)).mkdir()
        model = system((scalar("x", 0, 5),), up, guarantees=(claim,))
        assert searched(model, folder).errors == errors


@needs_spin
@pytest.mark.parametrize(("size", "states", "transitions"), [(2, 181, 428), (3, 183202, 817113)])
def test_single_active_consumer(size: int, states: int, transitions: int, tmp_path: Path) -> None:
    result = searched(single_active_consumer(size, size), tmp_path)
    assert (result.states, result.transitions, result.errors) == (states, transitions, 0)


@needs_spin
def test_single_active_consumer_comes_to_rest_in_288_states(tmp_path: Path) -> None:
    never = Guarantee("never", "at_rest", Const(0))
    text = text_of(single_active_consumer(3, 3, never))
    assert run_spin(text, tmp_path, every_error=True).errors == 288


@needs_spin
@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(systems())
def test_random_systems(model: TransitionSystem) -> None:
    assume(len(initial_states(model)) == 1)
    assume(ReferenceEngine().search(model, limits=Limits(max_states=300)).coverage.cut is None)
    with TemporaryDirectory() as folder:
        try:
            assert_same_counts(model, Path(folder))
        except ExportError:
            assume(False)


def assert_same_counts(model: TransitionSystem, folder: Path) -> None:
    """The same verdict, and the same counts if nothing is violated."""
    seen = set(waiting := initial_states(model))
    transitions, hit = 0, set()
    while waiting:
        cells = waiting.pop()
        targets = [move.target for move in steps(model, cells)]
        transitions += len(targets)
        hit |= hits(model, cells)
        waiting += set(targets) - seen
        seen |= set(targets)
    hit -= {each.name for each in model.guarantees if each.kind == "reaches"}
    result = searched(model, folder)
    assert (result.errors > 0) == bool(hit)
    if not hit:
        assert (result.states, result.transitions) == (len(seen), transitions)


ITS_OWN_INDEX = """
a = array(Item, integer(0, 2))
def first(self) -> int:
    return self.a[Item(0)]
@action
def write(self, i: Item) -> None:
    require(self.a[self.a[i]] < 2)
    self.a[self.a[i]] = 1 + self.a[self.a[self.a[0]]] % 2
@action
def write_by_helper(self) -> None:
    self.a[self.first()] = 2
"""


@needs_spin
def test_spin_takes_a_variable_that_is_its_own_index(tmp_path: Path) -> None:
    model = model_of(ITS_OWN_INDEX)
    outcome = ReferenceEngine().search(model)

    found = run_spin(text_of(model), tmp_path, every_error=True)

    assert (found.states, found.errors) == (outcome.coverage.states, 0)
    assert not outcome.runs
