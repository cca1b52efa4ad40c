"""Spark and the process give the same record, in whatever pieces and partitions a history is looked at."""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from angarium.core.errors import HistoryError
from angarium.history import schema
from angarium.history.asked import Asked, Conducted
from angarium.history.auditing import conduct
from angarium.history.hosts import pieces
from angarium.history.hosts import spark as host
from angarium.history.hosts.pieces import Paths
from angarium.history.hosts.remote import inputs
from angarium.history.hosts.spark import OnSpark
from angarium.history.intake.batch import batch_of
from angarium.history.intake.formats import looked
from angarium.history.intake.reasons import CUT_FILE
from angarium.history.intake.source import Kept
from angarium.history.kernel.audit import audited
from angarium.history.kernel.process import audit
from angarium.history.parameters import Parameters
from angarium.history.written import TABLES
from tests.effort import is_thorough
from tests.history.every import Row, rows
from tests.history.histories import HERE

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HISTORIES, SOUPS = (6, 1000) if is_thorough() else (1, 60)
_TYPES = {
    schema.TEXT: pa.string(), schema.LONG: pa.int64(), schema.INT: pa.int32(), schema.TRUTH: pa.bool_(),
    schema.TEXTS: pa.list_(pa.string()),
}  # fmt: skip


def written(given: list[Row], path: Path, group: int) -> Path:
    """Rows as a Parquet file with small row groups."""
    types = pa.schema([(column.name, _TYPES[column.type]) for column in schema.COLUMNS])
    parquet.write_table(pa.Table.from_pylist(given, schema=types), path, row_group_size=group)
    return path


