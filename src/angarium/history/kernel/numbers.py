"""Recorders whose numbers do not simply go on: rows that are there twice, gaps, and clocks that went back.

Only their rows are collected and sorted. Two rows are the same if all their columns are; the same number with
another content is no repetition, for a recorder that was started again counts from 1 on, too. The numbers
tell the true order: a clock that was set back stands still until it has caught up.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from angarium.history.intake.batch import NULL, Batch
from angarium.history.kernel.finding import Finding
from angarium.history.kernel.interning import Numbers
from angarium.history.kernel.numbering import Tables
from angarium.history.schema import BROKER

Event = Mapping[str, Any]
Fetch = Callable[[Collection[int]], Mapping[int, Event]]


@dataclass(frozen=True)
class Jump:
    """A clock that was set back."""

    run_id: str
    recorder: str
    seq: int
    back_by: int


@dataclass
class Numbered:
    """The numbered rows of odd sources, sorted by source, number, time and row."""

    source: Numbers
    seq: Numbers
    time: Numbers
    row: Numbers
    broker: NDArray[np.bool_]
    """Whether the row belongs to a broker's history."""


@dataclass
class Odd:
    """What is odd about recorders' numbers."""

    repeats: set[int] = field(default_factory=set)
    """Rows that are there before, too."""
    jumps: list[Jump] = field(default_factory=list)
    times: dict[int, int] = field(default_factory=dict)
    """The times of rows whose clock had gone back, put right."""
    gaps: list[Finding] = field(default_factory=list)


def odd_of(batches: Iterable[Batch], tables: Tables, sources: Sequence[int], fetch: Fetch) -> Odd:
    """Look closely at some sources."""
    found = Odd()
    if not sources:
        return found
    rows = _collected(batches, tables, sources)
    found.repeats = _repeats(rows, fetch)
    kept = ~np.isin(rows.row, np.fromiter(found.repeats, np.int64, len(found.repeats)))
    rows = Numbered(*(getattr(rows, name)[kept] for name in ("source", "seq", "time", "row", "broker")))
    if len(rows.row):
        _straighten(rows, tables, found)
        found.gaps = list(_gaps(rows, tables))
    return found


def _collected(batches: Iterable[Batch], tables: Tables, sources: Sequence[int]) -> Numbered:
    parts: list[tuple[NDArray[Any], ...]] = []
    for batch in batches:
        seq = batch.numbers.get("seq")
        if seq is None:
            continue
        run = tables.names.column(batch.names["run_id"], batch.count)
        source = tables.sources.column(run, tables.names.column(batch.names["recorder"], batch.count))
        chosen = (seq != NULL) & np.isin(source, np.array(sources))
        if batch.events is not None:
            chosen &= batch.events
        rows = np.flatnonzero(chosen)
        beside = by_broker(batch)[rows]
        parts.append(
            (source[rows], seq[rows], batch.numbers["time_unix_nano"][rows], rows + batch.first, beside)
        )
    source, seq, time, row, broker = (np.concatenate(each) for each in zip(*parts, strict=True))
    order = np.lexsort((row, time, seq, source))
    return Numbered(source[order], seq[order], time[order], row[order], broker[order])


def by_broker(batch: Batch) -> NDArray[np.bool_]:
    """Which rows belong to a broker's history."""
    seen, op = batch.names.get("vantage"), batch.names["op_type"]
    if seen is None or "broker" not in seen.values:
        return np.zeros(batch.count, np.bool_)
    beside: NDArray[np.bool_] = seen.codes == list(seen.values).index("broker")
    if "replica" in op.values:
        beside &= op.codes != list(op.values).index("replica")
    return beside


def _repeats(rows: Numbered, fetch: Fetch) -> set[int]:
    """Rows that are the same as one before them."""
    same = (rows.source[1:] == rows.source[:-1]) & (rows.seq[1:] == rows.seq[:-1])
    doubtful = np.append(same, False) | np.append(False, same)
    events = fetch(rows.row[doubtful].tolist())
    seen: set[tuple[Any, ...]] = set()
    found = set()
    for row in sorted(events):
        event = tuple(sorted((name, _plain(value)) for name, value in events[row].items()))
        if event in seen:
            found.add(row)
        seen.add(event)
    return found


def _plain(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _straighten(rows: Numbered, tables: Tables, found: Odd) -> None:
    """Note where clocks went back, and the times that count instead."""
    begins = np.flatnonzero(np.append(True, rows.source[1:] != rows.source[:-1]))
    for low, high in zip(begins.tolist(), [*begins[1:].tolist(), len(rows.source)], strict=True):
        times = rows.time[low:high]
        latest = np.maximum.accumulate(times)
        back = np.flatnonzero(times[1:] < times[:-1])
        if len(back):
            run, recorder = (
                tables.names.values[each] for each in tables.sources.values[int(rows.source[low])]
            )
            found.jumps += [
                Jump(run, recorder, int(rows.seq[low + place + 1]), int(times[place] - times[place + 1]))
                for place in back.tolist()
            ]
            late = np.flatnonzero(latest != times)
            found.times |= dict(zip(rows.row[low:high][late].tolist(), latest[late].tolist(), strict=True))


def _gaps(rows: Numbered, tables: Tables) -> Iterator[Finding]:
    """`gap`: two successive numbers that differ by more than one, of each history that the recorder is in."""
    wide = np.flatnonzero((rows.source[1:] == rows.source[:-1]) & (np.diff(rows.seq) > 1))
    for place in wide.tolist():
        source = int(rows.source[place])
        low, high = np.searchsorted(rows.source, [source, source + 1])
        before = low + int(np.searchsorted(rows.seq[low:high], rows.seq[place], "left"))
        missing = int(rows.seq[place + 1] - rows.seq[place]) - 1
        run = tables.names.values[tables.sources.values[source][0]]
        for beside in np.unique(rows.broker[low:high]).tolist():
            name = run + BROKER if beside else run
            first, last = int(rows.row[before]), int(rows.row[place + 1])
            yield Finding(
                "complete-log", "gap", first, last, None, measure=missing, names=(), given={"run_id": name}
            )
