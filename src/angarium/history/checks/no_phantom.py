"""no-phantom: nothing is delivered that was not sent, or whose send failed.

A recorder that attaches to a running system sees messages arrive whose sends it never saw. They are let pass,
for every subscriber up to its first message whose send is in the history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history import schema
from angarium.history.checks.check import Check, Looks
from angarium.history.checks.facts import MESSAGE, Facts
from angarium.history.checks.lists import moment_of
from angarium.history.checks.rows import as_violations, tally, with_rest
from angarium.history.parameters import Parameters
from angarium.history.profile import Profile

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_SUBSCRIBER = ("run_id", "destination", "subscriber")


def lacks(profile: Profile, parameters: Parameters) -> str | None:
    if not profile.sends:
        return "there are no sends"
    return None if profile.deliveries else "there are no deliveries"


def with_phantoms(lives: DataFrame, facts: Facts) -> DataFrame:
    """Lives with `entry`, the first delivery, whether it is `older` than the recording, and the `kind` of
    phantom that it is, or null."""
    from pyspark.sql import functions as f

    met = lives.withColumn("entry", f.get("reached", f.lit(0)))
    met = met.withColumn("subscriber", f.col("entry.subscriber"))
    nobody_attached = "attached" in facts.absent
    met = met.withColumn("older", f.lit(False)) if nobody_attached else _with_older(met, facts)
    kind = f.when(f.col("entry").isNotNull() & ~f.col("older"), _kind(facts))
    return met.withColumn("kind", kind)


def _with_older(lives: DataFrame, facts: Facts) -> DataFrame:
    """Lives, and whether the first delivery may be of a message that was sent before the recorder came."""
    from pyspark.sql import functions as f

    begins = facts.controls.where((f.col("op_name") == schema.RECORDING_BEGINS) & (f.col("phase") != "fail"))
    attached = begins.select("run_id").distinct().withColumn("attached", f.lit(True))
    known = _known(facts, attached)
    met = lives.join(f.broadcast(attached), "run_id", "left").join(f.broadcast(known), [*_SUBSCRIBER], "left")
    before = f.col("known").isNull() | (moment_of(f.col("entry")) < f.col("known"))
    older = f.coalesce("attached", f.lit(False)) & before
    return met.withColumn("older", older).drop("known", "attached")


def _delivered(facts: Facts) -> DataFrame:
    return with_phantoms(facts.lives.where("reached IS NOT NULL"), facts)


def _known(facts: Facts, attached: DataFrame) -> DataFrame:
    """`known`: a subscriber's first delivery of a message whose send is in the history."""
    from pyspark.sql import functions as f

    sent = facts.lives.where("sent IS NOT NULL AND reached IS NOT NULL")
    late = sent.join(f.broadcast(attached), "run_id", "left_semi")
    entries = late.select("run_id", "destination", f.explode("reached").alias("entry"))
    entries = entries.withColumn("subscriber", f.col("entry.subscriber"))
    return entries.groupBy(*_SUBSCRIBER).agg(f.min(moment_of(f.col("entry"))).alias("known"))


def _kind(facts: Facts) -> Column:
    from pyspark.sql import functions as f

    skew = facts.parameters.clock_skew
    entry = f.col("entry")

    def may_be_before(send: Column) -> Column:
        same = send["clock_domain"].eqNullSafe(entry["clock_domain"])
        return send["at"] <= entry["at"] + f.when(same, f.lit(0)).otherwise(f.lit(skew))

    was_sent = f.coalesce(f.exists("clocks", may_be_before), f.lit(False))
    return f.when(~was_sent, f.lit("never-sent")).when(all_failed(), f.lit("failed-send"))


def all_failed() -> Column:
    """Whether a message certainly was not sent: each of its sends failed."""
    from pyspark.sql import functions as f

    return (f.col("certain") == 0) & (f.col("failed") > 0) & (f.col("invoked") == f.col("failed"))


def violations(facts: Facts) -> DataFrame:
    """`never-sent`, and `failed-send`: all its sends failed, and yet it was delivered."""
    from pyspark.sql import functions as f

    known_at = f.col("entry.at") + f.lit(facts.parameters.clock_skew)
    never = f.col("kind") == "never-sent"
    first = f.when(never, moment_of(f.col("entry"))).otherwise(moment_of(f.col("sent")))
    found = _delivered(facts).where("kind IS NOT NULL").select(
        *(*MESSAGE, "kind", "subscriber"),
        f.col("entry.partition_id").alias("partition_id"),
        f.col("entry.consumer").alias("consumer_id"),
        first.alias("first"),
        f.col("entry").alias("last"),
        f.when(never, known_at).otherwise(f.greatest(known_at, "failed_at")).alias("found_at"),
    )  # fmt: skip
    return as_violations(found, "no-phantom")


def judged(facts: Facts) -> DataFrame:
    from pyspark.sql import functions as f

    reason = "messages may have been on their way when the recorder attached"
    return with_rest(tally(_delivered(facts), ~f.col("older"), reason), facts, "messages", reason)


CHECK = Check("no-phantom", lacks, violations, judged, Looks.MESSAGES)
