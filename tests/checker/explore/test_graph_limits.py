"""Where there is no graph: something fails, a limit is met, somebody interrupts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from angarium.checker.explore import native, native_memory
from angarium.checker.explore.engine import Engine, Progress
from angarium.checker.explore.graph import Wish
from angarium.checker.explore.native import NativeEngine
from angarium.checker.explore.native_watch import Watch
from angarium.checker.ir.syntax import Const, Require, Write
from angarium.checker.ir.transition import STAYS_IN_RANGE, Action, Guarantee, TransitionSystem
from angarium.core.control import INTERRUPTED, Limits
from angarium.core.errors import LimitError
from tests.checker.backend.systems import binary, counters, line, read
from tests.checker.explore.graphs import (
    COUNTED,
    any_threads,
    by_definition,
    every_engine,
    graph_of,
    meaning,
    run_lengths,
)


@pytest.fixture(autouse=True, scope="module")
def sharing() -> Iterator[None]:
    """Threads share even the smallest levels, and entries are gathered a few states at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "WORTH_SHARING", 1)
        patch.setattr(native_memory, "PIECE", 3)
        yield


# --- failures -------------------------------------------------------------------------------


@every_engine
@any_threads
def test_a_condition_without_a_value_is_out_of_range(engine: Engine, threads: int) -> None:
    unsafe = binary(binary(6, "//", binary(read("c"), "-", 3)), "==", 1)
    outcome = engine.search(counters(2, 5), threads=threads, graph=Wish((unsafe,)))
    assert (outcome.graph, outcome.graph_cut) == (None, None)
    assert outcome.runs[STAYS_IN_RANGE] == [(0, 0), (1, 0), (2, 0), (3, 0)]
    assert (outcome.coverage.complete, outcome.coverage.states) == (True, 36)


@every_engine
@any_threads
def test_an_event_without_a_value_is_out_of_range(engine: Engine, threads: int) -> None:
    unsafe = binary(6, "//", binary(2, "-", read("c")))
    outcome = engine.search(counters(1, 5), threads=threads, graph=Wish((), {"up": unsafe}))
    assert (outcome.graph, outcome.graph_cut) == (None, None)
    assert outcome.runs[STAYS_IN_RANGE] == [(0,), (1,), (2,)]


@every_engine
@any_threads
def test_where_a_step_fails_there_is_no_graph_but_all_is_explored(engine: Engine, threads: int) -> None:
    """Not even when every guarantee is hit does the search end early."""
    given_system = counters(2, 9)
    broken = Action("broken", (), (Require(binary(read("c"), "==", 2)), Write("c", Const(5), Const(0))))
    asked = counters(2, 9, actions=(*given_system.actions, broken))
    outcome = engine.search(asked, threads=threads, graph=COUNTED)
    assert set(outcome.runs) == {STAYS_IN_RANGE}
    assert len(outcome.runs[STAYS_IN_RANGE]) == 3
    assert (outcome.coverage.complete, outcome.coverage.states) == (True, 100)
    assert (outcome.graph, outcome.graph_cut) == (None, None)


@every_engine
@any_threads
def test_guarantees_are_hit_as_without_a_graph(engine: Engine, threads: int) -> None:
    asked = counters(
        2,
        6,
        guarantees=(
            Guarantee("small", "invariant", binary(read("c"), "<", 3)),
            Guarantee("both", "reaches", binary(binary(read("c"), "+", read("c", 1)), "==", 9)),
            Guarantee("rest", "at_rest", Const(0)),
            Guarantee("never", "reaches", Const(0)),
        ),
    )
    outcome = engine.search(asked, threads=threads, graph=COUNTED)
    assert run_lengths(outcome) == {"small": 4, "both": 10, "rest": 13}
    assert outcome.graph is not None
    assert meaning(outcome.graph) == by_definition(asked, COUNTED)


def test_too_many_conditions_are_refused() -> None:
    with pytest.raises(LimitError, match="64 guarantees and conditions"):
        NativeEngine().search(counters(1, 1), graph=Wish((Const(1),) * 64))
    graph = graph_of(NativeEngine(), counters(1, 1), Wish((Const(1),) * 63))
    assert graph.atoms.tolist() == [2**63 - 1] * 2


# --- limits and interrupts ------------------------------------------------------------------


