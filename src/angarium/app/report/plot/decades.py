"""Logarithmic axes: a scale for the logarithms, and marks at powers of ten."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, floor, log10

MOST_MARKS = 9


def span(values: Iterable[float]) -> tuple[int, int]:
    """The powers of ten between which all values are, at least one apart."""
    logs = [log10(value) for value in values if value > 0] or [0.0]
    low, high = floor(min(logs) + 1e-9), ceil(max(logs) - 1e-9)
    return low, max(high, low + 1)


def marks(low: int, high: int) -> list[tuple[float, str]]:
    """Every power of ten, or some of them, each with its number."""
    step = -(-(high - low) // MOST_MARKS) or 1
    return [(power, named(power)) for power in range(low, high + 1, step)]


def named(power: int) -> str:
    """A power of ten in as few letters as it needs."""
    if -4 <= power < 0:
        return f"{10.0**power:.{-power}f}"
    return f"{10**power:,}" if 0 <= power <= 4 else f"1e{power}"
