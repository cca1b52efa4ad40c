"""A graphics card: states a second, bytes a state, and walks, against one thread of this machine and SPIN.

Counts are asserted: those of the card are those of the local engine, or, where that would take minutes, those
that were found before. Where there is no card all rows say so; with ANGARIUM_GPU=emulated in the environment
the same runs on the emulated grid, and nothing is judged, for that is no card.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from angarium.checker.explore.gpu.engine import GpuEngine, first_card, usable_cards
from angarium.checker.explore.gpu.program import compile_program
from angarium.checker.explore.gpu.search import CardSearch
from angarium.checker.explore.native import NativeEngine
from angarium.checker.explore.native_watch import Watch
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.logic.check import check
from angarium.checker.walks.gpu import card_walks
from angarium.checker.walks.native_walks import simulate
from angarium.checker.walks.plan import Plan
from angarium.core.control import Limits
from angarium.core.errors import CardError
from angarium.core.result import Coverage
from angarium.native.card_driver import is_emulated
from angarium.systems.registry import load
from benchmarks.common.measure import middle
from benchmarks.common.row import Row, missing
from benchmarks.peers.spin import INSTALL, Spin

BILLION, WALKS = 1e9, 100.0
"""States a second of `rabbitmq-sac` on an H200, and walks as many times as those of one thread."""
OVER_TIME = 20 / 100e6
"""Seconds a state for a guarantee over time, from the kernel to the verdict."""


@dataclass(frozen=True, slots=True)
class Case:
    """A search, what it finds, and how fast it should be."""

    name: str
    system: str
    settings: tuple[tuple[str, str], ...]
    states: int
    transitions: int
    promise: float
    """States a second on an H200; 0 for none."""
    local: bool = True
    """Whether one thread of this machine does it too, in a time that can be waited for."""

    def load(self) -> TransitionSystem:
        return load(self.system, dict(self.settings))


def sac(queues: int, apps: int, states: int, transitions: int, promise: float, **more: str) -> Case:
    settings = {"queues": str(queues), "apps": str(apps), **more}
    name = f"rabbitmq-sac {queues} queues, {apps} apps"
    return Case(name, "rabbitmq-sac", tuple(settings.items()), states, transitions, promise, promise == 0)


def case(system: str, states: int, transitions: int, **settings: str) -> Case:
    return Case(system, system, tuple(settings.items()), states, transitions, 2e8)


FEW = sac(4, 3, 5_580_736, 31_262_871, 0, stops="false")
GROUP = {"topics": "2", "partitions": "3", "consumers": "4", "records": "1", "consumer_joins": "1"}
GROUP |= {"assignment": "cooperative-sticky", "consumer_crash": "1"}
DELIVERY = {"messages": "3", "min_insync_replicas": "2", "broker_crash": "2", "lag": "2"}
MANY = (
    sac(5, 3, 172_129_930, 1_217_330_445, BILLION, stops="false"),
    case("nsq", 13_287_575, 77_506_863, messages="3", consumers="3"),
    case("kafka-group", 8_913_515, 31_851_594, **GROUP),
    case("kafka-delivery", 13_197_812, 59_806_342, **DELIVERY),
)
LITTLE = sac(2, 2, 181, 428, 0, stops="false")


@dataclass(frozen=True, slots=True)
class Size:
    cases: tuple[Case, ...]
    spin: Case
    """Which of them SPIN does too."""
    over_time: tuple[tuple[str, str], ...]
    """The settings of `rabbitmq-sac` whose guarantees over time are judged."""
    walked: tuple[tuple[str, str], ...]
    walks: int
    """Of the card."""
    here: int
    """Of one thread."""
    repeats: int


_LARGE = (("queues", "7"), ("apps", "2"), ("restarts", "2"))
_TEN, _TWO = ((("queues", size), ("apps", size)) for size in ("10", "2"))
FULL = Size((FEW, *MANY), FEW, _LARGE, _TEN, walks=2_000_000, here=20_000, repeats=3)
TINY = Size((LITTLE,), LITTLE, (*_TWO, ("restarts", "1")), _TWO, walks=50, here=20, repeats=1)


def rows(size: Size) -> Iterator[Row]:
    try:
        cards = usable_cards()
    except CardError as problem:
        yield missing("searches on a card", problem.what, "see docs/how-to/gpu.md", "1 G states/s")
        return
    judged = not is_emulated()
    yield Row("card", f"{cards[0].name}, {cards[0].memory / 2**30:.0f} GiB")
    speeds: dict[str, float] = {}
    for case in size.cases:
        yield from search(case, size.repeats, speeds, judged=judged)
    yield against_spin(size.spin, speeds[size.spin.name])
    yield over_time(size, judged=judged)
    yield walks(size, judged=judged)


# --- searches -------------------------------------------------------------------------------


def search(case: Case, repeats: int, speeds: dict[str, float], *, judged: bool) -> Iterator[Row]:
    """A search, several times: the first one compiles."""
    found = [_on_card(case) for _ in range(1 + repeats)][1:]
    speed = speeds[case.name] = middle([case.states / seconds for seconds, _ in found])
    each = found[0][1].bytes / case.states
    promise = f"{case.promise / 1e6:,.0f} M" if case.promise else ""
    kept = speed >= case.promise if case.promise and judged else None
    figure = f"{speed / 1e6:,.1f} M, {each:.1f} bytes a state"
    yield Row(f"{case.name}: states/s, of {case.states:,}", figure, promise, kept)
    if case.local:
        one = _counted(case, NativeEngine().search(case.load()).coverage)
        ratio = speed / (case.states / one.cpu_seconds)
        yield Row(f"{case.name}: card / one thread", f"{ratio:,.0f} x")


def _on_card(case: Case) -> tuple[float, Coverage]:
    """The seconds of a search alone, on a card that is open and has the program; and what it found."""
    card = first_card()
    try:
        program = compile_program(case.load())
        card.prepare(program)
        search = CardSearch(card, program, Watch(Limits(), None))
        begin = time.perf_counter()
        search.explore()
        return time.perf_counter() - begin, _counted(case, search.coverage())
    finally:
        card.close()


def _counted(case: Case, found: Coverage) -> Coverage:
    assert (found.states, found.transitions) == (case.states, case.transitions)
    return found


def against_spin(case: Case, speed: float) -> Row:
    what = f"{case.name}: card / SPIN, per CPU second"
    if not Spin.present():
        return missing(what, "SPIN or gcc is not installed", INSTALL)
    with TemporaryDirectory() as folder:
        spin = Spin.prepare(case.load(), Path(folder))
        assert spin.states == case.states
        return Row(what, f"{speed / spin.states_per_cpu_second():,.0f} x")


# --- guarantees over time, and walks -----------------------------------------------------------


def over_time(size: Size, *, judged: bool) -> Row:
    """From the kernel to the verdict: the search, the graph, and judging it on this machine."""
    system = load("rabbitmq-sac", dict(size.over_time))
    begin = time.perf_counter()
    report = check(system, engine=GpuEngine(), subject="rabbitmq-sac", only=["eventually-balanced"])
    seconds = time.perf_counter() - begin
    assert report.coverage.complete
    states = report.coverage.states
    promise = OVER_TIME * states
    kept = seconds <= promise if judged else None
    return Row(f"LTL with weak fairness on {states:,} states", f"{seconds:.1f} s", f"{promise:.1f} s", kept)


def walks(size: Size, *, judged: bool) -> Row:
    system = load("rabbitmq-sac", dict(size.walked))
    card_walks.simulate(system, Plan(size.here), subject="rabbitmq-sac")  # compiles
    begin = time.perf_counter()
    found, _ = card_walks.simulate(system, Plan(size.walks), subject="rabbitmq-sac")
    there = size.walks / (time.perf_counter() - begin)
    assert found.walks == size.walks
    begin = time.process_time()
    simulate(system, Plan(size.here), subject="rabbitmq-sac", threads=1)
    here = size.here / (time.process_time() - begin)
    kept = there >= WALKS * here if judged else None
    figure = f"{there:,.0f} / {here:,.0f} = {there / here:,.0f} x"
    return Row("walks a second, card / one thread", figure, f"{WALKS:g} x", kept)
