"""Numbers that must not go back: what two checks, of producers' numbers and of offsets, have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history.checks.facts import WHEN
from angarium.history.checks.rows import event

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

UNMARKED = "NOT redelivered <=> true AND NOT coalesce(delivery_count > 1, false)"
"""The broker does not say that a delivery is another one than the first."""


def below_before(rows: DataFrame, sequence: tuple[str, ...], number: str) -> DataFrame:
    """Rows with a number, `measure`, below the largest before in a sequence: `bound`, of event `first`.

    Each new largest number is a record. Records only grow, so the last one is the largest, and of equal
    numbers the earliest: nothing but the last one need be kept.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    before = Window.partitionBy(*sequence).orderBy(*WHEN).rowsBetween(Window.unboundedPreceding, -1)
    largest = rows.withColumn("last", event()).withColumn("bound", f.max(number).over(before))
    new = f.col("bound").isNull() | (f.col(number) > f.col("bound"))
    record = f.last(f.when(new & f.col(number).isNotNull(), f.col("last")), ignorenulls=True).over(before)
    below = largest.withColumn("first", record).where(f.col(number) < f.col("bound"))
    return below.withColumn("measure", f.col(number))


def out_of_order(rows: DataFrame) -> DataFrame:
    """Sequences (`key`) in which a number may be below one before: rows with key, at and number.

    Of events at the same time, the order is taken that makes things look worst.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    order = Window.partitionBy("key").orderBy("at", f.desc("number"))
    before = order.rowsBetween(Window.unboundedPreceding, -1)
    below = rows.withColumn("largest", f.max("number").over(before)).where("number < largest")
    return below.select("key").distinct()
