"""The interpreter says what the docstrings of the transition system say."""

from __future__ import annotations

import gc
from dataclasses import replace

import pytest

from angarium.checker.explore import evaluate as evaluation
from angarium.checker.explore.evaluate import EvaluationError, evaluate
from angarium.checker.explore.interpret import expand, hits, initial_states, judge, steps
from angarium.checker.ir.syntax import (
    Binary,
    Block,
    Call,
    Check,
    Const,
    Expr,
    For,
    If,
    IfElse,
    Let,
    LetIn,
    Local,
    Not,
    Read,
    Reduce,
    ReduceOp,
    Require,
    Write,
)
from angarium.checker.ir.transition import Action, Helper, Parameter
from angarium.checker.ir.types import Bool, Int, Option
from angarium.core.errors import ModelError
from tests.zoo import ONE, QUEUE, ZERO, counter, division, op, overflow, read, system

BROKEN = Binary("//", ONE, ZERO)


def value(expr: Expr, **local: int) -> int:
    return evaluate(counter(), expr, (2,), local)


def after(body: Block, high: int = 9) -> list[tuple[int, ...]]:
    one = system("one", [("n", Int(0, high))], [Action("go", (), body)])
    return [move.target for move in steps(one, (0,))]


@pytest.mark.parametrize(
    ("left", "operator", "right", "expected"),
    [
        (7, "//", -2, -4),
        (-7, "%", 2, 1),
        (7, "%", -2, -1),
        (2, "<", 3, 1),
        (2, ">=", 3, 0),
        (5, "and", 7, 1),
        (5, "and", 0, 0),
        (0, "or", 7, 1),
        (0, "or", 0, 0),
        (3, "-", 5, -2),
    ],
)
def test_operations_are_pythons_and_give_numbers(left: int, operator: str, right: int, expected: int) -> None:
    assert value(Binary(operator, Const(left), Const(right))) == expected


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (Binary("and", ZERO, BROKEN), 0),
        (Binary("or", ONE, BROKEN), 1),
        (IfElse(ONE, Const(5), BROKEN), 5),
        (IfElse(ZERO, BROKEN, Const(6)), 6),
        (Reduce("any", "i", ZERO, Const(3), ONE, IfElse(op(Local("i"), "==", 0), ONE, BROKEN)), 1),
        (Reduce("all", "i", ZERO, Const(3), ONE, IfElse(op(Local("i"), "==", 0), ZERO, BROKEN)), 0),
        (
            Reduce(
                "sum",
                "i",
                ZERO,
                Const(3),
                op(Local("i"), "!=", 1),
                Binary("//", Const(2), op(Local("i"), "-", 1)),
            ),
            0,
        ),
    ],
)
def test_a_guard_protects_what_stands_behind_it(expr: Expr, expected: int) -> None:
    assert value(expr) == expected


@pytest.mark.parametrize(
    ("operation", "expected", "of_nothing"),
    [("sum", 9, 0), ("any", 1, 0), ("all", 1, 1), ("min", 2, 8), ("max", 4, 8)],
)
def test_comprehensions(operation: ReduceOp, expected: int, of_nothing: int) -> None:
    def over(high: int) -> Expr:
        return Reduce(operation, "i", Const(2), Const(high), ONE, Local("i"), Const(8))

    assert (value(over(5)), value(over(2))) == (expected, of_nothing)


def test_names_are_bound_and_shadowed() -> None:
    shadowed = LetIn("x", op(Local("x"), "+", 1), op(Local("x"), "*", 10))
    assert value(op(shadowed, "+", Local("x")), x=1) == 21
    assert value(Not(Const(5))) == 0
    assert value(Read("n", ZERO)) == 2


def test_a_helper_sees_its_parameters_and_the_state() -> None:
    helper = Helper("more", (Parameter("k", Int(0, 9)),), op(read("n"), "+", Local("k")))
    helped = replace(counter(), helpers=(helper,))
    assert evaluate(helped, Call("more", (Local("x"),)), (2,), {"x": 40}) == 42


