"""Small systems, written by hand, whose state spaces one can count."""

from __future__ import annotations

from typing import Any

from angarium.checker.ir.syntax import Binary, BinaryOp, Const, Expr, For, Local, Read, Require, Write
from angarium.checker.ir.transition import Action, Parameter, TransitionSystem, Variable
from angarium.checker.ir.types import Array, Index, Int, Option, Seq


def read(variable: str, index: Expr | int = 0) -> Read:
    return Read(variable, number(index))


def number(value: Expr | int) -> Expr:
    return Const(value) if isinstance(value, int) else value


def binary(left: Expr | int, op: BinaryOp, right: Expr | int) -> Binary:
    return Binary(op, number(left), number(right))


def system(**parts: Any) -> TransitionSystem:  # noqa: ANN401 - whatever a system has
    empty: dict[str, Any] = dict.fromkeys(
        ("parameters", "state", "setup", "setup_body", "helpers", "guarantees", "actions"), ()
    )
    return TransitionSystem(**{"name": "small", **empty, **parts})


def counters(count: int, high: int, *, symmetric: bool = False, **parts: Any) -> TransitionSystem:  # noqa: ANN401
    """Counters that go up one at a time: (high + 1) ** count states."""
    which = Index("Counter", count, symmetric)
    value = read("c", Local("i"))
    up = Action(
        "up",
        (Parameter("i", which),),
        (Require(binary(value, "<", high)), Write("c", Local("i"), binary(value, "+", 1))),
    )
    cells = Variable("c", Int(0, high), (count,), (which,), (0,) * count)
    state = (("c", Array(which, Int(0, high))),)
    return system(variables=(cells,), state=state, **{"actions": (up,), **parts})


def line(people: int) -> TransitionSystem:
    """Interchangeable people join a line; the first in it is served and leaves."""
    person = Index("Person", people, symmetric=True)
    length, who = read("line.len"), Local("p")
    join = Action(
        "join",
        (Parameter("p", person),),
        (
            Require(binary(read("joined", who), "==", 0)),
            Write("joined", who, Const(1)),
            Write("line.at", length, who),
            Write("line.len", Const(0), binary(length, "+", 1)),
        ),
    )
    shift = Write("line.at", Local("i"), read("line.at", binary(Local("i"), "+", 1)))
    serve = Action(
        "serve",
        (),
        (
            Require(binary(length, ">", 0)),
            Write("served", Const(0), read("line.at")),
            For("i", Const(0), Const(people - 1), (shift,)),
            Write("line.at", Const(people - 1), Const(0)),
            Write("line.len", Const(0), binary(length, "-", 1)),
        ),
    )
    variables = (
        Variable("line.len", Int(0, people)),
        Variable("line.at", person, (people,), (None,), (0,) * people),
        Variable("joined", Int(0, 1), (people,), (person,), (0,) * people),
        Variable("served", Option(person), (), (), (-1,)),
    )
    state = (
        ("line", Seq(person, people)),
        ("joined", Array(person, Int(0, 1))),
        ("served", Option(person)),
    )
    return system(variables=variables, state=state, actions=(join, serve))
