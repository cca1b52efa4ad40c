"""The search: against SPIN, against our own interpreter, on two threads, and the memory of a state.

All search `rabbitmq-sac` with all guarantees on. The counts are asserted: a fast wrong engine fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from angarium.checker.explore.native import NativeEngine
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.ir.transition import TransitionSystem
from angarium.core.control import Limits
from angarium.core.result import Coverage
from angarium.systems.registry import load
from benchmarks.common.measure import free_cores, in_turns, middle
from benchmarks.common.row import Row, if_free, missing
from benchmarks.peers.spin import INSTALL, Spin

GRID = str(Path(__file__).parent / "inputs" / "grid.py")


@dataclass(frozen=True, slots=True)
class Size:
    queues: int
    apps: int
    states: int
    """How many there are with so many queues and apps."""
    transitions: int
    interpreted: int
    """After how many states the interpreter may stop."""
    top: int
    """To which number each of three counters goes."""
    repeats: int

    @property
    def system(self) -> TransitionSystem:
        setting = {"queues": str(self.queues), "apps": str(self.apps)}
        return load("rabbitmq-sac", {**setting, "mode": "sequential", "stops": "false"})


FULL = Size(queues=4, apps=3, states=5_580_736, transitions=31_262_871, interpreted=5_000, top=368, repeats=3)
TINY = Size(queues=2, apps=2, states=181, transitions=428, interpreted=100, top=9, repeats=1)


def rows(size: Size) -> Iterator[Row]:
    yield from against_spin(size)
    yield from by_threads(size)
    yield from against_reference(size)
    yield from memory(size)


def search(size: Size, threads: int = 1) -> Coverage:
    coverage = NativeEngine().search(size.system, threads=threads).coverage
    assert (coverage.states, coverage.transitions) == (size.states, size.transitions)
    return coverage


def cpu_speed(size: Size) -> float:
    return _cpu_speed(search(size))


def _cpu_speed(coverage: Coverage) -> float:
    return coverage.states / coverage.cpu_seconds


def against_spin(size: Size) -> Iterator[Row]:
    what = "states per CPU second, ours / SPIN's"
    if not Spin.present():
        yield missing(what, "SPIN or gcc is not installed", INSTALL, "4 x")
        return
    with TemporaryDirectory() as folder:
        spin = Spin.prepare(size.system, Path(folder))
        assert spin.states == size.states
        ours, theirs = in_turns(size.repeats, lambda: cpu_speed(size), spin.states_per_cpu_second)
    ratio = middle(ours) / middle(theirs)
    figure = f"{middle(ours) / 1e6:.2f} M / {middle(theirs) / 1e6:.2f} M = {ratio:.1f} x"
    yield Row(what, figure, "4 x", ratio >= 4)


def by_threads(size: Size) -> Iterator[Row]:
    one, two = in_turns(size.repeats, lambda: search(size).seconds, lambda: search(size, threads=2).seconds)
    ratio = middle(one) / middle(two)
    yield if_free(Row("two threads / one thread", f"{ratio:.2f} x", "1.5 x", ratio >= 1.5), free_cores())


def against_reference(size: Size) -> Iterator[Row]:
    small = load("rabbitmq-sac", {"queues": "2", "apps": "3"})
    interpreted = ReferenceEngine().search(small, limits=Limits(max_states=size.interpreted)).coverage
    ratio = cpu_speed(size) / _cpu_speed(interpreted)
    yield Row("states per CPU second, native / reference", f"{ratio:,.0f} x", "100 x", ratio >= 100)


def memory(size: Size) -> Iterator[Row]:
    coverage = search(size)
    figure = coverage.bytes / coverage.states
    yield Row(f"bytes a state at {coverage.states:,} states", f"{figure:.1f}", "24", figure <= 24)
    grid = NativeEngine().search(load(GRID, {"top": str(size.top)}), threads=2).coverage
    assert grid.states == (size.top + 1) ** 3
    gib = grid.bytes / 2**30
    yield Row(f"memory for {grid.states:,} states", f"{gib:.2f} GiB", "4 GiB", gib <= 4)
