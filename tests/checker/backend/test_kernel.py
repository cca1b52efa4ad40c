"""A kernel expands packed states as the transition system says."""

from __future__ import annotations

import pytest

from angarium.checker.backend.kernel import FAILURE_BIT, compile_system
from angarium.checker.backend.kernel_text import kernel_text
from angarium.checker.backend.layout import Layout
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
    Reduce,
    Require,
    Write,
)
from angarium.checker.ir.transition import Action, Guarantee, Helper, Parameter, TransitionSystem, Variable
from angarium.checker.ir.types import Index, Int
from angarium.core.errors import LimitError
from tests.checker.backend.systems import binary, read, system

X = Variable("x", Int(-20, 20), (3,), (None,), (0, 0, 0))
FAILED = 1 << FAILURE_BIT
FAILING = binary(1, "//", read("x", 2))
"""Fails where x[2] is 0."""


def expand(given: TransitionSystem, *cells: int) -> tuple[list[tuple[int, ...]], int]:
    """The successors of one state, and its mask."""
    kernel = compile_system(given)
    expansion = kernel.successors(kernel.layout.pack_all([cells]))
    found = kernel.layout.unpack_all(expansion.successors).tolist()
    assert expansion.ends.tolist() == [len(found)]
    return [tuple(state) for state in found], int(expansion.masks[0])


def step(*body: object, parameters: tuple[Parameter, ...] = ()) -> Action:
    return Action("step", parameters, body)  # type: ignore[arg-type]


def after(*body: object, cells: tuple[int, ...] = (5, -3, 0)) -> tuple[list[tuple[int, ...]], int]:
    return expand(system(variables=(X,), actions=(step(*body),)), *cells)


def value_of(expression: Expr, *cells: int) -> int | None:
    """The value of an expression, or None if it fails."""
    states, mask = after(Write("x", Const(0), expression), cells=cells or (5, -3, 0))
    assert bool(states) != bool(mask)
    return states[0][0] if states else None


@pytest.mark.parametrize("left", [-7, -6, 0, 6, 7])
@pytest.mark.parametrize("right", [-3, -1, 1, 3])
def test_division_is_python_s(left: int, right: int) -> None:
    operands = read("x", 0), read("x", 1)
    assert value_of(binary(operands[0], "//", operands[1]), left, right, 0) == left // right
    assert value_of(binary(operands[0], "%", operands[1]), left, right, 0) == left % right


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (FAILING, None),
        (read("x", read("x", 1)), None),
        (read("x", 3), None),
        (binary(read("x"), "*", 5), None),
        (binary(0, "and", FAILING), 0),
        (binary(1, "or", FAILING), 1),
        (binary(1, "and", FAILING), None),
        (binary(binary(read("x", 2), "!=", 0), "and", FAILING), 0),
        (IfElse(read("x", 2), FAILING, Const(4)), 4),
        (Not(binary(read("x"), "==", 5)), 0),
        (LetIn("y", read("x"), binary(Local("y"), "+", Local("y"))), 10),
        (Reduce("sum", "i", Const(0), Const(3), Const(1), read("x", Local("i"))), 2),
        (Reduce("any", "i", Const(0), Const(0), Const(1), Const(1)), 0),
        (Reduce("all", "i", Const(0), Const(0), Const(1), Const(0)), 1),
        (Reduce("min", "i", Const(0), Const(3), Const(1), read("x", Local("i"))), -3),
        (Reduce("max", "i", Const(0), Const(3), Const(1), read("x", Local("i"))), 5),
        (Reduce("max", "i", Const(0), Const(3), Const(0), Const(1)), None),
        (Reduce("max", "i", Const(0), Const(3), Const(0), Const(1), Const(9)), 9),
        (Reduce("any", "i", Const(0), Const(9), Const(1), read("x", Local("i"))), 1),
        (Reduce("all", "i", Const(0), Const(9), Const(1), read("x", Local("i"))), 0),
        (Reduce("sum", "i", Const(0), Const(9), Const(1), read("x", Local("i"))), None),
        (
            Reduce("sum", "i", Const(0), Const(9), binary(Local("i"), "<", 3), FAILING),
            None,
        ),
        (
            Reduce("sum", "i", Const(0), Const(9), binary(Local("i"), "<", 3), read("x", Local("i"))),
            2,
        ),
    ],
)
def test_expressions(expression: Expr, expected: int | None) -> None:
    assert value_of(expression) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ((), [(5, -3, 0)]),
        ((Require(Const(0)),), []),
        ((Require(binary(1, "and", 0)), Check(Const(0), "never")), []),
        ((Write("x", Const(0), Const(1)), Write("x", Const(1), read("x"))), [(1, 1, 0)]),
        ((Write("x", Const(0), Const(1)), Require(binary(read("x"), "==", 5))), []),
        (
            (
                Let("k", Const(2)),
                Let("k", binary(Local("k"), "+", 1)),
                Write("x", Const(0), Local("k")),
            ),
            [(3, -3, 0)],
        ),
        (
            (
                Let("k", Const(0)),
                For("i", Const(0), Const(4), (Let("k", binary(Local("k"), "+", Local("i"))),)),
                Write("x", Const(0), Local("k")),
            ),
            [(6, -3, 0)],
        ),
        (
            (
                Let("k", Const(1)),
                If(read("x"), (Let("k", Const(8)), Write("x", Const(2), Const(2)))),
                Write("x", Const(0), binary(Local("k"), "+", read("x", 2))),
            ),
            [(10, -3, 2)],
        ),
    ],
)
def test_statements(body: Block, expected: list[tuple[int, ...]]) -> None:
    assert after(*body) == (expected, 0)


