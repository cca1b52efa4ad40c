"""Files for tests of readers, and what was read, as plain Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from angarium.history.readers.reading import Reading

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Row = dict[str, Any]
Fault = tuple[str, int | None, str, str | None, str | None]

EVENT: Row = {
    "run_id": "r",
    "recorder": "c1",
    "seq": 1,
    "time_unix_nano": 1_794_718_954_775_540_535,
    "op_type": "send",
    "phase": "ok",
    "message_id": "m1",
    "destination": "q",
}


def event(**changes: object) -> Row:
    """An event; what is given as None is not in it."""
    return {name: value for name, value in (EVENT | changes).items() if value is not None}


def line(**changes: object) -> str:
    return json.dumps(event(**changes))


def write(path: Path, *lines: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join((each.encode() if isinstance(each, str) else each) + b"\n" for each in lines))
    return path


def plain(table: DataFrame) -> list[Row]:
    """Rows without what is null."""
    return [
        {name: value for name, value in row.asDict().items() if value is not None} for row in table.collect()
    ]


def faults(reading: Reading) -> list[Fault]:
    """The quarantine: the file's name, line, reason, field and value, in the order of files and lines."""
    found = [
        (Path(row["file"]).name, row["line"], row["reason"], row["field"], row["value"])
        for row in reading.quarantine.collect()
    ]
    return sorted(found, key=lambda fault: (fault[0], fault[1] or 0))
