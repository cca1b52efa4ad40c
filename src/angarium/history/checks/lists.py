"""Short lists by key, and the first entry after a moment: how rare events are found from frequent ones.

Ends of consumers are few and deliveries are many, and a delivery asks for the first end after it. So the ends
of each consumer become one row, which is joined to the deliveries; nothing that is frequent is shuffled for
it. A consumer may end thousands of times. Looking at each of its ends for each of its deliveries would take
too long, so a list is cut into chunks: first the chunk is found, then the entry in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history.checks.facts import WHEN

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

CHUNK = 128


def listed(
    rows: DataFrame, keys: tuple[str, ...], name: str, columns: tuple[str, ...], largest: str = "at"
) -> DataFrame:
    """One row a key: its rows in the order of the history, in chunks, each with its last moment.

    The column `name` is array<struct<until, since, most, entries>>. Until is struct<at, recorder, seq>, since
    the first time, most the largest number in the column `largest`, and entries is array<struct<at, recorder,
    seq, …>>.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    number = f.row_number().over(Window.partitionBy(*keys).orderBy(*WHEN))
    chunk = f.struct(
        f.max(f.struct(*WHEN)).alias("until"),
        f.min("at").alias("since"),
        f.max(largest).alias("most"),
        f.sort_array(f.collect_list(f.struct(*WHEN, *columns))).alias("entries"),
    )
    return (
        rows.withColumn("chunk", f.floor((number - 1) / CHUNK))
        .groupBy(*keys, "chunk")
        .agg(chunk.alias("chunk_entries"))
        .groupBy(*keys)
        .agg(f.sort_array(f.collect_list("chunk_entries")).alias(name))
    )


def first_after(chunks: Column, moment: Column) -> Column:
    """The first entry of a list after a moment, which is a struct of at, recorder and seq; or null."""
    from pyspark.sql import functions as f

    chunk = f.get(f.filter(chunks, lambda each: each["until"] > moment), f.lit(0))
    return f.get(f.filter(chunk["entries"], lambda each: moment_of(each) > moment), f.lit(0))


def first_covering(chunks: Column, moment: Column, column: str, least: Column) -> Column:
    """The first entry after a moment that has so large a number in a column (`largest` of the list), or null.

    It is in one of the first two chunks that may have it: the moment may fall into the first of them, and
    the entry with the large number lie before it.
    """
    from pyspark.sql import functions as f

    chosen = f.filter(chunks, lambda each: (each["until"] > moment) & (each["most"] >= least))
    entries = f.flatten(f.transform(f.slice(chosen, 1, 2), lambda each: each["entries"]))
    covering = f.filter(entries, lambda each: (moment_of(each) > moment) & (each[column] >= least))
    return f.get(covering, f.lit(0))


def between(chunks: Column, low: Column, high: Column) -> Column:
    """The entries of a list, or of several put together, with a time from `low` to `high`."""
    from pyspark.sql import functions as f

    chosen = f.filter(chunks, lambda each: (each["until"]["at"] >= low) & (each["since"] <= high))
    entries = f.flatten(f.transform(chosen, lambda each: each["entries"]))
    return f.filter(entries, lambda each: (each["at"] >= low) & (each["at"] <= high))


def moment_of(entry: Column) -> Column:
    """The place of an event in the order of its history."""
    from pyspark.sql import functions as f

    return f.struct(*(entry[name].alias(name) for name in WHEN))
