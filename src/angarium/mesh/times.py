"""Times and rates with their units, as words of a command: 250ms, 50s, `5 min`; 10Mbit/s."""

from __future__ import annotations

from angarium.core.errors import UsageError
from angarium.mesh.files.shapes import UNITS, rate_of, time_of


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
