"""What comes, as events and quarantine: by the same rules as when files are read at once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from angarium.history.intake.batch import Batch, Names
from angarium.history.intake.reasons import LONGEST, REPEATS, name_of_run
from angarium.history.intake.rules import Refused, judged
from angarium.history.live.arrivals import Rows, line_numbers, rows_of
from angarium.history.live.gate import LATE, Gate
from angarium.history.missing import Missing, missing

Mask = NDArray[np.bool_]
_GATED = (LATE, REPEATS)


class Piece(Protocol):
    """Something that has come as a whole: a file, or some messages of a topic."""

    @property
    def name(self) -> str:
        """What quarantine calls it."""

    @property
    def run(self) -> str:
        """The run of rows that name none."""

    def rows(self) -> Iterator[Rows]:
        """Its rows."""

    def lines(self, places: Collection[int]) -> Mapping[int, tuple[int, str]]:
        """Of some rows, the number of the line of each, and what it says; nothing if it has no lines."""


@dataclass(frozen=True)
class FilePiece:
    """A file."""

    path: Path

    @property
    def name(self) -> str:
        return str(self.path)

    @property
    def run(self) -> str:
        return name_of_run(self.path)

    def rows(self) -> Iterator[Rows]:
        return rows_of(self.path)

    def lines(self, places: Collection[int]) -> Mapping[int, tuple[int, str]]:
        return {} if self.path.suffix == ".parquet" else line_numbers(self.path, places)


@dataclass
class Intake:
    """What became of the rows of a batch."""

    accepted: int = 0
    quarantine: list[dict[str, Any]] = field(default_factory=list)
    """Rows of `tables.QUARANTINE`."""
    runs: dict[str, set[str]] = field(default_factory=dict)
    """The runs of which each piece has events."""

    def reasons(self) -> Counter[str]:
        return Counter(row["reason"] for row in self.quarantine)

    def lacking(self) -> Missing:
        """What is missing by rows in quarantine, those that come again aside."""
        rows = Counter((row["file"], row["run_id"]) for row in self.quarantine if row["reason"] != REPEATS)
        return missing([(file, run, count) for (file, run), count in rows.items()], self.runs)


def taken_in(pieces: Iterable[Piece], gate: Gate, accept: Callable[[Batch], None]) -> Intake:
    """Judge the rows of pieces; those that are events, and neither late nor there twice, are accepted."""
    found = Intake()
    for piece in pieces:
        for batch, refused in piece.rows():
            if batch is None:
                found.quarantine += [_row(piece, each) for _, each in refused]
            else:
                events, more = _judged(piece, batch, refused, gate)
                found.quarantine += more
                if events.count:
                    found.accepted += events.count
                    found.runs.setdefault(piece.name, set()).update(_runs(events))
                    accept(events)
    return found


def _judged(
    piece: Piece, batch: Batch, refused: list[tuple[int, Refused]], gate: Gate
) -> tuple[Batch, list[dict[str, Any]]]:
    """The rows that are accepted, and the others as rows of quarantine."""
    if refused:
        batch.events = np.ones(batch.count, np.bool_)
        batch.events[[place for place, _ in refused]] = False
    whole, more = judged(batch, piece.run)
    fit = np.ones(batch.count, np.bool_) if whole.events is None else whole.events
    some = chosen(whole, fit)
    late = again = np.zeros(0, np.bool_)
    if some.count:  # rows without an event may lack the columns that every event has
        late, again = gate.marks(some)
    places = np.flatnonzero(fit)
    problems = dict((*refused, *more))
    for marks, reason in ((late, LATE), (again, REPEATS)):
        for place in places[marks].tolist():
            problems[place] = Refused(0, None, reason, said=whole.names["run_id"][place])
    if not problems:
        return some, []
    lines = piece.lines({batch.first + place for place in problems})
    rows = []
    for place, problem in sorted(problems.items()):
        number, text = lines.get(batch.first + place) or (batch.first + place + 1, None)
        raw = json.dumps(whole.row(place), ensure_ascii=False)[:LONGEST] if text is None else text
        rows.append(_row(piece, replace(problem, line=number, raw=problem.raw or raw)))
    return chosen(some, ~(late | again)), rows


def _row(piece: Piece, problem: Refused) -> dict[str, Any]:
    run = problem.said if problem.reason in _GATED else problem.run_id
    return {
        "run_id": run, "file": piece.name, "line": problem.line, "reason": problem.reason,
        "field": problem.field, "value": problem.value, "raw": problem.raw,
    }  # fmt: skip


def _runs(events: Batch) -> set[str]:
    names = events.names["run_id"]
    return {str(names.values[code]) for code in np.unique(names.codes).tolist()}


def chosen(batch: Batch, some: Mask) -> Batch:
    """A batch of some rows of another, all of which are events."""
    if some.all():
        return replace(batch, events=None)
    places = {int(place): new for new, place in enumerate(np.flatnonzero(some))}
    return Batch(
        0, len(places),
        {name: Names(each.codes[some], each.values) for name, each in batch.names.items()},
        {name: each[some] for name, each in batch.numbers.items()},
        {name: each[some] for name, each in batch.truths.items()},
        {
            name: {places[place]: each for place, each in listed.items() if place in places}
            for name, listed in batch.lists.items()
        },
    )  # fmt: skip
