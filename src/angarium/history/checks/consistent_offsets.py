"""consistent-offsets: one message an offset, one offset a message, and polls that only go on.

Offsets may have gaps, for a log also holds what is no message. So to skip is to pass a message that was
confirmed there, and never to get it.

Nearly always all is well, and that is cheap to see: by the smallest and largest message of an offset, and by
offsets that only grow. Only what is not so is looked at closely.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history.checks.check import Check
from angarium.history.checks.facts import MESSAGE, PLACE, WHEN, Facts
from angarium.history.checks.rows import as_violations, event, near, tally
from angarium.history.checks.sequences import UNMARKED, below_before
from angarium.history.parameters import Parameters
from angarium.history.profile import Profile

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_POLLS = (*PLACE, "subscriber", "consumer", "generation")
_STORED = "phase = 'ok' AND NOT deduplicated <=> true"
_NAME = "consistent-offsets"


def lacks(profile: Profile, parameters: Parameters) -> str | None:
    return None if profile.placed else "no send and no delivery has an offset"


def violations(facts: Facts) -> DataFrame:
    """`two-values`, `two-offsets`, `nonmonotonic-poll`, `skip`."""
    from pyspark.sql import functions as f

    placed = _sends_and_deliveries(facts).where("offset IS NOT NULL")
    values = _others(placed, (*PLACE, "offset"), "message_id").withColumn("measure", f.col("offset"))
    offsets = _others(placed, (*PLACE, "message_id"), "offset")
    measured = offsets.withColumn("measure", f.col("offset")).withColumn("bound", f.col("value_of_first"))
    polls = _polls(facts)
    return (
        as_violations(values, _NAME, "two-values")
        .unionByName(as_violations(measured, _NAME, "two-offsets"))
        .unionByName(as_violations(_backward(facts, polls), _NAME, "nonmonotonic-poll"))
        .unionByName(as_violations(_skipped(facts, polls), _NAME, "skip"))
    )


def judged(facts: Facts) -> DataFrame:
    from pyspark.sql import functions as f

    reason = "some sends or deliveries have no offset"
    return tally(_sends_and_deliveries(facts), f.col("offset").isNotNull(), reason)


def _sends_and_deliveries(facts: Facts) -> DataFrame:
    columns = (*PLACE, "message_id", "offset", *WHEN)
    return facts.sends.where(_STORED).select(*columns).unionByName(facts.deliveries.select(*columns))


def _others(placed: DataFrame, key: tuple[str, ...], value: str) -> DataFrame:
    """The values of a key other than its first event's, `value_of_first`; each with its own first event."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    # Numbers are compared faster than texts: two that hash to the same 64 bits are taken for one.
    hashed = f.xxhash64(value)
    torn = placed.groupBy(*key).agg(f.min(hashed).alias("low"), f.max(hashed).alias("high"))
    close = near(placed, torn.where("low <> high"), key)
    order = Window.partitionBy(*key).orderBy("last")
    return (
        close.groupBy(*key, value)
        .agg(f.min(event()).alias("last"))
        .withColumn("first", f.first("last").over(order))
        .withColumn("value_of_first", f.first(value).over(order))
        .where(f.col(value) != f.col("value_of_first"))
    )


def _polls(facts: Facts) -> DataFrame:
    """Deliveries with an offset, the one before, and the largest before of those that may be first ones."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    order = Window.partitionBy(*_POLLS).orderBy(*WHEN)
    before = order.rowsBetween(Window.unboundedPreceding, -1)
    polls = facts.deliveries.where("offset IS NOT NULL").withColumn("unmarked", f.expr(UNMARKED))
    return polls.select(
        *_POLLS, "consumer_group", "message_id", "offset", "unmarked", *WHEN,
        f.lag("offset").over(order).alias("offset_before"),
        f.lag(event()).over(order).alias("first"),
        f.max(f.when(f.col("unmarked"), f.col("offset"))).over(before).alias("largest_before"),
    )  # fmt: skip


def _backward(facts: Facts, polls: DataFrame) -> DataFrame:
    """First deliveries with an offset below the largest before.

    Which deliveries are first ones is asked only where an offset is below another that may be a first one.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    subscribed = (*MESSAGE, "subscriber")
    suspect = polls.where("unmarked AND offset < largest_before")
    messages = near(facts.deliveries.where("offset IS NOT NULL"), suspect, _POLLS)
    order = Window.partitionBy(*subscribed).orderBy(*WHEN)
    numbered = near(facts.deliveries, messages, subscribed).withColumn("number", f.row_number().over(order))
    firsts = numbered.where("number = 1 AND offset IS NOT NULL").where(UNMARKED)
    return below_before(firsts, _POLLS, "offset").withColumnRenamed("consumer", "consumer_id")


def _skipped(facts: Facts, polls: DataFrame) -> DataFrame:
    """Messages that a group's consumer passed, and that the group never got."""
    from pyspark.sql import functions as f

    passed = _passed(facts, polls.where("consumer_group IS NOT NULL AND offset > offset_before + 1"))
    delivered = facts.deliveries.where("consumer_group IS NOT NULL")
    key = (*MESSAGE, "consumer_group")
    never = passed.join(near(delivered, passed, key), list(key), "left_anti")
    pair = f.struct("last", "first", "measure", "partition_id", "consumer_id")
    first = never.groupBy(*key).agg(f.min(pair).alias("pair")).select(*key, "pair.*")
    return first.withColumnRenamed("consumer_group", "subscriber")


def _passed(facts: Facts, leaps: DataFrame) -> DataFrame:
    """Messages confirmed at an offset between two that a consumer got one after the other.

    A leap is in the one or two bins, of a size not below its own, that its ends are in. A message is in one
    bin of each size. So they meet by equality, though leaps may overlap in any way.
    """
    from pyspark.sql import functions as f

    sized = leaps.withColumn("level", (f.ceil(f.log2(f.expr("offset - offset_before"))) + 1).cast("int"))
    ends = f.expr("array_distinct(array(shiftright(offset_before, level), shiftright(offset, level)))")
    binned = sized.withColumn("bin", f.explode(ends)).alias("leap")
    sends = near(facts.sends.where(_STORED).where("offset IS NOT NULL"), leaps, PLACE)
    levels = f.broadcast(sized.select("level").distinct())
    at = sends.crossJoin(levels).withColumn("bin", f.expr("shiftright(offset, level)")).alias("sent")
    same = [f.col(f"sent.{name}").eqNullSafe(f.col(f"leap.{name}")) for name in (*PLACE, "level", "bin")]
    between = f.expr("sent.offset > leap.offset_before AND sent.offset < leap.offset AND sent.at <= leap.at")
    return at.join(binned, [*same, between], "inner").select(
        *(f.col(f"sent.{name}") for name in (*PLACE, "message_id")),
        "leap.consumer_group", f.col("leap.consumer").alias("consumer_id"), "leap.first",
        f.struct(*(f.col(f"leap.{name}") for name in WHEN)).alias("last"),
        f.col("sent.offset").alias("measure"),
    )  # fmt: skip


CHECK = Check(_NAME, lacks, violations, judged)
