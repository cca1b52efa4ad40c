"""Foreign records for tests: what a reader makes of a file."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from angarium.history.intake.files import links_of, parser
from angarium.history.intake.formats import Found, Kind
from angarium.history.intake.json_lines import Format
from angarium.history.intake.paths import File
from angarium.history.intake.text import Lines, lines_of

DATA = Path(__file__).parent / "data"
"""Real histories; not everywhere."""

Row = dict[str, Any]


@cache
def rows(reader: Format, name: str | Path) -> list[Row]:
    """All rows of a file of `DATA`, each with what is there and with its line from 0 on, ordered by time."""
    found = Found(File(DATA / name, named=True), Kind(reader.name))
    lines = Lines(DATA / name, 0, 0, parser(found, None, links_of([found])))
    given: list[Row] = []
    for number, raw in enumerate(lines_of(DATA / name)):
        for event, problem in lines.rows_of(raw, number) if raw.strip() else ():
            given.append({**event, "line": number, "raw": raw.decode()})
            if problem:
                said = {"reason": problem.reason, "field": problem.field, "value": problem.value}
                given[-1] |= {key: value for key, value in said.items() if value is not None}
    return sorted(given, key=lambda row: (row.get("time_unix_nano", 0), row["line"]))


def events(reader: Format, name: str) -> list[Row]:
    return [row for row in rows(reader, name) if "reason" not in row]


def faults(reader: Format, name: str) -> list[tuple[int, str, str | None, str | None]]:
    """The line (from 1 on), reason, field and value of every row that is no event."""
    found = [row for row in rows(reader, name) if "reason" in row]
    return sorted((row["line"] + 1, row["reason"], row.get("field"), row.get("value")) for row in found)


def faulty(some: list[Row]) -> int:
    return sum("reason" in row for row in some)


def told(row: Row, *columns: str) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in columns)


def first_lines(name: str) -> list[str]:
    return (DATA / name).read_text().splitlines()[:3]
