"""latency: three kinds of times, in buckets, within one clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history.checks import latency
from angarium.history.parameters import MILLISECOND, Parameters
from tests.history.checks.deeds import send, sent, settle, take
from tests.history.histories import Row, counts, facts, profile

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS: list[Row] = [
    *sent("r", 0, "m"), take("r", 4, "m"), take("r", 8, "m", "d", subscription="s"),
    settle("r", 6, "m"), settle("r", 9, "m", phase="ok"),
    # another clock: no time between them; and a time that ran backwards
    *sent("r", 0, "n", clock_domain="x"), take("r", 4, "n"), send("r", 9, "o"), take("r", 5, "o"),
    send("empty", 0, "m"),
]  # fmt: skip


def test_times_are_counted_in_buckets(spark: SparkSession) -> None:
    known = facts(spark, ROWS)
    # 1 ms is 1000 µs, of which the logarithm is 9.97; an eighth of an octave is a bucket
    assert {tuple(row) for row in latency.latency(known).collect()} == {
        ("r", "confirm", 79, 2, MILLISECOND, MILLISECOND),
        ("r", "deliver", 95, 1, 4 * MILLISECOND, 4 * MILLISECOND),
        ("r", "deliver", 103, 1, 8 * MILLISECOND, 8 * MILLISECOND),
        ("r", "settle", 87, 1, 2 * MILLISECOND, 2 * MILLISECOND),
    }
    assert counts(latency.CHECK.judged(known)) == {"r": (5, 0)}
    assert latency.CHECK.violations(known).count() == 0


def test_what_it_lacks() -> None:
    assert latency.CHECK.lacks(profile(sends=1, acks=1), Parameters()) is not None
    assert latency.CHECK.lacks(profile(sends=1, receives=1), Parameters()) is None
