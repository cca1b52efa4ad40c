"""What a recorder has written, read back."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

Event = dict[str, Any]


def files(folder: Path) -> list[str]:
    """What a reader sees: names that begin with a dot are none of its business."""
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


def events(folder: Path) -> list[Event]:
    """All events of a folder's finished files, in the order of files."""
    found: list[Event] = []
    for name in files(folder):
        found += _events(folder / name)
    return found


def numbers(found: list[Event], recorder: str | None = None) -> list[int]:
    """The numbers of a recorder's events, in their order."""
    return sorted(
        event["seq"]
        for event in found
        if event.get("seq") is not None and recorder in (None, event["recorder"])
    )


def goes_back(found: list[Event], recorder: str) -> bool:
    """Whether time goes back in the events of a recorder, while their numbers go on."""
    mine = sorted((event["seq"], event["time_unix_nano"]) for event in found if event["recorder"] == recorder)
    return [time for _, time in mine] != sorted(time for _, time in mine)


def _events(path: Path) -> list[Event]:
    if path.suffix == ".parquet":
        from pyarrow import parquet

        rows: list[Event] = parquet.read_table(path).to_pylist()
        return [{name: value for name, value in row.items() if value is not None} for row in rows]
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    return [json.loads(line) for line in text.splitlines()]
