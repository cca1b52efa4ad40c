"""The numbers of recorders in a stream: a gap is told when the watermark has passed the event behind it.

Of each recorder the numbers of events that the watermark has not passed are kept, and the largest of those
that it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from angarium.history.intake.batch import NULL, Batch
from angarium.history.kernel.interning import Numbers
from angarium.history.kernel.numbering import Tables
from angarium.history.kernel.numbers import by_broker
from angarium.history.schema import BROKER

_MOST = 1 << 62
_COLUMNS = ("source", "seq", "time", "number")


@dataclass(frozen=True, slots=True)
class Gap:
    """Numbers that are missing between two events, which are told by their numbers among all."""

    run_id: str
    first: int
    last: int
    found_at: int
    missing: int


@dataclass
class Numbered:
    """What is kept of recorders' numbers."""

    kept: dict[str, Numbers] = field(
        default_factory=lambda: {name: np.zeros(0, np.int64) for name in _COLUMNS}
    )
    logs: set[tuple[int, bool]] = field(default_factory=set)
    """Recorders, each with whether it has events of a broker's history."""
    _new: list[dict[str, Numbers]] = field(default_factory=list)

    def take(self, batch: Batch, numbers: Numbers, tables: Tables) -> None:
        """Take the numbers of new events."""
        seq = batch.numbers.get("seq")
        if seq is None or not (there := seq != NULL).any():
            return
        run = tables.names.column(batch.names["run_id"], batch.count)
        source = tables.sources.column(run, tables.names.column(batch.names["recorder"], batch.count))
        beside = by_broker(batch)
        both = np.unique(source[there] * 2 + beside[there])
        self.logs.update((int(each) // 2, bool(each % 2)) for each in both.tolist())
        columns = (source, seq, batch.numbers["time_unix_nano"], numbers)
        self._new.append({name: each[there] for name, each in zip(_COLUMNS, columns, strict=True)})

    def gaps(self, tables: Tables, until: int) -> Iterator[Gap]:
        """All gaps that are seen now and that the watermark has passed; what it has passed is let go."""
        found = {
            name: np.concatenate([self.kept[name], *(new[name] for new in self._new)]) for name in _COLUMNS
        }
        self._new = []
        odd = _odd(found["source"], found["seq"])
        if odd.any():
            yield from self._wide({name: each[odd] for name, each in found.items()}, tables, until)
        passed = found["time"] < until
        stays = ~passed | _tops(found["source"], found["seq"], passed)
        self.kept = {name: each[stays] for name, each in found.items()}

    def _wide(self, found: dict[str, Numbers], tables: Tables, until: int) -> Iterator[Gap]:
        """The gaps of recorders whose numbers do not simply go on."""
        order = np.lexsort((found["number"], found["time"], found["seq"], found["source"]))
        source, seq, time, number = (found[name][order] for name in _COLUMNS)
        again = np.append(False, (source[1:] == source[:-1]) & (seq[1:] == seq[:-1]))
        source, seq, time, number = (each[~again] for each in (source, seq, time, number))
        wide = np.flatnonzero((source[1:] == source[:-1]) & (np.diff(seq) > 1))
        for place in wide[time[wide + 1] < until].tolist():
            missing = int(seq[place + 1] - seq[place]) - 1
            for name in self._runs(tables, int(source[place])):
                yield Gap(name, int(number[place]), int(number[place + 1]), int(time[place + 1]), missing)

    def _runs(self, tables: Tables, source: int) -> Iterator[str]:
        """The histories that a recorder is in."""
        run = tables.names.values[tables.sources.values[source][0]]
        for beside in (False, True):
            if (source, beside) in self.logs:
                yield run + BROKER if beside else run

    def arrays(self) -> Mapping[str, Numbers]:
        """What is to be written down, after `gaps`."""
        return self.kept

    @staticmethod
    def of(arrays: dict[str, Numbers], logs: set[tuple[int, bool]]) -> Numbered:
        return Numbered(arrays, logs)


def _odd(source: Numbers, seq: Numbers) -> NDArray[np.bool_]:
    """Which rows are of recorders whose numbers do not go on one by one."""
    if not len(source):
        return np.zeros(0, np.bool_)
    counts = np.bincount(source)
    low, high = np.full(len(counts), _MOST), np.full(len(counts), -1)
    np.minimum.at(low, source, seq)
    np.maximum.at(high, source, seq)
    found: NDArray[np.bool_] = (high - low + 1 != counts)[source]
    return found


def _tops(source: Numbers, seq: Numbers, passed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which rows have the largest number of their recorder, of those that the watermark has passed."""
    if not passed.any():
        return passed
    high = np.full(int(source.max()) + 1, -1)
    np.maximum.at(high, source[passed], seq[passed])
    found: NDArray[np.bool_] = passed & (high[source] == seq)
    return found
