"""Times and rates as words: what they are, and what is said of others."""

from __future__ import annotations

import pytest

from angarium.core.errors import UsageError
from angarium.core.units import in_words, read_rate, read_time

HOUR = 3_600_000.0
DAY = 24 * HOUR


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("50ms", 50), ("1.5 s", 1500), ("5 min", 300_000), ("100us", 0.1), ("0", 0), ("0 s", 0)],
)
def test_a_time_has_a_unit_unless_it_is_nothing(text: str, milliseconds: float) -> None:
    assert read_time("--heartbeat", text, 0, HOUR) == milliseconds


@pytest.mark.parametrize("text", ["50", "1e3", "50 m", "-5ms", "soon", "", "2h", "1" * 50 + "ms"])
def test_what_is_no_time_or_too_long_is_refused_with_what_can_be(text: str) -> None:
    with pytest.raises(UsageError, match="is not a time that it can be") as refused:
        read_time("--heartbeat", text, 1, HOUR)

    assert "1 ms to 1 h" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "most", "example"),
    [("50", HOUR, "--cut a@50ms"), ("50", DAY, "--cut a@50s"), ("soon", DAY, "--cut a@50s")],
)
def test_the_example_is_what_may_be_meant(text: str, most: float, example: str) -> None:
    with pytest.raises(UsageError, match=example):
        read_time("--cut", text, 1, most, before="a@")


def test_limits_are_told_in_the_largest_unit_that_they_fill() -> None:
    assert [in_words(each) for each in (0, 0.1, 1, 90_000, 366 * DAY)] == [
        "0",
        "100 us",
        "1 ms",
        "1.5 min",
        "366 d",
    ]


def test_a_rate_has_a_unit() -> None:
    assert [read_rate("--rate", each, 0.01, 100) for each in ("10 Mbit/s", "500kbit/s")] == [10, 0.5]
    for wrong in ("10", "10 MB/s", "1 Gbit/s", "1 bit/s"):
        with pytest.raises(UsageError, match=r"--rate '.*' is not a rate that it can be"):
            read_rate("--rate", wrong, 0.01, 100)
