"""no-loss: every message that the broker confirmed is delivered to every subscriber.

Who must get a message? A subscriber that nobody has heard of when the message was sent need not. But whoever
comes first to a queue gets what has waited there. So the first subscriber of a destination expects all of its
messages, and every other one those that were sent since it was seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history.checks.check import Check, Looks
from angarium.history.checks.facts import DESTINATION, WHEN, Facts
from angarium.history.checks.rows import as_violations, with_rest
from angarium.history.parameters import Parameters
from angarium.history.profile import Profile

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_UNSEEN = "messages confirmed shortly before the end may still be on their way"


def lacks(profile: Profile, parameters: Parameters) -> str | None:
    if not profile.confirmed:
        return "no send is confirmed"
    if not profile.deliveries and not profile.subscriptions:
        return "there are neither deliveries nor subscriptions"
    return None


def subscribers(facts: Facts) -> DataFrame:
    """run_id, destination, subscribers: those seen first at the head.

    array<struct<at, subscriber, clock_domain>>: when each was seen first, and by whose clock.
    """
    from pyspark.sql import functions as f

    name = (*DESTINATION, "subscriber")
    columns = (*name, *WHEN, "clock_domain")
    shown = facts.holdings.where("number = 1").select(*columns)
    shown = shown.unionByName(facts.subscriptions.select(*columns))
    seen = shown.groupBy(*name).agg(f.min(f.struct(*WHEN, "clock_domain")).alias("seen"))
    entries = f.sort_array(f.collect_list(f.struct("seen.at", "subscriber", "seen.clock_domain")))
    return seen.groupBy(*DESTINATION).agg(entries.alias("subscribers"))


def expected(facts: Facts) -> DataFrame:
    """Lives, and who expects each message; `missing`: who has not got it, and whether it is `overdue`.

    Both arrays of names are empty for messages that were not confirmed.
    """
    from pyspark.sql import functions as f

    names = f.when(f.col("confirmed").isNotNull(), _expecting(facts.parameters)).otherwise(f.array())
    got = f.coalesce(f.transform("reached", lambda each: each["subscriber"]), f.array())
    due = f.col("confirmed.at") + f.lit(facts.parameters.in_flight_tail)
    return (
        facts.lives.join(f.broadcast(facts.subscribers), [*DESTINATION], "left")
        .join(f.broadcast(facts.ends), "run_id", "left")
        .withColumn("expected", f.coalesce(names, f.array().cast("array<string>")))
        .withColumn("missing", f.array_except("expected", got.cast("array<string>")))
        .withColumn("overdue", due <= f.col("end"))
        .drop("subscribers")
    )


def _expecting(parameters: Parameters) -> Column:
    """The names of the subscribers that expect a message."""
    from pyspark.sql import functions as f

    def was_there(each: Column) -> Column:
        same = each["clock_domain"].eqNullSafe(f.col("sent.clock_domain"))
        return each["at"] + f.when(same, f.lit(0)).otherwise(f.lit(parameters.clock_skew)) <= f.col("sent.at")

    known = f.filter("subscribers", lambda each, place: (place == 0) | was_there(each))
    return f.transform(known, lambda each: each["subscriber"])


def violations(facts: Facts) -> DataFrame:
    """`lost`: confirmed, due, and not delivered to a subscriber that expects it."""
    from pyspark.sql import functions as f

    lost = expected(facts).where("overdue AND size(missing) > 0").select(
        *DESTINATION,
        "message_id",
        f.col("confirmed.partition_id").alias("partition_id"),
        f.explode("missing").alias("subscriber"),
        f.col("sent").alias("first"),
        f.col("confirmed").alias("last"),
        f.col("end").alias("found_at"),
    )  # fmt: skip
    return as_violations(lost, "no-loss", "lost")


def judged(facts: Facts) -> DataFrame:
    """Messages and subscribers that expect them; unjudged: those that may still be on their way."""
    from pyspark.sql import functions as f

    unseen = f.when(~f.col("overdue"), f.size("missing")).otherwise(0)
    counts = expected(facts).where("confirmed IS NOT NULL").groupBy("run_id").agg(
        f.sum(f.size("expected") - unseen).alias("judged"), f.sum(unseen).alias("unjudged")
    )  # fmt: skip
    known = counts.withColumn("reason", f.when(f.col("unjudged") > 0, f.lit(_UNSEEN)))
    return with_rest(known, facts, "messages", _UNSEEN)


CHECK = Check("no-loss", lacks, violations, judged, Looks.MESSAGES)
