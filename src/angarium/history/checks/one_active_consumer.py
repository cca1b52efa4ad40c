"""one-active-consumer: of a queue's or partition's consumers one is active at a time.

To be active is to get messages: a consumer that was cancelled may hold what it got for as long as it likes.
So what is compared is when consumers got messages. Each has a first and a last delivery, which is one small
row; only where the rows of two overlap are deliveries looked at.

Without generations, a partition that is given to another and comes back looks as if two were active. So
deliveries of a group's partition are judged only if they have one, unless the destination is said to have a
single active consumer.

A consumer may be seen by recorders with different clocks. Its deliveries of one clock are a *strand*.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history.checks.check import Check
from angarium.history.checks.facts import WHEN, Facts
from angarium.history.checks.rows import as_violations, event, near, tally, tolerance
from angarium.history.parameters import Parameters
from angarium.history.profile import Profile

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

UNIT = ("run_id", "destination", "partition_id", "subscriber")
"""That of which one consumer is active; partition_id is null where it is a whole queue."""
_CONSUMER = ("consumer", "generation")
_UNJUDGED = "some queues may have many active consumers, or some deliveries of partitions have no generation"
_STRAND = (*UNIT, *_CONSUMER, "clock_domain")


def lacks(profile: Profile, parameters: Parameters) -> str | None:
    if not profile.deliveries:
        return "there are no deliveries"
    if profile.grouped or profile.single_actives or parameters.single_active:
        return None
    return "no queue is said to have a single active consumer, and no group reads a partition"


def with_one_active(rows: DataFrame, grouped: Column, facts: Facts) -> DataFrame:
    """Rows, and whether one consumer is active at a time where they come from: `one_active`.

    `grouped`: whether they are of a group's partition.
    """
    from pyspark.sql import functions as f

    said = facts.declarations.where("single_active").select("run_id", "destination").distinct()
    said = said.withColumn("said", f.lit(True))
    known = rows.join(f.broadcast(said), ["run_id", "destination"], "left")
    single = f.coalesce("said", f.lit(False)) | _named(facts.parameters.single_active)
    return known.withColumn("one_active", single | grouped).drop("said")


def _told(facts: Facts) -> DataFrame:
    """All deliveries, and whether one can show that two consumers are active: `one_active`."""
    from pyspark.sql import functions as f

    return with_one_active(facts.deliveries, of_group_partition() & f.col("generation").isNotNull(), facts)


def violations(facts: Facts) -> DataFrame:
    """`two-active`: a consumer gets a message after a later one has got its first."""
    deliveries = _deliveries(facts)
    pairs = _overlapping(_strands(deliveries))
    found = _first_after(deliveries, pairs, facts.parameters.clock_skew)
    return as_violations(found, "one-active-consumer", "two-active")


def judged(facts: Facts) -> DataFrame:
    from pyspark.sql import functions as f

    return tally(_told(facts), f.col("one_active"), _UNJUDGED)


def _named(patterns: tuple[str, ...]) -> Column:
    """Whether a pattern of the parameter *single active*, with `*` and `?`, is that of the destination."""
    from pyspark.sql import functions as f

    named = f.lit(False)
    for pattern in patterns:
        literal = pattern.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        named |= f.col("destination").like(literal.replace("*", "%").replace("?", "_"))
    return named


def of_group_partition() -> Column:
    from pyspark.sql import functions as f

    return f.col("consumer_group").isNotNull() & f.col("partition_id").isNotNull()


def _deliveries(facts: Facts) -> DataFrame:
    """The deliveries that are judged, and the queue or partition of which one consumer is active."""
    from pyspark.sql import functions as f

    unit = f.when(of_group_partition(), f.col("partition_id"))
    known = _told(facts).where("one_active").withColumn("partition_id", unit)
    return known.select(*_STRAND, *WHEN)


def _strands(deliveries: DataFrame) -> DataFrame:
    """One row a strand: its last time; and the first delivery of its consumer, of whatever strand."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    strands = deliveries.groupBy(*_STRAND).agg(f.min(event()).alias("began"), f.max("at").alias("until"))
    consumer = Window.partitionBy(*UNIT, *_CONSUMER)
    return strands.select(
        *_STRAND,
        "until",
        f.min("began").over(consumer).alias("began"),
        f.min_by("clock_domain", "began").over(consumer).alias("began_domain"),
    )


def _overlapping(strands: DataFrame) -> DataFrame:
    """Pairs of a strand and the first delivery, `first`, of another consumer that began before its end."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    order = Window.partitionBy(*UNIT).orderBy("began")
    before = order.rowsBetween(Window.unboundedPreceding, -1)
    # A long row of consumers, one after the other, must not be compared with itself: these two leave
    # out nearly all that overlaps with none.
    placed = strands.select(
        "*", f.lead("began").over(order).alias("next"), f.max("until").over(before).alias("until_before")
    )
    one = placed.where("until > next.at").select(*_STRAND, "began", "until").alias("one")
    other = placed.where("until_before > began.at").select(*UNIT, *_CONSUMER, "began", "began_domain")
    same = [f.col(f"one.{name}").eqNullSafe(f.col(f"other.{name}")) for name in UNIT]
    overlap = f.expr("one.began < other.began AND one.until > other.began.at")
    two = f.expr("one.consumer <> other.consumer")
    return one.join(other.distinct().alias("other"), [*same, overlap, two], "inner").select(
        "one.*",
        f.struct("other.consumer", "other.generation").alias("other"),
        f.col("other.began").alias("first"),
        f.col("other.began_domain").alias("first_domain"),
    )


def _first_after(deliveries: DataFrame, pairs: DataFrame, skew: int) -> DataFrame:
    """Of each pair the first delivery of the one, `last`, that is later than the first of the other.

    Deliveries and questions are sorted together, from the last to the first: the answer is what was seen
    last, and no pair meets all deliveries of its strand.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    asked = pairs.withColumn("at", f.col("first.at") + tolerance("clock_domain", "first_domain", skew))
    told = near(deliveries, pairs, _STRAND).withColumn("told", event())
    backwards = Window.partitionBy(*_STRAND).orderBy(
        f.desc("at"), f.desc_nulls_first("recorder"), f.desc("seq")
    )
    seen = f.last("told", ignorenulls=True).over(backwards.rowsBetween(Window.unboundedPreceding, -1))
    answers = told.unionByName(asked.drop("began", "until", "first_domain"), allowMissingColumns=True)
    answered = answers.withColumn("last", seen).where("other IS NOT NULL AND last IS NOT NULL")
    found = answered.groupBy(*UNIT, *_CONSUMER, "other", "first").agg(f.min("last").alias("last"))
    return found.withColumnRenamed("consumer", "consumer_id")


CHECK = Check("one-active-consumer", lacks, violations, judged)
