"""From what a file has to the schema's columns: other names, and texts where there should be numbers.

Some names of others are taken beside the schema's own. A text that is no number where there must be one makes
no null: the row gets a reason, the field and the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from angarium.history import schema

SECONDS = "ack_wait_s"
"""ack_wait_ms in seconds."""
SECONDS_TYPE = "decimal(27,9)"
ARGUMENTS = "arguments"
"""What a queue was declared with: a JSON object."""
TYPES = {column.name: column.type for column in schema.COLUMNS}
READ = TYPES | {name: TYPES[field] for name, field in schema.SYNONYMS.items()} | {SECONDS: SECONDS_TYPE}
"""All names that are read, with their types; beside them there is `ARGUMENTS`."""


LARGEST = {schema.LONG: 2**63, schema.INT: 2**31}
_WHOLE = re.compile(r"[+-]?\d{1,30}")
_MILLISECONDS = 1000


def unknown(names: Collection[str]) -> tuple[str, ...]:
    """Those of the names that nobody reads."""
    return tuple(name for name in names if name not in READ and name != ARGUMENTS)


class WrongError(Exception):
    """A value that is none of its type."""


def of_text(text: str, kind: str) -> Any:  # noqa: ANN401 (a value of the type)
    """A text as a value of a type; None if it is blank. WrongError if it is none."""
    if not text.strip(" "):
        return None
    if kind == schema.TEXT:
        return text
    if kind == schema.TEXTS:
        return _listed(text)
    if kind == schema.TRUTH:
        return _truth(text.strip(" ").lower())
    return _number(text.strip(), kind)


def _truth(text: str) -> bool:
    if text not in ("true", "false"):
        raise WrongError
    return text == "true"


def _number(text: str, kind: str) -> int | Decimal:
    if kind == SECONDS_TYPE:
        return seconds(text)
    if not _WHOLE.fullmatch(text):
        raise WrongError
    return within(int(text), kind)


def within(number: int, kind: str) -> int:
    """A number that the type can hold."""
    if not -LARGEST[kind] <= number < LARGEST[kind]:
        raise WrongError
    return number


def seconds(text: str) -> Decimal:
    """A number of seconds, with nine digits behind the point at most."""
    try:
        found = Decimal(text)
        whole = found.is_finite() and abs(found) < 10**18
    except InvalidOperation:
        raise WrongError from None
    if not whole:
        raise WrongError
    return round(found, 9)


def _listed(text: str) -> list[str]:
    if not text.startswith("["):
        return [each.strip(" ") for each in text.split(";")]
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise WrongError from None
    if not isinstance(found, list):
        raise WrongError
    return [each if isinstance(each, str) else as_json(each) for each in found]


def as_json(value: object) -> str:
    """A value of JSON as a text."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def sound(text: str) -> str:
    """A text without halves of characters, which JSON can name."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text


def fields(given: Mapping[str, Any]) -> dict[str, Any]:
    """The schema's columns from values by all names that are read: each has its own and others."""
    found = {name: value for name, value in given.items() if name in TYPES and value is not None}
    for name, field in schema.SYNONYMS.items():
        if (value := given.get(name)) is not None:
            found.setdefault(field, value)
    if (waits := given.get(SECONDS)) is not None and (milliseconds := int(waits * _MILLISECONDS)) < 2**63:
        found.setdefault("ack_wait_ms", milliseconds)
    if (declared := given.get(ARGUMENTS)) is not None:
        for name, value in _declared(declared).items():
            found.setdefault(name, value)
    return found


def _declared(text: str) -> dict[str, Any]:
    """What a queue's arguments say, in the schema's words."""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    found = {}
    for name, field in schema.ARGUMENTS.items():
        value = given.get(name) if isinstance(given, dict) else None
        if value is not None:
            try:
                found[field] = of_text(value if isinstance(value, str) else as_json(value), TYPES[field])
            except WrongError:
                continue
    return {name: value for name, value in found.items() if value is not None}
