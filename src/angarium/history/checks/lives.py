"""Lives: every message, how it was sent, and whom it reached.

One row a message, sent or delivered. Sends are put together by message; so are deliveries, which come
already partitioned by it; and both are joined where they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history.checks.facts import Facts
from angarium.history.checks.holdings import KEY, by_message
from angarium.history.checks.rows import event

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def lives(facts: Facts) -> DataFrame:
    """One row a message. Columns:

    - hash, run_id, destination, message_id, by which the rows are partitioned
    - sent: its first send event, struct<at, recorder, seq, producer, producer_seq, partition_id,
      clock_domain>; null if there is none
    - confirmed: the first that is ok, struct<at, recorder, seq, partition_id, clock_domain>
    - invoked, failed, certain: how many sends were invoked, failed, and how many are ok or info
    - failed_at: the time of the last that failed
    - clocks: array<struct<clock_domain, at>>: the first send event of each clock domain
    - reached: one entry a subscriber, in the order of their first deliveries, array<struct<at, recorder, seq,
      subscriber, consumer, partition_id, clock_domain, deliveries, consumers, requeues, acked_at, ended>>;
      `ended`: whether it was acknowledged, rejected or dead-lettered. Null if it reached nobody
    """
    return _sent(facts).join(_reached(facts), [*KEY], "full")


def _sent(facts: Facts) -> DataFrame:
    """The sends of each message: first of each clock domain, then of all."""
    from pyspark.sql import functions as f

    when = ("at", "recorder", "seq")
    first = f.struct(*when, "producer", "producer_seq", "partition_id", "clock_domain")
    confirmed = f.struct(*when, "partition_id", "clock_domain")
    by_clock = by_message(facts.sends).groupBy(*KEY, "clock_domain").agg(
        f.min(first).alias("sent"),
        f.min(f.when(f.col("phase") == "ok", confirmed)).alias("confirmed"),
        f.count_if(f.col("phase") == "invoke").alias("invoked"),
        f.count_if(f.col("phase") == "fail").alias("failed"),
        f.count_if(f.col("phase").isin("ok", "info")).alias("certain"),
        f.max(f.when(f.col("phase") == "fail", f.col("at"))).alias("failed_at"),
    )  # fmt: skip
    clock = f.struct("clock_domain", f.col("sent.at").alias("at"))
    sums = [f.sum(name).alias(name) for name in ("invoked", "failed", "certain")]
    return by_clock.groupBy(*KEY).agg(
        f.min("sent").alias("sent"),
        f.min("confirmed").alias("confirmed"),
        *sums,
        f.max("failed_at").alias("failed_at"),
        f.collect_list(clock).alias("clocks"),
    )


def _reached(facts: Facts) -> DataFrame:
    """Whom each message reached, and how often."""
    from pyspark.sql import functions as f

    ended = (f.size("acks") > 0) | f.col("ended")
    first = f.struct("consumer", "partition_id", "clock_domain")
    of_subscriber = facts.holdings.groupBy(*KEY, "subscriber").agg(
        f.min(event()).alias("moment"),
        f.min_by(first, event()).alias("first"),
        f.count("*").alias("deliveries"),
        f.size(f.collect_set("consumer")).alias("consumers"),
        f.count_if(f.col("returned.settle") == "requeue").alias("requeues"),
        f.min(f.get("acks", f.lit(0))["at"]).alias("acked_at"),
        f.bool_or(ended).alias("ended"),
    )
    entry = f.struct(
        "moment.*", "subscriber", "first.*", "deliveries", "consumers", "requeues", "acked_at", "ended"
    )
    return of_subscriber.groupBy(*KEY).agg(f.sort_array(f.collect_list(entry)).alias("reached"))
