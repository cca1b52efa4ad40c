"""What comes through the gate, as events and quarantine: by the same rules as when files are read at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from angarium.history import schema
from angarium.history.readers import json_lines
from angarium.history.readers.quarantine import LONGEST, judged, path_of, run_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_ORIGIN = ("file", "line", "raw")


@dataclass(frozen=True)
class Intake:
    """The rows of a batch, each in one of the two tables."""

    events: DataFrame
    """The columns of the schema."""
    quarantine: DataFrame
    """`tables.QUARANTINE`."""


def taken_in(rows: DataFrame, keep: Callable[[DataFrame], DataFrame]) -> Intake:
    """Rows of `gate.ROWS` as the two tables.

    `keep` keeps what is parsed, before it is judged: else Spark, which puts one expression into the other,
    would parse a line once for every column that a rule looks at, and again for the second table.
    """
    refused = rows.where("reason IS NOT NULL").select(*_ORIGIN, _run().alias("run_id"), "reason")
    parsed = judged(keep(json_lines.parse(rows.where("reason IS NULL").select(*_ORIGIN))))
    wrong = parsed.where("reason IS NOT NULL").unionByName(refused, allowMissingColumns=True)
    return Intake(
        parsed.where("reason IS NULL").select(*schema.NAMES),
        wrong.select("run_id", _path(), "line", "reason", "field", "value", _short()),
    )


def _run() -> Column:
    """The run of a row that was not parsed."""
    from pyspark.sql import functions as f

    return f.coalesce(f.get_json_object("raw", "$.run_id"), run_of(f.col("file")))


def _short() -> Column:
    from pyspark.sql import functions as f

    return f.substring("raw", 1, LONGEST).alias("raw")


def _path() -> Column:
    from pyspark.sql import functions as f

    return path_of(f.col("file")).alias("file")
