"""What comes through the gate, as events and quarantine: by the same rules as when files are read at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from angarium.history import schema
from angarium.history.readers import json_lines
from angarium.history.readers.quarantine import LONGEST, judged, path_of, run_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


@dataclass(frozen=True)
class Intake:
    """The rows of a batch, each in one of the two tables."""

    events: DataFrame
    """The columns of the schema."""
    quarantine: DataFrame
    """`tables.QUARANTINE`."""


def taken_in(rows: DataFrame) -> tuple[DataFrame, DataFrame]:
    """Rows of `gate.ROWS` as rows that are judged (`reason` is null: an event), and rows the gate refused."""
    from pyspark.sql import functions as f

    passed = rows.where("reason IS NULL").select("file", "line", "raw")
    none = f.lit(None).cast("string")
    run = f.coalesce(f.get_json_object("raw", "$.run_id"), run_of(f.col("file")))
    refused = rows.where("reason IS NOT NULL").select(
        run.alias("run_id"), "file", "line", "reason", none.alias("field"), none.alias("value"), "raw"
    )
    return judged(json_lines.parse(passed)), refused


def sorted_out(parsed: DataFrame, refused: DataFrame) -> Intake:
    """The two tables; `parsed` should be kept in memory, for both are made of it."""
    events = parsed.where("reason IS NULL").select(*schema.NAMES)
    wrong = parsed.where("reason IS NOT NULL").select(*refused.columns)
    return Intake(events, wrong.unionByName(refused).withColumn("raw", _short()).withColumn("file", _path()))


def _short() -> Column:
    from pyspark.sql import functions as f

    return f.substring("raw", 1, LONGEST)


def _path() -> Column:
    from pyspark.sql import functions as f

    return path_of(f.col("file"))
