"""Holdings: every delivery, and what became of it.

Most guarantees ask the same of a delivery: who has settled it and when, when its consumer ended, when its
time was up, and which delivery of its message it is. It is answered once, for all of them. Deliveries and
settles of one message meet in one shuffle; there they are sorted, first by consumer (a settle belongs to the
delivery before it), then by subscriber. Ends and timeouts are few, and are joined to that.

The first key of all sorting is a hash of the message: numbers are compared faster than names, and most names
differ in nothing but their last letters. The names are keys too, for a hash may be that of two messages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history.checks.declared import with_declared
from angarium.history.checks.facts import MESSAGE, WHEN, Facts, hash_of_message
from angarium.history.checks.lists import first_after, first_covering, listed, moment_of
from angarium.history.checks.rows import event
from angarium.history.parameters import MILLISECOND

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

KEY = ("hash", *MESSAGE)
"""What a message is told by: all that is partitioned by it has one shuffle."""
CLOSING = ("ack", "requeue", "reject", "dead_letter")
RETURNING = ("requeue", "reject", "dead_letter")
ENDING = ("reject", "dead_letter")
ENDS = ("own_ends", "client_ends")
"""Lists of ends, by a consumer's own name and by its client's."""
_DELIVERY = (
    "partition_id",
    "subscriber",
    "consumer_group",
    "client_id",
    "redelivered",
    "delivery_count",
    "delivery_tag",
)
_SETTLE = ("settle", "phase", "delay_ms")
_ALL_TAGS = (1 << 63) - 1
"""Up to this tag a settle of several deliveries with tag 0 reaches: it is of all, as AMQP says."""


def holdings(facts: Facts) -> DataFrame:
    """One row a delivery. Columns:

    - hash, run_id, destination, message_id: its message, by which the rows are partitioned; partition_id
    - subscriber, consumer_group, consumer, client_id, redelivered, delivery_count, delivery_tag
    - at, recorder, seq, clock_domain: its event
    - number: its place among the message's deliveries to the subscriber; deliveries: how many these are
    - next_at: the time of the next of these
    - settled: the first ack, requeue, reject or dead_letter that belongs to it, as
      struct<at, recorder, seq, clock_domain, settle, phase, delay_ms>; returned: the same without ack
    - ended: whether it was rejected or dead-lettered
    - acks: all its acknowledgements, array<struct<at, recorder, seq, clock_domain, phase>>, in order
    - refusals: answers that a settle of it failed, or that nobody knows, array<struct<at, recorder, seq>>
    - acknowledged_at: the time of the first acknowledgement of any delivery of the message to the subscriber
    - extends: its extends in time, array<struct<at, recorder, seq>>
    - began: the message's first delivery to the subscriber, struct<at, recorder, seq>
    - closed: its consumer's end, struct<at, recorder, seq, clock_domain>
    - timeout: the message timeout of the subscriber in nanoseconds; known: whether it is known. It is known
      and null where nothing is ever taken back from a live consumer
    - timeout_at: the time of the delivery, or of its last extend in time, plus the timeout;
      latest_timeout_at: the same with the last of all extends
    """
    from pyspark.sql import functions as f

    owned = _settled(facts) if "multiples" in facts.absent else _with_multiple(_settled(facts), facts)
    timed = with_timeout(_closed(_numbered(owned), facts), facts)
    up_at = f.expr("greatest(at, array_max(extends).at) + timeout")
    return (
        timed.withColumn("latest_timeout_at", up_at)
        .withColumn("extends", _in_time(facts.parameters.grace))
        .withColumn("timeout_at", up_at)
    )


def by_message(rows: DataFrame) -> DataFrame:
    """The rows of a message together: the one shuffle of everything that asks by message."""

    return rows.withColumn("hash", hash_of_message()).repartition(*KEY)


def _settled(facts: Facts) -> DataFrame:
    """Deliveries with the settles that name their message."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    consumer = Window.partitionBy(*KEY, "consumer").orderBy(*WHEN)
    turn = f.count("delivery").over(consumer.rowsBetween(Window.unboundedPreceding, Window.currentRow))
    rows = by_message(_deliveries(facts).unionByName(_settles(facts))).withColumn("turn", turn)
    whole = Window.partitionBy(*KEY, "consumer", "turn").orderBy(*WHEN)
    whole = whole.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    kind = f.when(f.col("settle.phase") != "fail", f.col("settle.settle"))
    refused = f.when(f.col("settle.phase").isin("fail", "info"), event())
    ack = f.struct(*WHEN, "clock_domain", "settle.phase")
    settle = f.struct(*WHEN, "clock_domain", "settle.*")
    met = rows.select(
        *(*KEY, "consumer", *WHEN, "clock_domain", "delivery"),
        f.first(f.when(kind.isin(*CLOSING), settle), True).over(whole).alias("settled"),
        f.first(f.when(kind.isin(*RETURNING), settle), True).over(whole).alias("returned"),
        f.collect_list(f.when(kind == "ack", ack)).over(whole).alias("acks"),
        f.collect_list(f.when(kind == "extend", event())).over(whole).alias("extends"),
        f.collect_list(refused).over(whole).alias("refusals"),
        f.coalesce(f.bool_or(kind.isin(*ENDING)).over(whole), f.lit(False)).alias("ended"),
    )
    return met.where("delivery IS NOT NULL").select("*", "delivery.*").drop("delivery")


