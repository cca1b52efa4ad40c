"""Who may have too much in flight: found from numbers only, before the deliveries themselves are looked at.

Of events at the same time, the order is taken that makes things look worst, and a plain message counts until
it is acknowledged. Whoever is left out cannot have had too much.

A running sum wants all beginnings and ends sorted. So they are first counted by stretches of time, which is
an aggregation: within a stretch there is never more in flight than was before it and what began in it. A
stretch is as long as it takes to be given a quarter of the limit. Only what may be over it is sorted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from angarium.history.checks.credits import key_of_holder, lowest_limits, up_to_here
from angarium.history.checks.facts import Facts, Plain
from angarium.history.checks.flow_control import limited_together, moves_of
from angarium.history.checks.plain import Suspects, holder_of, name, name_of_nobody
from angarium.spark.lineage import united

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SMALL = 8
"""Holders with a lower limit than this are sorted at once: their stretches would have an event each."""

_LONGEST = 1e18
"""Nanoseconds, thirty years: the stretch of who may have any number in flight."""


def seemingly_full(facts: Facts, rest: Plain, keep: Callable[[DataFrame], DataFrame]) -> Suspects:
    """Holders that may once have had too much in flight, and the plain messages of all holders."""
    limits = keep(lowest_limits(facts.limits.withColumn("key", key_of_holder())))
    lowest = keep(_stretches(facts, limits))
    held = _held(facts, rest, keep)
    close = moves_of(facts).select(key_of_holder().alias("key"), "at", "change")
    moves = [close, *(move for part in held for move in _moves_of_plain(part))]
    doubtful = keep(_roughly_over(moves, lowest).unionByName(lowest.where("small").select("key")))
    full = doubtful if doubtful.isEmpty() else _ever_over(moves, limits, doubtful)
    return Suspects(full, united(held).select("key", "hash"))


def _stretches(facts: Facts, limits: DataFrame) -> DataFrame:
    """Holders with a limit: key, its `lowest`, the `width` of their stretches, and whether it is `small`."""
    from pyspark.sql import functions as f

    run, taken = name("run_id"), facts.takers
    own = taken.withColumn("key", holder_of(run, name_of_nobody(), name("consumer")))
    together = taken.withColumn("key", holder_of(run, name("destination"), name("subscriber")))
    both = (
        own.unionByName(together)
        .groupBy("key")
        .agg(f.sum("deliveries").alias("deliveries"), f.expr("max(last_at) - min(first_at)").alias("span"))
    )
    lowest = limits.groupBy("key").agg(f.min("bound").alias("lowest"))
    quarter = f.expr(f"least(CAST(span AS double) * lowest / (4 * deliveries), {_LONGEST}D)").cast("bigint")
    return both.join(f.broadcast(lowest), "key", "inner").select(
        "key",
        "lowest",
        f.greatest(quarter, f.lit(1)).alias("width"),
        (f.col("lowest") < SMALL).alias("small"),
    )


def _held(facts: Facts, rest: Plain, keep: Callable[[DataFrame], DataFrame]) -> list[DataFrame]:
    """Plain messages by the `key` of their consumers, and, where that is limited, of those together."""
    from pyspark.sql import functions as f

    columns = ("hash", "delivered_at", "acked_at")
    own = rest.messages.select(*columns, f.col("holder").alias("key"))
    limited = keep(rest.places.join(limited_together(facts), ["run_id", "destination"], "left_semi"))
    if limited.isEmpty():
        return [own]
    shared = replace(rest, places=limited).placed("holder_together")
    return [own, shared.select(*columns, f.col("holder_together").alias("key"))]


def _moves_of_plain(held: DataFrame) -> tuple[DataFrame, DataFrame]:
    """The beginnings and the ends of plain deliveries: key, at, change."""
    from pyspark.sql import functions as f

    ended = held.where("acked_at IS NOT NULL")
    return (
        held.select("key", f.col("delivered_at").alias("at"), f.lit(1).alias("change")),
        ended.select("key", f.col("acked_at").alias("at"), f.lit(-1).alias("change")),
    )


def _roughly_over(moves: Sequence[DataFrame], lowest: DataFrame) -> DataFrame:
    """Keys that may have more in flight than their lowest limit in some stretch.

    Each table is counted by itself: putting all rows of several into one takes longer than counting does.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    sums = f.sum("change").alias("change"), f.sum("began").alias("began"), f.max("lowest").alias("lowest")
    counted = [_by_stretch(each, lowest) for each in moves]
    stretches = united(counted).groupBy("key", "stretch").agg(*sums)
    before = Window.partitionBy("key").orderBy("stretch").rowsBetween(Window.unboundedPreceding, -1)
    already = f.coalesce(f.sum("change").over(before), f.lit(0))
    most = stretches.select("key", "lowest", (already + f.col("began")).alias("most"))
    return most.where("most > lowest").select("key").distinct()


def _by_stretch(moves: DataFrame, lowest: DataFrame) -> DataFrame:
    from pyspark.sql import functions as f

    known = moves.join(f.broadcast(lowest.where("NOT small")), "key", "inner")
    return known.groupBy("key", f.expr("at DIV width").alias("stretch")).agg(
        f.sum("change").alias("change"),
        f.count_if(f.col("change") > 0).alias("began"),
        f.max("lowest").alias("lowest"),
    )


def _ever_over(moves: Sequence[DataFrame], limits: DataFrame, keys: DataFrame) -> DataFrame:
    """Those of the keys with more in flight than the limit at some time."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    steps = united(moves).unionByName(limits, allowMissingColumns=True)
    rows = steps.join(f.broadcast(keys), "key", "left_semi")
    turn = f.when(f.col("bound").isNotNull(), 0).when(f.col("change") > 0, 1).otherwise(2)
    here = up_to_here(Window.partitionBy("key").orderBy("at", turn))
    counted = rows.select(
        "key",
        "change",
        f.sum("change").over(here).alias("in_flight"),
        f.last("bound", ignorenulls=True).over(here).alias("limit"),
    )
    return counted.where("change > 0 AND in_flight > limit").select("key").distinct()
