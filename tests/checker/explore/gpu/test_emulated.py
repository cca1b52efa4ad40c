"""The search of a card, on the emulated grid: counts, growth, limits, runs, models that need much room."""

from __future__ import annotations

import signal
import threading
from itertools import pairwise
from math import comb

import pytest

from angarium.checker.explore.engine import Progress
from angarium.checker.explore.gpu import program, search
from angarium.checker.explore.gpu.cards import EmulatedGrid
from angarium.checker.explore.gpu.engine import GpuEngine
from angarium.checker.explore.gpu.memory import LAST_LOAD, Room
from angarium.checker.explore.graph import Wish
from angarium.checker.explore.native_watch import Watch
from angarium.checker.ir.syntax import Const
from angarium.checker.ir.transition import Guarantee
from angarium.core.control import Limits
from angarium.core.errors import LimitError
from tests.checker.backend.systems import binary, counters, read
from tests.checker.explore.test_native import endless, wide


def engine(capacity: int | None = None, threads: int = 2) -> GpuEngine:
    return GpuEngine(lambda: EmulatedGrid(threads), _capacity=capacity)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("capacity", [1, 100, None])
@pytest.mark.parametrize("make", [counters, wide])
def test_exact_counts_whatever_the_size_of_table_and_grid(make: object, capacity: int, threads: int) -> None:
    found = engine(capacity, threads).search(make(4, 6)).coverage  # type: ignore[operator]
    assert found.complete
    assert (found.states, found.transitions) == (7**4, 4 * 6 * 7**3)
    assert (found.depth, found.frontier, found.cut) == (25, 0, None)


@pytest.mark.parametrize("make", [counters, wide])
def test_successors_that_need_much_room_lie_in_the_memory_of_the_card(
    make: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "MOST_OF_ITS_OWN", 0)
    found = engine(100).search(make(4, 6)).coverage  # type: ignore[operator]
    assert (found.complete, found.states, found.transitions) == (True, 7**4, 4 * 6 * 7**3)


def test_a_model_whose_successors_fit_nowhere_is_refused_with_the_numbers() -> None:
    many = GpuEngine(lambda: ThousandsOfThreads())
    with pytest.raises(LimitError, match=r"4,000 successors, which take 32,000 bytes in each thread"):
        many.search(counters(4000, 0), limits=Limits(max_bytes=10_000_000))


class ThousandsOfThreads(EmulatedGrid):
    """A grid that says that it has as many threads as a card."""

    def __init__(self) -> None:
        super().__init__()
        self.threads = 100_000


def test_launches_of_few_states_are_as_good(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "MOST_AT_ONCE", 3)
    found = engine().search(counters(4, 6)).coverage
    assert (found.complete, found.states, found.transitions) == (True, 7**4, 4 * 6 * 7**3)


def test_symmetry_counts_orbits() -> None:
    found = engine(1).search(counters(4, 5, symmetric=True), symmetry=True).coverage
    assert found.states == comb(4 + 5, 4)


def test_the_shortest_run_to_each_guarantee() -> None:
    guarantees = (
        Guarantee("small", "invariant", binary(read("c", 0), "<", 3)),
        Guarantee("both", "reaches", binary(binary(read("c", 0), "+", read("c", 1)), "==", 9)),
        Guarantee("never", "reaches", binary(read("c", 0), ">", 9)),
        Guarantee("rest", "at_rest", Const(0)),
    )
    outcome = engine(1).search(counters(2, 6, guarantees=guarantees))
    assert {name: len(run) for name, run in outcome.runs.items()} == {"small": 4, "both": 10, "rest": 13}
    for run in outcome.runs.values():
        assert all(sum(after) == sum(before) + 1 for before, after in pairwise(run))
    assert outcome.coverage.complete


def test_a_chain_of_levels() -> None:
    far = Guarantee("far", "reaches", binary(read("c"), "==", 2_000))
    outcome = engine().search(counters(1, 3_000, guarantees=(far,)))
    assert (outcome.coverage.depth, outcome.coverage.complete) == (3_001, True)
    assert outcome.runs["far"] == [(n,) for n in range(2_001)]


def test_the_observer_sees_finished_levels() -> None:
    seen: list[Progress] = []
    engine().search(counters(2, 3), observe=seen.append)
    assert list(seen[-1].levels) == [1, 2, 3, 4, 3, 2, 1]
    assert (seen[-1].states, seen[-1].frontier, seen[-1].depth) == (16, 0, 7)


# --- limits -----------------------------------------------------------------------------------


