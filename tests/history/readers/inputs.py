"""Files for tests of readers, and what was read, as plain Python."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from angarium.history.intake.files import Files
from angarium.history.intake.formats import looked
from angarium.history.intake.mapping import Mapping
from angarium.history.intake.quarantined import quarantined

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


def read(
    *paths: Path, kind: str | None = None, mapping: Mapping | None = None, run_id: str | None = None
) -> Files:
    """What is read of files and folders."""
    return Files(looked(paths, kind, mapped=mapping is not None), mapping, run_id)


def plain(files: Files) -> list[Row]:
    """The events."""
    return [
        batch.row(place)
        for batch in files.batches()
        for place in range(batch.count)
        if batch.events is None or batch.events[place]
    ]


def faults(files: Files, repeats: Collection[int] = ()) -> list[Fault]:
    """The quarantine: the file's name, line, reason, field and value, in the order of files and lines."""
    list(files.batches())
    found = [
        (files.found[each.file].file.path.name, each.line, each.reason, each.field, each.value)
        for each in quarantined(files, repeats)
    ]
    return sorted(found, key=lambda fault: (fault[0], fault[1] or 0))


def unknown(files: Files) -> tuple[str, ...]:
    """Names that nobody reads."""
    return tuple(dict.fromkeys(name for each in files.found for name in each.unknown))
