"""The search on Spark without Spark: every round is made in this process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pyspark.sql import SparkSession

from angarium.checker.explore.engine import Observer, Outcome
from angarium.checker.explore.graph import Wish
from angarium.checker.explore.native_watch import Watch
from angarium.checker.explore.spark.engine import opened
from angarium.checker.explore.spark.search import Choices, Search
from angarium.checker.ir.transition import TransitionSystem
from angarium.core.control import Limits
from angarium.spark.session import Place

NO_SPARK = cast(SparkSession, None)
ALWAYS_HERE = Choices(worth_a_job=1 << 62)


@dataclass
class HereEngine:
    """As `SparkEngine`, in this process."""

    owners: int = 3
    checkpoint: Path | None = None
    name: str = "spark"

    def search(
        self,
        system: TransitionSystem,
        *,
        limits: Limits = Limits(),
        threads: int = 1,
        symmetry: bool = False,
        observe: Observer | None = None,
        graph: Wish | None = None,
    ) -> Outcome:
        with opened(system, self.owners, graph, symmetry, Place(), self.checkpoint) as job:
            search = Search(NO_SPARK, job, Watch(limits, observe), ALWAYS_HERE)
            search.explore()
            return search.outcome()
