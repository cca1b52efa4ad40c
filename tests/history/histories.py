"""Small histories for tests: rows as dictionaries, many runs of them in one table.

A row is written as `row("run", 12.5, "send", …)`, its time in milliseconds after a beginning. Who records
it is its client, unless something else is said, and each recorder of a run counts from 1 on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest

from angarium.history import schema
from angarium.history.checks.facts import Facts, normalised
from angarium.history.parameters import MILLISECOND, Parameters
from angarium.history.profile import FIELDS, Profile
from angarium.history.tables import COMPARED
from angarium.spark.place import Place
from tests.needs import HISTORIES as RECORDED
from tests.needs import NEEDS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Row = dict[str, Any]
HERE = Place("local[2]")
BEGIN = 1_794_719_060_000_000_000
_OTHER_NAMES = "max_ack_pending bigint, max_deliver bigint, ack_wait_s bigint, arguments map<string, boolean>"
_PARSED = TemporaryDirectory(prefix="angarium-recorded-")
"""Recorded histories as Parquet, until this process ends."""


def row(run: str, ms: float, op_type: str, **fields: object) -> Row:
    """One event; its phase is ok and its recorder the client, unless fields say something else."""
    time = BEGIN + round(ms * MILLISECOND)
    recorder = fields.get("client_id") or "ctl"
    defaults = {
        "run_id": run,
        "time_unix_nano": time,
        "op_type": op_type,
        "phase": "ok",
        "recorder": recorder,
    }
    return defaults | fields


def numbered(rows: Iterable[Row]) -> list[Row]:
    """The rows with a seq for each recorder of a run, where they have none."""
    last: dict[tuple[str, str], int] = {}
    found = []
    for each in rows:
        key = (each["run_id"], each["recorder"])
        last[key] = last.get(key, 0) + 1
        found.append({"seq": last[key]} | each)
    return found


def events(spark: SparkSession, rows: Iterable[Mapping[str, Any]]) -> DataFrame:
    """The rows as a table of events; a column that a row lacks is null."""
    return spark.createDataFrame(
        [tuple(each.get(name) for name in schema.NAMES) for each in rows], schema.DDL
    )


def facts(spark: SparkSession, rows: Iterable[Row], parameters: Parameters | None = None) -> Facts:
    """The facts of rows, numbered."""
    return Facts(normalised(events(spark, numbered(rows))), parameters or Parameters())


def found(violations: DataFrame, *columns: str) -> set[tuple[Any, ...]]:
    """Violations as tuples of some of their columns."""
    assert set(COMPARED) <= set(violations.columns)
    rows = [tuple(each) for each in violations.select(*columns).collect()]
    assert len(set(rows)) == len(rows), "a violation is there twice"
    return set(rows)


def profile(**known: object) -> Profile:
    """A profile in which nothing was counted but what is said."""
    nothing: dict[str, Any] = dict.fromkeys(FIELDS, 0) | {"run_id": "r", "systems": (), "attached": False}
    return Profile(**nothing | known)


def counts(judged: DataFrame) -> dict[str, tuple[int, int]]:
    """How many of each run were judged, and how many were not."""
    return {each["run_id"]: (each["judged"], each["unjudged"]) for each in judged.collect()}


def recorded(spark: SparkSession, *names: str) -> DataFrame:
    """Recorded histories of real brokers as events. Text is parsed once, not by every question to it."""
    paths = [RECORDED / f"{name}.jsonl.gz" for name in names]
    if not all(path.exists() for path in paths):
        pytest.skip(NEEDS["histories"].reason)
    parsed = [Path(_PARSED.name) / name for name in names]
    for path, folder in zip(paths, parsed, strict=True):
        if not folder.exists():
            _told(spark, path).write.parquet(folder.as_uri())
    return spark.read.schema(schema.DDL).parquet(*(folder.as_uri() for folder in parsed))


def _told(spark: SparkSession, path: Path) -> DataFrame:
    """A recorded history, with the names that the schema has for what its recorder called otherwise."""
    from pyspark.sql import functions as f

    told = spark.read.schema(f"{schema.DDL}, {_OTHER_NAMES}").json(str(path))
    return (
        told.withColumn("credit", f.coalesce("credit", "max_ack_pending"))
        .withColumn("max_deliveries", f.coalesce("max_deliveries", "max_deliver"))
        .withColumn("ack_wait_ms", f.coalesce("ack_wait_ms", f.col("ack_wait_s") * 1000))
        .withColumn("single_active", f.expr("arguments['x-single-active-consumer']"))
        .select(*schema.NAMES)
    )