@pytest.fixture
def divided(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if histories of some thousand events were large."""
    monkeypatch.setattr(pieces, "ROWS", 2000)
    monkeypatch.setattr(pieces, "BYTES", 200_000)
    monkeypatch.setattr(host, "EVENTS_A_PART", 3000)


@pytest.mark.usefixtures("divided")
def test_spark_finds_what_the_process_finds(spark: SparkSession, tmp_path: Path) -> None:
    given = rows(HISTORIES, SOUPS)
    path = written(given, tmp_path / "all.parquet", 700)
    paths = Paths.of(looked([path], None, mapped=False), None, None)
    steps = OnSpark(spark, [paths])
    assert len(paths.pieces) > 3 and steps.bits >= 2
    try:
        found = audited(steps, Parameters(), mend=False)
    finally:
        steps.close()
    expected = audit(Kept([batch_of(given)]), Parameters(), mend=False)
    assert len(expected.violations) > 500
    assert found.violations == expected.violations
    assert found == expected


def told(asked: Asked, engine: str) -> Conducted:
    found = conduct(replace(asked, engine=engine), HERE)
    return replace(found, told=replace(found.told, seconds=0))


def damaged(given: list[Row], chance: random.Random) -> list[str]:
    """JSON lines of which some are cut, some are there twice, some tell an impossible time, some are lost."""
    found: list[str] = []
    for row in given:
        fate = chance.random()
        text = json.dumps({name: value for name, value in row.items() if value is not None})
        if fate < 0.004:
            found.append(text[: len(text) // 2])
        elif fate < 0.008:
            found += [text, text]
        elif fate < 0.012:
            found.append(json.dumps(row | {"time_unix_nano": row["time_unix_nano"] - 10**8}))
        elif fate < 0.016:
            found.append(json.dumps({k: v for k, v in row.items() if k != "op_type"}))
        elif fate > 0.004:
            found.append(text)
    return found


@pytest.mark.usefixtures("divided", "spark")
def test_the_record_is_the_same_to_the_byte_also_of_what_is_damaged(tmp_path: Path) -> None:
    """Split over files of two formats, with repeated rows, gaps, clocks that go back, and a cut file.

    So are the lives that are held against a model, and all tables."""
    chance = random.Random(4)
    given = rows(1, 40)
    written(given[:4000], tmp_path / "a.parquet", 900)
    lines = damaged(given[4000:], chance)
    (tmp_path / "b.jsonl").write_text("\n".join(lines[:3000]) + "\n", encoding="utf-8")
    (tmp_path / "c.jsonl").write_text("\n".join(lines[3000:]), encoding="utf-8")
    packed = gzip.compress("\n".join(lines).encode())
    (tmp_path / "d.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    (given_ := tmp_path / "given").mkdir()
    for file in [each for each in tmp_path.iterdir() if each.is_file()]:
        file.rename(given_ / file.name)
    asked = [Asked([given_], model="nsq", out=tmp_path / engine) for engine in ("local", "spark")]
    here, there = (told(each, str(each.out and each.out.name)) for each in asked)
    assert CUT_FILE in here.told.counts.reasons
    assert here.told.counts.quarantined > 10 and here.stories
    assert any("set back" in each for each in here.told.remarks)
    for name in type(here.told).__slots__:
        assert getattr(there.told, name) == getattr(here.told, name), name
    assert there.stories == here.stories
    assert there.comparison == here.comparison and here.comparison and len(here.comparison.lives) > 50
    for name in TABLES:
        one, other = (rows_of(tmp_path / engine / name) for engine in ("local", "spark"))
        assert len(one) > 2 and one == other, name


def rows_of(folder: Path) -> list[str]:
    """The rows of a table, whatever order they were written in."""
    return sorted(map(repr, parquet.read_table(folder).to_pylist()))


@pytest.mark.usefixtures("spark")
def test_a_table_that_is_damaged_inside_is_left_out(tmp_path: Path) -> None:
    given = rows(1, 10)
    good, bad = written(given[:500], tmp_path / "a.parquet", 100), written(given, tmp_path / "b.parquet", 100)
    whole = bytearray(bad.read_bytes())
    whole[4 : len(whole) // 2] = bytes(len(whole) // 2 - 4)
    bad.write_bytes(whole)
    asked = Asked([good, bad])
    here, there = told(asked, "local"), told(asked, "spark")
    assert here.told.counts.reasons
    assert replace(there, engine="local") == here


def test_only_what_spark_connect_has_too_is_used() -> None:
    """The host works on any session: no context, no gateway to Java, no data sets of rows."""
    used: dict[str, Any] = {}
    for module in ("spark", "tasks", "folds", "pieces", "remote", "conducting", "spark_tables"):
        text = Path(host.__file__).with_name(f"{module}.py").read_text(encoding="utf-8")
        for word in ("sparkContext", "._j", ".rdd", "py4j", "_sc", "broadcast("):
            if word in text:
                used[module] = word
    assert used == {}


@pytest.mark.usefixtures("divided")
def test_what_only_spark_can_open_gives_the_same_record(spark: SparkSession, tmp_path: Path) -> None:
    """The same files by their paths, behind a URI, and as a table."""
    given = rows(1, 30)
    written(given[:4000], tmp_path / "a.parquet", 900)
    lines = [json.dumps({name: value for name, value in row.items() if value is not None}) for row in given]
    (tmp_path / "b.jsonl").write_text("\n".join([*lines[4000:], "{"]), encoding="utf-8")
    here = told(Asked([tmp_path]), "local")
    there = told(Asked([], uris=[tmp_path.as_uri()]), "spark")
    assert len(there.told.files) == len(here.told.files)
    assert replace(there.told, files=()) == replace(here.told, files=())
    assert there.stories == here.stories
    written(given, tmp_path / "whole.parquet", 900)
    spark.read.parquet((tmp_path / "whole.parquet").as_uri()).createOrReplaceTempView("events_of_all")
    whole = told(Asked([tmp_path / "whole.parquet"]), "local")
    [table] = inputs(spark, [], ["events_of_all"], None, None, None)
    assert OnSpark(spark, [table]).bits >= 1
    known = told(Asked([], tables=["events_of_all"]), "spark")
    assert replace(known.told, files=()) == replace(whole.told, files=())


def test_a_table_of_another_shape_is_refused(spark: SparkSession) -> None:
    spark.sql("SELECT 'a' AS recorder, 'now' AS time_unix_nano").createOrReplaceTempView("of_texts")
    with pytest.raises(HistoryError, match="time_unix_nano is string, and not bigint"):
        told(Asked([], tables=["of_texts"]), "spark")
