"""Time in simulations: whole nanoseconds, so that sums are exact and the same on every machine."""

from __future__ import annotations

SECOND = 1_000_000_000
MILLISECOND = 1_000_000
NEVER = (1 << 62) - 1
"""Later than everything."""
LONGEST = 366 * 24 * 3600 * SECOND
"""A simulation takes at most a year."""


def from_milliseconds(time: float) -> int:
    """Nanoseconds, of the times of a mesh."""
    return round(time * MILLISECOND)


def in_words(time: int) -> str:
    """A time that somebody gave, as people say it: 30 ms, 4.2125 s."""
    return _with_unit(time, 9)


def about(time: int) -> str:
    """A time that was measured: 31.42 ms, 4.213 s."""
    return _with_unit(time, 4)


def _with_unit(time: int, digits: int) -> str:
    if 0 < time < SECOND:
        return f"{time / MILLISECOND:.{digits}g} ms"
    return f"{time / SECOND:.{digits}g} s"
