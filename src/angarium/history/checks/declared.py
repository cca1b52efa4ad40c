"""What control events say of a destination, or of one of its subscribers: message timeouts, retry limits.

Some brokers have such a number for each consumer group or durable consumer. So an event that names one is
about that subscriber only; one that names none is about all subscribers of its destination. Of several that
apply, the largest counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history.checks.facts import DESTINATION, Facts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def with_declared(rows: DataFrame, facts: Facts, column: str, name: str) -> DataFrame:
    """Rows of a subscriber (run_id, destination, subscriber) with the largest number that is said of it."""
    from pyspark.sql import functions as f

    said = facts.controls.where("destination IS NOT NULL").where(f.col(column).isNotNull())
    known = said.withColumn("subscriber", f.coalesce("consumer_group", "subscription"))
    own = (
        known.where("subscriber IS NOT NULL")
        .groupBy(*DESTINATION, "subscriber")
        .agg(f.max(column).alias("own"))
    )
    common = known.where("subscriber IS NULL").groupBy(*DESTINATION).agg(f.max(column).alias("common"))
    met = rows.join(f.broadcast(own), [*DESTINATION, "subscriber"], "left")
    met = met.join(f.broadcast(common), [*DESTINATION], "left")
    return met.withColumn(name, f.greatest("own", "common")).drop("own", "common")
