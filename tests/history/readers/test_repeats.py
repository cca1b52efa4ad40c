"""Rows that are there twice, and rows that only have the same number."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from angarium.history import numbers
from angarium.history.numbers import doubts
from angarium.history.readers import quarantine as why
from angarium.history.readers.reading import counts, read
from angarium.history.readers.repeats import without_repeats
from tests.history.readers.inputs import faults, line, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.sample(1)
@pytest.mark.parametrize("many", [50_000, 0])
def test_a_row_that_is_there_twice_is_an_event_once(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    """Whether the blocks with repeated numbers are few, or so many that all rows are compared."""
    monkeypatch.setattr(numbers, "MANY", many)
    lines = [line(seq=seq) for seq in range(1, 131)]
    write(
        tmp_path / "a.jsonl", *lines, line(seq=7, message_id="other"), line(seq=7, run_id="s"), line(seq=None)
    )
    write(tmp_path / "b.jsonl", lines[6], lines[129], line(seq=7, offset=3), line(seq=None), "oops", lines[6])
    given = read(spark, [tmp_path])
    found = without_repeats(given, doubts(given.events))
    assert faults(found) == [
        ("b.jsonl", 1, why.REPEATS, "seq", "7"),
        ("b.jsonl", 2, why.REPEATS, "seq", "130"),
        ("b.jsonl", 5, why.NOT_JSON, None, None),
        ("b.jsonl", 6, why.REPEATS, "seq", "7"),
    ]
    counted = counts(found)
    assert (counted.read, counted.accepted) == (139, 135)
    assert found.events.where("run_id = 'r' AND seq = 7").count() == 3


def test_where_nothing_repeats_the_reading_stays_as_it_is(spark: SparkSession, tmp_path: Path) -> None:
    """Also the largest number, and the same numbers of another recorder."""
    lines = [line(seq=seq, recorder=name) for name in "ab" for seq in (0, 1, 63, 64, 2**63 - 1)]
    found = read(spark, [write(tmp_path / "a.jsonl", *lines)])
    assert without_repeats(found, doubts(found.events)) is found
