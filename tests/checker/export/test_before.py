"""That a step is seen to change something exactly where it does, and which classes of steps are owed."""

from __future__ import annotations

from hypothesis import HealthCheck, assume, given, settings

from angarium.checker.explore.evaluate import EvaluationError, evaluate
from angarium.checker.explore.interpret import combinations, expand, initial_states
from angarium.checker.export.before import Before, can_stand_still
from angarium.checker.export.symbolic import execute
from angarium.checker.export.temporal import owed
from angarium.checker.export.unroll import Unroller
from angarium.checker.ir.fair_classes import Owed, arguments_of
from angarium.checker.ir.fold import TRUE
from angarium.checker.ir.formula import Fairness
from angarium.checker.ir.intervals import exactly
from angarium.checker.ir.syntax import If, Require
from angarium.checker.ir.transition import Cells, Parameter, TransitionSystem
from angarium.checker.ir.types import Int
from angarium.checker.logic.fairness import classes
from angarium.core.errors import ExportError
from angarium.systems.registry import load
from tests.checker.explore.random_systems import systems
from tests.checker.export.machines import machine
from tests.checker.export.systems import act, array, op, read, scalar, single_active_consumer, system, write
from tests.checker.logic.graphs import SYSTEM, graphs
from tests.checker.logic.textbook_runs import demands
from tests.effort import examples

X, Y = read("x"), read("y")


def reachable(model: TransitionSystem, most: int = 200) -> list[Cells]:
    found = list(initial_states(model))
    for cells in found:
        if len(found) < most:
            found += {move.target for move in expand(model, cells).moves} - set(found)
    return found


def assert_seen(model: TransitionSystem) -> None:
    """In every state in which nothing fails, what changes something is what is said to do so."""
    unroller = Unroller(model, "test")
    said = {
        (action.name, arguments): Before(unroller, execute(unroller, *unroller.instance(action, ends))).moves
        for action in model.actions
        for arguments in arguments_of(action)
        for ends in [[exactly(each) for each in arguments]]
    }
    for cells in reachable(model):
        expansion = expand(model, cells)
        if not expansion.failures:
            moving = {(m.action.name, m.arguments) for m in expansion.moves if m.target != cells}
            assert {key for key, moves in said.items() if evaluate(model, moves, cells, {})} == moving


@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(systems())
def test_random_systems(model: TransitionSystem) -> None:
    try:
        assert_seen(model)
    except (EvaluationError, ExportError):
        assume(False)


@settings(max_examples=examples(50))
@given(graphs())
def test_machines(graph: object) -> None:
    assert_seen(machine(graph))  # type: ignore[arg-type]


def is_sure(*body: object, cells: int = 0) -> bool:
    """Whether an action with this body is seen to change something wherever it happens."""
    variables = (scalar("x", 0, 3), scalar("y", -1, 3), array("z", 3, 0, 2))
    model = system(variables, act("go", *body, parameters=(Parameter("i", Int(0, 2)),)))
    assert_seen(model)
    return not can_stand_still(Unroller(model, "test"))


def test_what_is_seen_to_change() -> None:
    assert is_sure(Require(op(X, "<", 3)), write("x", 0, op(X, "+", 1)))
    assert is_sure(Require(op(X, "==", 1)), write("x", 0, 2))
    assert is_sure(Require(op(Y, "==", -1)), write("y", 0, X))
    assert is_sure(Require(op(X, "!=", 0)), write("x", 0, 0))
    assert is_sure(Require(op(X, "==", 0)), If(op(Y, "==", 0), (write("x", 0, 1),), (write("x", 0, 2),)))


def test_what_may_change_nothing() -> None:
    assert not is_sure(write("x", 0, 1))
    assert not is_sure(Require(op(X, "<", 3)))
    assert not is_sure(Require(op(X, "<", 3)), write("x", 0, op(X, "+", 1)), write("x", 0, op(X, "-", 1)))
    assert not is_sure(Require(op(X, "==", 0)), If(op(Y, "==", 0), (write("x", 0, 1),)))


def test_a_step_that_could_only_stand_still_where_it_is_impossible() -> None:
    either = op(op(X, "==", 0), "or", op(Y, "==", 0))
    assert is_sure(
        Require(either),
        If(op(X, "==", 0), (write("x", 0, 1),)),
        If(op(Y, "==", 0), (write("y", 0, 1),)),
    )


def test_every_step_of_the_single_active_consumer_changes_something() -> None:
    assert not can_stand_still(Unroller(single_active_consumer(2, 2), "test"))
    for mode in ("sequential", "random"):
        model = load("rabbitmq-sac", {"queues": "2", "apps": "2", "mode": mode})
        assert not can_stand_still(Unroller(model, "test"))


def test_a_step_that_never_happens_is_no_matter() -> None:
    model = system((scalar("x", 0, 1),), act("never", Require(op(0, "==", 1)), write("x", 0, 1)))
    unroller = Unroller(model, "test")
    block, scope = unroller.instance(model.actions[0], [])
    assert Before(unroller, execute(unroller, block, scope)).changes == TRUE


# --- classes ----------------------------------------------------------------------------


@settings(max_examples=examples(200))
@given(demands())
def test_classes_are_those_of_the_checker(asked: tuple[Fairness, ...]) -> None:
    found = owed(Unroller(SYSTEM, "test"), asked)
    labels = {
        key: label
        for label, key in enumerate(
            (action.name, arguments)
            for action in SYSTEM.actions
            for arguments in combinations(action.parameters)
        )
    }
    theirs = classes(SYSTEM, asked)
    members = {
        frozenset(label for label in labels.values() if int(theirs.members[bit // 64, label]) >> bit % 64 & 1)
        for bit in range(len(found.groups))
    }
    assert {frozenset(labels[each] for each in group) for group in found.groups} == members
    strong = sum(int(each).bit_count() for each in theirs.strong)
    weak = sum(int(each).bit_count() for each in theirs.weak)
    assert (len(found.weak), len(found.strong)) == (weak, strong)


def test_what_is_owed_strongly_is_not_owed_weakly_too() -> None:
    asked = (Fairness("weak", "action"), Fairness("strong", "action", ("file",)))
    found = owed(Unroller(SYSTEM, "test"), asked)
    assert (len(found.weak), len(found.strong)) == (3, 1)
    assert owed(Unroller(SYSTEM, "test"), ()) == Owed()
