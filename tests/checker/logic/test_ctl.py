"""CTL at random: the same as a textbook says, and runs that show what they are said to show."""

from __future__ import annotations

from random import Random
from typing import Literal

from hypothesis import given

from angarium.checker.explore.graph import Graph, instances
from angarium.checker.ir.formula import (
    Conjunction,
    Disjunction,
    Fairness,
    Formula,
    Implies,
    Negation,
    Quantified,
    TimeOp,
    Truth,
)
from angarium.checker.logic.ctl import OPPOSITE, Judge, decide
from angarium.checker.logic.decision import Run
from tests.checker.logic.eventful import SEEDS, THOROUGHLY
from tests.checker.logic.graphs import ATOMS, POSITIONS, SYSTEM, in_order
from tests.checker.logic.textbook_ctl import OWED, States, Textbook

OPS: tuple[TimeOp, ...] = ("X", "F", "G", "U", "W", "R")
QUANTIFIERS: tuple[Literal["A", "E"], ...] = ("A", "E")
STRENGTHS: tuple[Literal["weak", "strong"], ...] = ("weak", "strong")


def any_graph(random: Random) -> Graph:
    """A graph of a few states, of which some stand still."""
    count = random.randint(2, 6)
    labels = range(instances(SYSTEM.actions))
    steps = [
        {label: random.randrange(count) for label in random.sample(labels, random.choice((0, 1, 1, 2, 2, 3)))}
        for _ in range(count)
    ]
    true = ["".join(random.sample("pqr", random.randint(0, 3))) for _ in range(count)]
    return in_order(steps, true, random.randint(1, 2))


def any_formula(random: Random, depth: int) -> Formula:
    """A formula of at most so many levels."""
    leaves: list[Formula] = [*ATOMS, *ATOMS, Truth(True), Truth(False)]
    if depth == 0:
        return random.choice(leaves)
    inside = [any_formula(random, depth - random.randint(1, depth)) for _ in range(3)]
    some = tuple(inside[: random.randint(0, 3)])
    found: list[Formula] = [any_quantified(random, depth - 1) for _ in range(4)]
    found += [Negation(inside[0]), Implies(inside[0], inside[1]), Conjunction(some), Disjunction(some)]
    return random.choice(found)


def any_quantified(random: Random, depth: int) -> Quantified:
    """A path quantifier around formulas of at most so many levels."""
    quantifier, op = random.choice(QUANTIFIERS), random.choice(OPS)
    operands = (any_formula(random, depth), any_formula(random, depth))
    return Quantified(quantifier, op, operands if op in ("U", "W", "R") else operands[:1])


def any_demand(random: Random) -> tuple[Fairness, ...]:
    """A demand of fairness, or none."""
    return random.choice([(), (Fairness(random.choice(STRENGTHS), random.choice(list(OWED))),)])


@THOROUGHLY
@given(SEEDS)
def test_it_is_true_where_a_textbook_says(random: Random) -> None:
    graph, demands = any_graph(random), any_demand(random)
    formula = any_quantified(random, 2)

    found = {state for state, true in enumerate(Judge(graph, demands, POSITIONS).states(formula)) if true}

    assert found == Textbook(graph, *demands).states(formula)


@THOROUGHLY
@given(SEEDS)
def test_it_holds_if_it_is_true_in_every_initial_state(random: Random) -> None:
    graph, demands = any_graph(random), any_demand(random)
    formula = any_formula(random, 3)

    decision = decide(graph, formula, demands, POSITIONS)

    assert decision.holds == (set(range(graph.initial)) <= Textbook(graph, *demands).states(formula))
    assert decision.holds or decision.run is not None
    assert (decision.summary == "") == (decision.run is None)
    assert decision.holds or decision.vacuous is None


# --- runs ---------------------------------------------------------------------------------------------


@THOROUGHLY
@given(SEEDS)
def test_a_run_shows_it(random: Random) -> None:
    graph, demands = any_graph(random), any_demand(random)
    formula = any_quantified(random, 1)
    decision = decide(graph, formula, demands, POSITIONS)
    textbook = Textbook(graph, *demands)
    if decision.holds != (formula.quantifier == "E"):
        assert decision.run is None or decision.run.choices == ()
        return
    assert decision.run is not None
    sets = [textbook.states(operand) for operand in formula.operands]
    if decision.holds:
        assert shows(formula.op, sets, *follow(textbook, decision.run))
    else:
        opposites = [textbook.everything - each for each in sets]
        assert shows(OPPOSITE[formula.op], opposites, *follow(textbook, decision.run))


def follow(textbook: Textbook, run: Run) -> tuple[list[int], bool]:
    """The states of a run, three times around its cycle, and whether it has one."""
    start, cycle = run.start, run.cycle
    assert start < textbook.graph.initial
    visited = [start]
    for choice in run.choices:
        _, target = textbook.steps(visited[-1])[choice]
        visited.append(target)
    if cycle is None:
        return visited, False
    assert visited[cycle] == visited[-1]
    around = visited[cycle + 1 :]
    if not around:
        assert textbook.next(visited[-1]) == {visited[-1]}
    assert any(frozenset(visited[cycle:]) <= part for part in textbook.parts(textbook.everything))
    return [*visited, *(around or visited[-1:]) * 2], True


def shows(op: str, sets: list[States], visited: list[int], endless: bool) -> bool:
    """Whether the states of a run do it, as far as they are told."""
    first, last = sets[0], sets[-1]
    for position, state in enumerate(visited):
        before = visited[:position]
        match op:
            case "X":
                if position == 1 and state in first:
                    return True
            case "F":
                if state in first:
                    return True
            case "U" | "W":
                if state in last and set(before) <= first:
                    return True
            case "R" | "M":
                if state in first & last and set(before) <= last:
                    return True
    stays = {"G": first, "W": first, "R": last}
    return endless and op in stays and set(visited) <= stays[op]