@pytest.mark.parametrize(
    "body",
    [
        (Check(Const(0), "wrong"),),
        (Require(binary(FAILING, "and", 0)),),
        (Require(FAILING), Require(Const(0))),
        (Write("x", Const(3), Const(0)),),
        (Write("x", Const(0), Const(21)),),
        (Write("x", Const(0), Const(1)), Write("x", read("x", 1), Const(0))),
    ],
)
def test_a_failing_step_leads_nowhere(body: Block) -> None:
    assert after(*body) == ([], FAILED)


def test_guards_on_outer_parameters_and_rebound_names() -> None:
    three = Index("I", 3)
    action = step(
        Let("k", read("x", Local("i"))),
        Require(binary(Local("k"), ">", 0)),
        Require(binary(Local("j"), ">", 0)),
        Let("k", binary(Local("k"), "+", Local("j"))),
        Let("i", Const(2)),
        Write("x", Local("i"), Local("k")),
        parameters=(Parameter("i", three), Parameter("j", three)),
    )
    found, mask = expand(system(variables=(X,), actions=(action,)), 5, -3, 1)
    assert (found, mask) == ([(5, -3, 6), (5, -3, 7), (5, -3, 2), (5, -3, 3)], 0)


def test_a_failing_guard_without_inner_instances_does_not_fail() -> None:
    parameters = (Parameter("i", Index("I", 2)), Parameter("j", Index("Nothing", 0)))
    action = step(Require(FAILING), parameters=parameters)
    assert expand(system(variables=(X,), actions=(action,)), 0, 0, 0) == ([], 0)


# --- helpers ------------------------------------------------------------------------------------


def helped(*body: object) -> tuple[list[tuple[int, ...]], int]:
    cell = Parameter("i", Index("Cell", 3))
    helpers = (
        Helper("at", (cell,), read("x", Local("i"))),
        Helper("twice", (cell,), binary(Call("at", (Local("i"),)), "*", 2)),
        Helper("inverse", (cell,), binary(6, "//", Call("at", (Local("i"),)))),
        Helper("scaled", (Parameter("n", Int(0, 1)),), binary(Local("n"), "*", read("x"))),
    )
    given = system(variables=(X,), helpers=helpers, actions=(step(*body), step(*body)))
    return expand(given, 2, 3, 0)


