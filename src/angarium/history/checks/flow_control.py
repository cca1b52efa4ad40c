"""flow-control: never more messages in flight than the consumer has asked for.

A delivery adds one to what its holder has in flight, its end takes one away, and a running sum over both, in
the order of the history, is what is in flight. It is sorted on disk if need be: nothing is kept of the
messages themselves, so that a consumer may have millions in flight. A holder is a consumer or, where a
destination has a limit for all consumers of a subscriber together, that subscriber.

Consumers of one subscriber may have different clocks. Then nobody can tell how many messages they hold at
once, and the subscriber's limit is not judged.

The limit of a holder is a step function. It steps when a credit is set, and once more when the grace of the
one that was replaced is over. Times are whole nanoseconds: what is allowed up to a time ends before the next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history.checks.check import Check
from angarium.history.checks.facts import WHEN, Facts
from angarium.history.checks.holdings import KEY, with_timeout
from angarium.history.checks.rows import as_violations, event, tally
from angarium.history.parameters import Parameters
from angarium.history.profile import Profile

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, WindowSpec

_HOLDER = ("run_id", "place", "holder")
"""Whose limit it is: a consumer (place is null), or a subscriber of a destination (the place)."""
_DELIVERY = ("destination", "partition_id", "subscriber", "message_id", "consumer")
_UNLIMITED = (1 << 63) - 1


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

    given = _credits(facts)
    rows = _moves(facts, given).unionByName(_limits(given, facts), allowMissingColumns=True)
    found = _over(rows, f.sum("change").over(_here()))
    of_consumer = f.when(f.col("place").isNull(), f.col("delivery.consumer")).alias("consumer_id")
    named = found.select("run_id", "delivery.*", "last", "measure", "limit.*", of_consumer)
    return as_violations(named, "flow-control", "over-credit")


def judged(facts: Facts) -> DataFrame:
    from pyspark.sql import functions as f

    holders = _credits(facts).select(*_HOLDER).distinct().withColumn("limited", f.lit(True))
    consumers = holders.where("place IS NULL").select("run_id", f.col("holder").alias("consumer"), "limited")
    subscribers = holders.where("place IS NOT NULL").withColumnsRenamed(
        {"place": "destination", "holder": "subscriber", "limited": "limited_together"}
    )
    met = (
        with_timeout(facts.deliveries, facts)
        .join(f.broadcast(consumers), ["run_id", "consumer"], "left")
        .join(f.broadcast(subscribers), ["run_id", "destination", "subscriber"], "left")
    )
    limited = f.expr("known AND (limited IS NOT NULL OR limited_together IS NOT NULL)")
    return tally(met, limited, "some deliveries have no limit, or their message timeout is not known")


# --- what is in flight -----------------------------------------------------------------------------


def _here(*more: str) -> WindowSpec:
    """All up to a row. What ends with an event ends before another begins with it."""
    from pyspark.sql import Window

    return _up_to_here(Window.partitionBy(*_HOLDER, *more).orderBy(*WHEN, "change"))


def _over(rows: DataFrame, in_flight: Column) -> DataFrame:
    """Deliveries with which more is in flight than the limit."""
    from pyspark.sql import functions as f

    limit = f.last("limit", ignorenulls=True).over(_here()).alias("limit")
    counted = rows.select(*_HOLDER, "delivery", event().alias("last"), in_flight.alias("measure"), limit)
    return counted.where("delivery IS NOT NULL AND measure > limit.bound")


def _moves(facts: Facts, given: DataFrame) -> DataFrame:
    """The beginning and the end of every delivery, for each holder whose limit may count.

    Both are made from one row, so that what became of a delivery is found out once.
    """
    from pyspark.sql import functions as f

    places = given.where("place IS NOT NULL").select("run_id", f.col("place").alias("destination"))
    together = f.broadcast(places.distinct().withColumn("together", f.lit(True)))
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
    one that its holder has acknowledged before, if that may have crossed this delivery. The broker counts a
    timeout from before the client has the message. It is no event, and comes before all events of its time,
    as null does.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    def moment(name: str) -> Column:
        return f.when(f.col(name).isNotNull(), f.struct(*(f.col(f"{name}.{part}") for part in WHEN)))

    again = f.lead(f.struct(*WHEN)).over(Window.partitionBy(*KEY, *holder).orderBy(*WHEN))
    own = f.expr("get(acks, 0)")
    first = f.when(own.isNotNull(), f.struct(*(own[part].alias(part) for part in WHEN)))
    earliest = f.min(first).over(Window.partitionBy(*KEY, *dict.fromkeys(("subscriber", *holder))))
    acknowledged = f.when(earliest["at"] >= f.col("at") - grace, earliest)
    nobody = (f.lit(None).cast("string").alias("recorder"), f.lit(None).cast("bigint").alias("seq"))
    timeout = f.struct((f.col("timeout_at") - grace).alias("at"), *nobody)
    timed_out = f.when(f.col("timeout_at").isNotNull(), timeout)
    return f.least(moment("settled"), moment("closed"), again, acknowledged, timed_out)


# --- what may be in flight -------------------------------------------------------------------------


def _credits(facts: Facts) -> DataFrame:
    """Every event that sets the credit of a holder."""
    from pyspark.sql import functions as f

    flows = facts.events.where("op_type = 'flow' AND phase <> 'fail'").select(
        "run_id", "consumer", *WHEN, "credit"
    )
    asked = f.expr(
        f"coalesce(credit, if(prefetch > 0, prefetch, NULL), if(prefetch = 0, {_UNLIMITED}, NULL))"
    ).alias("credit")
    begun = facts.subscriptions.select("run_id", "consumer", *WHEN, asked)
    own = flows.unionByName(begun).where("credit IS NOT NULL")
    nowhere = f.lit(None).cast("string").alias("place")
    consumers = own.select("run_id", nowhere, f.col("consumer").alias("holder"), *WHEN, "credit")
    return consumers.unionByName(_credits_together(facts))


def _credits_together(facts: Facts) -> DataFrame:
    """Credits of all consumers of a subscriber together: of one that is named, or of each."""
    from pyspark.sql import functions as f

    nobody = "client_id IS NULL AND consumer_id IS NULL"
    said = facts.controls.where("destination IS NOT NULL AND credit IS NOT NULL AND phase <> 'fail'")
    named = f.coalesce("consumer_group", "subscription").alias("named")
    limits = said.where(nobody).select("run_id", "destination", named, *WHEN, "credit")
    place = ["run_id", "destination"]
    limited = f.broadcast(limits.select(*place).distinct())
    clock = f.struct("clock_domain")
    readers = facts.deliveries.join(limited, place, "left_semi").groupBy(*place, "subscriber")
    subscribers = readers.agg(f.min(clock).alias("one"), f.max(clock).alias("other")).where("one <=> other")
    met = limits.join(subscribers, place, "inner").where("named IS NULL OR named = subscriber")
    holder = (f.col("destination").alias("place"), f.col("subscriber").alias("holder"))
    return met.select("run_id", *holder, *WHEN, "credit")


def _limits(given: DataFrame, facts: Facts) -> DataFrame:
    """The steps of each holder's limit: `bound`, and `first`, the event of the credit in force."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    order = Window.partitionBy(*_HOLDER).orderBy(*WHEN)
    changes = given.withColumn("replaced", f.lag("credit").over(order))
    over = (f.col("at") + facts.parameters.grace + 1).alias("at")  # before all events of the next nanosecond
    expiries = changes.where("replaced IS NOT NULL").select(*_HOLDER, over)
    steps = changes.withColumn("first", event()).unionByName(expiries, allowMissingColumns=True)
    in_force = f.last(f.when(f.col("credit").isNotNull(), f.struct("credit", "first")), ignorenulls=True)
    known = steps.withColumn("in_force", in_force.over(_up_to_here(order)))
    bound = f.greatest(f.col("in_force.credit"), *_replaced(facts.parameters.grace)).alias("bound")
    limit = f.struct(bound, f.col("in_force.first").alias("first"))
    return known.select(*_HOLDER, *WHEN, limit.alias("limit"))


def _replaced(grace: int) -> list[Column]:
    """The largest credits that were replaced within the grace: before this time, and at it.

    All of one time before this one come before it, too; of those at this time only some do.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    now = _up_to_here(Window.partitionBy(*_HOLDER, "at").orderBy("recorder", "seq"))
    replaced = [f.max("replaced").over(now)]
    if grace > 0:
        lately = Window.partitionBy(*_HOLDER).orderBy("at").rangeBetween(-grace, -1)
        replaced.append(f.max("replaced").over(lately))
    return replaced


def _up_to_here(order: WindowSpec) -> WindowSpec:
    from pyspark.sql import Window

    return order.rowsBetween(Window.unboundedPreceding, Window.currentRow)


CHECK = Check("flow-control", lacks, violations, judged)
