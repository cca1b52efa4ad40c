"""Messages that come back after they were forgotten: their events are looked up in those that were written.

What is settled and old is not kept in memory, and nearly always rightly so. If such a message is delivered
once more, there is a delivery of which nobody has seen the send. Then all that is known of it is read from
the table of events, so that it is judged as if nothing had been forgotten.

What begins like a new message, with a first attempt to send it, is taken for one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history.checks.facts import MESSAGE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def suspects(new: DataFrame, state: DataFrame) -> DataFrame:
    """The messages of new events that are not in the state, and do not begin as messages do."""
    from pyspark.sql import functions as f

    own = f.col("op_type").isin("send", "receive", "process")
    told = new.where(own & f.col("message_id").isNotNull()).groupBy(*MESSAGE)
    begins = (f.col("op_type") == "send") & ~f.coalesce(f.col("attempt") > 1, f.lit(False))
    strange = told.agg(f.bool_or(begins).alias("begins")).where("NOT begins").select(*MESSAGE)
    return strange.join(state.select(*MESSAGE), list(MESSAGE), "left_anti")


def recalled(written: DataFrame, wanted: DataFrame) -> DataFrame:
    """All written events of the wanted messages, and what their consumers settled together with others."""
    from pyspark.sql import functions as f

    own = written.join(f.broadcast(wanted), list(MESSAGE), "left_semi")
    consumers = own.where("op_type IN ('receive', 'process')").select("run_id", "consumer").distinct()
    several = written.where("op_type = 'settle' AND settle_multiple")
    others = several.join(f.broadcast(wanted), list(MESSAGE), "left_anti")
    return own.unionByName(others.join(f.broadcast(consumers), ["run_id", "consumer"], "left_semi"))
