"""Explored graphs as transition systems, to give what was said of a graph to other checkers.

A machine has one variable, the number of the state it is in. Its actions are those of `tests.logic.graphs`:
with and without an actor, a rendezvous, a fault; some steps lead back to where they began. An atom is true in
a set of states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from angarium.explore.graph import Graph
from angarium.explore.reference import ReferenceEngine
from angarium.logic.check import check
from angarium.model.formula import (
    Atom,
    Conjunction,
    Disjunction,
    Fairness,
    Formula,
    Implies,
    Negation,
    Over,
    Quantified,
    TemporalGuarantee,
    Truth,
)
from angarium.model.transition import (
    Action,
    Binary,
    Const,
    Expr,
    IfElse,
    Local,
    Require,
    TransitionSystem,
    Write,
)
from angarium.model.types import Int
from angarium.verdict import Verdict
from tests.logic.graphs import POSITIONS, SYSTEM
from tests.zoo import op, read, system

AT = read("at")


def machine(graph: Graph, *guarantees: TemporalGuarantee) -> TransitionSystem:
    """A system whose explored graph is the given one."""
    labels = iter(range(graph.stutter))
    actions = [_action(graph, action, labels) for action in SYSTEM.actions]
    made = system("machine", [("at", Int(0, max(graph.states - 1, 1)))], actions)
    return replace(
        made, temporal=tuple(replace(each, formula=_placed(graph, each.formula)) for each in guarantees)
    )


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


def _action(graph: Graph, action: Action, labels: Iterator[int]) -> Action:
    enabled: Expr = Const(0)
    target: Expr = Const(0)
    for worker in range(2 if action.parameters else 1):
        label = next(labels)
        for source, to in _steps(graph, label):
            here: Expr = op(AT, "==", source)
            if action.parameters:
                here = op(here, "and", op(Local("w"), "==", worker))
            enabled, target = Binary("or", enabled, here), IfElse(here, Const(to), target)
    return replace(action, body=(Require(enabled), Write("at", Const(0), target)))


def _steps(graph: Graph, label: int) -> list[tuple[int, int]]:
    """The sources and targets of the steps with a label."""
    return [
        (state, int(graph.targets[entry]))
        for state in range(graph.states)
        for entry in range(int(graph.rows[state]), int(graph.rows[state + 1]))
        if int(graph.labels[entry]) == label
    ]


def _placed(graph: Graph, formula: Formula | None) -> Formula | None:
    """The formula on the machine's variable."""
    return None if formula is None else _in(formula, [int(each) for each in graph.atoms])


def _in(formula: Formula, masks: Sequence[int]) -> Formula:
    def part(inside: Formula) -> Formula:
        return _in(inside, masks)

    match formula:
        case Atom(_, text):
            states = [n for n, mask in enumerate(masks) if mask >> POSITIONS[formula] & 1]
            condition: Expr = Const(0)
            for state in states:
                condition = Binary("or", condition, op(AT, "==", state))
            return Atom(condition, text)
        case Truth():
            return formula
        case Negation(operand):
            return Negation(part(operand))
        case Conjunction(inside):
            return Conjunction(tuple(map(part, inside)))
        case Disjunction(inside):
            return Disjunction(tuple(map(part, inside)))
        case Implies(left, right):
            return Implies(part(left), part(right))
        case Over(op_, operands):
            return Over(op_, tuple(map(part, operands)))
        case Quantified(quantifier, op_, operands):
            return Quantified(quantifier, op_, tuple(map(part, operands)))
