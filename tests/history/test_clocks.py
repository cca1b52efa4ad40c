"""Clocks that were set back: found, and the recorder's own order restored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from angarium.history import clocks as module
from angarium.history.clocks import clocks, repaired

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Event = tuple[str, str, int | None, int]


@pytest.mark.parametrize("bits", [17, 1])
def test_time_that_goes_back_stands_still_until_it_has_caught_up(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, bits: int
) -> None:
    """In one block of numbers, and across many."""
    monkeypatch.setattr(module, "_BITS", bits)
    turned = [("r", "a", seq, at) for seq, at in enumerate([10, 20, 5, 6, 20, 30, 29], 1)]
    steady: list[Event] = [("r", "b", 1, 100), ("r", "b", 9, 100), ("r", "b", 20, 101), ("s", "a", 1, 50)]
    twice: list[Event] = [("r", "c", 1, 9), ("r", "c", 1, 8), ("r", "c", 2, 9)]
    unnumbered: list[Event] = [("r", "a", None, 1), ("r", "d", None, 1)]
    given = [*turned, *steady, *twice, *unnumbered]
    events = spark.createDataFrame(given, "run_id string, recorder string, seq bigint, time_unix_nano bigint")
    jumps = clocks(events)
    assert sorted(map(tuple, jumps.collect())) == [("r", "a", 3, 15), ("r", "a", 7, 1)]
    found = {tuple(row) for row in repaired(events, jumps).collect()}
    mended = {("r", "a", seq, at) for seq, at in enumerate([10, 20, 20, 20, 20, 30, 30], 1)}
    assert found == {*mended, *steady, *twice, *unnumbered}