def _deliveries(facts: Facts) -> DataFrame:
    from pyspark.sql import functions as f

    columns = (*MESSAGE, "consumer", *WHEN, "clock_domain")
    nothing = f.lit(None).cast("struct<settle: string, phase: string, delay_ms: bigint>")
    return facts.deliveries.select(*columns, f.struct(*_DELIVERY).alias("delivery"), nothing.alias("settle"))


def _settles(facts: Facts) -> DataFrame:
    """Settles of one message."""
    from pyspark.sql import functions as f

    columns = (*MESSAGE, "consumer", *WHEN, "clock_domain")
    single = facts.settle_events.where("message_id IS NOT NULL").where(~_multiple())
    delivery = facts.deliveries.select(f.struct(*_DELIVERY).alias("delivery")).schema["delivery"].dataType
    return single.select(
        *columns, f.lit(None).cast(delivery).alias("delivery"), f.struct(*_SETTLE).alias("settle")
    )


def _multiple() -> Column:
    from pyspark.sql import functions as f

    many = f.coalesce(f.col("settle_multiple"), f.lit(False)) & f.col("delivery_tag").isNotNull()
    return many & f.col("settle").isin(*CLOSING)


# --- settles of several deliveries -----------------------------------------------------------------


def _with_multiple(owned: DataFrame, facts: Facts) -> DataFrame:
    """Deliveries with what settles them and others too, if they are open until then."""
    from pyspark.sql import functions as f

    several = facts.settles.where(_multiple())
    columns = ("clock_domain", *_SETTLE, "delivery_tag")
    reach = f.when(f.col("delivery_tag") == 0, f.lit(_ALL_TAGS)).otherwise(f.col("delivery_tag"))
    several = several.withColumn("delivery_tag", reach)
    lists = listed(several, ("run_id", "consumer"), "several", columns, largest="delivery_tag")
    tag = f.coalesce("delivery_tag", f.lit(_ALL_TAGS))
    many = f.col("many")
    is_open = f.col("settled").isNull() | (moment_of(many) < moment_of(f.col("settled")))
    named = f.struct(*(many[name].alias(name) for name in (*WHEN, "clock_domain", *_SETTLE)))
    met = (
        owned.join(lists, ["run_id", "consumer"], "left")
        .withColumn("many", first_covering(f.col("several"), event(), "delivery_tag", tag))
        .withColumn("many", f.when(many.isNotNull() & is_open, named))
    )
    return (
        met.withColumn("acks", f.when(f.col("many.settle") == "ack", _with_ack()).otherwise(f.col("acks")))
        .withColumn("returned", f.expr("CASE WHEN many.settle <> 'ack' THEN many ELSE returned END"))
        .withColumn("ended", f.col("ended") | f.coalesce(f.col("many.settle").isin(*ENDING), f.lit(False)))
        .withColumn("settled", f.coalesce("many", "settled"))
        .drop("several", "many")
        .repartition(*KEY)
    )


