"""Tables that are put together, and tables that are kept without the plan that made them.

Spark keeps a table under its plan, and every question about the table carries that plan along: it is
analysed and optimised again and again, only to find out at the end that the table is there. With tables made
from tables the plans grow to thousands of nodes, and a small history takes minutes. `kept` gives the same
table with nothing but "it is kept" as its plan. How its rows are divided stays known, and a machine that dies
with its part of them costs computing that part again.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import TYPE_CHECKING

from angarium.spark.bridge import with_kept

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def kept(table: DataFrame) -> DataFrame:
    """The table, computed when it is first asked for, and kept in memory, or on disk if there is no room.

    Let go of the given table, not of this one.
    """
    from pyspark.storagelevel import StorageLevel

    return with_kept(table.persist(StorageLevel.MEMORY_AND_DISK))


def united(tables: Iterable[DataFrame]) -> DataFrame:
    """All rows of some tables, at least one, that have the same columns."""
    return reduce(lambda one, other: one.unionByName(other), tables)
