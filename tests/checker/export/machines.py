"""Explored graphs as transition systems, to give what was said of a graph to other checkers.

A machine's variables are the number of the state that it is in and what is true there. Its actions are those
of `tests.checker.logic.graphs`: with and without an actor, a rendezvous, a fault; some steps lead back to
where they began.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from hypothesis import strategies as st

from angarium.checker.explore.graph import Graph
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.ir.formula import (
    Conjunction,
    Fairness,
    Formula,
    Implies,
    Negation,
    Over,
    Quantified,
    TemporalGuarantee,
)
from angarium.checker.ir.syntax import Binary, Const, Expr, IfElse, Local, Require, Write
from angarium.checker.ir.transition import Action, TransitionSystem
from angarium.checker.ir.types import Bool, Int
from angarium.checker.logic.check import check
from angarium.core.result import Verdict
from tests.checker.logic.graphs import SYSTEM, P, Q, R
from tests.checker.logic.textbook_runs import timed
from tests.zoo import op, read, system

AT = read("at")
LETTERS = "pqr"


def machine(graph: Graph, *guarantees: TemporalGuarantee) -> TransitionSystem:
    """A system whose explored graph is the given one, begun in its first state."""
    labels = iter(range(graph.stutter))
    made = system(
        "machine",
        [("at", Int(0, max(graph.states - 1, 1))), *((letter, Bool()) for letter in LETTERS)],
        [_action(graph, action, labels) for action in SYSTEM.actions],
        p=(_is(graph, 0, "p"),),
        q=(_is(graph, 0, "q"),),
        r=(_is(graph, 0, "r"),),
    )
    return replace(made, temporal=guarantees)


def claim(formula: Formula, *fairness: Fairness, name: str = "claim") -> TemporalGuarantee:
    """A guarantee of whichever logic its formula is of."""
    logic = "ctl" if "Quantified" in repr(formula) else "ltl"
    return TemporalGuarantee(name, logic, formula, fairness)  # type: ignore[arg-type]


def holds(model: TransitionSystem) -> dict[str, bool]:
    """What we say of each claim on runs; one that says nothing is broken by no run."""
    report = check(model, engine=ReferenceEngine(), subject=model.name)
    over_time = {each.name for each in model.temporal}
    assert all(each.verdict is not Verdict.UNKNOWN or each.vacuous for each in report.verdicts)
    return {
        each.guarantee: each.verdict is not Verdict.VIOLATED
        for each in report.verdicts
        if each.guarantee in over_time
    }


def formulas(most: int, ops: str = "XFGUWR") -> st.SearchStrategy[Formula]:
    """Any formula of LTL with at most so many operators over time, each one of some."""
    one, two = ([each for each in ops if each in some] for some in ("XFG", "UWR"))

    def around(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
        made = [
            inner.map(Negation),
            st.builds(lambda *parts: Conjunction(parts), inner, inner),
            st.builds(Implies, inner, inner),
            st.builds(lambda op, operand: Over(op, (operand,)), st.sampled_from(one), inner),
        ]
        both = st.builds(lambda op, *operands: Over(op, operands), st.sampled_from(two or one), inner, inner)
        return st.one_of(*made, *([both] if two else made[-1:]))

    return _around(around).filter(lambda formula: timed(formula) <= most)


def trees() -> st.SearchStrategy[Formula]:
    """Any small formula of CTL."""
    quantifier = st.sampled_from("AE")

    def around(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
        return st.one_of(
            inner.map(Negation),
            st.builds(Implies, inner, inner),
            st.builds(
                lambda a, op, one: Quantified(a, op, (one,)), quantifier, st.sampled_from("XFG"), inner
            ),
            st.builds(
                lambda a, op, *two: Quantified(a, op, two), quantifier, st.sampled_from("UWR"), inner, inner
            ),
        )

    return _around(around).filter(lambda formula: "Quantified" in repr(formula))


def _around(
    extend: Callable[[st.SearchStrategy[Formula]], st.SearchStrategy[Formula]],
) -> st.SearchStrategy[Formula]:
    atoms: st.SearchStrategy[Formula] = st.sampled_from([P, Q, R])
    return st.recursive(atoms, extend, max_leaves=5)


# --- steps ------------------------------------------------------------------------------


def _action(graph: Graph, action: Action, labels: Iterator[int]) -> Action:
    enabled: Expr = Const(0)
    target: Expr = Const(0)
    for worker in range(2 if action.parameters else 1):
        for source, to in _steps(graph, next(labels)):
            here: Expr = op(AT, "==", source)
            if action.parameters:
                here = op(here, "and", op(Local("w"), "==", worker))
            enabled, target = Binary("or", enabled, here), IfElse(here, Const(to), target)
    letters = [Write(letter, Const(0), _where(graph, letter)) for letter in LETTERS]
    return replace(action, body=(Require(enabled), Write("at", Const(0), target), *letters))


def _where(graph: Graph, letter: str) -> Expr:
    """The condition on the machine's state under which a letter is true."""
    condition: Expr = Const(0)
    for state in range(graph.states):
        if _is(graph, state, letter):
            condition = Binary("or", condition, op(AT, "==", state))
    return condition


def _is(graph: Graph, state: int, letter: str) -> int:
    return int(graph.atoms[state]) >> LETTERS.index(letter) & 1


def _steps(graph: Graph, label: int) -> list[tuple[int, int]]:
    """The sources and targets of the steps with a label."""
    return [
        (state, int(graph.targets[entry]))
        for state in range(graph.states)
        for entry in range(int(graph.rows[state]), int(graph.rows[state + 1]))
        if int(graph.labels[entry]) == label
    ]
