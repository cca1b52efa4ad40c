"""The explored graph: the native engine builds what the interpreter says."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from angarium.checker.explore import native, native_memory
from angarium.checker.explore.engine import Engine
from angarium.checker.explore.gpu import engine as gpu_engine
from angarium.checker.explore.graph import Wish, combination
from angarium.checker.explore.interpret import combinations
from angarium.checker.explore.native import NativeEngine
from angarium.checker.ir.syntax import Call, Const, Expr, Let, Local, Require, Write
from angarium.checker.ir.transition import STAYS_IN_RANGE, Action, Parameter, TransitionSystem, Variable
from angarium.checker.ir.types import Bool, Int
from angarium.core.control import Limits
from angarium.systems.registry import load
from tests.checker.backend.systems import binary, counters, read, system
from tests.checker.explore.graphs import (
    COUNTED,
    ENGINES,
    PATIENT,
    REFERENCE,
    any_threads,
    assert_same_arrays,
    by_definition,
    changed_cells,
    every_engine,
    graph_of,
    meaning,
    run_lengths,
    wide,
)
from tests.checker.explore.random_systems import Scope, condition, expression, into_range, systems
from tests.zoo import counter, handoff, menagerie, symmetric


@pytest.fixture(autouse=True, scope="module")
def sharing() -> Iterator[None]:
    """Threads share even the smallest levels, and entries are gathered a few states at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "WORTH_SHARING", 1)
        patch.setattr(native_memory, "PIECE", 3)
        patch.setattr(gpu_engine, "PIECE", 3)
        yield


# --- what the graph says --------------------------------------------------------------------


@every_engine
def test_a_graph_that_one_can_read(engine: Engine) -> None:
    graph = graph_of(engine, counters(2, 1), COUNTED)
    assert graph.cells(range(graph.states)) == [(0, 0), (1, 0), (0, 1), (1, 1)]
    assert graph.rows.tolist() == [0, 2, 3, 4, 5]
    assert graph.targets.tolist() == [1, 2, 3, 3, 3]
    assert graph.labels.tolist() == [0, 1, 1, 0, graph.stutter]
    assert graph.atoms.tolist() == [0b10, 0b10, 0b00, 0b00]
    assert (graph.initial, graph.stutter, graph.events.tolist()) == (1, 2, [])


@every_engine
@any_threads
@pytest.mark.parametrize(
    "asked", [counter(stops=True), handoff(), symmetric(), menagerie()], ids=lambda asked: asked.name
)
def test_on_the_zoo(engine: Engine, threads: int, asked: TransitionSystem) -> None:
    conditions = tuple(each.condition for each in asked.guarantees)
    wish = Wish(conditions, {asked.actions[-1].name: Const(5)})
    assert meaning(graph_of(engine, asked, wish, threads)) == by_definition(asked, wish)


@every_engine
@any_threads
@pytest.mark.parametrize("make", [counters, wide])
def test_narrow_and_wide_states(
    engine: Engine, threads: int, make: Callable[[int, int], TransitionSystem]
) -> None:
    asked = make(3, 3)
    wish = Wish(COUNTED.conditions, {"up": binary(Local("i"), "+", 1)})
    assert meaning(graph_of(engine, asked, wish, threads)) == by_definition(asked, wish)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("settings", [{"mode": "sequential"}, {"mode": "random", "restarts": "1"}])
def test_on_a_bundled_system(threads: int, settings: dict[str, str]) -> None:
    asked = load("rabbitmq-sac", {"queues": "2", "apps": "2", **settings})
    where = binary(binary(Local("a"), "*", 2), "+", binary(Local("q"), "+", 1))
    wish = Wish((Call("all_subscribed", ()), Call("balanced", ())), {"release": where})
    expected = graph_of(REFERENCE, asked, wish)
    found = graph_of(NativeEngine(), asked, wish, threads)
    assert meaning(found) == meaning(expected)
    if threads == 1:
        assert_same_arrays(found, expected)


@pytest.mark.parametrize("capacity", [1, 100, 1 << 16])
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("block", [1, 7, 64])
def test_whatever_the_size_of_table_and_block(block: int, threads: int, capacity: int) -> None:
    engine = NativeEngine(_capacity=capacity, _block=block)
    for make in (counters, wide):
        graph = graph_of(engine, make(4, 6), COUNTED, threads)
        assert (graph.states, len(graph.targets)) == (7**4, 4 * 6 * 7**3 + 1)
        assert (changed_cells(graph)[:-1, :4] == np.eye(4)[graph.labels[:-1]]).all()
        assert graph.targets[-1] == graph.states - 1
        states = np.array(graph.cells(range(graph.states)))
        assert (graph.atoms == (states[:, 0] > 1) + 2 * (states[:, 1] == 0)).all()


