"""Fair components: which states lie on fair cycles, found again by looking at every set of states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.checker.explore.graph import Graph
from angarium.checker.ir.formula import Fairness, Truth
from angarium.checker.ir.transition import Action, Parameter
from angarium.checker.ir.types import Int
from angarium.checker.logic import lasso, ltl, product
from angarium.checker.logic.buchi import automaton
from angarium.checker.logic.decision import Run
from angarium.checker.logic.fairness import Classes, classes
from angarium.checker.logic.ltl import decide
from angarium.checker.logic.product import fair_components, fair_states
from angarium.core.errors import LimitError
from tests.checker.logic.graphs import FILE, POSITIONS, SYSTEM, TICK, P, contests, graph, graphs
from tests.checker.logic.textbook_runs import always, classes_of, demands, eventually, row
from tests.effort import examples
from tests.zoo import system


def on_fair_cycles(steps: Graph, asked: tuple[Fairness, ...], within: set[int]) -> set[int]:
    """All states of sets that are strongly connected and fair, for every set of states."""
    found: set[int] = set()
    for size in range(1, len(within) + 1):
        for chosen in map(set, combinations(sorted(within), size)):
            if connected(steps, chosen) and all(
                pays(steps, chosen, group, each.strength) for each in asked for group in classes_of(each)
            ):
                found |= chosen
    return found


def connected(steps: Graph, chosen: set[int]) -> bool:
    return all(chosen <= set(ahead(steps, state, chosen)) for state in chosen)


def ahead(steps: Graph, state: int, chosen: set[int]) -> Iterator[int]:
    """What can be reached inside a set in one or more steps."""
    queue = [target for _, target in row(steps, state) if target in chosen]
    for each in queue:
        queue += {target for _, target in row(steps, each) if target in chosen} - set(queue)
    return iter(queue)


def pays(steps: Graph, chosen: set[int], group: set[int], strength: str) -> bool:
    """Whether a class is taken inside a set, or not owed there."""
    moves = [(s, label, t) for s in chosen for label, t in row(steps, s) if t != s and label in group]
    possible = {state for state, _, _ in moves}
    owed = possible == chosen if strength == "weak" else bool(possible)
    return not owed or any(target in chosen for _, _, target in moves)


@given(graphs(states=5) | contests(), demands(), st.sets(st.integers(0, 4)))
@settings(max_examples=examples(200))
def test_fair_states(steps: Graph, asked: tuple[Fairness, ...], chosen: set[int]) -> None:
    within = np.array([state in chosen for state in range(steps.states)])

    found = fair_states(steps, classes(SYSTEM, asked), within)

    expected = on_fair_cycles(steps, asked, set(np.flatnonzero(within).tolist()))
    assert set(np.flatnonzero(found).tolist()) == expected


def test_more_classes_than_bits_of_a_word() -> None:
    """What starves in the whole is a class of the third chunk; a part of it does without."""
    many = system("many", [], [Action("do", (Parameter("n", Int(0, 199)),), ())])
    ways = [{0: 2, 5: 1}, {0: 0, 180: 3}, {5: 0}, {199: 0}]
    steps = replace(graph(ways, ["", "", "", "p"]), system=many)
    asked = (Fairness("strong", "instance"),)

    assert classes(many, asked).chunks == 4
    assert decide(steps, eventually(P), asked, POSITIONS).run == Run(0, (0, 0), 0)
    assert decide(steps, eventually(always(Truth(False))), asked, POSITIONS).run is not None
    away = np.array([True, True, False, False])
    assert fair_states(steps, classes(many, asked), away).tolist() == [False] * 4


def test_what_the_automaton_accepts_is_searched_behind_all_states_that_can_wait() -> None:
    steps = graph([{TICK: 1}, {TICK: 2}, {FILE: 2}], ["p", "", ""])
    machine = automaton(eventually(always(P)), POSITIONS)

    found = fair_components(steps, machine, classes(SYSTEM, ()))

    assert machine.waits
    assert not found.found


def test_without_patience_the_cycle_goes_back_to_where_the_component_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lasso, "PATIENCE", 0)
    ring = graph([{TICK: 1}, {TICK: 2}, {TICK: 0, FILE: 1}], [""] * 3)

    assert decide(ring, eventually(P), (), POSITIONS).run == Run(0, (0, 0, 0), 0)


def test_too_many_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(product, "MOST_NODES", 5)
    steps = graph([{TICK: 1}, {TICK: 2}, {}], ["", "", ""])

    with pytest.raises(LimitError, match="3 states with 2 states"):
        decide(steps, always(eventually(P)), (), POSITIONS)


def test_a_run_that_is_no_evidence_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = graph([{TICK: 1, FILE: 2}, {TICK: 0, FILE: 2}, {}], ["", "", ""])
    unfair, asked = Run(0, (0, 0), 0), (Fairness("weak", "action"),)
    monkeypatch.setattr(ltl, "lasso", lambda components: unfair)

    assert decide(steps, eventually(P), (), POSITIONS).run == unfair
    with pytest.raises(RuntimeError, match="this is a bug"):
        decide(steps, eventually(P), asked, POSITIONS)


def test_a_search_can_be_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    steps = graph([{TICK: 0}], [""])
    monkeypatch.setattr(product._CORE.__class__, "call", interrupted)

    with pytest.raises(KeyboardInterrupt):
        fair_components(steps, automaton(Truth(True), {}), Classes(*np.zeros((3, 0), np.uint64)))
