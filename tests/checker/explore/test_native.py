"""The native engine: exact counts, growth, threads, limits, runs."""

from __future__ import annotations

import signal
import threading
from itertools import pairwise
from math import comb

import pytest

from angarium.checker.explore import native
from angarium.checker.explore.engine import Progress
from angarium.checker.explore.native import NativeEngine
from angarium.checker.explore.native_watch import Watch
from angarium.checker.ir.syntax import Const, Local, Require, Write
from angarium.checker.ir.transition import (
    STAYS_IN_RANGE,
    Action,
    Guarantee,
    Parameter,
    TransitionSystem,
    Variable,
)
from angarium.checker.ir.types import Int
from angarium.core.control import Limits
from angarium.core.errors import ModelError
from tests.checker.backend.systems import binary, counters, line, read, system

CAPACITIES = (1, 3, 100, 1 << 16)


def wide(count: int, high: int) -> TransitionSystem:
    """The same counters beside a constant-size ballast that makes states three words wide."""
    given = counters(count, high)
    ballast = Variable("ballast", Int(0, 2**60), (2,), (None,), (2**59, 7))
    return system(variables=(*given.variables, ballast), state=given.state, actions=given.actions)


@pytest.fixture
def sharing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads share even the smallest levels."""
    monkeypatch.setattr(native, "WORTH_SHARING", 1)


@pytest.mark.usefixtures("sharing")
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("capacity", CAPACITIES)
@pytest.mark.parametrize("block", [1, 7, 64])
@pytest.mark.parametrize("make", [counters, wide])
def test_exact_counts_whatever_the_size_of_table_and_block(
    make: object, block: int, capacity: int, threads: int
) -> None:
    engine = NativeEngine(_capacity=capacity, _block=block)
    found = engine.search(make(4, 6), threads=threads).coverage  # type: ignore[operator]
    assert found.complete
    assert (found.states, found.transitions) == (7**4, 4 * 6 * 7**3)
    assert (found.depth, found.frontier, found.cut) == (25, 0, None)


def test_a_large_space_grows_the_table_many_times() -> None:
    for threads in (1, 2):
        found = NativeEngine(_capacity=5).search(counters(5, 11), threads=threads).coverage
        assert (found.states, found.transitions) == (12**5, 5 * 11 * 12**4)
        assert found.bytes <= 48 * found.states


@pytest.mark.parametrize("threads", [1, 2])
def test_symmetry_counts_orbits(threads: int) -> None:
    found = NativeEngine().search(counters(4, 5, symmetric=True), symmetry=True, threads=threads).coverage
    assert found.states == comb(4 + 5, 4)


def test_runs_under_symmetry_are_real() -> None:
    guarantee = Guarantee("two-waiting", "reaches", binary(read("line.len"), "==", 2))
    served = Guarantee("last-served", "invariant", binary(read("served"), "==", -1))
    given = line(3)
    given = system(
        variables=given.variables,
        state=given.state,
        actions=given.actions,
        guarantees=(guarantee, served),
    )
    outcome = NativeEngine().search(given, symmetry=True)
    run = outcome.runs["two-waiting"]
    assert [state[0] for state in run] == [0, 1, 2]
    joined = [[p for p in range(3) if state[4 + p]] for state in run]
    assert all(set(before) < set(after) for before, after in pairwise(joined))
    assert set(run[-1][1:3]) == set(joined[-1])
    assert [state[0] for state in outcome.runs["last-served"]] == [0, 1, 0]


def test_the_shortest_run_to_each_guarantee() -> None:
    guarantees = (
        Guarantee("small", "invariant", binary(read("c", 0), "<", 3)),
        Guarantee("both", "reaches", binary(binary(read("c", 0), "+", read("c", 1)), "==", 9)),
        Guarantee("never", "reaches", binary(read("c", 0), ">", 9)),
        Guarantee("rest", "at_rest", Const(0)),
    )
    outcome = NativeEngine(_capacity=1, _block=2).search(counters(2, 6, guarantees=guarantees))
    assert {name: len(run) for name, run in outcome.runs.items()} == {
        "small": 4,
        "both": 10,
        "rest": 13,
    }
    assert outcome.runs["small"] == [(0, 0), (1, 0), (2, 0), (3, 0)]
    for run in outcome.runs.values():
        assert all(sum(after) == sum(before) + 1 for before, after in pairwise(run))
    assert outcome.coverage.complete


def overflowing() -> TransitionSystem:
    """A counter that is counted past its end."""
    up = Action("up", (), (Write("c", Const(0), binary(read("c"), "+", 1)),))
    return system(variables=(Variable("c", Int(0, 9)),), actions=(up,))


def test_a_failure_hits_stays_in_range() -> None:
    outcome = NativeEngine().search(overflowing())
    assert outcome.runs[STAYS_IN_RANGE] == [(n,) for n in range(10)]
    assert (outcome.coverage.states, outcome.coverage.transitions) == (10, 9)
    assert outcome.coverage.complete


def test_ends_early_when_every_guarantee_is_hit() -> None:
    step = Write("c", Local("i"), binary(read("c", Local("i")), "+", 1))
    given = counters(2, 9)
    up = Action("up", given.actions[0].parameters, (step,))
    broken = Action("broken", (), (Require(binary(read("c"), "==", 2)), Write("c", Const(5), Const(0))))
    outcome = NativeEngine().search(counters(2, 9, actions=(up, broken)))
    assert set(outcome.runs) == {STAYS_IN_RANGE}
    coverage = outcome.coverage
    assert (coverage.complete, coverage.cut) == (False, None)
    assert (coverage.depth, coverage.states, coverage.frontier) == (3, 10, 4)


def test_everything_hit_in_the_last_level_is_complete() -> None:
    outcome = NativeEngine().search(overflowing())
    assert (outcome.coverage.complete, outcome.coverage.frontier) == (True, 0)


def test_initial_states_are_those_of_the_setup() -> None:
    setup = (Parameter("n", Int(0, 4)),)
    body = (Require(binary(Local("n"), "!=", 3)), Write("c", Const(0), Local("n")))
    given = counters(2, 4, setup=setup, setup_body=body)
    assert NativeEngine().search(given).coverage.depth == 6
    nothing = counters(2, 4, setup=setup, setup_body=(Require(Const(0)),))
    with pytest.raises(ModelError, match="no initial state"):
        NativeEngine().search(nothing)


def test_a_system_without_variables_or_actions_has_one_state() -> None:
    coverage = NativeEngine().search(system(variables=())).coverage
    assert (coverage.states, coverage.transitions, coverage.depth) == (1, 0, 1)


# --- limits and interrupts ----------------------------------------------------------------------


def endless() -> TransitionSystem:
    """More states than anyone can count."""
    return counters(6, 400)


def test_max_states() -> None:
    exact = NativeEngine(_block=1).search(counters(2, 9), limits=Limits(max_states=100))
    assert (exact.coverage.complete, exact.coverage.cut) == (True, None)
    coverage = NativeEngine().search(endless(), limits=Limits(max_states=10_000)).coverage
    assert (coverage.complete, coverage.cut) == (False, "limit of 10,000 states")
    assert 10_000 <= coverage.states < 12_000
    assert 0 < coverage.frontier < coverage.states


@pytest.mark.parametrize("threads", [1, 2])
def test_max_bytes(threads: int) -> None:
    limits = Limits(max_bytes=5_000_000)
    coverage = NativeEngine().search(endless(), limits=limits, threads=threads).coverage
    assert (coverage.complete, coverage.cut) == (False, "limit of 5,000,000 bytes")
    assert 2_500_000 < coverage.bytes < 5_200_000


@pytest.mark.parametrize("threads", [1, 2])
def test_timeout(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that stands still until something was seen: what is found first is found by then."""
    depth = [0]
    monkeypatch.setattr(Watch, "seconds", property(lambda _: 0.5 if depth[-1] > 12 else 0.0))
    limits = Limits(timeout=0.3, max_bytes=2**31)
    guarantees = (Guarantee("small", "invariant", binary(read("c", 0), "<", 9)),)
    given = counters(6, 400, guarantees=guarantees)
    outcome = NativeEngine().search(
        given, limits=limits, threads=threads, observe=lambda progress: depth.append(progress.depth)
    )
    coverage = outcome.coverage
    assert [state[0] for state in outcome.runs["small"]] == list(range(10))
    assert (coverage.complete, coverage.cut) == (False, "time limit of 0.3 s")


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_gives_what_was_covered(threads: int) -> None:
    seen: list[Progress] = []

    def observe(progress: Progress) -> None:
        seen.append(progress)
        if len(seen) == 2:
            raise KeyboardInterrupt

    outcome = NativeEngine().search(
        endless(), limits=Limits(max_bytes=2**32), threads=threads, observe=observe
    )
    assert (outcome.coverage.complete, outcome.coverage.cut) == (False, "interrupted")
    assert outcome.coverage.states >= seen[0].states > 0
    assert outcome.coverage.transitions >= seen[1].transitions >= seen[0].transitions > 0


