"""The engine for state spaces past one machine: rounds on Spark, levels on disk.

States are divided among owners by their hash. In a round every owner expands its states of the latest level
and sends each successor to its owner, which keeps those that it has not seen: they are its part of the next
level. Guarantees are looked at where states are expanded. The levels on disk are the search: a lost machine
costs the round that it was in, a killed driver goes on behind the last complete level, and the shortest run
to a state is found by going back level by level.

Rounds of few states are made in this process, by the same functions: a job on Spark takes a third of a second
whatever it does.
"""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from angarium.checker.explore.engine import Limits, Observer, Outcome, Progress
from angarium.checker.explore.graph import Wish
from angarium.checker.explore.native_watch import TURN, Watch
from angarium.checker.explore.spark.folder import check_folder, opened
from angarium.checker.explore.spark.search import WORTH_A_JOB, Choices, Search
from angarium.checker.ir.transition import TransitionSystem
from angarium.spark.failures import translated
from angarium.spark.reasons import debugging, reason_in
from angarium.spark.session import Place, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_NO_LIMITS, _HERE = Limits(), Place()


class SparkEngine:
    """Explores on Spark."""

    name = "spark"

    def __init__(
        self,
        place: Place = _HERE,
        checkpoint: Path | None = None,
        *,
        _worth_a_job: int = WORTH_A_JOB,
        _room: int | None = None,
        _owners: int | None = None,
    ) -> None:
        self._place, self._checkpoint, self._owners = place, checkpoint, _owners
        self._choices = Choices(place, _worth_a_job, _room)

    def search(
        self,
        system: TransitionSystem,
        *,
        limits: Limits = _NO_LIMITS,
        threads: int = 1,
        symmetry: bool = False,
        observe: Observer | None = None,
        graph: Wish | None = None,
    ) -> Outcome:
        """Explore until nothing is new, every guarantee is hit, or a limit is met."""
        check_folder(self._checkpoint)
        with translated(), _full_disk():
            with _saying("starting Spark", observe):
                spark = session(self._place)
            watch = Watch(limits, observe)  # what Spark takes to start is no part of the search
            owners = self._owners or _owners(spark)
            with ExitStack() as closing:
                asked = opened(system, owners, graph, symmetry, self._place, self._checkpoint)
                found = Search(spark, closing.enter_context(asked), watch, self._choices).made()
                if found.stored is None:
                    return found
                return replace(found, stored=replace(found.stored, closing=closing.pop_all()))


def _owners(spark: SparkSession) -> int:
    """As many as there are cores."""
    return max(2, spark.sparkContext.defaultParallelism)


@contextmanager
def _full_disk() -> Iterator[None]:
    """A full disk is the same trouble here as in one of Spark's processes."""
    try:
        yield
    except OSError as problem:
        if problem.errno != errno.ENOSPC:
            raise
        raise reason_in(str(problem)) from debugging(problem)


@contextmanager
def _saying(what: str, observe: Observer | None) -> Iterator[None]:
    """Tell the observer again and again what is being waited for."""
    done, begin = threading.Event(), time.perf_counter()

    def say() -> None:
        while not done.wait(TURN) and observe:
            observe(Progress(0, 0, 0, 0, 0, time.perf_counter() - begin, doing=what))

    thread = threading.Thread(target=say, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