def test_max_states() -> None:
    exact = engine().search(counters(2, 9), limits=Limits(max_states=100)).coverage
    assert (exact.complete, exact.cut) == (True, None)
    coverage = engine().search(endless(), limits=Limits(max_states=10_000)).coverage
    assert (coverage.complete, coverage.cut) == (False, "limit of 10,000 states")
    assert 10_000 <= coverage.states < 12_000
    assert 0 < coverage.frontier < coverage.states


@pytest.mark.parametrize("make", [endless, lambda: wide(6, 400)])
def test_memory_is_used_up_to_its_limit(make: object) -> None:
    limits = Limits(max_bytes=5_000_000)
    coverage = engine().search(make(), limits=limits).coverage  # type: ignore[operator]
    assert (coverage.complete, coverage.cut) == (False, "limit of 5,000,000 bytes")
    assert coverage.bytes > 2_500_000
    assert coverage.bytes <= 5_000_000 or coverage.bytes == 8 * (2**19 + coverage.states)  # its log elsewhere


def test_a_limit_below_the_smallest_table_is_said_as_one() -> None:
    coverage = engine().search(counters(2, 9), limits=Limits(max_bytes=64)).coverage
    assert (coverage.complete, coverage.cut, coverage.states) == (False, "limit of 64 bytes", 0)


@pytest.mark.parametrize("words", [1, 2, 5])
@pytest.mark.parametrize("slots", [1 << bits for bits in range(4, 34)])
def test_table_and_log_never_exceed_the_room(words: int, slots: int) -> None:
    room = Room(139 << 30, words)
    if room.fits(slots, 0):
        states = room.states(slots, 0)
        assert 0 < states <= slots * LAST_LOAD
        assert 8 * slots + 8 * words * states <= room.bytes


def test_a_card_of_139_gib_has_room_for_five_billion_states_of_one_word() -> None:
    room = Room(int((139 << 30) * search.SHARE), 1)
    assert room.fits(1 << 33, room.states(1 << 32, 0))
    assert room.states(1 << 33, room.states(1 << 32, 0)) > 5_000_000_000


def test_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that stands still until something was seen: what is found first is found by then."""
    depth = [0]
    monkeypatch.setattr(Watch, "time_is_up", lambda _: "time limit of 0.3 s" if depth[-1] > 12 else None)
    guarantees = (Guarantee("small", "invariant", binary(read("c", 0), "<", 9)),)
    outcome = engine().search(
        counters(6, 400, guarantees=guarantees), observe=lambda progress: depth.append(progress.depth)
    )
    assert [state[0] for state in outcome.runs["small"]] == list(range(10))
    assert (outcome.coverage.complete, outcome.coverage.cut) == (False, "time limit of 0.3 s")


def test_an_interrupt_gives_what_was_covered() -> None:
    seen: list[Progress] = []

    def observe(progress: Progress) -> None:
        seen.append(progress)
        if len(seen) == 40:
            raise KeyboardInterrupt

    outcome = engine().search(endless(), limits=Limits(max_bytes=2**32), observe=observe)
    assert (outcome.coverage.complete, outcome.coverage.cut) == (False, "interrupted")
    assert outcome.coverage.states >= seen[-2].states > 0
    assert outcome.coverage.transitions >= seen[-2].transitions > 0


def test_a_signal_interrupts_wherever_it_comes() -> None:
    timer = threading.Timer(0.03, signal.raise_signal, (signal.SIGINT,))

    def begun(_: Progress) -> None:
        if timer.ident is None:
            timer.start()

    outcome = engine().search(endless(), limits=Limits(max_bytes=2**32), observe=begun)
    timer.join()
    assert outcome.coverage.cut == "interrupted"


def test_an_interrupt_while_steps_are_written_down_leaves_the_verdicts_of_states() -> None:
    class Interrupted(EmulatedGrid):
        def start(self, name: str, count: int, *arguments: int) -> None:
            if name == "link_states":
                raise KeyboardInterrupt
            super().start(name, count, *arguments)

    outcome = GpuEngine(Interrupted).search(counters(4, 9), graph=Wish())
    assert outcome.coverage.complete
    assert (outcome.graph, outcome.graph_cut) == (None, "interrupted")


def test_a_card_whose_memory_others_have_says_that_it_is_full() -> None:
    class Shared(EmulatedGrid):
        free_memory = 4_000

    coverage = GpuEngine(Shared).search(counters(12, 1)).coverage
    assert (coverage.complete, coverage.cut) == (False, "the memory of an emulated grid is full")
    assert 0 < coverage.states < 2**12
