"""What comes through the gate, as events and quarantine: by the same rules as when files are read at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from angarium.history import schema
from angarium.history.live.gate import LATE
from angarium.history.missing import Missing, missing
from angarium.history.readers import json_lines
from angarium.history.readers.quarantine import LONGEST, REPEATS, judged, path_of, run_of, run_of_refused

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Row

_ORIGIN = ("file", "line", "raw")


@dataclass(frozen=True)
class Intake:
    """The rows of a batch, each in one of the two tables."""

    events: DataFrame
    """The columns of the schema."""
    quarantine: DataFrame
    """`tables.QUARANTINE`."""
    origins: DataFrame
    """file, run_id: the runs of which each file has events. A file comes in one batch, as a whole."""


def taken_in(rows: DataFrame, keep: Callable[[DataFrame], DataFrame]) -> Intake:
    """Rows of `gate.ROWS` as the two tables.

    `keep` keeps what is parsed, before it is judged: else Spark, which puts one expression into the other,
    would parse a line once for every column that a rule looks at, and again for the second table.
    """
    from pyspark.sql import functions as f

    unparsed = f.lit(True).alias("unparsed")
    refused = rows.where("reason IS NOT NULL").select(*_ORIGIN, _run().alias("run_id"), "reason", unparsed)
    parsed = judged(keep(json_lines.parse(rows.where("reason IS NULL").select(*_ORIGIN))))
    wrong = parsed.where("reason IS NOT NULL").unionByName(refused, allowMissingColumns=True)
    run = f.when(f.col("unparsed"), f.col("run_id")).otherwise(run_of_refused())
    return Intake(
        parsed.where("reason IS NULL").select(*schema.NAMES),
        wrong.select(run.alias("run_id"), _path(), "line", "reason", "field", "value", _short()),
        parsed.where("reason IS NULL").select(_path(), "run_id").distinct(),
    )


def lacking(refused: Sequence[Row], intake: Intake) -> Missing:
    """What is missing by rows in quarantine (reason, file, run_id, count), those that come again aside."""
    rows = [(row["file"], row["run_id"], row["count"]) for row in refused if row["reason"] != REPEATS]
    runs_of: dict[str, set[str]] = {}
    if any(run_id is None for _, run_id, _ in rows):
        for row in intake.origins.collect():
            runs_of.setdefault(row["file"], set()).add(row["run_id"])
    return missing(rows, runs_of)


def _run() -> Column:
    """The run of a row that was not parsed; null if it is not a whole line."""
    from pyspark.sql import functions as f

    named = f.coalesce(f.get_json_object("raw", "$.run_id"), run_of(f.col("file")))
    return f.when(f.col("reason").isin(LATE, REPEATS), named)


def _short() -> Column:
    from pyspark.sql import functions as f

    return f.substring("raw", 1, LONGEST).alias("raw")


def _path() -> Column:
    from pyspark.sql import functions as f

    return path_of(f.col("file")).alias("file")
