"""order: first deliveries keep the order in which their producer sent.

A redelivery may come at any time, and competing consumers work side by side: so only first deliveries are
compared, and only those that one consumer got, unless one consumer is active at a time. A message that was
sent twice has two places in its producer's order, and is left out; so is what a system delivers that promises
no order. What different clocks tell is not compared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from angarium.history import schema
from angarium.history.checks.check import Check, Looks
from angarium.history.checks.facts import MESSAGE, WHEN, Facts, Plain
from angarium.history.checks.one_active_consumer import of_group_partition, with_one_active
from angarium.history.checks.plain import Suspects, clocks_of, name, place, sequence_of
from angarium.history.checks.rows import as_violations, tally, with_rest
from angarium.history.checks.sequences import UNMARKED, below_before, out_of_order
from angarium.history.parameters import Parameters
from angarium.history.profile import Profile

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, WindowSpec

SEQUENCE = ("run_id", "destination", "partition_id", "subscriber", "producer", "clock_domain", "reader")


def lacks(profile: Profile, parameters: Parameters) -> str | None:
    if not profile.deliveries:
        return "there are no deliveries"
    if not profile.sequenced:
        return "no message has a producer_seq"
    if profile.systems and set(profile.systems) <= set(schema.UNORDERED):
        return f"{' and '.join(profile.systems)}: no order is promised"
    return None if profile.sends else "there are no sends, so nobody knows the producers"


def violations(facts: Facts) -> DataFrame:
    """`inversion`: a first delivery with a smaller producer_seq than one before it in its sequence."""
    sequenced = firsts(facts).where("sequenced").withColumnRenamed("consumer", "consumer_id")
    return as_violations(below_before(sequenced, SEQUENCE, "producer_seq"), "order", "inversion")


def judged(facts: Facts) -> DataFrame:
    from pyspark.sql import functions as f

    reason = "some messages have no producer_seq or no send, were sent twice, or are promised no order"
    return with_rest(tally(firsts(facts), f.col("sequenced"), reason), facts, "sequenced", reason)


def seemingly_inverted(facts: Facts, rest: Plain, keep: Callable[[DataFrame], DataFrame]) -> Suspects:
    """Sequences in which something may be out of order, and the plain messages in all sequences.

    These are found from numbers only; the messages that are looked at closely count, too.
    """
    from pyspark.sql import functions as f

    names = [name(each) for each in ("partition_id", "subscriber", "producer", "reader")]
    key = sequence_of(place(), names, clocks_of(facts, name("clock_domain"))).alias("key")
    close = firsts(facts).where("sequenced").select(key, "at", f.col("producer_seq").alias("number"))
    plain = rest.messages.where("sequence IS NOT NULL").withColumnRenamed("sequence", "key")
    numbers = plain.select("key", f.col("delivered_at").alias("at"), "number")
    return Suspects(out_of_order(close.unionByName(numbers)), plain.select("key", "hash"))


def firsts(facts: Facts) -> DataFrame:
    """First deliveries with their producer and producer_seq, and whether they are `sequenced`.

    Sends have no subscriber and are sorted before the deliveries of their message, so that one pass over
    each message tells its first send and, of each subscriber, the first delivery.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    order = Window.partitionBy(*MESSAGE).orderBy(f.asc_nulls_first("subscriber"), *WHEN)
    told = _sends_and_deliveries(facts).select(
        "*",
        f.first("sent", ignorenulls=True).over(_up_to_here(order)).alias("first_send"),
        f.sum("invoked").over(_up_to_here(order)).alias("times_invoked"),
        f.max("attempt").over(_up_to_here(order)).alias("attempts"),
        f.lag("subscriber").over(order).alias("subscriber_before"),
    )
    first = told.where("subscriber IS NOT NULL AND NOT subscriber <=> subscriber_before").where(UNMARKED)
    numbered = first.withColumn("producer", f.col("first_send.producer")).withColumn(
        "producer_seq", f.coalesce("producer_seq", "first_send.producer_seq")
    )
    once = f.expr("coalesce(times_invoked <= 1, true) AND coalesce(attempts <= 1, true)")
    known = f.expr("producer IS NOT NULL AND producer_seq IS NOT NULL")
    promised = f.coalesce(~f.col("system").isin(*schema.UNORDERED), f.lit(True))
    return numbered.select(
        *SEQUENCE,
        "message_id",
        "consumer",
        "producer_seq",
        *WHEN,
        (once & known & promised).alias("sequenced"),
    )


def _up_to_here(order: WindowSpec) -> WindowSpec:
    from pyspark.sql import Window

    return order.rowsBetween(Window.unboundedPreceding, Window.currentRow)


def _sends_and_deliveries(facts: Facts) -> DataFrame:
    from pyspark.sql import functions as f

    sends = facts.sends.select(
        *MESSAGE,
        *WHEN,
        f.struct("producer", "producer_seq").alias("sent"),
        (f.col("phase") == "invoke").cast("bigint").alias("invoked"),
        "attempt",
    )
    reader = f.when(~f.col("one_active"), f.col("consumer")).alias("reader")
    deliveries = with_one_active(facts.deliveries, of_group_partition(), facts).select(
        *MESSAGE, *WHEN, "partition_id", "subscriber", "consumer", reader, "producer_seq", "redelivered",
        "delivery_count", "system", "clock_domain",
    )  # fmt: skip
    return sends.unionByName(deliveries, allowMissingColumns=True)


CHECK = Check("order", lacks, violations, judged, Looks.SEQUENCES)
