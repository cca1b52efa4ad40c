"""balance: an assignment that stands gives every member as many partitions, within one.

While a group's members come and go, its assignments are uneven, and rightly so. An assignment is judged only
if it stands for some time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history.checks.assignments import GROUP, changes
from angarium.history.checks.check import Check
from angarium.history.checks.facts import Facts
from angarium.history.checks.rows import as_violations, event, tally
from angarium.history.parameters import Parameters
from angarium.history.profile import Profile

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_GENERATION = (*GROUP, "generation")


def lacks(profile: Profile, parameters: Parameters) -> str | None:
    return None if profile.assignments else "there are no assignments of partitions with a generation"


def violations(facts: Facts) -> DataFrame:
    """`uneven`: the members' numbers of partitions differ by more than one."""
    from pyspark.sql import functions as f

    uneven = _generations(facts).where("stood AND measure > 1")
    found = uneven.withColumn("bound", f.lit(1)).withColumnRenamed("consumer_group", "subscriber")
    return as_violations(found, "balance", "uneven")


def judged(facts: Facts) -> DataFrame:
    from pyspark.sql import functions as f

    return tally(_generations(facts), f.col("stood"), "some assignments did not stand long enough")


def _generations(facts: Facts) -> DataFrame:
    """One row a generation: how far its members' numbers differ, and whether it `stood` long enough."""
    from pyspark.sql import functions as f

    member = f.struct("event", "size", "followed").alias("member")
    members = _assignments(facts).groupBy(*_GENERATION, "consumer").agg(
        f.max(member).alias("latest"), f.min("event").alias("first")
    )  # fmt: skip
    generations = members.groupBy(*_GENERATION).agg(
        f.min("first").alias("first"),
        f.max("latest").alias("latest"),
        (f.max("latest.size") - f.min("latest.size")).alias("measure"),
    )
    known = generations.withColumn("last", f.col("latest.event")).withColumn(
        "found_at", f.col("last.at") + f.lit(facts.parameters.balance_within)
    )
    stood = f.expr("NOT latest.followed AND found_at <= end")
    return known.join(f.broadcast(facts.ends), "run_id", "inner").withColumn("stood", stood)


def _assignments(facts: Facts) -> DataFrame:
    """Assignments with their size, and whether they are `followed` by another in time.

    What follows the last assignment of a generation is of another generation.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    order = Window.partitionBy(*GROUP).orderBy("at")
    now, soon = (
        f.count("*").over(order.rangeBetween(0, far)) for far in (0, facts.parameters.balance_within)
    )
    given = changes(facts).where("assigned AND partitions IS NOT NULL AND generation IS NOT NULL")
    return given.select(
        *_GENERATION, "consumer", event().alias("event"),
        f.size(f.array_distinct("partitions")).cast("bigint").alias("size"), (soon > now).alias("followed"),
    )  # fmt: skip


CHECK = Check("balance", lacks, violations, judged)
