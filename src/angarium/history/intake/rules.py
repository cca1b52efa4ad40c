"""What makes a row an event, for batches: the same rules as `readers.quarantine` has for tables of Spark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from angarium.history import schema
from angarium.history.intake.batch import NULL, Batch
from angarium.history.intake.reasons import (
    IMPOSSIBLE,
    LATEST,
    MISSING,
    NEGATIVE,
    NO_DESTINATION,
    NO_TIME,
    OF_LINE,
)

_LISTS = {
    "op_type": schema.OP_TYPES, "phase": schema.PHASES, "settle": schema.SETTLES, "vantage": schema.VANTAGES,
}  # fmt: skip
JUDGED = ("run_id", *schema.REQUIRED, *_LISTS, "seq", "message_id", "destination")
"""The columns without which nobody can say whether a row is an event, and of which run."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A row, a line or a file in quarantine."""

    file: int
    """The place of its file among those that are read."""
    line: int | None
    reason: str
    field: str | None = None
    value: str | None = None
    raw: str | None = None
    said: str | None = None
    """The run that the row itself names."""
    row: int | None = None
    """The number of a row of which neither the line nor what it says is known yet: see `quarantined`."""

    @property
    def run_id(self) -> str | None:
        """The run of the row, as far as it can be believed."""
        return None if self.reason in OF_LINE else self.said


def judged(batch: Batch, default: str) -> tuple[Batch, list[tuple[int, Refused]]]:
    """A batch whose rows are judged, and the rows that are no events, by their places.

    Rows that name no run belong to the default.
    """
    broken = np.zeros(batch.count, np.bool_) if batch.events is None else ~batch.events
    refused: list[tuple[int, Refused]] = []
    for rows, reason, field in _rules(batch):
        for place in np.flatnonzero(rows & ~broken).tolist():
            refused.append((place, _refused(batch, place, reason, field)))
        broken |= rows
    return replace(with_run(batch, default), events=~broken if broken.any() else None), refused


def _refused(batch: Batch, place: int, reason: str, field: str) -> Refused:
    row = batch.row(place)
    value = None if reason in (MISSING, NO_DESTINATION) else row.get(field)
    told = None if value is None else str(value)
    return Refused(batch.file, None, reason, field, told, said=row.get("run_id"), row=batch.first + place)


def _rules(batch: Batch) -> Iterator[tuple[NDArray[np.bool_], str, str]]:
    """Which rows break each rule."""
    for name in schema.REQUIRED:
        yield _absent(batch, name), MISSING, name
    for name, known in _LISTS.items():
        if name in batch.names:
            yield _not_among(batch, name, known), IMPOSSIBLE, name
    if "time_unix_nano" in batch.numbers:
        time = batch.numbers["time_unix_nano"]
        yield (time != NULL) & ((time <= 0) | (time >= LATEST)), NO_TIME, "time_unix_nano"
    if "seq" in batch.numbers:
        seq = batch.numbers["seq"]
        yield (seq != NULL) & (seq < 0), NEGATIVE, "seq"
    if "message_id" in batch.names and "op_type" in batch.names:
        of_message = ~_not_among(batch, "op_type", schema.MESSAGE_OPS) & (batch.names["op_type"].codes >= 0)
        named = batch.names["message_id"].codes >= 0
        yield of_message & named & _absent(batch, "destination"), NO_DESTINATION, "destination"


def _absent(batch: Batch, name: str) -> NDArray[np.bool_]:
    if name in batch.names:
        return batch.names[name].codes < 0
    if name in batch.numbers:
        found: NDArray[np.bool_] = batch.numbers[name] == NULL
        return found
    return np.ones(batch.count, np.bool_)


def _not_among(batch: Batch, name: str, known: Sequence[str]) -> NDArray[np.bool_]:
    """Which rows have a name that is not among those that are known."""
    names = batch.names[name]
    unknown: NDArray[np.bool_] = np.array([*(str(each) not in known for each in names.values), False])[
        names.codes
    ]
    return unknown


def with_run(batch: Batch, default: str) -> Batch:
    """The batch, with a run for every row."""
    from angarium.history.intake.batch import Names

    names = batch.names.get("run_id")
    if names is None:
        codes = np.zeros(batch.count, np.int32)
        return replace(batch, names={**batch.names, "run_id": Names(codes, [default])})
    if (names.codes >= 0).all():
        return batch
    values = list(names.values)
    place = values.index(default) if default in values else len(values)
    codes = np.where(names.codes < 0, np.int32(place), names.codes).astype(np.int32)
    return replace(
        batch,
        names={**batch.names, "run_id": Names(codes, [*values, default] if place == len(values) else values)},
    )
