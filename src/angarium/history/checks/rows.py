"""How checks give their rows: what they found, as violations, and how much of each run they judged.

An event is named by its place in the order of the history: `struct(at, recorder, seq)`, which compares as the
order does. A check finds rows with such structs as `first` and `last`, and names its other columns as
`tables.VIOLATIONS` does; what it does not name is null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history.checks.facts import WHEN, Facts
from angarium.history.tables import VIOLATIONS

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_BUCKETS = 1 << 16
"""Into how many parts keys are divided to find the few that matter: as many rows at most are broadcast."""


def event() -> Column:
    """The event of a row, as a place in the order of its history."""
    from pyspark.sql import functions as f

    return f.struct(*WHEN)


def tolerance(one: str, other: str, skew: int) -> Column:
    """By how much the times of two events may be wrong: not at all within one clock domain."""
    from pyspark.sql import functions as f

    return f.when(f.col(one).eqNullSafe(f.col(other)), f.lit(0)).otherwise(f.lit(skew))


def as_violations(found: DataFrame, guarantee: str, kind: str | None = None) -> DataFrame:
    """What a check found, with the columns of `tables.VIOLATIONS`.

    It has `first` and `last`, and `kind` if that is not said; without `found_at`, it is the time of `last`.
    """
    from pyspark.sql import functions as f

    have = {name: f.col(name) for name in found.columns if name not in ("first", "last")}
    have["guarantee"] = f.lit(guarantee)
    if kind:
        have["kind"] = f.lit(kind)
    for end in ("first", "last"):
        have[f"{end}_time"] = f.col(f"{end}.at")
        have |= {f"{end}_{part}": f.col(f"{end}.{part}") for part in ("recorder", "seq")}
    have.setdefault("found_at", f.col("last.at"))
    columns = (column.split() for column in VIOLATIONS.split(","))
    return found.select(*(have.get(name, f.lit(None)).cast(type_).alias(name) for name, type_ in columns))


def tally(rows: DataFrame, judged: Column, reason: str, count: str | None = None) -> DataFrame:
    """How many rows of each run were judged, and how many were not, for which there is one reason.

    `count`: a column that says for how many a row stands.
    """
    from pyspark.sql import functions as f

    each = f.col(count) if count else f.lit(1).cast("bigint")
    counts = rows.groupBy("run_id").agg(
        f.sum(f.when(judged, each).otherwise(0)).alias("judged"),
        f.sum(f.when(judged, 0).otherwise(each)).alias("unjudged"),
    )
    return counts.withColumn("reason", f.when(f.col("unjudged") > 0, f.lit(reason)))


def with_rest(counts: DataFrame, facts: Facts, judged: str, reason: str) -> DataFrame:
    """What was judged of the messages that were looked at closely, and of the plain ones.

    `judged`: the column of `Facts.rest_counts` that says how many these are.
    """
    from pyspark.sql import functions as f

    if facts.rest is None:
        return counts
    unjudged = f.col("messages") - f.col(judged)
    plain = facts.rest_counts.select("run_id", f.col(judged).alias("judged"), unjudged.alias("unjudged"))
    sums = (f.coalesce(f.sum(name), f.lit(0)).alias(name) for name in ("judged", "unjudged"))
    both = counts.drop("reason").unionByName(plain).groupBy("run_id").agg(*sums)
    return both.withColumn("reason", f.when(f.col("unjudged") > 0, f.lit(reason)))


def near(rows: DataFrame, keys: DataFrame, columns: tuple[str, ...]) -> DataFrame:
    """Those rows whose key may be among `keys`, and few others.

    Where something can only be wrong at a few keys, only their rows are looked at closely. How many keys
    there are nobody knows before, and so it is not they that are broadcast, but the buckets they hash to:
    if there is none, Spark does not read the rows at all; if all are wrong, all rows are looked at.
    """
    from pyspark.sql import functions as f

    bucket = f.pmod(f.xxhash64(*columns), f.lit(_BUCKETS)).cast("int").alias("bucket")
    chosen = keys.select(bucket).distinct()
    return rows.withColumn("bucket", bucket).join(f.broadcast(chosen), "bucket", "left_semi").drop("bucket")
