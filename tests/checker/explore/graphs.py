"""Graphs by definition, to compare engines with."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from numpy.typing import NDArray

from angarium.checker.explore.engine import Engine, Outcome
from angarium.checker.explore.evaluate import evaluate
from angarium.checker.explore.gpu.cards import EmulatedGrid
from angarium.checker.explore.gpu.engine import GpuEngine
from angarium.checker.explore.graph import Graph, Wish
from angarium.checker.explore.interpret import Move, combinations, initial_states, steps
from angarium.checker.explore.native import NativeEngine
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.ir.syntax import Const
from angarium.checker.ir.transition import Cells, TransitionSystem, Variable
from angarium.checker.ir.types import Int
from tests.checker.backend.systems import binary, counters, read, system
from tests.checker.explore.spark.here import HereEngine
from tests.effort import examples

REFERENCE = ReferenceEngine()
ENGINES: dict[str, Engine] = {
    "reference": REFERENCE,
    "local": NativeEngine(),
    "local, cramped": NativeEngine(_capacity=2, _block=1),
    "spark, in one process": HereEngine(),
    "gpu, emulated": GpuEngine(lambda: EmulatedGrid(3), _capacity=2),
}
PATIENT = settings(
    max_examples=examples(40),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
COUNTED = Wish((binary(read("c"), ">", 1), binary(read("c", 1), "==", 0)))

every_engine = pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
any_threads = pytest.mark.parametrize("threads", [1, 2])


def wide(count: int, high: int) -> TransitionSystem:
    """Counters beside a ballast that makes states three words wide."""
    ballast = Variable("ballast", Int(0, 2**60), (2,), (None,), (2**59, 7))
    small = counters(count, high)
    return system(variables=(*small.variables, ballast), state=small.state, actions=small.actions)


def graph_of(engine: Engine, asked: TransitionSystem, wish: Wish, threads: int = 1) -> Graph:
    outcome = engine.search(asked, threads=threads, graph=wish)
    assert outcome.coverage.complete
    assert outcome.graph is not None
    return outcome.graph


def rows_of(graph: Graph) -> list[range]:
    """The entries of each state."""
    bounds = [int(row) for row in graph.rows]
    return [range(start, end) for start, end in pairwise(bounds)]


def meaning(graph: Graph) -> dict[Cells, object]:
    """The graph without numbers: for each state what is true in it, and its steps in their order."""
    states = graph.cells(range(graph.states))
    events = graph.events if len(graph.events) else np.zeros(len(graph.targets), np.uint64)
    told = list(zip(graph.targets.tolist(), graph.labels.tolist(), events.tolist(), strict=True))
    return {
        state: (int(graph.atoms[number]), [(states[told[e][0]], *told[e][1:]) for e in entries])
        for number, (state, entries) in enumerate(zip(states, rows_of(graph), strict=True))
    }


def by_definition(asked: TransitionSystem, wish: Wish) -> dict[Cells, object]:
    """The same, straight from the interpreter."""
    numbers = {instance: number for number, instance in enumerate(all_instances(asked))}
    waiting, found = initial_states(asked), dict[Cells, object]()
    while waiting:
        state = waiting.pop()
        moves = steps(asked, state)
        true = [bool(evaluate(asked, each, state, {})) for each in wish.conditions]
        told = [(m.target, numbers[m.action.name, m.arguments], event(asked, wish, state, m)) for m in moves]
        atoms = sum(truth << bit for bit, truth in enumerate(true))
        found[state] = (atoms, told or [(state, len(numbers), 0)])
        waiting += [move.target for move in moves if move.target not in found]
    return found


def all_instances(asked: TransitionSystem) -> Iterator[tuple[str, tuple[int, ...]]]:
    for action in asked.actions:
        for arguments in combinations(action.parameters):
            yield action.name, arguments


def event(asked: TransitionSystem, wish: Wish, state: Cells, move: Move) -> int:
    names = (parameter.name for parameter in move.action.parameters)
    number = wish.events.get(move.action.name, Const(0))
    return evaluate(asked, number, state, dict(zip(names, move.arguments, strict=True)))


def changed_cells(graph: Graph) -> NDArray[np.int64]:
    """For each entry, by how much it changes each cell."""
    states = np.array(graph.cells(range(graph.states)), np.int64)
    rows = graph.rows.astype(np.int64)
    sources = np.repeat(np.arange(graph.states), rows[1:] - rows[:-1])
    changes: NDArray[np.int64] = states[graph.targets] - states[sources]
    return changes


def assert_same_arrays(found: Graph, expected: Graph) -> None:
    for name in ("rows", "targets", "labels", "atoms", "events"):
        one, other = getattr(found, name), getattr(expected, name)
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist(), name
    assert found.initial == expected.initial
    assert found.cells(range(found.states)) == expected.cells(range(expected.states))


def run_lengths(outcome: Outcome) -> dict[str, int]:
    return {name: len(run) for name, run in outcome.runs.items()}
