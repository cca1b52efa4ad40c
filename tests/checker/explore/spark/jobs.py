"""Small searches, prepared but not made."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from angarium.checker.backend.layout import Words
from angarium.checker.explore.graph import Wish
from angarium.checker.explore.native_watch import Watch
from angarium.checker.explore.spark.job import Job
from angarium.checker.explore.spark.search import Search
from angarium.checker.ir.transition import TransitionSystem
from angarium.core.control import Limits
from tests.checker.explore.spark.here import ALWAYS_HERE, NO_SPARK


def job_of(system: TransitionSystem, place: Path, owners: int = 2, wish: Wish | None = None) -> Job:
    return Job(place.name, system, owners, place / "levels", place, wish)


def search_of(job: Job, limits: Limits = Limits()) -> Search:
    """A search whose first level is written."""
    return Search(NO_SPARK, job, Watch(limits, None), ALWAYS_HERE)


def as_set(states: Words) -> set[tuple[int, ...]]:
    return {tuple(int(word) for word in row) for row in np.atleast_2d(states)}