def test_helpers_see_what_was_written() -> None:
    before = Let("before", Call("twice", (Const(0),)))
    write = Write("x", Const(0), Const(7))
    now = Write("x", Const(1), Call("twice", (Const(0),)))
    then = Write("x", Const(2), Local("before"))
    assert helped(before, write, now, then) == ([(7, 14, 4)] * 2, 0)


def test_helpers_fail_and_are_guarded() -> None:
    assert helped(Require(binary(Call("inverse", (Const(2),)), "and", 0))) == ([], FAILED)
    assert helped(Require(binary(0, "and", Call("inverse", (Const(2),))))) == ([], 0)
    assert helped(Require(binary(Call("inverse", (Const(0),)), "==", 3)))[1] == 0


def test_arguments_may_leave_the_parameter_s_type() -> None:
    assert helped(Write("x", Const(0), Call("scaled", (Const(5),)))) == ([(10, 3, 0)] * 2, 0)
    assert helped(Write("x", Const(0), Call("at", (Const(3),)))) == ([], FAILED)
    assert helped(Write("x", Const(0), Call("at", (read("x", 1),)))) == ([], FAILED)


# --- guarantees ---------------------------------------------------------------------------------


def mask_of(kind: str, condition: Expr, *, moves: bool) -> int:
    actions = (step(),) if moves else (step(Require(Const(0))),)
    guarantees = (
        Guarantee("other", "reaches", Const(0)),
        Guarantee("this", kind, condition),  # type: ignore[arg-type]
    )
    given = system(variables=(X,), actions=actions, guarantees=guarantees)
    return expand(given, 5, -3, 0)[1]


@pytest.mark.parametrize(
    ("kind", "condition", "moves", "expected"),
    [
        ("invariant", read("x", 2), True, 2),
        ("invariant", read("x", 0), True, 0),
        ("reaches", read("x", 0), True, 2),
        ("reaches", read("x", 2), True, 0),
        ("at_rest", read("x", 2), True, 0),
        ("at_rest", read("x", 2), False, 2),
        ("at_rest", read("x", 0), False, 0),
        ("invariant", FAILING, True, FAILED),
        ("reaches", FAILING, True, FAILED),
        ("at_rest", FAILING, True, 0),
        ("at_rest", FAILING, False, FAILED),
    ],
)
def test_what_a_state_hits(kind: str, condition: Expr, moves: bool, expected: int) -> None:
    assert mask_of(kind, condition, moves=moves) == expected


def test_a_state_in_which_a_step_fails_is_not_at_rest() -> None:
    guarantee = Guarantee("rest", "at_rest", Const(0))
    actions = (step(Check(Const(0), "wrong")),)
    given = system(variables=(X,), actions=actions, guarantees=(guarantee,))
    assert expand(given, 0, 0, 0) == ([], FAILED)


def test_too_many_guarantees_are_refused() -> None:
    guarantees = tuple(Guarantee(f"g{n}", "invariant", Const(1)) for n in range(64))
    with pytest.raises(LimitError, match="64 guarantees"):
        compile_system(system(variables=(X,), guarantees=guarantees))


# --- many words ---------------------------------------------------------------------------------


def test_cells_beyond_the_first_word() -> None:
    wide = Variable("w", Int(0, 1000), (20,), (None,), tuple(range(20)))
    action = step(
        Write("w", Local("i"), binary(read("w", Local("i")), "+", 500)),
        Require(binary(Binary("%", Local("i"), Const(7)), "==", 5)),
        parameters=(Parameter("i", Index("I", 20)),),
    )
    found, mask = expand(system(variables=(wide,), actions=(action,)), *range(20))
    expected = [tuple(c + 500 * (c == i) for c in range(20)) for i in (5, 12, 19)]
    assert (found, mask) == (expected, 0)


def test_provably_good_indices_are_not_checked() -> None:
    action = step(Write("x", Local("i"), Const(1)), parameters=(Parameter("i", Index("I", 3)),))
    given = system(variables=(X,), actions=(action,))
    assert "icmp uge" not in kernel_text(given, Layout(given.variables))
