"""ownership: only the member to whom a partition is assigned gets its messages.

What a member was given last, before a delivery, is found by sorting both together. Of its revocations only
those since then matter: members may give back some partitions and keep the others, so one that names
partitions takes only these. Whether somebody else has the partition by then is asked only of deliveries in a
generation that has a later one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history.checks.assignments import GROUP, changes
from angarium.history.checks.check import Check
from angarium.history.checks.facts import WHEN, Facts
from angarium.history.checks.lists import between, listed, moment_of
from angarium.history.checks.rows import as_violations, event, tally, tolerance
from angarium.history.parameters import Parameters
from angarium.history.profile import Profile

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_MEMBER = (*GROUP, "consumer")
_DELIVERY = (*_MEMBER, "destination", "partition_id", "message_id", "generation", "clock_domain")


def lacks(profile: Profile, parameters: Parameters) -> str | None:
    if not profile.shares:
        return "there are no assignments of partitions"
    return None if profile.grouped else "no group got messages of a partition"


def violations(facts: Facts) -> DataFrame:
    """`not-assigned` and `stale-generation`."""
    from pyspark.sql import functions as f

    told = _told(facts)
    astray = told.where("NOT owned").withColumn("first", f.coalesce("taken", "told.event", "last"))
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

    told = changes(facts).where("assigned AND partitions IS NOT NULL")
    runs = told.select("run_id").distinct()
    known = facts.deliveries.where("consumer_group IS NOT NULL AND partition_id IS NOT NULL")
    return known.join(f.broadcast(runs), "run_id", "left_semi").select(*_DELIVERY, *WHEN)


def _told(facts: Facts) -> DataFrame:
    """Deliveries (`last`) with the assignment that their consumer was `told` last before.

    `taken`: the first revocation since then that takes the partition. `owned`: whether it was the consumer's.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    word = f.struct("partitions", "generation", event().alias("event"))
    words = changes(facts).where("assigned").select(*_MEMBER, *WHEN, word.alias("word"))
    order = Window.partitionBy(*_MEMBER).orderBy(*WHEN)
    before = order.rowsBetween(Window.unboundedPreceding, -1)
    told = f.last("word", ignorenulls=True).over(before).alias("told")
    both = _deliveries(facts).unionByName(words, allowMissingColumns=True)
    known = both.select(*_DELIVERY, "word", event().alias("last"), told).where("word IS NULL").drop("word")
    given = f.coalesce(_contains(f.col("told.partitions")), f.lit(False))
    taken = f.when(given, _taken()).alias("taken")
    met = known.join(f.broadcast(_revocations(facts)), [*_MEMBER], "left").select(*known.columns, taken)
    return met.withColumn("owned", given & f.col("taken").isNull())


def _revocations(facts: Facts) -> DataFrame:
    """The list of each member's revocations, `revocations`: they are few."""
    return listed(changes(facts).where("NOT assigned"), _MEMBER, "revocations", ("partitions",))


def _taken() -> Column:
    """The first revocation between an assignment and a delivery that names its partition, or none at all."""
    from pyspark.sql import functions as f

    def takes(each: Column) -> Column:
        is_since = (moment_of(each) > f.col("told.event")) & (moment_of(each) < f.col("last"))
        return is_since & (each["partitions"].isNull() | _contains(each["partitions"]))

    since = between(f.col("revocations"), f.col("told.event.at"), f.col("last.at"))
    first = f.get(f.filter(since, takes), f.lit(0))
    return f.when(first.isNotNull(), moment_of(first))


def _contains(partitions: Column) -> Column:
    """Whether a list of partitions, which are named `0` or `topic/0`, has that of a delivery."""
    from pyspark.sql import functions as f

    in_topic = f.concat("destination", f.lit("/"), "partition_id")
    return f.array_contains(partitions, f.col("partition_id")) | f.array_contains(partitions, in_topic)


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
