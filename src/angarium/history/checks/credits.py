"""Credits: how many messages a holder may have in flight, and since when.

A holder is a consumer or, where a destination has a limit for all consumers of a subscriber together, that
subscriber. Consumers of one subscriber may have different clocks. Then nobody can tell how many messages
they hold at once, and the subscriber's limit is not judged.

The limit of a holder is a step function. It steps when a credit is set, and once more when the grace of the
one that was replaced is over. Times are whole nanoseconds: what is allowed up to a time ends before the next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history.checks.facts import DESTINATION, WHEN, Facts
from angarium.history.checks.plain import holder_of, name
from angarium.history.checks.rows import event

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, WindowSpec

HOLDER = ("run_id", "place", "holder")
"""Whose limit it is: a consumer (place is null), or a subscriber of a destination (the place)."""
_UNLIMITED = (1 << 63) - 1


def credits_of(facts: Facts) -> DataFrame:
    """Every event that sets the credit of a holder."""
    from pyspark.sql import functions as f

    flows = facts.events.where("op_type = 'flow' AND phase <> 'fail'").select(
        "run_id", "consumer", *WHEN, "credit"
    )
    asked = f.expr(
        f"coalesce(credit, if(prefetch > 0, prefetch, NULL), if(prefetch = 0, {_UNLIMITED}, NULL))"
    ).alias("credit")
    begun = facts.subscriptions.select("run_id", "consumer", *WHEN, asked)
    own = flows.unionByName(begun).where("credit IS NOT NULL")
    nowhere = f.lit(None).cast("string").alias("place")
    consumers = own.select("run_id", nowhere, f.col("consumer").alias("holder"), *WHEN, "credit")
    return consumers.unionByName(_credits_together(facts))


def _credits_together(facts: Facts) -> DataFrame:
    """Credits of all consumers of a subscriber together: of one that is named, or of each."""
    from pyspark.sql import functions as f

    nobody = "client_id IS NULL AND consumer_id IS NULL"
    said = facts.controls.where("destination IS NOT NULL AND credit IS NOT NULL AND phase <> 'fail'")
    named = f.coalesce("consumer_group", "subscription").alias("named")
    limits = said.where(nobody).select("run_id", "destination", named, *WHEN, "credit")
    subscribers = _with_one_clock(facts, limits.select(*DESTINATION).distinct())
    met = limits.join(subscribers, [*DESTINATION], "inner").where("named IS NULL OR named = subscriber")
    holder = (f.col("destination").alias("place"), f.col("subscriber").alias("holder"))
    return met.select("run_id", *holder, *WHEN, "credit")


def _with_one_clock(facts: Facts, limited: DataFrame) -> DataFrame:
    """The subscribers of some destinations whose consumers have one clock."""
    from pyspark.sql import functions as f

    if not facts.clocks_differ:
        return facts.takers.select(*DESTINATION, "subscriber").distinct()
    deliveries = facts.everything.deliveries.join(f.broadcast(limited), [*DESTINATION], "left_semi")
    clock = f.struct("clock_domain")
    readers = deliveries.groupBy(*DESTINATION, "subscriber")
    ends = readers.agg(f.min(clock).alias("one"), f.max(clock).alias("other"))
    return ends.where("one <=> other").drop("one", "other")


def limits_of(facts: Facts) -> DataFrame:
    """The steps of each holder's limit: `bound`, and `first`, the event of the credit in force."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    order = Window.partitionBy(*HOLDER).orderBy(*WHEN)
    changes = facts.credits.withColumn("replaced", f.lag("credit").over(order))
    over = (f.col("at") + facts.parameters.grace + 1).alias("at")  # before all events of the next nanosecond
    expiries = changes.where("replaced IS NOT NULL").select(*HOLDER, over)
    steps = changes.withColumn("first", event()).unionByName(expiries, allowMissingColumns=True)
    in_force = f.last(f.when(f.col("credit").isNotNull(), f.struct("credit", "first")), ignorenulls=True)
    known = steps.withColumn("in_force", in_force.over(up_to_here(order)))
    bound = f.greatest(f.col("in_force.credit"), *_replaced(facts.parameters.grace)).alias("bound")
    limit = f.struct(bound, f.col("in_force.first").alias("first"))
    return known.select(*HOLDER, *WHEN, limit.alias("limit"))


def _replaced(grace: int) -> list[Column]:
    """The largest credits that were replaced within the grace: before this time, and at it.

    All of one time before this one come before it, too; of those at this time only some do.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    now = up_to_here(Window.partitionBy(*HOLDER, "at").orderBy("recorder", "seq"))
    replaced = [f.max("replaced").over(now)]
    if grace > 0:
        lately = Window.partitionBy(*HOLDER).orderBy("at").rangeBetween(-grace, -1)
        replaced.append(f.max("replaced").over(lately))
    return replaced


def key_of_holder() -> Column:
    """A holder, to be told apart from others by a number."""
    return holder_of(name("run_id"), name("place"), name("holder"))


def lowest_limits(limits: DataFrame) -> DataFrame:
    """key, at, bound: at the time of a step the lower of what is before and after it; then what is after."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    order = Window.partitionBy("key").orderBy(*WHEN)
    known = limits.select("key", *WHEN, f.col("limit.bound").alias("after"))
    lower = known.select("key", "at", "after", f.least("after", f.lag("after").over(order)).alias("lower"))
    steps = f.array(_step(f.col("at"), f.col("lower")), _step(f.col("at") + 1, f.col("after")))
    both = lower.select("key", f.inline(steps))
    return both.groupBy("key", "at").agg(f.min("bound").alias("bound"))


def _step(at: Column, bound: Column) -> Column:
    from pyspark.sql import functions as f

    return f.struct(at.alias("at"), bound.alias("bound"))


def up_to_here(order: WindowSpec) -> WindowSpec:
    from pyspark.sql import Window

    return order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
