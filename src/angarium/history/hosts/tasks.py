"""What Spark's tasks do with pieces: read and scatter, and answer questions. They give rows of blocks.

A row has a kind, the partition that it goes to, the piece that it comes from, and bytes. What a task has
found comes back as a row, too: its answer.
"""

from __future__ import annotations

import pickle
import zlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from angarium.history import tabled
from angarium.history.evidence.search import evidence
from angarium.history.hosts.pieces import Input, Rows
from angarium.history.intake.batch import Batch
from angarium.history.intake.parquet import DamagedError
from angarium.history.intake.quarantined import quarantined
from angarium.history.intake.source import Source
from angarium.history.kernel.blocks import blocks_of
from angarium.history.kernel.encoding import Encoder
from angarium.history.kernel.interning import Numbers
from angarium.history.kernel.memory import Store
from angarium.history.kernel.noted import Noted
from angarium.history.kernel.numbers import Odd
from angarium.history.kernel.process import Corrected, confirmed_in
from angarium.history.results import Violation

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = "kind int, part int, piece bigint, data binary"
(ANSWER, EVENTS, SETTLERS, DEEDS, VIRTUALS, PLACED) = range(6)


def row(kind: int, part: int, piece: int, data: bytes) -> pa.RecordBatch:
    import pyarrow as pa

    columns = [
        pa.array([kind], pa.int32()), pa.array([part], pa.int32()), pa.array([piece], pa.int64()),
        pa.array([data], pa.binary()),
    ]  # fmt: skip
    return pa.record_batch(columns, ["kind", "part", "piece", "data"])


def answer(value: object, piece: int = -1) -> pa.RecordBatch:
    return row(ANSWER, -1, piece, zlib.compress(pickle.dumps(value), 1))


def answered(data: bytes) -> Any:  # noqa: ANN401 (whatever a task has answered)
    return pickle.loads(zlib.decompress(data))


# --- reading --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Read:
    """What a piece is, beside its events."""

    noted: Noted
    runs: frozenset[str]
    """The runs of which there are events, as the rows call them."""
    refused: Counter[tuple[str, str | None]]
    """Rows in quarantine by reason and the run that they name."""
    faults: Sequence[str] = ()
    """What is wrong with files as a whole, that only the task has seen."""


@dataclass(frozen=True, kw_only=True)
class OfPieces(ABC):
    """Work for pieces, whose numbers begin with the first of their input."""

    input: Input | None = None
    first: int = 0

    @abstractmethod
    def __call__(self, rows: Rows) -> Iterator[pa.RecordBatch]:
        """Rows with pieces to rows with what was made of them."""

    def opened(self, rows: Rows) -> Iterator[tuple[int, Source]]:
        assert self.input is not None
        for number, source in self.input.opened(rows):
            yield self.first + number, source


@dataclass(frozen=True)
class Reading(OfPieces):
    """Pieces to blocks of events."""

    seed: int
    bits: int
    odd: Mapping[int, Odd] = field(default_factory=dict)
    """What is wrong with rows of a piece."""

    def __call__(self, rows: Rows) -> Iterator[pa.RecordBatch]:
        for number, source in self.opened(rows):
            try:
                yield from self._blocks(number, source)
            except DamagedError as problem:
                yield answer(problem.why, number)

    def _blocks(self, number: int, source: Source) -> Iterator[pa.RecordBatch]:
        rows = source.rows
        encoder = Encoder(Store(rows, self.bits), Store(rows, 0), self.seed, apart=True)
        runs: set[str] = set()
        for batch, times in Corrected(source, self.odd.get(number, Odd())).batches():
            encoder.add(batch, times)
            runs |= _runs_in(batch)
        encoder.noted.rows = rows
        beside = {
            name: _by_row(rows, kept)
            for name, kept in (
                ("tag", encoder.tags), ("generation", encoder.generations), ("offset", encoder.offsets),
            )
            if kept
        }  # fmt: skip
        for part, block in blocks_of(encoder.store, beside):
            yield row(EVENTS, part, number, block.packed())
        for _, block in blocks_of(encoder.settlers):
            yield row(SETTLERS, number % (1 << self.bits), number, block.packed())
        faults = [each.fault.reason for each in getattr(source, "found", ()) if each.fault]
        yield answer(Read(encoder.noted, frozenset(runs), _refused(source), faults), number)


