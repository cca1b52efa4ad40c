"""Rows that are there twice: a file that was copied, or a recorder that wrote again after a failure.

Two rows are the same if all their columns are; then they have the same number of the same recorder. Almost
always there are none, and only rows with doubtful numbers are compared. The same number with another content
is no repetition: a recorder that was started again counts from 1 on, too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from angarium.history import schema
from angarium.history.numbers import WORD, Doubts, source, word_of
from angarium.history.readers.quarantine import REPEATS
from angarium.history.readers.reading import Reading

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def without_repeats(reading: Reading, known: Doubts) -> Reading:
    """The reading with every row once among the events; the others are in quarantine."""
    if known.unrepeated:
        return reading
    rows = _marked(reading.rows, known.repeated(reading.rows.sparkSession))
    return replace(reading, rows=rows, whole=False)


def _marked(rows: DataFrame, words: DataFrame | None) -> DataFrame:
    """All rows; those that repeat another have a reason."""
    from pyspark.sql import functions as f

    fit = f.col("reason").isNull() & f.col("seq").isNotNull()
    if words is None:
        return _compared(rows.where(fit)).unionByName(rows.where(~fit))
    numbered = rows.select("*", source(), f.when(fit, word_of()).alias("word"))
    suspects = numbered.join(f.broadcast(words), list(WORD), "left_semi").select(*rows.columns)
    others = numbered.join(f.broadcast(words), list(WORD), "left_anti").select(*rows.columns)
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
