"""acks-all: every replica in step has stored a message before the producer hears that it is stored.

Which replicas are in step is told by the send itself, or by whatever was last said of the partition before.
Clocks may differ: a replica is not asked for if, by another clock, it may have been out of step just then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history import schema
from angarium.history.checks.check import Check
from angarium.history.checks.facts import MESSAGE, PLACE, WHEN, Facts
from angarium.history.checks.rows import as_violations, event, tally, tolerance
from angarium.history.parameters import Parameters
from angarium.history.profile import Profile

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def lacks(profile: Profile, parameters: Parameters) -> str | None:
    if not profile.confirmed:
        return "no send is confirmed"
    if not profile.stores:
        return "there are no stores of replicas"
    return None if profile.isrs else "no event says which replicas are in step (isr)"


def violations(facts: Facts) -> DataFrame:
    """`not-stored`: a replica in step that had not stored the message when it was confirmed."""
    from pyspark.sql import functions as f

    skew = facts.parameters.clock_skew
    asked = (
        _confirmed(facts).where("isr IS NOT NULL").withColumn("broker_id", f.explode(f.array_distinct("isr")))
    )
    stores = _stores(facts)
    missing = _not_in(asked, stores.where("message_id IS NOT NULL"), "message_id", skew)
    missing = _not_in(missing, stores.where("message_id IS NULL"), "offset", skew)
    missing = _surely_in_step(missing, facts)
    proof = f.struct("last", "first", "partition_id").alias("proof")
    found = missing.groupBy(*MESSAGE, "broker_id").agg(f.min(proof).alias("proof"))
    told = found.select(*MESSAGE, "broker_id", "proof.*").withColumn(
        "found_at", f.col("last.at") + f.lit(skew)
    )
    return as_violations(told, "acks-all", "not-stored")


def judged(facts: Facts) -> DataFrame:
    from pyspark.sql import functions as f

    return tally(
        _confirmed(facts), f.col("isr").isNotNull(), "of some sends nobody knows the replicas in step"
    )


def _stores(facts: Facts) -> DataFrame:
    from pyspark.sql import functions as f

    stores = facts.events.where("op_type = 'replica' AND phase <> 'fail' AND broker_id IS NOT NULL")
    return stores.where(f.col("op_name").isin(*schema.STORES)).select(
        *PLACE, "broker_id", "message_id", "offset", "at", "clock_domain"
    )


def _confirmed(facts: Facts) -> DataFrame:
    """Confirmed sends (`last`) to partitions with stores, the `isr` of the time, and who said it, `first`."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    said = f.when(f.col("isr").isNotNull(), f.struct("isr", event().alias("first")))
    columns = (*PLACE, "message_id", "offset", *WHEN, "clock_domain", said.alias("said"))
    send = f.expr("op_type = 'send' AND phase = 'ok' AND message_id IS NOT NULL")
    known = facts.events.where(send | f.col("isr").isNotNull()).select(*columns, send.alias("confirmed"))
    order = Window.partitionBy(*PLACE).orderBy(*WHEN)
    here = order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    told = known.withColumn("said", f.last("said", ignorenulls=True).over(here)).where("confirmed")
    stored = f.broadcast(_stores(facts).select(*PLACE).distinct())
    same = [told[name].eqNullSafe(stored[name]) for name in PLACE]
    return told.join(stored, same, "left_semi").select(
        *PLACE, "message_id", "offset", "clock_domain", event().alias("last"), "said.*"
    )


def _surely_in_step(missing: DataFrame, facts: Facts) -> DataFrame:
    """Without those that something says to be out of step, and that may have been in force at the time.

    What is said is in force from its event to the next one. By another clock, both may have been earlier or
    later. What the send says itself is sure.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    order = Window.partitionBy(*PLACE).orderBy(*WHEN)
    word = f.struct(*WHEN, "clock_domain").alias("word")
    said = facts.events.where("isr IS NOT NULL").select(*PLACE, *WHEN, "isr", word)
    known = said.withColumn("next", f.lead("word").over(order)).drop(*WHEN).alias("said")
    sent = f.struct(*(f.col(f"asked.last.{name}") for name in WHEN))
    skew = facts.parameters.clock_skew

    def compared(name: str) -> tuple[Column, Column, Column]:
        """Whether both have one clock, the place in the order, and the time."""
        same = f.col(f"said.{name}.clock_domain").eqNullSafe(f.col("asked.clock_domain"))
        moment = f.struct(*(f.col(f"said.{name}.{part}") for part in WHEN))
        return same, moment, f.col(f"said.{name}.at")

    same, moment, at = compared("word")
    begun = f.when(same, moment < sent).otherwise(at <= f.col("asked.last.at") + skew)
    same, moment, at = compared("next")
    lasting = f.when(same, moment >= sent).otherwise(at + skew >= f.col("asked.last.at"))
    lasts = f.col("said.next").isNull() | lasting
    here = [f.col(f"asked.{name}").eqNullSafe(f.col(f"said.{name}")) for name in PLACE]
    out = f.expr("NOT array_contains(said.isr, asked.broker_id) AND asked.first <> asked.last")
    return missing.alias("asked").join(known, [*here, begun, lasts, out], "left_anti")


def _not_in(asked: DataFrame, stores: DataFrame, name: str, skew: int) -> DataFrame:
    """Those of which no store, known by a name, is in time."""
    from pyspark.sql import functions as f

    same = [f.col(f"asked.{key}").eqNullSafe(f.col(f"store.{key}")) for key in PLACE]
    equal = [f.col(f"asked.{key}") == f.col(f"store.{key}") for key in ("broker_id", name)]
    late = f.col("asked.last.at") + tolerance("asked.clock_domain", "store.clock_domain", skew)
    in_time = f.col("store.at") <= late
    return asked.alias("asked").join(stores.alias("store"), [*same, *equal, in_time], "left_anti")


CHECK = Check("acks-all", lacks, violations, judged)
