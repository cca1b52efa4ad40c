"""redelivery-time: what a consumer gave back or left behind is delivered again in time.

Nobody can be blamed for not delivering where nobody takes. So a redelivery is late only if the subscriber got
some other delivery meanwhile. To know that, deliveries are counted by stretches of time that are as long as a
redelivery may take: the time in which one is due covers the end of one stretch and the beginning of the next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history.checks.bounded_retries import counted
from angarium.history.checks.check import Check, Looks
from angarium.history.checks.facts import MESSAGE, Facts
from angarium.history.checks.rows import as_violations, event, tally
from angarium.history.parameters import MILLISECOND, Parameters
from angarium.history.profile import Profile

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

UNCOMMITTED = "no event says what consumers commit, and what a group has committed does not come again"
_SUBSCRIBER = ("run_id", "destination", "subscriber")


def lacks(profile: Profile, parameters: Parameters) -> str | None:
    if not profile.deliveries:
        return "there are no deliveries"
    if profile.unsettled:
        return profile.unsettled
    if not profile.settles:
        return UNCOMMITTED
    if parameters.message_timeout is not None or profile.closings or profile.requeues or profile.timeouts:
        return None
    return "no consumer ends, nothing is requeued, and no message timeout is known"


def owed(facts: Facts) -> DataFrame:
    """Deliveries that must be followed by another, or by an acknowledgement of whichever: since when (`due`)
    and why (`cause`), by when (`deadline`), and whether that is `judged`."""
    from pyspark.sql import functions as f

    open_ones = counted(facts).where(
        "size(acks) = 0 AND NOT ended AND (retry_limit IS NULL OR count < retry_limit)"
    )
    requeue, end, timeout = "returned.at", "closed.at", "latest_timeout_at"
    given_up = open_ones.withColumn("given_up", f.least(requeue, end, timeout)).where("given_up IS NOT NULL")
    returned, closed = f.col(requeue) <= f.col("given_up"), f.col(end) <= f.col("given_up")
    delay = f.when(returned, f.coalesce("returned.delay_ms", f.lit(0)) * MILLISECOND).otherwise(0)
    names = ("at", "recorder", "seq")
    cause = f.when(returned, f.struct(*(f"returned.{name}" for name in names)))
    cause = cause.when(closed, f.struct(*(f"closed.{name}" for name in names))).otherwise(event())
    within = f.lit(facts.parameters.redelivery_within)
    return (
        given_up.withColumn("due", f.col("given_up") + delay)
        .withColumn("deadline", f.col("due") + within)
        .withColumn("cause", cause)
        .join(f.broadcast(facts.ends), "run_id", "inner")
        .withColumn("judged", f.expr("deadline <= end OR next_at IS NOT NULL"))
    )


def violations(facts: Facts) -> DataFrame:
    """`late`: not delivered again until the deadline, though the subscriber got something meanwhile."""
    from pyspark.sql import functions as f

    within = max(facts.parameters.redelivery_within, 1)
    in_time = "next_at <= deadline OR acknowledged_at <= deadline"
    late = owed(facts).where(f"judged AND NOT coalesce({in_time}, FALSE)")
    late = late.withColumn("stretch", f.expr(f"due DIV {within}"))
    met = late.join(_stretches(facts), [*_SUBSCRIBER, "stretch"], "inner")
    found = met.where("latest >= due OR following <= deadline").select(
        *(*MESSAGE, "partition_id", "subscriber"),
        f.col("consumer").alias("consumer_id"),
        event().alias("first"),
        f.col("cause").alias("last"),
        f.col("deadline").alias("found_at"),
        f.lit(facts.parameters.redelivery_within).alias("measure"),
    )
    return as_violations(found, "redelivery-time", "late")


def _stretches(facts: Facts) -> DataFrame:
    """For each stretch of time the subscriber's last delivery in it, and the first of the next stretch."""
    from pyspark.sql import functions as f

    stretches = facts.takers.groupBy(*_SUBSCRIBER, "stretch").agg(
        f.max("last_at").alias("latest"), f.min("first_at").alias("earliest")
    )
    nothing = f.lit(None).cast("bigint")
    here = stretches.select(*_SUBSCRIBER, "stretch", "latest", nothing.alias("following"))
    there = stretches.select(
        *_SUBSCRIBER,
        (f.col("stretch") - 1).alias("stretch"),
        nothing.alias("latest"),
        f.col("earliest").alias("following"),
    )
    both = here.unionByName(there).groupBy(*_SUBSCRIBER, "stretch")
    return both.agg(f.max("latest").alias("latest"), f.min("following").alias("following"))


def judged(facts: Facts) -> DataFrame:
    from pyspark.sql import functions as f

    return tally(
        owed(facts), f.col("judged"), "some redeliveries may still come after the end of the history"
    )


CHECK = Check("redelivery-time", lacks, violations, judged, Looks.MESSAGES)
