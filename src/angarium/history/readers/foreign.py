"""What the readers of foreign records share: rows of the schema, JSON that may be broken, exact times.

A foreign record is JSON of a known shape. It is read with an explicit schema in which whatever may have
several types is text; a field that does not fit is null, and the fields beside it are kept. All arithmetic
is of the kind that gives null instead of an error, because one bad record must not end the job of all.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from angarium.history import schema
from angarium.history.readers.json_lines import broken

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_SECOND = 1_000_000_000


@dataclass(frozen=True)
class Fault:
    """Why a record cannot be taken; the field that is to blame, and its value."""

    there: Column
    reason: str | Column
    field: str | None = None
    value: Column | None = None


def records(lines: DataFrame, fields: str, essential: Collection[str]) -> DataFrame:
    """The lines with `r`, the JSON object of each, and `unread`: why it is none; then all of `r` is null.

    A line is looked at closely if it has none of the essential fields, or if two objects may be on it: of
    these Spark would take the first and say nothing.
    """
    from pyspark.sql import functions as f

    nothing = f.forall(f.array(*(f.col(f"r.{name}").isNotNull() for name in essential)), lambda there: ~there)
    doubted = nothing | f.col("raw").rlike(r"\}\s*\{")
    read = lines.withColumn("r", f.from_json("raw", fields))
    told = read.withColumn("unread", f.when(doubted, broken(f.col("raw"), f.lit(True))))
    return told.withColumn("r", f.when(f.col("unread").isNull(), f.col("r")))


def shaped(frame: DataFrame, columns: Mapping[str, Column]) -> DataFrame:
    """Rows of the schema: the columns given, null for the rest, with what `frame` says of their origin."""
    from pyspark.sql import functions as f

    unknown = set(columns) - set(schema.NAMES)
    assert not unknown, unknown
    typed = [
        columns.get(column.name, f.lit(None)).try_cast(column.type).alias(column.name)
        for column in schema.COLUMNS
    ]
    return frame.select(*typed, "file", "line", "raw", "reason", "field", "value")


def blamed(frame: DataFrame, faults: Sequence[Fault]) -> DataFrame:
    """With reason, field and value: that the line is no object, or else the first fault that a row has."""
    from pyspark.sql import functions as f

    none = f.lit(None).cast("string")
    said = {"reason": none, "field": none, "value": none}
    unread = Fault(f.col("unread").isNotNull(), f.col("unread"))
    for fault in (*reversed(faults), unread):
        reason = f.lit(fault.reason) if isinstance(fault.reason, str) else fault.reason
        told = (reason, f.lit(fault.field), none if fault.value is None else fault.value)
        for (name, before), now in zip(said.items(), told, strict=True):
            said[name] = f.when(fault.there, now.cast("string")).otherwise(before)
    return frame.withColumns(said)


def nanoseconds(text: Column) -> Column:
    """A time of RFC 3339, such as 2026-11-15T05:02:34.75705226Z, in nanoseconds since 1970; else null.

    Spark's timestamps end at microseconds, so the fraction of a second is read as digits.
    """
    from pyspark.sql import functions as f

    zone = f.regexp_extract(text, r"(Z|[+-]\d{2}:\d{2})$", 1)
    whole = f.concat(f.substring(text, 1, 19), zone).try_cast("timestamp").cast("bigint")
    digits = f.regexp_extract(text, r"^.{19}\.(\d{1,9})\d*", 1)
    fraction = f.rpad(digits, 9, "0").try_cast("bigint")
    return f.when(
        text.rlike(r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$"),
        f.try_add(f.try_multiply(whole, f.lit(_SECOND)), fraction),
    )
