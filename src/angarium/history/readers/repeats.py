"""Rows that are there twice: a file that was copied, or a recorder that wrote again after a failure.

Two rows are the same if all their columns are; then they have the same number of the same recorder. Almost
always there are none, so this is asked first, without moving the rows. For every recorder and every 64
numbers there is one word with a bit for each number: if it has fewer bits than there were rows, numbers
repeat. Only the rows of such blocks are compared. The same number with another content is no repetition: a
recorder that was started again counts from 1 on, too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from angarium.history import schema
from angarium.history.readers.quarantine import REPEATS
from angarium.history.readers.reading import Reading

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_BLOCK = ("run_id", "recorder", "block")
_BITS = 6
_MANY = 50_000
"""Blocks that the driver can hold. If more repeat, all rows with a number are compared."""


def without_repeats(reading: Reading) -> Reading:
    """The reading with every row once among the events; the others are in quarantine. Runs one Spark job."""
    blocks = _doubtful(reading.events)
    some = blocks.limit(_MANY + 1).collect()
    if not some:
        return reading
    known = reading.rows.sparkSession.createDataFrame(some, blocks.schema) if len(some) <= _MANY else None
    return replace(reading, rows=_marked(reading.rows, known))


def _doubtful(events: DataFrame) -> DataFrame:
    """The blocks in which a number is there twice: run_id, recorder, block."""
    from pyspark.sql import functions as f

    bit = f.expr(f"shiftleft(1L, int(seq & {2**_BITS - 1}))")
    words = events.where("seq IS NOT NULL").groupBy(*_BLOCK[:2], _block().alias("block"))
    counted = words.agg(f.count("*").alias("rows"), f.bit_count(f.bit_or(bit)).alias("numbers"))
    return counted.where("rows > numbers").select(*_BLOCK)


def _block() -> Column:
    from pyspark.sql import functions as f

    return f.shiftright("seq", _BITS)


def _marked(rows: DataFrame, blocks: DataFrame | None) -> DataFrame:
    """All rows; those that repeat another have a reason."""
    from pyspark.sql import functions as f

    fit = f.col("reason").isNull() & f.col("seq").isNotNull()
    if blocks is None:
        return _compared(rows.where(fit)).unionByName(rows.where(~fit))
    numbered = rows.withColumn("block", f.when(fit, _block()))
    suspects = numbered.join(f.broadcast(blocks), list(_BLOCK), "left_semi").select(*rows.columns)
    others = numbered.join(f.broadcast(blocks), list(_BLOCK), "left_anti").select(*rows.columns)
    return _compared(suspects).unionByName(others)


def _compared(rows: DataFrame) -> DataFrame:
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    same = Window.partitionBy("seq", *(name for name in schema.NAMES if name != "seq")).orderBy(
        "file", "line"
    )
    repeats = f.row_number().over(same) > 1
    blamed = {
        "reason": f.when(repeats, REPEATS),
        "field": f.when(repeats, "seq"),
        "value": f.when(repeats, f.col("seq").cast("string")),
    }
    return rows.withColumns(blamed)
