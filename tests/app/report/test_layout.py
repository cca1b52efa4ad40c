"""Numbers, sizes and durations as people say them."""

from __future__ import annotations

import pytest

from angarium.app.report.layout import amount, duration, entry, memory, paint, rounded


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (9999, "9,999"),
        (10_000, "10 k"),
        (999_000, "999 k"),
        (12_345_678, "12.3 M"),
        (1_230_000_000, "1.23 G"),
        (2_500_000_000_000, "2500 G"),
    ],
)
def test_rounded(count: int, text: str) -> None:
    assert rounded(count) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (1023, "1023 B"), (2048, "2 KiB"), (5 << 20, "5 MiB"), (5 << 29, "2.5 GiB")],
)
def test_memory(size: int, text: str) -> None:
    assert memory(size) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0423, "0.042 s"), (9.5, "9.5 s"), (12.4, "12 s"), (200, "3 min 20 s"), (7500, "2 h 5 min")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_amounts() -> None:
    assert (amount(1, "state"), amount(2000, "state")) == ("1 state", "2,000 states")


def test_an_entry_is_wrapped_in_its_own_column() -> None:
    assert entry("a", "one two-three four", left=3, width=14) == ["a    one", "     two-three", "     four"]


def test_an_entry_with_a_long_label_is_wrapped_below_it() -> None:
    label = "a/long/path"

    assert entry(label, "one two-three four", left=11, width=14) == [label, "  one", "  two-three", "  four"]
    assert entry("", "one", left=11, width=14) == ["  one"]


def test_colours_only_if_wanted() -> None:
    assert paint("x", "holds", False) == "x"
    assert paint("x", "holds", True) == "\x1b[32mx\x1b[0m"
