"""Times, rates and sizes with their units, as files, options and claims write them: 250ms, 10Mbit/s, 2G.

Meshes count in milliseconds, limits in seconds. `time_of` and its like say None of what is no such text: who
reads a file says where it stands. `read_time` and `read_rate` are for words of a command.
"""

from __future__ import annotations

import re

from angarium.core.errors import UsageError

UNITS = {"": 1.0, "us": 0.001, "ms": 1.0, "s": 1000.0, "min": 60_000.0, "h": 3_600_000.0, "d": 86_400_000.0}
"""Milliseconds."""
RATES = {"bit/s": 0.001, "kbit/s": 1.0, "mbit/s": 1e3, "gbit/s": 1e6}
"""Thousands of bits a second."""
SIZES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
"""Bytes."""
_TIME = re.compile(r"(\d+(?:\.\d+)?(?:e[+-]?\d{1,2})?)\s*([a-z]*)", re.ASCII | re.IGNORECASE)
_RATE = re.compile(r"(\d+(?:\.\d+)?(?:e[+-]?\d{1,2})?)\s*([kmg]?bit/s)", re.ASCII | re.IGNORECASE)
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.ASCII | re.IGNORECASE)
_LONGEST = 40
"""Characters of a text that may be one of these."""


def time_of(given: str) -> float | None:
    """Milliseconds of a time such as `1.5 s`; None if it is none."""
    match = _TIME.fullmatch(given.strip()) if len(given) < _LONGEST else None
    if not match or match[2].lower() not in UNITS:
        return None
    return float(match[1]) * UNITS[match[2].lower()]


def seconds_of(given: str) -> float | None:
    """Seconds of a time; a bare number is seconds."""
    found = time_of(given)
    bare = found is not None and not given.strip()[-1:].isalpha()
    return found if bare or found is None else found / 1000


def rate_of(given: str) -> float | None:
    """Thousands of bits a second of a rate such as `10 Mbit/s`; None if it is none."""
    match = _RATE.fullmatch(given.strip()) if len(given) < _LONGEST else None
    return float(match[1]) * RATES[match[2].lower()] if match else None


def size_of(given: str) -> float | None:
    """Bytes of a size such as 500M, 2G or 1.5GiB, in powers of 1024; None if it is none."""
    match = _SIZE.fullmatch(given.strip()) if len(given) < _LONGEST else None
    return float(match[1]) * SIZES[match[2].upper()] if match else None


def read_time(option: str, text: str, least: float, most: float, *, before: str = "") -> float:
    """Milliseconds, from a time with its unit; 0 needs none. `before` stands before it in the word."""
    found = time_of(text)
    has_unit = text.strip()[-1:].isalpha()
    if found is None or not least <= found <= most or (found and not has_unit):
        units = ", ".join(unit for unit in UNITS if unit)
        raise UsageError(
            "ANG013",
            f"{option} {before + text!r} is not a time that it can be",
            possible=f"a number with one of {units} behind it, {in_words(least)} to {in_words(most)}",
            remedy=f"for example {option} {before}{_example(text.strip(), least, most)}",
        )
    return found


def _example(text: str, least: float, most: float) -> str:
    """What may be meant: a bare number in seconds where long times are usual, or milliseconds; or else 50."""
    units = ("s", "ms") if most > UNITS["h"] else ("ms", "s")
    meant = (*(f"{text}{unit}" for unit in units), *(f"50{unit}" for unit in units))
    return next((each for each in meant if least <= (time_of(each) or -1) <= most), in_words(most))


def in_words(time: float) -> str:
    """Milliseconds in the largest unit that they fill."""
    fitting = [unit for unit in UNITS if unit and UNITS[unit] <= time]
    unit = max(fitting, key=lambda unit: UNITS[unit], default="us")
    return f"{time / UNITS[unit]:g} {unit}" if time else "0"


def read_rate(option: str, text: str, least: float, most: float) -> float:
    """Mbit/s, from a rate with its unit."""
    found = rate_of(text)
    if found is None or not least <= found / 1000 <= most:
        raise UsageError(
            "ANG013",
            f"{option} {text!r} is not a rate that it can be",
            possible=f"a number with bit/s, kbit/s, Mbit/s or Gbit/s behind it, {least:g} to {most:g} Mbit/s",
            remedy=f"for example {option} 10Mbit/s",
        )
    return found / 1000