@pytest.mark.parametrize(
    ("expr", "message"),
    [
        (BROKEN, "division by zero: 1 // 0"),
        (Read("n", Const(1)), "n has no cell 1, only 0 .. 0"),
        (Read("n", Const(-1)), "n has no cell -1, only 0 .. 0"),
        (Reduce("min", "i", ZERO, ZERO, ONE, ONE), "min of nothing"),
    ],
)
def test_an_expression_without_value_says_why(expr: Expr, message: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        value(expr)
    assert caught.value.message == message


def test_a_read_sees_what_the_body_wrote() -> None:
    twice = (Write("n", ZERO, op(read("n"), "+", 1)),) * 2
    assert after(twice) == [(2,)]


def test_loops_branches_and_locals() -> None:
    body = (
        Let("total", ZERO),
        For(
            "i",
            ZERO,
            Const(4),
            (
                If(
                    op(op(Local("i"), "%", 2), "==", 0),
                    (Let("total", op(Local("total"), "+", 1)),),
                    (Let("total", op(Local("total"), "+", 3)),),
                ),
            ),
        ),
        Write("n", ZERO, Local("total")),
    )
    assert after(body) == [(8,)]


def test_a_false_requirement_abandons_the_step_quietly() -> None:
    late = (Write("n", ZERO, ONE), Require(ZERO), Write("n", ZERO, BROKEN))
    assert after(late) == []


def test_a_false_check_fails_the_step() -> None:
    checked = system("c", [("n", Bool())], [Action("go", (), (Check(ZERO, "no receipt", at=4),))])
    (failure,) = expand(checked, (0,)).failures
    assert (failure.name, failure.message, failure.at) == ("go", "no receipt", 4)


def test_a_write_out_of_range_fails_with_the_values() -> None:
    expansion = expand(counter(), (3,))
    assert expansion.moves == ()
    assert [failure.message for failure in expansion.failures] == ["n would become 4, outside 0 .. 3"]


def test_a_failure_in_one_instance_leaves_the_others() -> None:
    expansion = expand(overflow(), (2, 0, 1, 1, 1, 1))
    assert [move.arguments for move in expansion.moves] == [(1,)]
    assert [(f.arguments, f.message) for f in expansion.failures] == [((0,), "waiting[q1] is full (2 items)")]


def test_a_sequence_that_would_be_shorter_than_nothing_is_empty() -> None:
    shorter = Action("pop", (), (Write("waiting.len", ONE, Const(-1)),))
    (failure,) = expand(replace(overflow(), actions=(shorter,)), (0, 0, 1, 1, 1, 1)).failures
    assert failure.message == "waiting[q2] is empty"


def test_steps_come_in_nested_order() -> None:
    parameters = (Parameter("a", Bool()), Parameter("b", Option(QUEUE)))
    free = system("free", [("n", Bool())], [Action(name, parameters, ()) for name in "xy"])
    found = [(move.action.name, *move.arguments) for move in steps(free, (0,))]
    assert found == [(name, a, b) for name in "xy" for a in (0, 1) for b in (-1, 0, 1)]


def test_initial_states_are_distinct_and_in_order() -> None:
    half = Write("n", ZERO, op(op(Const(5), "-", Local("k")), "//", 2))
    several = replace(
        counter(),
        setup=(Parameter("k", Int(0, 5)),),
        setup_body=(Require(op(Local("k"), "!=", 0)), half),
    )
    assert initial_states(several) == [(2,), (1,), (0,)]
    assert initial_states(counter()) == [(0,)]


def test_an_initial_step_that_fails_is_an_error_of_the_model() -> None:
    bad = replace(counter(), setup_body=(Write("n", ZERO, Const(9), at=7),))
    with pytest.raises(ModelError, match=r"counter\.py:12:5: the initial step fails: n would become 9"):
        initial_states(bad)


def test_which_guarantees_a_state_hits() -> None:
    assert hits(counter(), (0,)) == set()
    assert hits(counter(), (2,)) == {"two"}
    assert hits(counter(), (3,)) == {"small", "stays-in-range"}
    assert hits(counter(stops=True), (3,)) == {"small", "unfinished"}


def test_a_guarantee_without_value_is_a_failure_and_no_hit() -> None:
    judgement = judge(division(), (0,), at_rest=False)
    assert judgement.hits == ()
    assert [(f.name, f.message) for f in judgement.failures] == [("fair", "division by zero: 6 // 0")]


def test_what_is_kept_of_a_system_goes_with_it() -> None:
    begun = len(evaluation._known)
    asked = counter()
    evaluate(asked, ONE, (2,), {})
    assert len(evaluation._known) == begun + 1
    del asked
    gc.collect()
    assert len(evaluation._known) <= begun
