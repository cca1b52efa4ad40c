"""Foreign records for tests: what a reader makes of a file, as plain Python."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from angarium.history import schema
from angarium.history.readers.reader import ORIGIN, Reader

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DATA = Path(__file__).parent / "data"
"""Real histories; not everywhere."""

Row = dict[str, Any]


@cache
def rows(spark: SparkSession, reader: Reader, name: str) -> list[Row]:
    """All rows of a file of `DATA`, each with what is not null, ordered by time. Read once for all tests."""
    from pyspark.sql import functions as f

    read = spark.read.text(str(DATA / name)).select(
        f.lit(name).alias("file"), f.monotonically_increasing_id().alias("line"), f.col("value").alias("raw")
    )
    parsed = reader.parse(read)
    assert tuple(parsed.columns) == (*schema.NAMES, *ORIGIN)
    assert [kind for _, kind in parsed.dtypes[: len(schema.NAMES)]] == [each.type for each in schema.COLUMNS]
    found = [
        {key: value for key, value in row.asDict().items() if value is not None} for row in parsed.collect()
    ]
    return sorted(found, key=lambda row: (row.get("time_unix_nano", 0), row["line"]))


def events(spark: SparkSession, reader: Reader, name: str) -> list[Row]:
    return [row for row in rows(spark, reader, name) if "reason" not in row]


def faults(spark: SparkSession, reader: Reader, name: str) -> list[tuple[int, str, str | None, str | None]]:
    """The line (from 1 on), reason, field and value of every row that is no event."""
    found = [row for row in rows(spark, reader, name) if "reason" in row]
    return sorted((row["line"] + 1, row["reason"], row.get("field"), row.get("value")) for row in found)


def told(row: Row, *columns: str) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in columns)


def first_lines(name: str) -> list[str]:
    return (DATA / name).read_text().splitlines()[:3]
