"""latency: how long messages take. Figures without a verdict, within one clock domain only.

The figures are histograms: a bucket is an eighth of an octave wide, which is nine percent, and knows the
shortest and the longest time in it. So a quantile that is read from them lies between two times that were
measured and differ by nine percent at most, whether there are ten figures or ten thousand million.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history.checks.check import Check, Looks
from angarium.history.checks.facts import Facts, Plain
from angarium.history.parameters import Parameters
from angarium.history.profile import Profile
from angarium.history.tables import VIOLATIONS
from angarium.spark.lineage import united

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def lacks(profile: Profile, parameters: Parameters) -> str | None:
    if profile.confirmed or (profile.sends and profile.deliveries) or (profile.acks and profile.deliveries):
        return None
    return "there are no two events of one message"


def latency(facts: Facts) -> DataFrame:
    """The columns of `tables.LATENCY`."""
    parts = [_confirmed(facts), _taken(facts), _settled(facts)]
    close = _histogram(united(parts), "run_id")
    if facts.rest is None:
        return close
    return _together(close.unionByName(facts.rest_times))


def _histogram(times: DataFrame, by: str) -> DataFrame:
    """How many times (kind, time) are in each bucket, and between which they lie."""
    from pyspark.sql import functions as f

    bucket = f.floor(f.log2(f.greatest("time", f.lit(1)) / 1000) * 8).cast("int").alias("bucket")
    counted = f.count("*").alias("count"), f.min("time").alias("shortest"), f.max("time").alias("longest")
    return times.where("time >= 0").groupBy(by, "kind", bucket).agg(*counted)


def _together(histograms: DataFrame) -> DataFrame:
    """Histograms of the same run and kind as one."""
    from pyspark.sql import functions as f

    return histograms.groupBy("run_id", "kind", "bucket").agg(
        f.sum("count").alias("count"), f.min("shortest").alias("shortest"), f.max("longest").alias("longest")
    )


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
    """From a delivery to its first acknowledgement."""
    from pyspark.sql import functions as f

    rows = facts.holdings.where("size(acks) > 0")
    delivery = f.struct("at", "clock_domain")
    return rows.select(*_time("settle", delivery, f.get("acks", f.lit(0))))


def of_plain(rest: Plain) -> DataFrame:
    """The three times of plain messages, which have one clock each: the columns of `tables.LATENCY`."""
    from pyspark.sql import functions as f

    spans = {
        "confirm": f.col("confirmed_at") - f.col("sent_at"),
        "deliver": f.col("delivered_at") - f.col("sent_at"),
        "settle": f.col("acked_at") - f.col("delivered_at"),
    }
    times = [f.struct(f.lit(kind).alias("kind"), time.alias("time")) for kind, time in spans.items()]
    counts = _histogram(rest.messages.select("place", f.inline(f.array(*times))), "place")
    runs = counts.join(f.broadcast(rest.places.select("place", "run_id")), "place", "inner")
    return _together(runs)


def violations(facts: Facts) -> DataFrame:
    """None: nobody has promised anything."""
    return facts.events.sparkSession.createDataFrame([], VIOLATIONS)


def judged(facts: Facts) -> DataFrame:
    """How many times were measured."""
    from pyspark.sql import functions as f

    counts = latency(facts).groupBy("run_id").agg(f.sum("count").alias("judged"))
    return counts.select("*", f.lit(0).alias("unjudged"), f.lit(None).cast("string").alias("reason"))


CHECK = Check("latency", lacks, violations, judged, Looks.MESSAGES)