def _by_row(rows: int, batches: Mapping[int, Numbers]) -> Numbers:
    found = np.zeros(rows, np.int64)
    for first, values in batches.items():
        found[first : first + len(values)] = values
    return found


def _runs_in(batch: Batch) -> set[str]:
    names = batch.names["run_id"]
    codes = names.codes if batch.events is None else names.codes[batch.events]
    return {str(names.values[code]) for code in np.unique(codes).tolist()}


def _refused(source: Source) -> Counter[tuple[str, str | None]]:
    refused = getattr(source, "refused", {})
    return Counter((each.reason, each.run_id) for batch in refused.values() for each in batch)


@dataclass(frozen=True)
class Tabling(OfPieces, ABC):
    """Pieces to rows of a table that is written."""

    repeats: Mapping[int, Odd] = field(default_factory=dict)
    """Rows of a piece that are there twice."""

    def __call__(self, rows: Rows) -> Iterator[pa.RecordBatch]:
        for number, source in self.opened(rows):
            for table in self.tables(number, source, self.repeats.get(number, Odd())):
                yield from table.to_batches()

    @abstractmethod
    def tables(self, number: int, source: Source, odd: Odd) -> Iterator[pa.Table]:
        """The rows of a piece."""


class Events(Tabling):
    """The events."""

    def tables(self, number: int, source: Source, odd: Odd) -> Iterator[pa.Table]:
        yield from (tabled.events(batch) for batch, _ in Corrected(source, odd).batches())


class Quarantine(Tabling):
    """What is no event."""

    def tables(self, number: int, source: Source, odd: Odd) -> Iterator[pa.Table]:
        assert self.input is not None
        list(source.batches(["run_id"]))  # now it is known what of a table is no event
        name = self.input.name(number - self.first)
        yield tabled.quarantine((name, each) for each in quarantined(source, odd.repeats))


@dataclass(frozen=True, kw_only=True)
class Names(Tabling):
    """The names of messages, by the numbers of their rows."""

    firsts: Mapping[int, int]
    """The number of the first row of each piece."""

    def tables(self, number: int, source: Source, odd: Odd) -> Iterator[pa.Table]:
        import pyarrow as pa

        for batch in source.batches(["message_id"]):
            if "message_id" in batch.names:
                rows = np.arange(batch.first, batch.first + batch.count)
                names = tabled.message_ids(batch, rows)
                yield pa.table({"row": self.firsts[number] + rows, "message_id": names})


@dataclass(frozen=True)
class Asking(OfPieces):
    """Ask something of pieces, each with what only it needs to know."""

    ask: Callable[[Source, Any], Any]
    given: Mapping[int, Any] | None = None
    whole: Any = None

    def __call__(self, rows: Rows) -> Iterator[pa.RecordBatch]:
        for number, source in self.opened(rows):
            if self.given is None:
                yield answer(self.ask(source, self.whole), number)
            elif number in self.given:
                yield answer(self.ask(source, self.given[number]), number)


def fetch(source: Source, wanted: tuple[Sequence[int], Collection[str] | None]) -> dict[int, Any]:
    """Some rows of a piece."""
    rows, columns = wanted
    return source.fetch(rows, columns)


def batches(source: Source, columns: Collection[str]) -> list[Batch]:
    """All rows of a piece, with some columns, and only what must be known of recorders."""
    return [_slim(batch) for batch in source.batches(columns)]


def _slim(batch: Batch) -> Batch:
    """The columns that tell recorders' numbers."""
    names = {
        name: batch.names[name]
        for name in ("run_id", "recorder", "vantage", "op_type")
        if name in batch.names
    }
    slim = {
        name: type(each)(each.codes, [str(value) for value in each.values]) for name, each in names.items()
    }
    numbers = {name: batch.numbers[name] for name in ("seq", "time_unix_nano") if name in batch.numbers}
    return replace(batch, names=slim, numbers=numbers, truths={}, lists={})


def confirmed(source: Source, columns: None) -> dict[int, Any]:
    """The sends of a piece that are ok."""
    rows = [each for batch in source.batches() for each in confirmed_in(batch)]
    return source.fetch(rows)


def found_evidence(source: Source, chosen: tuple[Sequence[Violation], Odd]) -> dict[int, list[Any]]:
    """The events of stories that a piece has."""
    violations, odd = chosen
    return evidence(Corrected(source, odd), violations)
