"""Steps that never happened in a complete search: a guarantee that holds says nothing about them.

The native search does not note steps by action: that would cost every search, and only the few that never
happen are wanted. So the visited states are looked at again, in three turns that each leave fewer actions:

1. a graph that was written down tells by its labels;
2. the interpreter takes a few states from all over the search: nearly every action is possible in one;
3. a kernel of the actions that are left, mostly one or two that are never possible, runs over all states.

With more states than `MOST_STATES` the third would be felt, and nothing is said.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from angarium.checker.explore.engine import Outcome
from angarium.checker.explore.evaluate import EvaluationError
from angarium.checker.explore.interpret import after, combinations
from angarium.checker.ir.syntax import Binary, Const, Read, Require
from angarium.checker.ir.transition import STAYS_IN_RANGE, Action, Cells, TransitionSystem

if TYPE_CHECKING:
    from angarium.checker.backend.layout import Words
    from angarium.checker.explore.graph import Graph

MOST_STATES = 1_000_000
SAMPLE, SAMPLE_SECONDS = 24, 0.1
"""How many states the interpreter takes, and how long it may."""
BATCH, BATCH_STEPS = 4096, 1 << 20
PIECE = 1 << 18
"""How many steps of a graph are looked at together: mostly the first of them show all actions."""


def never_happened(system: TransitionSystem, outcome: Outcome) -> tuple[str, ...] | None:
    """The names of actions that no visited state allows; None if that is not known."""
    if not outcome.coverage.complete or STAYS_IN_RANGE in outcome.runs:
        return None
    wanted = [each for each in system.actions if not _has_nothing_to_spend(system, each)]
    left = _left(system, outcome, wanted)
    return None if left is None else (*system.impossible, *(each.name for each in left))


def _has_nothing_to_spend(system: TransitionSystem, action: Action) -> bool:
    """Whether an action is a fault whose budget is 0: that it never happens is what was asked for."""
    for statement in action.body if action.fault else ():
        match statement:
            case Require(Binary(">", Read(variable), Const(0))) if not any(system.variable[variable].initial):
                return True
    return False


def _left(system: TransitionSystem, outcome: Outcome, wanted: list[Action]) -> list[Action] | None:
    if outcome.happened is not None:
        return [each for each in wanted if each.name not in outcome.happened]
    if outcome.graph is not None:
        return _not_in_graph(outcome.graph, wanted)
    if outcome.visited is None or outcome.coverage.states > MOST_STATES:
        return None
    states = outcome.visited()
    return _never_possible(system, states, _not_in_sample(system, states, wanted))


def _not_in_graph(graph: Graph, wanted: list[Action]) -> list[Action]:
    import numpy as np

    from angarium.checker.explore.graph import first_labels, variants

    first = first_labels(graph.system.actions)
    seen = np.zeros(graph.stutter + 1, np.bool_)
    for start in range(0, len(graph.labels), PIECE):
        seen[graph.labels[start : start + PIECE]] = True
        wanted = [each for each in wanted if not seen[first[each.name] :][: variants(each)].any()]
        if not wanted:
            break
    return wanted


def _not_in_sample(system: TransitionSystem, states: Words, wanted: list[Action]) -> list[Action]:
    """Actions that are possible in none of a few states, from all over the search."""
    from angarium.checker.backend.layout import Layout

    layout, begin = Layout(system.variables), time.perf_counter()
    for row in states[:: max(1, len(states) // SAMPLE)]:
        if not wanted or time.perf_counter() - begin > SAMPLE_SECONDS:
            break
        cells = layout.unpack(row.tolist())
        wanted = [each for each in wanted if not _is_possible(system, each, cells)]
    return wanted


def _is_possible(system: TransitionSystem, action: Action, cells: Cells) -> bool:
    for arguments in combinations(action.parameters):
        with suppress(EvaluationError):
            if after(system, action, arguments, cells) is not None:
                return True
    return False


def _never_possible(system: TransitionSystem, states: Words, wanted: list[Action]) -> list[Action]:
    """Actions that are possible in none of the states; each that is possible in one takes a kernel more."""
    from angarium.checker.backend.kernel import compile_system
    from angarium.checker.backend.layout import Layout

    layout, first = Layout(system.variables), 0
    while wanted and first < len(states):
        kernel = compile_system(replace(system, actions=tuple(wanted), guarantees=(), temporal=()))
        batch = max(1, min(BATCH, BATCH_STEPS // kernel.fan_out))
        found = None
        while found is None and first < len(states):
            ends = kernel.successors(states[first : first + batch]).ends
            found = int((ends > 0).argmax()) if ends[-1] else None
            first += batch if found is None else found
        if found is not None:
            cells, before = layout.unpack(states[first].tolist()), len(wanted)
            wanted = [each for each in wanted if not _is_possible(system, each, cells)]
            assert len(wanted) < before, "the kernel takes a step that the interpreter does not"
    return wanted
