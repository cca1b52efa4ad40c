"""What is in quarantine, row by row: where each is in its file, and what it says.

While rows are read, only the numbers of those are noted that are no events: most histories have none. So a
text with such rows is read again, up to the last of them.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from angarium.history.intake.files import Files
from angarium.history.intake.reasons import LONGEST, REPEATS
from angarium.history.intake.rules import Refused
from angarium.history.intake.source import Source
from angarium.history.intake.text import Lines, lines_of

Place = tuple[int | None, str]
"""The number of a line, and the beginning of what is in it."""


def quarantined(source: Source, repeats: Collection[int]) -> list[Refused]:
    """All rows of a source that are no events, and those that are there twice."""
    refused = getattr(source, "refused", {})
    found = [*(each for batch in refused.values() for each in batch), *_twice(source, repeats)]
    rows = {each.row for each in found if each.row is not None}
    places = Places(source).of(rows) if rows else {}
    told = [_placed(each, places) for each in found]
    if not isinstance(source, Files):
        return told
    before = _lines_before(source) if told else 0
    return [*source.faults, *(_later(each, before) for each in told)]


def _lines_before(files: Files) -> int:
    """How many lines of a text are before the part that is read."""
    if files.span is None or not files.span.start:
        return 0
    return sum(1 for lines in files.texts() for _ in lines_of(lines.path, range(files.span.start)))


def _later(refused: Refused, lines: int) -> Refused:
    return replace(refused, line=refused.line + lines) if refused.line is not None else refused


def _placed(refused: Refused, places: Mapping[int, Place]) -> Refused:
    if refused.row is None:
        return refused
    line, raw = places[refused.row]
    return replace(refused, line=line, raw=raw)


def _twice(source: Source, repeats: Collection[int]) -> Iterator[Refused]:
    wanted = sorted(repeats)
    for batch in source.batches() if wanted else ():
        for row in wanted:
            if batch.first <= row < batch.first + batch.count:
                event = batch.row(row - batch.first)
                value, run = str(event["seq"]), event["run_id"]
                yield Refused(batch.file, None, REPEATS, "seq", value, said=run, row=row)


@dataclass(frozen=True)
class Places:
    """Where rows of a source are."""

    source: Source

    def of(self, rows: Collection[int]) -> dict[int, Place]:
        """The places of some rows: lines of texts, and what there is of rows that have no line."""
        found: dict[int, Place] = {}
        if isinstance(self.source, Files):
            for lines in self.source.texts():
                found |= _in_text(lines, rows)
        others = [row for row in rows if row not in found]
        for row, event in self.source.fetch(others).items():
            found[row] = None, json.dumps(event, ensure_ascii=False)[:LONGEST]
        return found


def _in_text(lines: Lines, rows: Collection[int]) -> dict[int, Place]:
    """Those of some rows that are in a text."""
    found: dict[int, Place] = {}
    row = lines.first
    for number, raw, given in lines.given():
        for _ in given:
            if row in rows:
                found[row] = number, raw.decode(errors="replace").strip()[:LONGEST]
            row += 1
    return found
