"""The messages: one row a message and subscriber, with its life; and what happened in a run, counted.

A message that reached nobody, and that nobody expects, has one row without a subscriber.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history.checks.facts import MESSAGE, Facts
from angarium.history.checks.no_loss import expected
from angarium.history.checks.no_phantom import all_failed, with_phantoms

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def messages(facts: Facts) -> DataFrame:
    """The columns of `tables.MESSAGES`."""
    from pyspark.sql import functions as f

    lives = with_phantoms(expected(facts), facts).drop("subscriber", "entry")
    met = lives.withColumn("end_of_it", f.explode_outer(_ends_of_it())).select("*", "end_of_it.*")
    entry = f.col("entry")
    count = f.coalesce("entry.deliveries", f.lit(0).cast("bigint"))
    return met.select(
        *(*MESSAGE, "subscriber"),
        f.coalesce("sent.partition_id", "entry.partition_id").alias("partition_id"),
        f.col("sent.producer").alias("producer"),
        f.col("sent.producer_seq").alias("producer_seq"),
        f.col("sent.at").alias("sent_at"),
        f.col("confirmed.at").alias("confirmed_at"),
        _outcome().alias("send_outcome"),
        entry["at"].alias("first_delivered_at"),
        count.alias("deliveries"),
        f.coalesce("entry.consumers", f.lit(0)).cast("bigint").alias("consumers"),
        f.coalesce("entry.requeues", f.lit(0).cast("bigint")).alias("requeues"),
        entry["acked_at"].alias("acked_at"),
        _state().alias("state"),
    )


def _ends_of_it() -> Column:
    """Whom a message reached, and who has missed it: array<struct<subscriber, entry>>."""
    from pyspark.sql import functions as f

    reached = f.transform(
        "reached", lambda each: f.struct(each["subscriber"].alias("subscriber"), each.alias("entry"))
    )
    missing = f.transform("missing", lambda name: f.struct(name.alias("subscriber"), _nothing()))
    return f.concat(f.coalesce(reached, f.array()), missing)


def _nothing() -> Column:
    """No delivery, in the shape of one."""
    from pyspark.sql import functions as f

    return f.get("reached", f.lit(-1)).alias("entry")


def _outcome() -> Column:
    from pyspark.sql import functions as f

    return (
        f.when(f.col("sent").isNull(), f.lit("never"))
        .when(f.col("confirmed").isNotNull(), f.lit("confirmed"))
        .when(all_failed(), f.lit("failed"))
        .otherwise(f.lit("unknown"))
    )


def _state() -> Column:
    from pyspark.sql import functions as f

    arrived = (
        f.when(f.col("kind").isNotNull(), f.lit("phantom"))
        .when(f.col("entry.ended"), f.lit("settled"))
        .otherwise(f.lit("delivered"))
    )
    return (
        f.when(f.col("entry").isNotNull(), arrived)
        .when(f.col("confirmed").isNull(), f.lit("unconfirmed"))
        .when(f.col("subscriber").isNotNull() & f.col("overdue"), f.lit("lost"))
        .otherwise(f.lit("unseen"))
    )


def figures(facts: Facts) -> DataFrame:
    """One row a run: the fields of `results.Figures`."""
    from pyspark.sql import functions as f

    sent, confirmed, reached = (f.col(name).isNotNull() for name in ("sent", "confirmed", "reached"))
    counts = f.transform("reached", lambda each: each["deliveries"])
    requeues = f.transform("reached", lambda each: each["requeues"])
    overdue = f.coalesce("overdue", f.lit(False))
    close = expected(facts).groupBy("run_id").agg(
        f.count_if(sent).alias("attempted"),
        f.count_if(confirmed).alias("confirmed"),
        f.count_if(sent & ~confirmed & ~reached).alias("unconfirmed"),
        f.count_if(reached).alias("delivered"),
        f.sum(_sum(counts)).alias("deliveries"),
        f.count_if(f.exists(counts, lambda each: each > 1)).alias("redelivered"),
        f.coalesce(f.max(f.array_max(counts)), f.lit(0)).alias("max_deliveries"),
        f.sum(_sum(requeues)).alias("requeues"),
        f.sum(f.when(~overdue, f.size("missing")).otherwise(0)).alias("unseen"),
        f.sum(f.when(overdue, f.size("missing")).otherwise(0)).alias("lost"),
    )  # fmt: skip
    return close if facts.rest is None else _with_plain(close, facts.rest_counts)


_ONCE = ("attempted", "confirmed", "delivered", "deliveries")
"""Figures to which a plain message adds one."""


def _with_plain(figures: DataFrame, counts: DataFrame) -> DataFrame:
    from pyspark.sql import functions as f

    names = [name for name in figures.columns if name != "run_id"]
    plain = {name: f.col("messages") if name in _ONCE else f.lit(0) for name in names}
    plain["max_deliveries"] = f.lit(1)
    rows = counts.select("run_id", *(column.cast("bigint").alias(name) for name, column in plain.items()))
    how = {"max_deliveries": f.max}
    sums = [how.get(name, f.sum)(name).alias(name) for name in names]
    return figures.unionByName(rows).groupBy("run_id").agg(*sums)


def _sum(numbers: Column) -> Column:
    """The sum of an array's numbers; 0 if there is no array."""
    from pyspark.sql import functions as f

    none = f.lit(0).cast("bigint")
    return f.coalesce(f.aggregate(numbers, none, lambda total, each: total + each), none)
