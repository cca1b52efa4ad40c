"""Comparing schemes for many meshes on Spark: one task a mesh, and the same tables as on one machine.

A random graph is made by the task that looks at it; other meshes are sent. What has come back when the time
is up, or when somebody presses Ctrl-C, is the answer. The tables are then Spark's, and what is summed up over
them is said in SQL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from angarium.core.control import Control
from angarium.mesh.schemes.compare import Comparison
from angarium.mesh.schemes.results import COLUMNS, Asked, Compared, Observer, Rows, compared, table
from angarium.spark.jobs import Jobs
from angarium.spark.place import Place
from angarium.spark.session import session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DISTRIBUTION = """
    SELECT group, scheme, pairs_of, hops, sum(ways) AS ways,
           sum(ways) / CAST(sum(sum(ways)) OVER (PARTITION BY group, scheme, pairs_of) AS DOUBLE) AS share
    FROM {lengths}
    GROUP BY group, scheme, pairs_of, hops
    ORDER BY group, scheme, pairs_of, hops
"""


def compare_all(
    asked: Sequence[Asked],
    place: Place,
    *,
    layers: int | None = None,
    timeout: float | None = None,
    observe: Observer | None = None,
) -> Compared:
    """Compare the schemes for many meshes.

    Who observes is told how many meshes have been looked at, and of how many.
    """
    done: dict[int, Comparison] = {}

    def tick() -> None:
        if observe:
            observe(len(done), len(asked))

    work = partial(compared, layers=layers)
    cut = Jobs(session(place), work, done.__setitem__, Control(timeout), tick).run(asked)
    numbers = tuple(sorted(done))
    return Compared(numbers, tuple(done[number] for number in numbers), len(asked), cut)


def frames(spark: SparkSession, found: Rows) -> Mapping[str, DataFrame]:
    """The tables as Spark's, with the distribution."""
    made = {name: spark.createDataFrame(table(name, each)) for name, each in found.items()}
    return {**made, "distribution": distribution(spark, made["lengths"])}


def distribution(spark: SparkSession, lengths: DataFrame) -> DataFrame:
    """The distribution of lengths in every group."""
    return spark.sql(DISTRIBUTION, lengths=lengths).select(*COLUMNS["distribution"])
