"""flow-control: never more messages in flight than the consumer has asked for.

A delivery adds one to what its holder has in flight, its end takes one away, and a running sum over both, in
the order of the history, is what is in flight. It is sorted on disk if need be: nothing is kept of the
messages themselves, so that a consumer may have millions in flight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history.checks.check import Check, Looks
from angarium.history.checks.credits import (
    HOLDER,
    up_to_here,
)
from angarium.history.checks.facts import WHEN, Facts
from angarium.history.checks.holdings import KEY, with_timeout
from angarium.history.checks.lists import moment_of
from angarium.history.checks.rows import as_violations, event, tally
from angarium.history.parameters import Parameters
from angarium.history.profile import Profile

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, WindowSpec

_DELIVERY = ("destination", "partition_id", "subscriber", "message_id", "consumer")


def lacks(profile: Profile, parameters: Parameters) -> str | None:
    if not profile.deliveries:
        return "there are no deliveries"
    if profile.unsettled:
        return profile.unsettled
    if not profile.credits:
        return "no event gives a credit or a prefetch"
    timed = parameters.message_timeout is not None or profile.timeouts
    if timed or profile.timerless:
        return None
    return "the message timeout is not known"


def violations(facts: Facts) -> DataFrame:
    """`over-credit`: a delivery with which more is in flight than the limit allows."""
    from pyspark.sql import functions as f

    rows = moves_of(facts).unionByName(facts.limits, allowMissingColumns=True)
    found = _over(rows, f.sum("change").over(_here()))
    of_consumer = f.when(f.col("place").isNull(), f.col("delivery.consumer")).alias("consumer_id")
    named = found.select("run_id", "delivery.*", "last", "measure", "limit.*", of_consumer)
    return as_violations(named, "flow-control", "over-credit")


def judged(facts: Facts) -> DataFrame:
    from pyspark.sql import functions as f

    holders = facts.credits.select(*HOLDER).distinct().withColumn("limited", f.lit(True))
    consumers = holders.where("place IS NULL").select("run_id", f.col("holder").alias("consumer"), "limited")
    subscribers = holders.where("place IS NOT NULL").withColumnsRenamed(
        {"place": "destination", "holder": "subscriber", "limited": "limited_together"}
    )
    met = (
        with_timeout(facts.takers, facts)
        .join(f.broadcast(consumers), ["run_id", "consumer"], "left")
        .join(f.broadcast(subscribers), ["run_id", "destination", "subscriber"], "left")
    )
    limited = f.expr("known AND (limited IS NOT NULL OR limited_together IS NOT NULL)")
    reason = "some deliveries have no limit, or their message timeout is not known"
    return tally(met, limited, reason, "deliveries")


# --- what is in flight -----------------------------------------------------------------------------


def _here() -> WindowSpec:
    """All up to a row. What ends with an event ends before another begins with it."""
    from pyspark.sql import Window

    return up_to_here(Window.partitionBy(*HOLDER).orderBy(*WHEN, "change"))


def _over(rows: DataFrame, in_flight: Column) -> DataFrame:
    """Deliveries with which more is in flight than the limit."""
    from pyspark.sql import functions as f

    limit = f.last("limit", ignorenulls=True).over(_here()).alias("limit")
    counted = rows.select(*HOLDER, "delivery", event().alias("last"), in_flight.alias("measure"), limit)
    return counted.where("delivery IS NOT NULL AND measure > limit.bound")


def moves_of(facts: Facts) -> DataFrame:
    """The beginning and the end of every delivery, for each holder whose limit may count.

    Both are made from one row, so that what became of a delivery is found out once.
    """
    from pyspark.sql import functions as f

    together = f.broadcast(limited_together(facts).withColumn("together", f.lit(True)))
    held = facts.holdings.where("known").join(together, ["run_id", "destination"], "left")
    grace = facts.parameters.grace
    timed = held.select(
        "*",
        _end(("consumer",), grace).alias("end"),
        _end(("subscriber",), grace).alias("end_together"),
    )
    moves = [
        *_two_moves(f.lit(None).cast("string"), "consumer", "end", f.lit(True)),
        *_two_moves(f.col("destination"), "subscriber", "end_together", f.col("together")),
    ]
    return timed.select("run_id", f.inline(f.array_compact(f.array(*moves))))


def limited_together(facts: Facts) -> DataFrame:
    """Destinations with a limit for all consumers of a subscriber: run_id, destination."""
    from pyspark.sql import functions as f

    places = facts.credits.where("place IS NOT NULL").select("run_id", f.col("place").alias("destination"))
    return places.distinct()


def _two_moves(place: Column, holder: str, end: str, counts: Column) -> tuple[Column, Column]:
    """A delivery's beginning and end; each is null where there is none, or where it does not count.

    What was over before it came does not count at all.
    """
    from pyspark.sql import functions as f

    whose = (place.alias("place"), f.col(holder).alias("holder"))
    ending = f.struct(*(f.col(f"{end}.{name}") for name in WHEN))
    lasts = f.col(end).isNull() | (ending > f.struct(*WHEN))
    delivery = f.struct(*_DELIVERY)
    none = f.when(f.lit(False), delivery).alias("delivery")
    began = f.struct(*whose, *WHEN, f.lit(1).alias("change"), delivery.alias("delivery"))
    ended = f.struct(*whose, *(f.col(f"{end}.{name}") for name in WHEN), f.lit(-1).alias("change"), none)
    return f.when(counts & lasts, began), f.when(counts & lasts & f.col(end).isNotNull(), ended)


def _end(holder: tuple[str, ...], grace: int) -> Column:
    """When a delivery is in flight no more: its settle, its consumer's end, its timeout, or a new delivery.

    A message that its holder gets again is not in flight twice: the broker must have taken it back. Nor is
    one that its holder has acknowledged, since then or so shortly before that it may have crossed this
    delivery; an earlier word may have been lost. The broker counts a timeout from before the client has the
    message. It is no event, and comes before all events of its time, as null does.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    def moment(name: str) -> Column:
        return f.when(f.col(name).isNotNull(), f.struct(*(f.col(f"{name}.{part}") for part in WHEN)))

    again = f.lead(f.struct(*WHEN)).over(Window.partitionBy(*KEY, *holder).orderBy(*WHEN))
    alike = Window.partitionBy(*KEY, *dict.fromkeys(("subscriber", *holder)))
    acks = f.flatten(f.collect_list(f.transform("acks", moment_of)).over(alike))
    acknowledged = f.array_min(f.filter(acks, lambda ack: ack["at"] >= f.col("at") - grace))
    nobody = (f.lit(None).cast("string").alias("recorder"), f.lit(None).cast("bigint").alias("seq"))
    timeout = f.struct((f.col("timeout_at") - grace).alias("at"), *nobody)
    timed_out = f.when(f.col("timeout_at").isNotNull(), timeout)
    return f.least(moment("settled"), moment("closed"), again, acknowledged, timed_out)


CHECK = Check("flow-control", lacks, violations, judged, Looks.HOLDERS)
