"""The steps of an audit in one process: all events are in its memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from angarium.history.intake.batch import Batch
from angarium.history.intake.source import Source
from angarium.history.kernel import layout as at
from angarium.history.kernel.audit import Audited, audited
from angarium.history.kernel.encoding import Encoder
from angarium.history.kernel.facts import Facts
from angarium.history.kernel.folding import Folded, Folding
from angarium.history.kernel.interning import Numbers
from angarium.history.kernel.lives import Words, spelled, told
from angarium.history.kernel.memory import Store, bits_for, joined
from angarium.history.kernel.noted import Noted
from angarium.history.kernel.numbers import Odd, odd_of
from angarium.history.kernel.placed import Placed, judged_places
from angarium.history.missing import Missing
from angarium.history.parameters import Parameters

Event = Mapping[str, Any]
RESTING = 8
"""So many batches are taken before what is in memory of a file is let go of."""


def audit(
    source: Source,
    parameters: Parameters,
    *,
    only: Collection[str] | None = None,
    lacking: Callable[[], Missing] = Missing,
    threads: int = 1,
    mend: bool = True,
    folder: Path | None = None,
) -> Audited:
    """Judge all guarantees, or only some, in every run of a source; see `kernel.audit`.

    `folder`: where events are kept, if there is no room for them in memory.
    """
    return audited(InProcess(source, threads, folder), parameters, only=only, lacking=lacking, mend=mend)


@dataclass
class Corrected:
    """A source without rows that are there twice, and with times that were put right."""

    source: Source
    odd: Odd = field(default_factory=Odd)

    def batches(self, columns: Collection[str] | None = None) -> Iterator[tuple[Batch, Numbers | None]]:
        """All rows, or some columns of them, each batch with its times if some were put right."""
        repeats = np.array(sorted(self.odd.repeats), np.int64)
        rows = np.array(sorted(self.odd.times), np.int64)
        for batch in self.source.batches(columns):
            whole, times = batch, None
            low, high = np.searchsorted(repeats, [batch.first, batch.first + batch.count])
            if low < high:
                fit = np.ones(batch.count, np.bool_) if batch.events is None else batch.events.copy()
                fit[repeats[low:high] - batch.first] = False
                whole = replace(batch, events=fit)
            low, high = np.searchsorted(rows, [batch.first, batch.first + batch.count])
            if low < high:
                times = batch.numbers["time_unix_nano"].copy()
                times[rows[low:high] - batch.first] = [self.odd.times[row] for row in rows[low:high].tolist()]
            yield whole, times

    def fetch(self, rows: Collection[int], columns: Collection[str] | None = None) -> dict[int, Event]:
        found = self.source.fetch(rows, columns)
        for row in self.odd.times.keys() & found.keys():
            found[row] = {**found[row], "time_unix_nano": self.odd.times[row]}
        return found


@dataclass
class InProcess:
    """What was read, and is kept."""

    source: Source
    threads: int = 1
    folder: Path | None = None
    corrected: Corrected = field(init=False)
    encoder: Encoder = field(init=False)
    folding: Folding = field(init=False)

    def read(self, seed: int, odd: Odd) -> Noted:
        self.corrected = Corrected(self.source, odd)
        rows = self.source.rows
        bits = bits_for(rows)
        self.encoder = Encoder(Store(rows, bits, self.folder), Store(rows, bits), seed)
        for number, (batch, times) in enumerate(self.corrected.batches()):
            self.encoder.add(batch, times)
            if number % RESTING == 0:
                self.encoder.store.rest()
        self.encoder.noted.rows = rows
        return self.encoder.noted

    def odd(self, noted: Noted, sources: Sequence[int]) -> Odd:
        return odd_of(self.source.batches(), noted.tables, sources, self.source.fetch)

    def fold(self, facts: Facts, asked: Collection[str]) -> tuple[Folded, Placed]:
        folding = self.folding = Folding(self.encoder, facts, threads=self.threads, folder=self.folder)
        folded = folding.folded()
        taken = folding.taken.astype(np.int64)
        placed = [each | {"taken": taken[each["row"]]} for each in self.encoder.placed]
        return folded, judged_places(placed, facts, asked)

    def spelled(self) -> Words:
        """The words of all lives, when they are folded."""
        return spelled(self.folding.crew, self.folding.stores, self.folding.facts)

    def lives(self) -> NDArray[np.uint64]:
        """What the table of messages tells, when they are folded: in the order of the rows that name them."""
        found = joined(told(self.folding.crew, self.folding.stores, "tell"))
        return found[np.argsort(found[:, at.Y_ROW] & np.uint64(at.ROW), kind="stable")]

    def rows_of(self, keys: NDArray[np.uint64]) -> Mapping[int, int]:
        return self.encoder.store.rows_of(keys)

    def fetch(self, rows: Collection[int], columns: Collection[str] | None = None) -> Mapping[int, Event]:
        return self.corrected.fetch(rows, columns)

    def confirmed(self) -> Sequence[tuple[int, Event]]:
        rows = [row for batch, _ in self.corrected.batches() for row in confirmed_in(batch)]
        return [(row, event) for row, event in self.fetch(rows).items() if "message_id" in event]


def confirmed_in(batch: Batch) -> list[int]:
    """The rows of sends that are ok."""
    ops, phases = batch.names["op_type"], batch.names["phase"]
    ok = [
        list(each.values).index(name) if name in each.values else -2
        for each, name in ((ops, "send"), (phases, "ok"))
    ]
    sent = (ops.codes == ok[0]) & (phases.codes == ok[1])
    if batch.events is not None:
        sent &= batch.events
    return [batch.first + place for place in np.flatnonzero(sent).tolist()]
