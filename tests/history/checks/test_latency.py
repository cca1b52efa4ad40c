"""latency: three kinds of times, in buckets, within one clock."""

from __future__ import annotations

from angarium.history.needs import lacks
from angarium.history.parameters import MILLISECOND, Parameters
from tests.history.checks.deeds import send, sent, settle, take
from tests.history.histories import Row, audit_of, profile

ROWS: list[Row] = [
    *sent("r", 0, "m"), take("r", 4, "m"), take("r", 8, "m", "d", subscription="s"),
    settle("r", 6, "m"), settle("r", 9, "m", phase="ok"),
    # another clock: no time between them; and a time that ran backwards
    *sent("r", 0, "n", clock_domain="x"), take("r", 4, "n"), send("r", 9, "o"), take("r", 5, "o"),
    send("empty", 0, "m"),
]  # fmt: skip


def test_times_are_counted_in_buckets() -> None:
    known = audit_of(ROWS)
    # 1 ms is 1000 µs, of which the logarithm is 9.97; an eighth of an octave is a bucket
    assert {*known.latency} == {
        ("r", "confirm", 79, 2, MILLISECOND, MILLISECOND),
        ("r", "deliver", 95, 1, 4 * MILLISECOND, 4 * MILLISECOND),
        ("r", "deliver", 103, 1, 8 * MILLISECOND, 8 * MILLISECOND),
        ("r", "settle", 87, 1, 2 * MILLISECOND, 2 * MILLISECOND),
    }


def test_what_it_lacks() -> None:
    assert lacks("latency", profile(sends=1, acks=1), Parameters()) is not None
    assert lacks("latency", profile(sends=1, receives=1), Parameters()) is None
