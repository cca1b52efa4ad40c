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
    """Rows with a number, `measure`, below the largest before in a sequence: `bound`, of event `first`."""
    from pyspark.sql import functions as f

    told = _with_largest(rows.withColumn("it", event()), sequence, number, "largest")
    return _below(told.withColumn("most", f.col("largest")), number)


def surely_below_before(rows: DataFrame, sequence: tuple[str, ...], number: str, skew: int) -> DataFrame:
    """The same for sequences with several clocks: what another clock tells is before only after the skew.

    Every row is told to the other clocks as another row, at a later time.
    """
    from pyspark.sql import functions as f

    nobody = {"recorder": f.lit(None).cast("string"), "seq": f.lit(None).cast("bigint")}
    known = rows.withColumn("it", event())
    told = known.withColumns({"at": f.col("at") + skew + 1, **nobody, "told": f.col(number)})
    own = _with_largest(known, (*sequence, "clock_domain"), number, "own")
    every = _with_largest(own.unionByName(told, allowMissingColumns=True), sequence, "told", "others")
    # Of two that are as large, the one that came first.
    most = f.expr(
        "CASE WHEN others IS NULL OR own.number > others.number THEN own"
        " WHEN own IS NULL OR own.number < others.number OR others.it < own.it THEN others ELSE own END"
    )
    return _below(every.where("told IS NULL").withColumn("most", most), number)


def _with_largest(rows: DataFrame, sequence: tuple[str, ...], number: str, name: str) -> DataFrame:
    """Rows with the largest number before in their sequence, and the event that has it.

    Each new largest number is a record. Records only grow, so the last one is the largest, and of equal
    numbers the earliest: nothing but the last one need be kept.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    before = Window.partitionBy(*sequence).orderBy(*WHEN).rowsBetween(Window.unboundedPreceding, -1)
    bounded = rows.withColumn("bound", f.max(number).over(before))
    new = f.col("bound").isNull() | (f.col(number) > f.col("bound"))
    record = f.when(new & f.col(number).isNotNull(), f.struct(f.col(number).alias("number"), "it"))
    return bounded.withColumn(name, f.last(record, ignorenulls=True).over(before)).drop("bound")


def _below(told: DataFrame, number: str) -> DataFrame:
    """Rows with a number below that of `most`."""
    from pyspark.sql import functions as f

    below = told.where(f.col(number) < f.col("most.number"))
    columns = {"bound": "most.number", "first": "most.it", "last": "it", "measure": number}
    return below.withColumns({name: f.col(source) for name, source in columns.items()})