def test_memory_that_entries_came_from_is_given_back_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Large enough for whole pages to go while later ones are still read."""
    monkeypatch.setattr(native_memory, "PIECE", 5000)
    wish = Wish((), {"up": binary(Local("i"), "+", 1)})
    graph = graph_of(NativeEngine(_block=16), counters(5, 8), wish, 2)
    assert (graph.states, len(graph.targets)) == (9**5, 5 * 8 * 9**4 + 1)
    assert (changed_cells(graph)[:-1] == np.eye(5)[graph.labels[:-1]]).all()
    assert (graph.events[:-1] == graph.labels[:-1] + 1).all()


@any_threads
def test_initial_states_come_first(threads: int) -> None:
    setup = (Parameter("n", Int(0, 4)),)
    body = (Require(binary(Local("n"), "!=", 3)), Write("c", Const(0), Local("n")))
    for engine in ENGINES.values():
        graph = graph_of(engine, counters(2, 4, setup=setup, setup_body=body), COUNTED, threads)
        found = graph.cells(range(graph.initial))
        # On Spark they come by owner.
        assert (sorted(found) if engine.name == "spark" else found) == [(0, 0), (1, 0), (2, 0), (4, 0)]


@every_engine
def test_without_variables_actions_or_conditions(engine: Engine) -> None:
    graph = graph_of(engine, system(variables=()), Wish())
    assert (graph.states, graph.stutter) == (1, 0)
    assert (graph.targets.tolist(), graph.labels.tolist(), graph.atoms.tolist()) == ([0], [0], [0])


@every_engine
def test_a_step_that_changes_nothing_is_no_rest(engine: Engine) -> None:
    graph = graph_of(engine, menagerie(), Wish())
    assert (graph.targets.tolist(), graph.labels.tolist()) == ([0], [0])


@every_engine
def test_labels_and_events_are_of_the_arguments_as_given(engine: Engine) -> None:
    """Although the body gives a parameter's name to something else."""
    body = (Let("i", binary(1, "-", Local("i"))), Let("j", Const(0)), Write("c", Const(0), Local("i")))
    change = Action("change", (Parameter("j", Bool()), Parameter("i", Bool())), body)
    asked = system(variables=(Variable("c", Int(0, 1)),), actions=(change,))
    wish = Wish((), {"change": binary(binary(Local("i"), "*", 10), "+", binary(Local("j"), "+", 1))})
    graph = graph_of(engine, asked, wish)
    assert graph.labels.tolist() == [0, 1, 2, 3] * 2
    assert graph.events.tolist() == [1, 11, 2, 12] * 2
    assert [state for (state,) in graph.cells(graph.targets[:4].tolist())] == [1, 0, 1, 0]


@every_engine
def test_an_event_is_computed_before_the_step_and_behind_its_guards(engine: Engine) -> None:
    share = binary(12, "//", read("n"))
    lower = Action(
        "lower", (), (Require(binary(read("n"), ">", 0)), Write("n", Const(0), binary(read("n"), "-", 1)))
    )
    asked = system(variables=(Variable("n", Int(0, 3), (), (), (3,)),), actions=(lower,))
    assert graph_of(engine, asked, Wish((), {"lower": share})).events.tolist() == [4, 6, 12, 0]


def test_a_combination_is_its_place_among_all() -> None:
    parameters = (Parameter("a", Int(-1, 1)), Parameter("b", Bool()), Parameter("c", Int(2, 5)))
    every = list(combinations(parameters))
    assert [combination(parameters, arguments) for arguments in every] == list(range(24))


def test_the_graph_outlives_the_search() -> None:
    graphs = [graph_of(NativeEngine(), counters(3, 9), COUNTED, threads) for threads in (1, 2)]
    gc.collect()
    for graph in graphs:
        assert len(set(graph.cells(range(graph.states)))) == graph.states == 1000
        assert (changed_cells(graph)[:-1].sum(axis=1) == 1).all()


# --- random systems -------------------------------------------------------------------------


@st.composite
def asked_systems(draw: st.DrawFn) -> tuple[TransitionSystem, Wish]:
    """A small system, conditions that may fail, and events that do not."""
    asked = draw(systems())
    assume(REFERENCE.search(asked, limits=Limits(max_states=300)).coverage.cut is None)
    scope = Scope(asked.variables, asked.helpers, safe=draw(st.booleans()))
    conditions = tuple(condition(draw, scope) for _ in range(draw(st.integers(0, 3))))
    return asked, Wish(conditions, events(draw, asked))


def events(draw: st.DrawFn, asked: TransitionSystem) -> dict[str, Expr]:
    found = {}
    for action in asked.actions[: draw(st.integers(0, len(asked.actions)))]:
        names = tuple(parameter.name for parameter in action.parameters)
        scope = Scope(asked.variables, (), names, safe=True)
        found[action.name] = into_range(expression(draw, scope), 1, 9)
    return found


@pytest.mark.sample(1)
@any_threads
@PATIENT
@given(asked=asked_systems())
def test_on_random_systems(threads: int, asked: tuple[TransitionSystem, Wish]) -> None:
    given_system, wish = asked
    expected = REFERENCE.search(given_system, graph=wish)
    for engine in islice(ENGINES.values(), 1, None):
        found = engine.search(given_system, threads=threads, graph=wish)
        assert run_lengths(found) == run_lengths(expected)
        assert (found.coverage.states, found.coverage.transitions) == (
            expected.coverage.states,
            expected.coverage.transitions,
        )
        assert (found.graph is None) == (expected.graph is None) == (STAYS_IN_RANGE in expected.runs)
        if found.graph and expected.graph:
            assert meaning(found.graph) == meaning(expected.graph) == by_definition(given_system, wish)
            if threads == 1 and engine.name != "spark":
                assert_same_arrays(found.graph, expected.graph)