def test_a_signal_interrupts_wherever_it_comes() -> None:
    timer = threading.Timer(0.03, signal.raise_signal, (signal.SIGINT,))

    def begun(_: Progress) -> None:
        if timer.ident is None:
            timer.start()

    outcome = NativeEngine().search(endless(), limits=Limits(max_bytes=2**32), observe=begun)
    timer.join()
    assert outcome.coverage.cut == "interrupted"


def test_a_long_chain_of_levels() -> None:
    far = Guarantee("far", "reaches", binary(read("c"), "==", 50_000))
    outcome = NativeEngine().search(counters(1, 60_000, guarantees=(far,)))
    assert (outcome.coverage.depth, outcome.coverage.complete) == (60_001, True)
    assert outcome.runs["far"] == [(n,) for n in range(50_001)]


def test_the_observer_sees_finished_levels() -> None:
    seen: list[Progress] = []
    NativeEngine().search(counters(2, 3), observe=seen.append)
    assert list(seen[-1].levels) == [1, 2, 3, 4, 3, 2, 1]
    assert (seen[-1].states, seen[-1].frontier, seen[-1].depth) == (16, 0, 7)


def test_an_observer_s_error_ends_the_search() -> None:
    def observe(progress: Progress) -> None:
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        NativeEngine().search(endless(), limits=Limits(max_bytes=2**32), observe=observe)
