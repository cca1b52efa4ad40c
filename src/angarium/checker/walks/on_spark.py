"""Simulations and sweeps on Spark: the same walks as on one machine, to the last figure.

A sweep sends every scenario as a row; the task that gets it compiles the kernel, makes all walks and sends
the statistics back. A single simulation sends ranges of walks; their figures come back and are put together
in the order of the walks' numbers. A walk depends on the seed and its number alone, so it does not matter
which machine makes it, nor how the rows are divided.

One Spark job would give all its answers at its end, and nothing if it is interrupted. So the rows go out in
many small jobs, each with as many rows as there are cores, some at a time, so that no core waits for the
last row of a job. What has come back when somebody presses Ctrl-C, or when the time is up, is the answer.
"""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.walks.plan import Plan
from angarium.checker.walks.results import Sample, Simulation
from angarium.checker.walks.summary import Effort, summarise
from angarium.checker.walks.sweep import Asked, Sweep, Values, shared_parameters
from angarium.checker.walks.sweep import Observer as SweepObserver
from angarium.checker.walks.walked import Walked, together
from angarium.checker.walks.walks import Observer, walk
from angarium.checker.walks.walks import simulate as simulate_here
from angarium.core.control import reason
from angarium.spark.failures import carried, translated
from angarium.spark.place import Place
from angarium.spark.session import cancel_jobs, session

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

ENGINE = "spark"
AT_ONCE = 3
"""Jobs that are under way at a time."""
PIECES = 4
"""For every core, at least: a slow one then holds up little."""
LARGEST = 1 << 14
"""The most walks of a range, so that its figures are easily sent."""
_TURN = 0.2
"""Seconds between two looks at the clock."""
_SCHEMA = "number long, answer binary"

A = TypeVar("A")
R = TypeVar("R")


def dealt(things: Sequence[A], cores: int, largest: int | None = None) -> list[Sequence[A]]:
    """All things in turn, in pieces of about the same size: several for every core, none larger than said."""
    size = max(1, -(-len(things) // (cores * PIECES)))
    size = size if largest is None else min(size, largest)
    return [things[first : first + size] for first in range(0, len(things), size)]


# --- rows that go out, and answers that come back -----------------------------------------------


@dataclass
class Jobs(Generic[A, R]):
    """Questions for Spark's workers, and who gets the answers."""

    spark: SparkSession
    work: Callable[[A], R]
    receive: Callable[[int, R], None]
    """Is given each answer with the number of its question."""
    tick: Callable[[], None] = lambda: None
    """Is called now and then, so that somebody can say that nothing has come back yet."""
    timeout: float | None = None
    begin: float = field(default_factory=time.monotonic)
    """When the clock was started."""
    at_a_time: int | None = None
    """Questions of one job, whose answers come back together; as many as there are cores if not said."""

    def run(self, questions: Sequence[A]) -> str | None:
        """Ask everything; what cut it short, if something did: the time or the keyboard."""
        cores = self.spark.sparkContext.defaultParallelism
        size = self.at_a_time or cores
        parts = [range(first, min(first + size, len(questions))) for first in range(0, len(questions), size)]
        with ThreadPoolExecutor(max(AT_ONCE, cores // size + 1)) as pool:
            running = {pool.submit(self._job, questions, part) for part in parts}
            try:
                return self._gather(running)
            except KeyboardInterrupt as problem:
                return reason(problem)
            finally:
                _give_up(running)

    def _gather(self, running: set[Future[list[tuple[int, R]]]]) -> str | None:
        left = set(running)
        while left:
            done, left = wait(left, timeout=_TURN, return_when=FIRST_COMPLETED)
            for each in done:
                for number, answer in each.result():
                    self.receive(number, answer)
            self.tick()
            if left and self.timeout is not None and self.seconds > self.timeout:
                return f"time limit of {self.timeout:g} s"
        return None

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.begin

    def _job(self, questions: Sequence[A], part: range) -> list[tuple[int, R]]:
        """One Spark job: a row for each question of the part, each a task of its own."""
        mine = {number: questions[number] for number in part}
        rows = self.spark.range(part.start, part.stop, 1, len(part))
        with translated():
            table = rows.mapInArrow(partial(_answered, self.work, mine), _SCHEMA).toArrow()
        return [(row["number"], pickle.loads(row["answer"])) for row in table.to_pylist()]


def _answered(
    work: Callable[[Any], Any], questions: Mapping[int, Any], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """What runs in a worker: the answers to the questions whose numbers come in."""
    import pyarrow as pa

    for batch in batches:
        for number in batch.column(0).to_pylist():
            with carried():
                answer = pickle.dumps(work(questions[number]))
            yield pa.RecordBatch.from_pydict({"number": [number], "answer": [answer]})


def _give_up(running: set[Future[Any]]) -> None:
    """Cancel what is still under way, also what is begun only now."""
    for each in running:
        each.cancel()
    while wait(running, timeout=0).not_done:
        cancel_jobs()
        wait(running, timeout=_TURN)


def started(place: Place, tick: Callable[[], None]) -> SparkSession:
    """The session; starting one takes seconds, in which somebody may want to say so."""
    done = threading.Event()

    def wait_for_it() -> None:
        while not done.wait(_TURN):
            tick()

    thread = threading.Thread(target=wait_for_it, daemon=True)
    thread.start()
    try:
        return session(place)
    finally:
        done.set()
        thread.join()


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
    asked: Asked,
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
    jobs = Jobs(spark, simulated, done.__setitem__, tick, asked.timeout, begin)
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
    return [Piece(system, plan, each[0], len(each)) for each in dealt(range(plan.runs), cores, LARGEST)]


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
    cut = Jobs(spark, made, progress.receive, progress.tick, timeout, begin).run(pieces(system, plan, cores))
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