def _with_ack() -> Column:
    """The acknowledgements of a delivery, and the one of several deliveries."""
    from pyspark.sql import functions as f

    names = (*WHEN, "clock_domain", "phase")
    ack = f.struct(*(f.col(f"many.{name}").alias(name) for name in names))
    return f.sort_array(f.concat(f.col("acks"), f.array(ack)))


# --- what else became of a delivery ------------------------------------------------------------------


def _numbered(owned: DataFrame) -> DataFrame:
    """Deliveries with their places among those of the message to the subscriber."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    place = Window.partitionBy(*KEY, "subscriber").orderBy(*WHEN)
    whole = place.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    return owned.select(
        "*",
        f.row_number().over(place).alias("number"),
        f.count("*").over(whole).alias("deliveries"),
        f.lead("at").over(place).alias("next_at"),
        f.min(f.get("acks", f.lit(0))["at"]).over(whole).alias("acknowledged_at"),
        f.first(event()).over(whole).alias("began"),
    )


def _closed(deliveries: DataFrame, facts: Facts) -> DataFrame:
    """Deliveries with the end of their consumer: an end of its own, or one of its client."""
    from pyspark.sql import functions as f

    if "closings" in facts.absent:
        none = f.lit(None).cast("struct<at: bigint, recorder: string, seq: bigint, clock_domain: string>")
        return deliveries.withColumn("closed", none)
    met = with_ends(deliveries, facts)
    for name in ENDS:
        met = met.withColumn(name, f.when(f.col(name).isNotNull(), first_after(f.col(name), event())))
    return met.withColumn("closed", f.least(*ENDS)).drop(*ENDS)


def with_ends(rows: DataFrame, facts: Facts) -> DataFrame:
    """Rows of a consumer with the lists of its own ends and of its client's: the columns of `ENDS`."""
    from pyspark.sql import functions as f

    own = facts.closings.where("consumer_id IS NOT NULL").withColumnRenamed("consumer_id", "consumer")
    clients = facts.closings.where("consumer_id IS NULL")
    for ends, key, name in ((own, "consumer", "own_ends"), (clients, "client_id", "client_ends")):
        lists = listed(ends, ("run_id", key), name, ("clock_domain",))
        rows = rows.join(lists if facts.many_ends else f.broadcast(lists), ["run_id", key], "left")
    return rows


def _in_time(grace: int) -> Column:
    """Those extends that start the timeout again: they come before it may be up.

    One that is later may reach the broker when the message has been taken back already.
    """
    from pyspark.sql import functions as f

    def started(kept: Column) -> Column:
        return f.greatest(f.col("at"), f.array_max(kept)["at"])

    def with_next(kept: Column, extend: Column) -> Column:
        is_late = extend["at"] > started(kept) + f.col("timeout") - f.lit(grace)
        return f.when(is_late, kept).otherwise(f.concat(kept, f.array(extend)))

    none = f.slice("extends", 1, 0)
    return f.when(f.size("extends") > 0, f.aggregate("extends", none, with_next)).otherwise(f.col("extends"))


def with_timeout(rows: DataFrame, facts: Facts) -> DataFrame:
    """Rows of a subscriber with its message timeout: `timeout`, and whether it is `known`."""
    from pyspark.sql import functions as f

    given = facts.parameters.message_timeout
    if given is not None:
        return rows.withColumn("timeout", f.lit(given)).withColumn("known", f.lit(True))
    met = rows.join(f.broadcast(facts.timerless), "run_id", "left")
    if "timeouts" in facts.absent:
        met = met.withColumn("timeout", f.lit(None).cast("bigint"))
    else:
        met = with_declared(met, facts, "ack_wait_ms", "timeout")
        met = met.withColumn("timeout", f.col("timeout") * MILLISECOND)
    known = f.expr("timeout IS NOT NULL OR coalesce(timerless, FALSE)")
    return met.withColumn("known", known).drop("timerless")
