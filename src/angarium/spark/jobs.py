"""Pieces of work, done wherever there is a core: by Spark's workers, or by this process.

Many things to look at (scenarios, walks, failures, meshes) are divided into pieces; a piece is looked at by
one function that a worker can import, and its answer comes back with its number. Spark gives a job's answers
at the job's end, and none if it is interrupted. So pieces go out in many small jobs, each with as many rows
as there are cores, some at a time, so that no core waits for the last row of a job. What has come back when
somebody presses Ctrl-C, or when the time is up, is the answer.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from angarium.core.control import Control, Cut
from angarium.spark.failures import carried, translated
from angarium.spark.place import Place
from angarium.spark.session import cancel_jobs, session

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

AT_ONCE = 3
"""Jobs that are under way at a time."""
PIECES = 4
"""For every core, at least: a slow one then holds up little."""
_TURN = 0.2
"""Seconds between two looks at the clock."""
_SCHEMA = "number long, answer binary"

A = TypeVar("A")
R = TypeVar("R")


def divided(things: Sequence[A], cores: int, largest: int | None = None) -> list[Sequence[A]]:
    """All things in turn, in pieces of about the same size: several for every core, none above `largest`."""
    size = max(1, -(-len(things) // (cores * PIECES)))
    size = size if largest is None else min(size, largest)
    return [things[first : first + size] for first in range(0, len(things), size)]


@dataclass
class Jobs(Generic[A, R]):
    """Work for Spark's workers, and who gets the answers."""

    spark: SparkSession
    work: Callable[[A], R]
    receive: Callable[[int, R], object]
    """Is given each answer with the number of its piece."""
    control: Control = field(default_factory=Control)
    tick: Callable[[], object] = lambda: None
    """Is called now and then, so that somebody can say how much has come back."""
    at_a_time: int | None = None
    """Pieces of one job, whose answers come back together; as many as there are cores if not given."""

    @classmethod
    def at(
        cls,
        place: Place,
        work: Callable[[A], R],
        receive: Callable[[int, R], object],
        control: Control,
        tick: Callable[[], object],
    ) -> Jobs[A, R]:
        """Jobs of the session at a place, which is started if there is none."""
        return cls(started(place, tick), work, receive, control, tick)

    @property
    def cores(self) -> int:
        """How many pieces can be looked at at a time."""
        return self.spark.sparkContext.defaultParallelism

    def run(self, pieces: Sequence[A]) -> Cut | None:
        """Look at every piece; what cut it short, if something did: the time or the keyboard."""
        size = self.at_a_time or self.cores
        parts = [range(first, min(first + size, len(pieces))) for first in range(0, len(pieces), size)]
        with ThreadPoolExecutor(max(AT_ONCE, self.cores // size + 1)) as pool, self.control.stopping():
            running = {pool.submit(self._job, pieces, part) for part in parts}
            try:
                self._gather(running)
            finally:
                _give_up(running)
        return self.control.cut

    def _gather(self, running: set[Future[list[tuple[int, R]]]]) -> None:
        left = set(running)
        while left:
            done, left = wait(left, timeout=_TURN, return_when=FIRST_COMPLETED)
            for each in done:
                for number, answer in each.result():
                    self.receive(number, answer)
            self.tick()
            if left and self.control.is_over():
                return

    def _job(self, pieces: Sequence[A], part: range) -> list[tuple[int, R]]:
        """One Spark job: a row for each piece of the part, each a task of its own."""
        mine = {number: pieces[number] for number in part}
        rows = self.spark.range(part.start, part.stop, 1, len(part))
        with translated():
            table = rows.mapInArrow(partial(_answered, self.work, mine), _SCHEMA).toArrow()
        return [(row["number"], pickle.loads(row["answer"])) for row in table.to_pylist()]


def _answered(
    work: Callable[[Any], Any], pieces: Mapping[int, Any], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """What runs in a worker: the answers to the pieces whose numbers come in."""
    import pyarrow as pa

    for batch in batches:
        for number in batch.column(0).to_pylist():
            with carried():
                answer = pickle.dumps(work(pieces[number]))
            yield pa.RecordBatch.from_pydict({"number": [number], "answer": [answer]})


def _give_up(running: set[Future[Any]]) -> None:
    """Cancel what is still under way, also what is begun only now."""
    for each in running:
        each.cancel()
    while wait(running, timeout=0).not_done:
        cancel_jobs()
        wait(running, timeout=_TURN)


def started(place: Place, tick: Callable[[], object]) -> SparkSession:
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
