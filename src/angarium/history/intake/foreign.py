"""What the readers of foreign records share: JSON of a known shape, values that may not fit, exact times.

A record is read as if it had a schema: a field that is not of its type is not there, and the fields beside it
are kept; what may have several types is text. One line gives several rows, or none, and each of them may be
one that is no event: then it is a `BadLineError` in its place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from angarium.history import schema
from angarium.history.intake.batch import KINDS
from angarium.history.intake.json_lines import BadLineError
from angarium.history.intake.texts import LARGEST, as_json, sound

Event = dict[str, Any]
Rows = list[Event | BadLineError]
_TIME = re.compile(r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})")
_WHOLE = re.compile(r"[+-]?\d{1,19}")
_SECOND = 1_000_000_000


def text(value: object) -> str | None:
    """A value as text; null is none."""
    if value is None:
        return None
    return sound(value) if isinstance(value, str) else as_json(value)


def number(value: object, kind: str = schema.LONG) -> int | None:
    """A whole number of a type; None if it is none."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and -LARGEST[kind] <= value < LARGEST[kind] else None  # type: ignore[return-value,operator]


def digits(value: str | None) -> int | None:
    """The number that a text is; None if it is none."""
    found = int(value) if value is not None and _WHOLE.fullmatch(value.strip()) else None
    return number(found)


def table(value: object) -> Mapping[str, Any]:
    """An object; an empty one if it is none."""
    return value if isinstance(value, dict) else {}


def listed(value: object) -> list[Any] | None:
    return value if isinstance(value, list) else None


def parsed(value: str | None) -> Any:  # noqa: ANN401 (what a text says)
    """The JSON of a text; None if it is none."""
    try:
        return None if value is None else json.loads(value)
    except (ValueError, RecursionError):
        return None


def shaped(columns: Mapping[str, Any]) -> Event:
    """A row of the schema: what is there, if it fits."""
    assert not set(columns) - set(schema.NAMES), set(columns) - set(schema.NAMES)
    found = {}
    for name, value in columns.items():
        fitting = number(value, KINDS[name]) if KINDS[name] in (schema.LONG, schema.INT) else value
        if fitting is not None:
            found[name] = fitting
    return found


def nanoseconds(given: str | None) -> int | None:
    """A time of RFC 3339, such as 2026-11-15T05:02:34.75705226Z, in nanoseconds since 1970; else None."""
    found = _TIME.fullmatch(given or "")
    if not found:
        return None
    day, clock, fraction, zone = found.groups()
    try:
        whole = datetime.fromisoformat(f"{day}T{clock}{zone.replace('Z', '+00:00')}")
    except ValueError:
        return None
    seconds = (whole - datetime.fromisoformat("1970-01-01T00:00:00+00:00")).total_seconds()
    return number(int(seconds) * _SECOND + int((fraction or "")[:9].ljust(9, "0")))
