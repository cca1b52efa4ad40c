"""bounded-retries: no message is delivered more often than allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history.checks.check import Check, Looks
from angarium.history.checks.declared import with_declared
from angarium.history.checks.facts import MESSAGE, Facts
from angarium.history.checks.holdings import KEY
from angarium.history.checks.rows import as_violations, event, tally
from angarium.history.parameters import Parameters
from angarium.history.profile import Profile

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def lacks(profile: Profile, parameters: Parameters) -> str | None:
    if not profile.deliveries:
        return "there are no deliveries"
    if parameters.retry_limit is None and not profile.retry_limits:
        return "nothing says how often a message may be delivered (max_deliveries, or --retry-limit)"
    return None


def counted(facts: Facts) -> DataFrame:
    """Holdings with `count`, the broker's number of the delivery or ours, and `retry_limit` (or null)."""
    from pyspark.sql import functions as f

    rows = facts.holdings.withColumn("count", f.greatest("number", "delivery_count").cast("bigint"))
    return with_retry_limit(rows, facts)


def with_retry_limit(rows: DataFrame, facts: Facts) -> DataFrame:
    """Rows of a subscriber of a destination with its `retry_limit` (or null)."""
    from pyspark.sql import functions as f

    given = facts.parameters.retry_limit
    if given is not None or "retry_limits" in facts.absent:
        return rows.withColumn("retry_limit", f.lit(given).cast("bigint"))
    return with_declared(rows, facts, "max_deliveries", "retry_limit")


def violations(facts: Facts) -> DataFrame:
    """`too-many`: a message's first delivery to a subscriber that is beyond the limit."""
    from pyspark.sql import functions as f

    facts_of_it = f.struct("partition_id", "consumer", "count", "retry_limit", "began")
    beyond = counted(facts).where("count > retry_limit").groupBy(*KEY, "subscriber")
    first = beyond.agg(f.min(event()).alias("last"), f.min_by(facts_of_it, event()).alias("found"))
    found = first.select(
        *(*MESSAGE, "subscriber", "last"),
        f.col("found.partition_id").alias("partition_id"),
        f.col("found.consumer").alias("consumer_id"),
        f.col("found.began").alias("first"),
        f.col("found.count").alias("measure"),
        f.col("found.retry_limit").alias("bound"),
    )
    return as_violations(found, "bounded-retries", "too-many")


def judged(facts: Facts) -> DataFrame:
    from pyspark.sql import functions as f

    limited = f.col("retry_limit").isNotNull()
    rows = with_retry_limit(facts.takers, facts)
    return tally(rows, limited, "some subscribers have no retry limit", "deliveries")


CHECK = Check("bounded-retries", lacks, violations, judged, Looks.MESSAGES)
