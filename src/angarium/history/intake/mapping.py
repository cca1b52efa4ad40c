"""Mapping files: how a file of any other shape becomes events, said in TOML or JSON.

    time = "ms"                  # of time_unix_nano: s, ms, us, ns (the default), or iso for ISO 8601

    [columns]                    # field of the schema = column, or a dotted path into one
    message_id = "msg.id"
    time_unix_nano = "when"
    op_type = "what"

    [values.op_type]             # value in the file = value of the schema
    published = "send"

    [constants]                  # what is not in the file, or where it is empty
    phase = "ok"

Columns that are named as in the schema need no entry.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping as Table
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from angarium.core import files
from angarium.core.errors import HistoryError, UsageError, did_you_mean
from angarium.history import schema

_LARGEST = 1 << 20
"""Bytes of a mapping file: people write them."""
DIGITS = {"s": 9, "ms": 6, "us": 3, "ns": 0}
ISO = "iso"
UNITS = (*DIGITS, ISO)
_TABLES = ("columns", "constants", "values")


@dataclass(frozen=True)
class Mapping:
    """How columns become fields. The empty one takes columns that have the schema's names."""

    columns: Table[str, str] = field(default_factory=dict)
    """Where each field is: a column, or a dotted path."""
    constants: Table[str, str] = field(default_factory=dict)
    values: Table[str, Table[str, str]] = field(default_factory=dict)
    """For a field: what a value in the file means."""
    time: str = "ns"


# --- a mapping's file ---------------------------------------------------------------------------


def load(path: Path) -> Mapping:
    """The mapping in a file, TOML or JSON. HistoryError if it is wrong."""
    given = _parsed(path)
    for key in given:
        if key not in (*_TABLES, "time"):
            raise _wrong(path, f"there is no {key!r} in a mapping", did_you_mean(key, (*_TABLES, "time")))
    tables = {name: _table(path, name, given.get(name, {})) for name in _TABLES}
    values = {
        name: _texts(path, f"values.{name}", _table(path, f"values.{name}", each))
        for name, each in tables["values"].items()
    }
    _known(path, "values", values)
    columns, constants = (_fields(path, name, tables[name]) for name in _TABLES[:2])
    for name, column in columns.items():
        if '"' in column:
            raise _wrong(path, f"columns.{name} is {column!r}", "possible: names without quotes in them")
    return Mapping(
        columns, constants, {name: each for name, each in values.items() if each}, _unit(path, given)
    )


def _parsed(path: Path) -> dict[str, Any]:
    try:
        text = files.read_text(path, _LARGEST)
        given = json.loads(text) if path.suffix.lower() == ".json" else tomllib.loads(text)
    except OSError as problem:
        raise UsageError(
            "ANG010",
            f"the mapping {path} cannot be read: {problem.strerror}",
            possible="possible: a TOML or JSON file",
            remedy="give its path",
        ) from None
    except ValueError as problem:
        raise _wrong(
            path, f"it cannot be read: {problem}", "possible: TOML, or JSON in a file NAME.json"
        ) from None
    return _table(path, "the file", given)


def _table(path: Path, name: str, given: object) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise _wrong(path, f"{name} is {given!r}", "possible: a table of names and values")
    return given


def _fields(path: Path, name: str, given: Table[str, Any]) -> dict[str, str]:
    _known(path, name, given)
    return _texts(path, name, given)


def _known(path: Path, name: str, given: Table[str, Any]) -> None:
    for field_ in given:
        if field_ not in schema.NAMES:
            raise _wrong(
                path,
                f"{name}.{field_}: the schema has no field {field_!r}",
                did_you_mean(field_, schema.NAMES),
            )


def _texts(path: Path, name: str, given: Table[str, Any]) -> dict[str, str]:
    """All values as texts; a truth value as the schema writes it."""
    for key, value in given.items():
        if not isinstance(value, str | int):
            raise _wrong(path, f"{name}.{key} is {value!r}", "possible: a text, a number, true or false")
    return {
        key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in given.items()
    }


def _unit(path: Path, given: Table[str, Any]) -> str:
    unit = given.get("time", "ns")
    if unit not in UNITS:
        raise _wrong(path, f"time is {unit!r}", did_you_mean(str(unit), UNITS))
    return str(unit)


def _wrong(path: Path, what: str, possible: str) -> HistoryError:
    return HistoryError(
        "ANG132", f"the mapping {path} is wrong: {what}", possible=possible, remedy="correct the mapping file"
    )
