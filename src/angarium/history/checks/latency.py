"""latency: how long messages take. Figures without a verdict, within one clock domain only.

The figures are histograms: a bucket is an eighth of an octave wide, which is nine percent, and so a quantile
that is read from them is right to nine percent, whether there are ten figures or ten thousand million.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from angarium.history.checks.check import Check
from angarium.history.checks.facts import Facts
from angarium.history.parameters import Parameters
from angarium.history.profile import Profile
from angarium.history.tables import VIOLATIONS

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def lacks(profile: Profile, parameters: Parameters) -> str | None:
    if profile.confirmed or (profile.sends and profile.deliveries) or (profile.acks and profile.deliveries):
        return None
    return "there are no two events of one message"


def latency(facts: Facts) -> DataFrame:
    """The columns of `tables.LATENCY`."""
    from pyspark.sql import functions as f

    times = reduce(
        lambda one, other: one.unionByName(other), (_confirmed(facts), _taken(facts), _settled(facts))
    )
    bucket = f.floor(f.log2(f.greatest("time", f.lit(1)) / 1000) * 8).cast("int")
    counts = times.where("time >= 0").groupBy("run_id", "kind", bucket.alias("bucket"))
    return counts.agg(f.count("*").alias("count"))


def _time(kind: str, begin: Column, end: Column) -> list[Column]:
    """The columns of a time from one event to another; it is null if their clocks differ."""
    from pyspark.sql import functions as f

    same = begin["clock_domain"].eqNullSafe(end["clock_domain"])
    return [f.col("run_id"), f.lit(kind).alias("kind"), f.when(same, end["at"] - begin["at"]).alias("time")]


def _confirmed(facts: Facts) -> DataFrame:
    from pyspark.sql import functions as f

    rows = facts.lives.where("confirmed IS NOT NULL")
    return rows.select(*_time("confirm", f.col("sent"), f.col("confirmed")))


def _taken(facts: Facts) -> DataFrame:
    from pyspark.sql import functions as f

    rows = facts.lives.where("sent IS NOT NULL").select("run_id", "sent", f.explode("reached").alias("entry"))
    return rows.select(*_time("deliver", f.col("sent"), f.col("entry")))


def _settled(facts: Facts) -> DataFrame:
    """From a delivery to its acknowledgement: its `invoke`, or else its `ok`."""
    from pyspark.sql import functions as f

    said = f.get(f.filter("acks", lambda each: each["phase"] == "invoke"), f.lit(0))
    ok = f.get(f.filter("acks", lambda each: each["phase"] == "ok"), f.lit(0))
    rows = facts.holdings.where("size(acks) > 0").withColumn("ack", f.coalesce(said, ok))
    delivery = f.struct("at", "clock_domain")
    return rows.where("ack IS NOT NULL").select(*_time("settle", delivery, f.col("ack")))


def violations(facts: Facts) -> DataFrame:
    """None: nobody has promised anything."""
    return facts.events.sparkSession.createDataFrame([], VIOLATIONS)


def judged(facts: Facts) -> DataFrame:
    """How many times were measured."""
    from pyspark.sql import functions as f

    counts = latency(facts).groupBy("run_id").agg(f.sum("count").alias("judged"))
    return counts.select("*", f.lit(0).alias("unjudged"), f.lit(None).cast("string").alias("reason"))


CHECK = Check("latency", lacks, violations, judged)