def endless() -> TransitionSystem:
    """More states than anyone can count."""
    return counters(6, 400)


@every_engine
@any_threads
def test_a_search_that_was_cut_has_no_graph(engine: Engine, threads: int) -> None:
    outcome = engine.search(endless(), limits=Limits(max_states=1000), threads=threads, graph=COUNTED)
    assert outcome.coverage.cut == "limit of 1,000 states"
    assert (outcome.graph, outcome.graph_cut) == (None, None)


@any_threads
@pytest.mark.parametrize("wish", [COUNTED, Wish((), {"up": Const(1)})])
def test_without_room_for_steps_the_search_goes_on(threads: int, wish: Wish) -> None:
    limits = Limits(max_bytes=12_000_000)
    seen: list[Progress] = []
    outcome = NativeEngine().search(
        counters(5, 11), limits=limits, threads=threads, graph=wish, observe=seen.append
    )
    assert (outcome.coverage.complete, outcome.coverage.states) == (True, 12**5)
    assert (outcome.graph, outcome.graph_cut) == (None, "limit of 12,000,000 bytes")
    assert max(each.bytes for each in seen) <= 12_000_000


@any_threads
def test_a_search_without_room_for_states_is_cut(threads: int) -> None:
    limits = Limits(max_bytes=5_000_000)
    outcome = NativeEngine().search(endless(), limits=limits, threads=threads, graph=COUNTED)
    assert outcome.coverage.cut == "limit of 5,000,000 bytes"
    assert (outcome.graph, outcome.graph_cut) == (None, None)


@any_threads
def test_states_that_cannot_be_numbered(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_memory, "MOST_STATES", 5000)
    outcome = NativeEngine().search(counters(4, 9), threads=threads, graph=COUNTED)
    assert (outcome.coverage.complete, outcome.coverage.states) == (True, 10_000)
    assert (outcome.graph, outcome.graph_cut) == (None, "more than 5,000 states, too many to number")


@any_threads
def test_an_interrupt_of_the_search(threads: int) -> None:
    seen: list[Progress] = []

    def observe(progress: Progress) -> None:
        seen.append(progress)
        if len(seen) == 1:
            raise KeyboardInterrupt

    limits = Limits(max_bytes=2**32)
    outcome = NativeEngine().search(endless(), limits=limits, threads=threads, graph=COUNTED, observe=observe)
    assert outcome.coverage.cut == INTERRUPTED
    assert (outcome.graph, outcome.graph_cut) == (None, None)


def test_an_interrupt_while_entries_are_gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    def gather(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(native._Search, "_gather", gather)
    outcome = NativeEngine().search(counters(2, 9), threads=2, graph=COUNTED)
    assert outcome.coverage.complete
    assert (outcome.graph, outcome.graph_cut) == (None, INTERRUPTED)


def test_a_time_limit_while_entries_are_gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = native_memory.Ledger._pieces

    def late(ledger: native_memory.Ledger, states: int) -> Iterator[tuple[int, int, int]]:
        monkeypatch.setattr(Watch, "time_is_up", lambda watch: "time limit of 1 s")
        return pieces(ledger, states)

    monkeypatch.setattr(native_memory.Ledger, "_pieces", late)
    outcome = NativeEngine().search(line(3), threads=2, graph=Wish())
    assert outcome.coverage.complete
    assert (outcome.graph, outcome.graph_cut) == (None, "time limit of 1 s")


@every_engine
def test_a_graph_of_representatives_is_not_offered(engine: Engine) -> None:
    with pytest.raises(AssertionError):
        engine.search(counters(2, 2, symmetric=True), symmetry=True, graph=Wish())


@any_threads
def test_given_up_for_want_of_room_but_something_fails_too(threads: int) -> None:
    given_system = counters(5, 11)
    last = binary(binary(read("c"), "+", read("c", 1)), "==", 22)
    broken = Action("broken", (), (Require(last), Write("c", Const(9), Const(0))))
    asked = counters(5, 11, actions=(*given_system.actions, broken))
    limits = Limits(max_bytes=12_000_000)
    outcome = NativeEngine().search(asked, limits=limits, threads=threads, graph=COUNTED)
    assert outcome.coverage.complete
    assert len(outcome.runs[STAYS_IN_RANGE]) == 23
    assert (outcome.graph, outcome.graph_cut) == (None, None)
