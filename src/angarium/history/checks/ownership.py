"""ownership: only the member to whom a partition is assigned gets its messages.

What a member was told last, before a delivery, is found by sorting both together. Whether somebody else has
the partition by then is asked only of deliveries in a generation that has a later one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history.checks.assignments import GROUP, changes
from angarium.history.checks.check import Check
from angarium.history.checks.facts import WHEN, Facts
from angarium.history.checks.rows import as_violations, event, tally, tolerance
from angarium.history.parameters import Parameters
from angarium.history.profile import Profile

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_MEMBER = (*GROUP, "consumer")
_DELIVERY = (*_MEMBER, "destination", "partition_id", "message_id", "generation", "clock_domain")


def lacks(profile: Profile, parameters: Parameters) -> str | None:
    if not profile.assignments:
        return "there are no assignments of partitions with a generation"
    return None if profile.grouped else "no group got messages of a partition"


def violations(facts: Facts) -> DataFrame:
    """`not-assigned` and `stale-generation`."""
    from pyspark.sql import functions as f

    told = _told(facts)
    astray = told.where("NOT owned").withColumn("first", f.coalesce("told.event", "last"))
    found = as_violations(_named(astray), "ownership", "not-assigned")
    stale = _named(_stale(told.where("owned"), facts))
    return found.unionByName(as_violations(stale, "ownership", "stale-generation"))


def judged(facts: Facts) -> DataFrame:
    from pyspark.sql import functions as f

    return tally(_deliveries(facts), f.lit(True), "")


def _named(found: DataFrame) -> DataFrame:
    return found.withColumnsRenamed({"consumer_group": "subscriber", "consumer": "consumer_id"})


def _deliveries(facts: Facts) -> DataFrame:
    """Deliveries of a group's partition, in runs with assignments."""
    from pyspark.sql import functions as f

    told = changes(facts).where("assigned AND partitions IS NOT NULL AND generation IS NOT NULL")
    runs = told.select("run_id").distinct()
    known = facts.deliveries.where("consumer_group IS NOT NULL AND partition_id IS NOT NULL")
    return known.join(f.broadcast(runs), "run_id", "left_semi").select(*_DELIVERY, *WHEN)


def _told(facts: Facts) -> DataFrame:
    """Deliveries (`last`) with what their consumer was `told` last before, and whether they are `owned`."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    word = f.struct("assigned", "partitions", "generation", event().alias("event"))
    words = changes(facts).select(*_MEMBER, *WHEN, word.alias("word"))
    order = Window.partitionBy(*_MEMBER).orderBy(*WHEN)
    before = order.rowsBetween(Window.unboundedPreceding, -1)
    told = f.last("word", ignorenulls=True).over(before).alias("told")
    both = _deliveries(facts).unionByName(words, allowMissingColumns=True)
    known = both.select(*_DELIVERY, "word", event().alias("last"), told).where("word IS NULL").drop("word")
    contained = (
        "array_contains(told.partitions, partition_id)"
        " OR array_contains(told.partitions, concat(destination, '/', partition_id))"
    )
    return known.withColumn("owned", f.expr(f"coalesce(told.assigned AND ({contained}), false)"))


def _stale(owned: DataFrame, facts: Facts) -> DataFrame:
    """Deliveries after another consumer has got the partition in a later generation: `first`."""
    from pyspark.sql import functions as f

    assigned = changes(facts).where("assigned AND generation IS NOT NULL")
    dated = owned.withColumn("generation", f.coalesce("generation", "told.generation")).drop("told")
    late = _in_passed_generation(dated, assigned).alias("late")
    given = assigned.select("*", f.explode("partitions").alias("name"), event().alias("first")).alias("given")
    key = [f.col(f"late.{name}") == f.col(f"given.{name}") for name in GROUP]
    names = f.expr(
        "given.name = late.partition_id OR given.name = concat(late.destination, '/', late.partition_id)"
    )
    other = f.expr("given.consumer <> late.consumer AND given.generation > late.generation")
    skew = tolerance("given.clock_domain", "late.clock_domain", facts.parameters.clock_skew)
    before = f.col("given.at") + skew < f.col("late.last.at")
    found = late.join(given, [*key, names, other, before], "inner").select("late.*", "given.first")
    return found.groupBy(*_DELIVERY, "last").agg(f.min("first").alias("first"))


def _in_passed_generation(dated: DataFrame, assigned: DataFrame) -> DataFrame:
    """Deliveries at a time at which a later generation had begun. A generation that nobody got is unknown."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    key = (*GROUP, "generation")
    begun = assigned.groupBy(*key).agg(f.min("at").alias("begun"))
    later = (
        Window.partitionBy(*GROUP).orderBy(f.desc("generation")).rowsBetween(Window.unboundedPreceding, -1)
    )
    passed = begun.select(*key, f.lit(True).alias("known"), f.min("begun").over(later).alias("passed"))
    joined = dated.where("generation IS NOT NULL").join(f.broadcast(passed), list(key), "left")
    return joined.where("known IS NULL OR passed < last.at").drop("known", "passed")


CHECK = Check("ownership", lacks, violations, judged)
