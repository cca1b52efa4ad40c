"""CTL at random: the same as a textbook says, and runs that show what they are said to show."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from angarium.explore.graph import Graph
from angarium.logic.ctl import decide
from angarium.logic.ctl_states import OPPOSITE, Judge
from angarium.logic.decision import Run
from angarium.model.formula import (
    Conjunction,
    Disjunction,
    Fairness,
    Formula,
    Implies,
    Negation,
    Quantified,
    Truth,
)
from tests.logic.graphs import ATOMS, POSITIONS, graphs
from tests.logic.textbook_ctl import OWED, States, Textbook

DEMANDS = st.builds(Fairness, st.sampled_from(["weak", "strong"]), st.sampled_from(list(OWED)))


def quantified(inside: st.SearchStrategy[Formula]) -> st.SearchStrategy[Quantified]:
    """A path quantifier around formulas."""
    quantifier = st.sampled_from(["A", "E"])
    one = st.builds(Quantified, quantifier, st.sampled_from(["X", "F", "G"]), st.tuples(inside))
    return one | st.builds(
        Quantified, quantifier, st.sampled_from(["U", "W", "R"]), st.tuples(inside, inside)
    )


def compound(inside: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    several = st.lists(inside, max_size=3).map(tuple)
    boolean = st.builds(Negation, inside) | st.builds(Implies, inside, inside)
    joined = st.builds(Conjunction, several) | st.builds(Disjunction, several)
    return boolean | joined | quantified(inside)


LEAVES: st.SearchStrategy[Formula] = st.sampled_from([*ATOMS, *ATOMS, Truth(True), Truth(False)])
FORMULAS = st.recursive(LEAVES, compound, max_leaves=6)
FAIRNESS = st.none() | DEMANDS


@given(graphs(), FORMULAS, FAIRNESS)
def test_it_is_true_where_a_textbook_says(graph: Graph, formula: Formula, demand: Fairness | None) -> None:
    judge = Judge(graph, (demand,) if demand else (), POSITIONS)

    found = {state for state, true in enumerate(judge.states(formula)) if true}

    assert found == Textbook(graph, demand).states(formula)


@given(graphs(), FORMULAS, FAIRNESS)
def test_it_holds_if_it_is_true_in_every_initial_state(
    graph: Graph, formula: Formula, demand: Fairness | None
) -> None:
    decision = decide(graph, formula, (demand,) if demand else (), POSITIONS)

    assert decision.holds == (set(range(graph.initial)) <= Textbook(graph, demand).states(formula))
    assert decision.holds or decision.run is not None
    assert (decision.summary == "") == (decision.run is None)
    assert decision.holds or decision.vacuous is None


# --- runs ---------------------------------------------------------------------------------------------


@given(graphs(), quantified(FORMULAS), FAIRNESS)
def test_a_run_shows_it(graph: Graph, formula: Quantified, demand: Fairness | None) -> None:
    decision = decide(graph, formula, (demand,) if demand else (), POSITIONS)
    textbook = Textbook(graph, demand)
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
