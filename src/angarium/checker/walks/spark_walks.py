"""Simulations and sweeps on Spark: the same walks as on one machine, to the last figure.

A sweep sends every scenario as a row; the task that gets it compiles the kernel, makes all walks and sends
the statistics back. A single simulation sends ranges of walks; their figures come back and are put together
in the order of the walks' numbers. A walk depends on the seed and its number alone, so it does not matter
which machine makes it, nor how the rows are divided.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.walks.figures import Walked, together
from angarium.checker.walks.native_walks import Observer, walk
from angarium.checker.walks.native_walks import simulate as simulate_here
from angarium.checker.walks.plan import Plan
from angarium.checker.walks.results import Sample, Simulation
from angarium.checker.walks.summary import Effort, summarise
from angarium.checker.walks.sweep import Observer as SweepObserver
from angarium.checker.walks.sweep import Sweep, SweepRequest, Values, shared_parameters
from angarium.core.control import Control
from angarium.spark.jobs import Jobs, divided, started
from angarium.spark.place import Place

ENGINE = "spark"
LARGEST = 1 << 14
"""The most walks of a range, so that its figures are easily sent."""


# --- a sweep ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scenario:
    """All walks of one system."""

    system: TransitionSystem
    plan: Plan
    subject: str


def simulated(scenario: Scenario) -> Simulation:
    """What a worker does with a scenario."""
    found, _ = simulate_here(
        scenario.system, scenario.plan, subject=scenario.subject, threads=1, observe=None, timeout=None
    )
    return replace(found, engine=ENGINE)


def sweep(
    asked: SweepRequest,
    systems: Mapping[Values, TransitionSystem],
    place: Place,
    *,
    observe: SweepObserver | None = None,
) -> Sweep:
    """Simulate every scenario, as many at a time as there are cores."""
    begin = time.monotonic()
    done: dict[int, Simulation] = {}

    def tick() -> None:
        if observe:
            observe(len(done), len(systems), time.monotonic() - begin)

    spark = started(place, tick)
    jobs = Jobs(spark, simulated, done.__setitem__, Control(asked.timeout, begin=begin), tick)
    cut = jobs.run([Scenario(system, asked.plan, asked.subject) for system in systems.values()])
    return Sweep(
        asked,
        shared_parameters(asked, systems),
        ENGINE,
        spark.sparkContext.defaultParallelism,
        {values: done[number] for number, values in enumerate(systems) if number in done},
        time.monotonic() - begin,
        cut,
    )


# --- one simulation -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Piece:
    """Some walks of one system."""

    system: TransitionSystem
    plan: Plan
    first: int
    count: int


@dataclass(frozen=True, slots=True)
class Made:
    """What came of a piece."""

    walked: Walked
    cpu_seconds: float


def made(piece: Piece) -> Made:
    """What a worker does with a range of walks."""
    begin = time.process_time()
    found = walk(piece.system, piece.plan, piece.first, piece.count, threads=1)
    return Made(found, time.process_time() - begin)


def pieces(system: TransitionSystem, plan: Plan, cores: int) -> list[Piece]:
    """All walks of a plan, in ranges."""
    return [Piece(system, plan, each[0], len(each)) for each in divided(range(plan.runs), cores, LARGEST)]


def simulate(
    system: TransitionSystem,
    plan: Plan,
    place: Place,
    *,
    subject: str,
    observe: Observer | None = None,
    timeout: float | None = None,
) -> tuple[Simulation, Sample]:
    """Walks of one system, made wherever there is a core."""
    begin = time.monotonic()
    progress = _Progress(begin, observe)
    spark = started(place, progress.tick)
    cores = spark.sparkContext.defaultParallelism
    jobs = Jobs(spark, made, progress.receive, Control(timeout, begin=begin), progress.tick)
    cut = jobs.run(pieces(system, plan, cores))
    walked = together([_none(system, plan), *(each.walked for each in progress.made)])
    if cut:
        walked = replace(walked, cut=cut)
    cpu = sum(each.cpu_seconds for each in progress.made)
    effort = Effort(ENGINE, cores, time.monotonic() - begin, cpu)
    return summarise(system, plan, walked, effort, subject=subject), walked.sample


@dataclass
class _Progress:
    """Pieces that have come back."""

    begin: float
    observe: Observer | None
    made: list[Made] = field(default_factory=list)
    walks: int = 0
    steps: int = 0

    def receive(self, _: int, found: Made) -> None:
        sample = found.walked.sample
        self.made.append(found)
        self.walks, self.steps = self.walks + len(sample.ends), self.steps + int(sample.steps.sum())

    def tick(self) -> None:
        if self.observe:
            self.observe(self.walks, self.steps, time.monotonic() - self.begin)


def _none(system: TransitionSystem, plan: Plan) -> Walked:
    """No walks at all: what there is if none came back in time."""
    return walk(system, plan, 0, 0)
