"""JSON lines of the event schema, one line at a time: with care, and with a reason for every line that is
none.

Numbers in quotes, as JavaScript writes those above 2**53, are numbers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from angarium.history import schema
from angarium.history.intake.reasons import CUT_LINE, NO_OBJECT, NOT_JSON, SEVERAL, WRONG_TYPE
from angarium.history.intake.texts import (
    ARGUMENTS,
    READ,
    SECONDS_TYPE,
    WrongError,
    as_json,
    fields,
    of_text,
    seconds,
    sound,
    within,
)

_DECODE = json.JSONDecoder().raw_decode
_QUOTED = re.compile(r"\s*(-?\d+|true|false)\s*")


@dataclass(frozen=True)
class Format:
    """A format of texts: it knows its own by the first lines."""

    name: str
    recognises: Callable[[Sequence[str]], bool]
    """Whether the first lines of a file are of this format."""


def objects(lines: Sequence[str]) -> list[dict[str, Any]]:
    """The objects among the first lines of a file."""
    found = []
    for line in lines:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        found += [value] if isinstance(value, dict) else []
    return found


def recognises(lines: Sequence[str]) -> bool:
    """Whether there is an object among the lines; whether it is an event is seen afterwards."""
    return bool(objects(lines))


FORMAT = Format("json-lines", recognises)


class BadLineError(Exception):
    """A line that is no event: why, and of what field and value."""

    def __init__(self, reason: str, field: str | None = None, value: str | None = None) -> None:
        super().__init__(reason)
        self.reason, self.field, self.value = reason, field, value
        self.said: str | None = None
        """The run that it names."""


def row_of(line: str) -> dict[str, Any]:
    """The event of a line: what is there of the schema's columns. BadLineError if it is none."""
    given = object_of(line)
    found: dict[str, Any] = {}
    wrong: tuple[str, object] | None = None
    for name, value in given.items():
        if value is not None and (name in READ or name == ARGUMENTS):
            try:
                found[name] = _value(name, value)
            except WrongError:
                wrong = wrong or (name, value)
    if wrong:
        problem = BadLineError(WRONG_TYPE, wrong[0], _shown(wrong[1]))
        problem.said = found.get("run_id")
        raise problem
    return fields(found)


def object_of(line: str) -> dict[str, Any]:
    """The one JSON object of a line."""
    text = line.strip(" \t\r\n")
    try:
        found, end = _DECODE(text)
    except (ValueError, RecursionError):
        cut = text.startswith("{") and not text.endswith("}")
        raise BadLineError(CUT_LINE if cut else NOT_JSON) from None
    if not text.startswith("{"):
        raise BadLineError(NO_OBJECT if not text[end:].strip() else NOT_JSON)
    if end < len(text):
        raise BadLineError(SEVERAL)
    assert isinstance(found, dict)
    return found


def _value(name: str, value: object) -> Any:  # noqa: ANN401 (of the column's type)
    if name == ARGUMENTS:
        return as_json(value)
    kind = READ[name]
    if kind == schema.TEXT:
        return sound(value) if isinstance(value, str) else as_json(value)
    if kind == schema.TEXTS:
        return _texts(value)
    if isinstance(value, str):
        if not _QUOTED.fullmatch(value):
            raise WrongError
        return of_text(value, kind)
    return _plain(kind, value)


def _plain(kind: str, value: object) -> Any:  # noqa: ANN401
    """A value that is no text, of a type that is none."""
    if kind == schema.TRUTH:
        if not isinstance(value, bool):
            raise WrongError
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise WrongError
    if kind == SECONDS_TYPE:
        return seconds(repr(value))
    if not isinstance(value, int):
        raise WrongError
    return within(value, kind)


def _texts(value: object) -> list[str]:
    if not isinstance(value, list):
        raise WrongError
    return [sound(each) if isinstance(each, str) else as_json(each) for each in value]


def _shown(value: object) -> str:
    if isinstance(value, float) and value != value:
        return '"NaN"'
    return sound(value) if isinstance(value, str) else as_json(value)
