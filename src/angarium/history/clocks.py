"""Clocks that were set back: a recorder's numbers go on, and its time does not.

Checks order events by time, so a clock that is set back would put effects before their causes. The numbers
of a recorder tell the true order. `clocks` finds where time goes back; `repaired` lets the time of such a
recorder stand still until it has caught up.

One recorder may have written most of a history. So its events are not ordered at one place: they are cut
into blocks of numbers, each block is looked at by itself, and of every block one small row goes to the
next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history.numbers import source

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, WindowSpec

_BITS = 17
"""A block has so many numbers that there are few blocks, and that one is easily sorted."""
_RECORDER = ("run_id", "recorder")


def clocks(events: DataFrame, sources: DataFrame | None = None) -> DataFrame:
    """Where clocks go back: run_id, recorder, seq, back_by (nanoseconds). Of some sources, or of all."""
    from pyspark.sql import functions as f

    if sources is not None:
        events = events.select("*", source()).join(f.broadcast(sources), "source", "left_semi")
    before = f.coalesce(f.lag("time_unix_nano").over(_within()), f.col("last_before"))
    seen = _blocked(events.select(*_RECORDER, "seq", "time_unix_nano"))
    return (
        seen.withColumn("back_by", before - f.col("time_unix_nano"))
        .where("back_by > 0")
        .select(*_RECORDER, "seq", "back_by")
    )


def repaired(events: DataFrame, jumps: DataFrame) -> DataFrame:
    """The events; those of recorders with jumps have the latest time up to their number."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    recorders = f.broadcast(jumps.select(*_RECORDER).distinct())
    numbered = f.col("seq").isNotNull()
    turned = events.where(numbered).join(recorders, list(_RECORDER), "left_semi")
    straight = events.where(numbered).join(recorders, list(_RECORDER), "left_anti")
    latest = f.max("time_unix_nano").over(_within().rowsBetween(Window.unboundedPreceding, 0))
    mended = _blocked(turned).withColumn("time_unix_nano", f.greatest(latest, "latest_before"))
    whole = mended.select(*events.columns).unionByName(straight)
    return whole.unionByName(events.where(~numbered))


def _within() -> WindowSpec:
    """A recorder's events of one block, in the order of their numbers."""
    from pyspark.sql import Window

    return Window.partitionBy(*_RECORDER, "block").orderBy("seq", "time_unix_nano")


def _blocked(events: DataFrame) -> DataFrame:
    """Events with a number, each with its block, and what is known of the recorder's blocks before."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    numbered = events.where("seq IS NOT NULL").withColumn("block", f.shiftright("seq", _BITS))
    place: Column = f.struct("seq", "time_unix_nano")
    blocks = numbered.groupBy(*_RECORDER, "block").agg(
        f.max(place)["time_unix_nano"].alias("last"), f.max("time_unix_nano").alias("latest")
    )
    by_block = Window.partitionBy(*_RECORDER).orderBy("block")
    earlier = by_block.rowsBetween(Window.unboundedPreceding, -1)
    before = blocks.select(
        *_RECORDER,
        "block",
        f.lag("last").over(by_block).alias("last_before"),
        f.max("latest").over(earlier).alias("latest_before"),
    )
    return numbered.join(f.broadcast(before), [*_RECORDER, "block"], "inner")
