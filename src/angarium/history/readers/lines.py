"""The lines of text files on Spark, and their numbers.

Spark reads a large file in several pieces at a time and does not count lines. So a line is given a number
that tells in which piece it was seen, and where. Only of those few that go to quarantine the number in the
file is wanted: the pieces are counted, which is cheap, and one number is turned into the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from angarium.history.readers.quarantine import NOT_UTF8, SPOILT
from angarium.history.readers.reader import ORIGIN

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameReader, SparkSession

_ROW_BITS = 33
"""Spark numbers rows within a task by so many bits; the task's number is above them."""
_BLANK = " \t\x0b\x0c\ufeff"


def opened(spark: SparkSession) -> DataFrameReader:
    """A reader that takes paths as they are: stars and brackets are parts of names."""
    return spark.read.option("__globPaths__", "false")


def numbered(spark: SparkSession, files: Sequence[Path], *, damaged: bool = False) -> DataFrame:
    """All lines of files, also blank ones: file, block, line, raw. Damaged files up to their damage."""
    from pyspark.sql import functions as f

    text = (
        opened(spark)
        .option("ignoreCorruptFiles", str(damaged).lower())
        .text([f"file:{file}" for file in files])
    )
    return text.select(
        f.col("_metadata.file_path").alias("file"),
        f.col("_metadata.file_block_start").alias("block"),
        f.monotonically_increasing_id().alias("line"),
        f.col("value").alias("raw"),
    )


def given(lines: DataFrame) -> DataFrame:
    """The lines as a reader gets them: no blank ones, and those that are not UTF-8 spoilt for any format."""
    from pyspark.sql import functions as f

    spoilt = f.concat(f.lit(SPOILT), f.make_valid_utf8("raw"))
    text = f.when(f.is_valid_utf8("raw"), f.col("raw")).otherwise(spoilt)
    # Bytes that are no text may be parts of what is trimmed, and would be taken for blank.
    filled = (f.btrim("raw", f.lit(_BLANK)) != "") | ~f.is_valid_utf8("raw")
    return lines.where(filled).select("file", "line", text.alias("raw"))


def unspoilt(rows: DataFrame) -> DataFrame:
    """A reader's rows, with the true reason for the lines that were spoilt."""
    from pyspark.sql import functions as f

    spoilt = f.col("raw").startswith(SPOILT)
    return rows.select(
        *(name for name in rows.columns if name not in ORIGIN),
        "file",
        "line",
        f.when(spoilt, f.substring("raw", len(SPOILT) + 1, _ALL)).otherwise(f.col("raw")).alias("raw"),
        f.when(spoilt, NOT_UTF8).otherwise(f.col("reason")).alias("reason"),
        *(f.when(~spoilt, f.col(name)).alias(name) for name in ("field", "value")),
    )


_ALL = 2**31 - 1


def once(rows: DataFrame) -> DataFrame:
    """The same rows, of which each is computed once, however often its columns are asked for.

    Spark moves a filter to where the data come from, and repeats there whatever the filter's columns are made
    of: a line would be parsed dozens of times. It moves none past an explosion, be it of a single row.
    """
    from pyspark.sql import functions as f

    return rows.select(f.explode(f.array(f.struct(*rows.columns))).alias("row")).select("row.*")


def pieces(lines: DataFrame) -> DataFrame:
    """Where the pieces of files begin: file, first and last (as lines are numbered), before (lines)."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    counted = lines.groupBy("file", "block", f.shiftright("line", _ROW_BITS).alias("task")).agg(
        f.min("line").alias("first"), f.max("line").alias("last"), f.count("*").alias("count")
    )
    earlier = Window.partitionBy("file").orderBy("block").rowsBetween(Window.unboundedPreceding, -1)
    before = f.coalesce(f.sum("count").over(earlier), f.lit(0))
    return counted.select("file", "first", "last", before.alias("before"))


def renumbered(rows: DataFrame, pieces: DataFrame) -> DataFrame:
    """Rows whose lines have the numbers that they have in their files, from 1 on."""
    from pyspark.sql import functions as f

    starts = f.broadcast(pieces.withColumnRenamed("file", "in_file"))
    here = (f.col("file") == f.col("in_file")) & f.col("line").between(f.col("first"), f.col("last"))
    number = f.col("line") - f.col("first") + f.col("before") + 1
    return rows.join(starts, here, "left").withColumn("line", number).select(*rows.columns)
