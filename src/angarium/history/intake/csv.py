"""CSV with a header, and tables of another shape by a mapping: values that are texts.

An empty value is none; a list is `a;b`. Values with line breaks in them are not read: an event has no use for
one.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from angarium.history import schema
from angarium.history.intake.json_lines import BadLineError, object_of
from angarium.history.intake.mapping import DIGITS, ISO
from angarium.history.intake.mapping import Mapping as Columns
from angarium.history.intake.reasons import CUT_LINE, WIDTH, WRONG_TYPE
from angarium.history.intake.texts import ARGUMENTS, READ, WrongError, as_json, fields, of_text, sound

NAME = "csv"
_SEPARATORS = ",\t;"
_TIME = "time_unix_nano"
_FRACTION = re.compile(r"[.,](\d+)")
_MOST_DIGITS = 20
Texts = Callable[[str], str | None]
"""The text at a column or dotted path."""


def names(header: str) -> list[str]:
    """The names in a header, without blanks around them; none in a line with a value that is no name."""
    try:
        return [name.strip() for name in next(csv.reader([header], delimiter=separator_of(header)), [])]
    except csv.Error:  # Python's parser takes no value of more than 131,072 characters
        return []


def recognises(lines: Sequence[str]) -> bool:
    """Whether the first line names columns of the schema."""
    return bool(lines) and len(set(names(lines[0])) & set(READ)) > 1


def separator_of(header: str) -> str:
    """What stands between the names."""
    return next((each for each in _SEPARATORS if each in header), ",")


@dataclass(frozen=True)
class Values:
    """How the lines of a CSV file are read."""

    header: str
    unended: Collection[str]
    """Last lines that have no end: they are not believed."""
    columns: Columns

    def __call__(self, line: str) -> dict[str, Any] | None:
        """The event of a line; None for a line that repeats the header."""
        if line.strip() == self.header.strip():
            return None
        if line.strip() in self.unended:
            raise BadLineError(CUT_LINE)
        given = names(self.header)
        values = _split(line, separator_of(self.header))
        if len(values) != len(given):
            raise BadLineError(WIDTH)
        texts = dict(zip(given, values, strict=True))
        return mapped(self.columns, texts.keys(), texts.get)


def _split(line: str, separator: str) -> list[str]:
    """The values of a line. Python's parser takes longer ones than usual only if it is told to."""
    before = csv.field_size_limit(max(csv.field_size_limit(), len(line)))
    try:
        return next(csv.reader([line], delimiter=separator), [])
    finally:
        csv.field_size_limit(before)


@dataclass(frozen=True)
class Objects:
    """How JSON lines of another shape are read."""

    columns: Columns

    def __call__(self, line: str) -> dict[str, Any]:
        given = object_of(line)
        return mapped(self.columns, None, lambda path: _at(given, path))


def _at(given: Mapping[str, Any], path: str) -> str | None:
    """The text at a path; a key may have dots itself."""
    found: Any = given.get(path)
    if found is None:
        found = given
        for key in path.split("."):
            found = found.get(key) if isinstance(found, dict) else None
    return None if found is None else sound(found) if isinstance(found, str) else as_json(found)


def mapped(columns: Columns, there: Collection[str] | None, get: Texts) -> dict[str, Any]:
    """The event that a mapping makes of texts."""
    found, wrong = {}, None
    for name in (*READ, ARGUMENTS):
        text = _text(columns, name, there, get)
        if text is not None:
            try:
                found[name] = of_text(text, READ.get(name, schema.TEXT))
            except WrongError:
                wrong = wrong or (name, text)
    if wrong:
        problem = BadLineError(WRONG_TYPE, *wrong)
        problem.said = found.get("run_id")
        raise problem
    return fields(found)


def _text(columns: Columns, name: str, there: Collection[str] | None, get: Texts) -> str | None:
    path, constant = columns.columns.get(name, name), columns.constants.get(name)
    text = get(path) if there is None or path in there else None
    if text is not None and name in columns.values:
        text = columns.values[name].get(text, text)
    if text is not None and name == _TIME and columns.time != "ns" and text.strip():
        text = _nanoseconds(text, columns.time)
    return constant if constant is not None and (text is None or not text.strip()) else text


def _nanoseconds(text: str, unit: str) -> str:
    """A time as nanoseconds since 1970. What is no time stays, with the unit that it lacks."""
    try:
        if unit == ISO:
            return str(_of_iso(text))
        return str(_of_number(Decimal(text.strip()), unit))
    except (ValueError, InvalidOperation, OverflowError):
        return f"{text} as {unit}"


def _of_number(time: Decimal, unit: str) -> int:
    """Nanoseconds; of a number that no time can have, the digits alone might fill the memory."""
    if not time.is_finite() or time.adjusted() > _MOST_DIGITS:
        raise ValueError
    return int(time * 10 ** DIGITS[unit])


def _of_iso(text: str) -> int:
    """Nanoseconds of an ISO 8601 time, all of its digits; one without a zone is of UTC."""
    fraction = _FRACTION.search(text)
    whole = datetime.fromisoformat(_FRACTION.sub("", text, count=1).strip())
    aware = whole if whole.tzinfo else whole.replace(tzinfo=UTC)
    digits = int(fraction[1][:9].ljust(9, "0")) if fraction else 0
    return int(aware.timestamp()) * 10**9 + digits
