"""An audit's story as rows: what brokers and clients recorded, with the time since the first event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from angarium.app.report.sequence_svg.sequence import Row, Sequence
from angarium.history.explanations import seconds


def events_of(story: Mapping[str, Any]) -> Sequence:
    """The story of a record that `angarium audit --json` gives."""
    rows = story["rows"]
    named = (name for row in rows if not row["cut"] for name in (row["source"], row["target"]) if name)
    lifelines = tuple(dict.fromkeys(named)) or (story["run_id"],)
    return Sequence(
        guarantee=story["guarantee"],
        summary=story["explanation"],
        lifelines=lifelines,
        rows=tuple(_row(row, lifelines) for row in rows),
        unit="event",
    )


def _row(row: Mapping[str, Any], lifelines: tuple[str, ...]) -> Row:
    if row["cut"]:
        return Row(row["text"], gap=True)
    return Row(
        text=_deed(row),
        label=f"+{seconds(row['after'])}",
        source=lifelines.index(row["source"]),
        target=lifelines.index(row["target"]) if row["target"] else None,
        failed=row["failed"],
        proof=row["proof"],
    )


def _deed(row: Mapping[str, Any]) -> str:
    """What an arrow says: who does it is seen."""
    text: str = row["text"]
    return text.removeprefix(f"{row['source']} ").removeprefix(f"{row['target']} ")
