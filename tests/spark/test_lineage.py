"""Tables that are kept: the same rows, and no plan but that they are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.spark.lineage import kept

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_kept_table_has_its_rows_and_forgets_how_they_were_made(spark: SparkSession) -> None:
    table = spark.range(1000).selectExpr("id % 7 AS rest").groupBy("rest").count()
    try:
        short = kept(table)

        assert sorted(map(tuple, short.collect())) == sorted(map(tuple, table.collect()))
        assert short._jdf.queryExecution().analyzed().nodeName() == "InMemoryRelation"
        assert short.join(short.withColumnRenamed("count", "again"), "rest").count() == 7
    finally:
        table.unpersist()
