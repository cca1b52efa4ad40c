"""The files of an audit as a source of rows, and what of them is in quarantine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from angarium.core.addresses import resident
from angarium.history.intake import csv, jepsen, json_lines, nats, otlp, parquet, rabbitmq
from angarium.history.intake.batch import Batch
from angarium.history.intake.csv import Objects, Values
from angarium.history.intake.flat import FlatLines
from angarium.history.intake.footers import NAME as PARQUET
from angarium.history.intake.formats import Found, broken
from angarium.history.intake.jepsen import Operations
from angarium.history.intake.mapping import Mapping as Columns
from angarium.history.intake.nats import rows_of as of_nats
from angarium.history.intake.other_tables import OtherTable
from angarium.history.intake.otlp import rows_of as of_otlp
from angarium.history.intake.parquet import DamagedError, Table
from angarium.history.intake.rabbitmq import Links, Records, links
from angarium.history.intake.reasons import REPEATS, name_of_run
from angarium.history.intake.rules import JUDGED, Refused, judged, with_run
from angarium.history.intake.source import Event, fetched
from angarium.history.intake.text import Lines, Parse, lines_of
from angarium.history.missing import Missing, missing
from angarium.history.results import Counts


def is_plain_table(found: Found, mapping: Columns | None) -> bool:
    """Whether a file is Parquet of the schema's own types, which is read whenever it is asked for."""
    kind = found.kind
    return kind is not None and kind.format == PARQUET and mapping is None and parquet.fits(kind.columns)


class NoRoomError(Exception):
    """What is read takes more memory than it may: a small file can have very much in it."""


@dataclass
class Files:
    """What is read: texts at once, which are kept, and tables again whenever they are asked for.

    A table of another shape than the schema's is read as a text is.
    """

    found: Sequence[Found]
    mapping: Columns | None = None
    run_id: str | None = None
    groups: range | None = None
    """The row groups of tables that are read; None: all."""
    span: range | None = None
    """The bytes of texts that are read; None: all."""
    refused: dict[int, list[Refused]] = field(default_factory=dict)
    """Rows in quarantine, by the number of the first row of their batch."""
    room: float = float("inf")
    """Bytes of memory that may be taken."""
    _before: int = field(default_factory=resident)
    _sound: set[Path] = field(default_factory=set)
    """Tables all of whose rows are events, as was seen when they were read."""
    _links: Links | None = None

    @property
    def rows(self) -> int:
        return sum(batch.count for batch in self._texts) + sum(
            parquet.count(path, self.groups) for path in self._tables
        )

    @cached_property
    def _tables(self) -> list[Path]:
        return [each.file.path for each in self.found if self._is_read_again(each)]

    def _is_read_again(self, found: Found) -> bool:
        return is_plain_table(found, self.mapping)

    @cached_property
    def _texts(self) -> list[Batch]:
        """All text files and tables of another shape, parsed; their rows come first."""
        kept: list[Batch] = []
        for number, each in enumerate(self.found):
            if each.kind and not self._is_read_again(each):
                first = kept[-1].first + kept[-1].count if kept else 0
                rows = self._read(each, number, first).batches()
                kept += [self._judged(batch, refused) for batch, refused in rows]
        return kept

    def _read(self, found: Found, number: int, first: int) -> Lines | OtherTable:
        """A file whose rows are read one by one."""
        assert found.kind is not None
        if found.kind.format == PARQUET:
            return OtherTable(found.file.path, number, first, self.mapping, self.groups)
        parse = parser(found, self.mapping, self.links)
        kind = FlatLines if parse is json_lines.row_of else Lines
        return kind(found.file.path, number, first, parse, self.span)

    def texts(self) -> Iterator[Lines]:
        """The texts that were read, to be gone through again."""
        firsts: dict[int, int] = {}
        for batch in self._texts:
            firsts.setdefault(batch.file, batch.first)
        for number, first in firsts.items():
            rows = self._read(self.found[number], number, first)
            if isinstance(rows, Lines):
                yield rows

    @property
    def links(self) -> Links:
        """What RabbitMQ's files say together of channels and consumers."""
        if self._links is None:
            self._links = links_of(self.found)
        return self._links

    def _judged(self, batch: Batch, refused: Sequence[tuple[int, Refused]]) -> Batch:
        """A batch whose rows are judged, those in quarantine noted. NoRoomError if they take too much."""
        if resident() - self._before > self.room:
            raise NoRoomError
        if refused:
            batch.events = np.ones(batch.count, np.bool_)
            batch.events[[place for place, _ in refused]] = False
        whole, more = judged(batch, self.run_id or name_of_run(self.found[batch.file].file.path))
        self.refused[batch.first] = [each for _, each in (*refused, *more)]
        return whole

    @cached_property
    def _files(self) -> list[Table]:
        """The tables, with the numbers of their first rows."""
        first = sum(batch.count for batch in self._texts)
        found = []
        for number, each in enumerate(self.found):
            if self._is_read_again(each):
                found.append(Table(each.file.path, number, first, self.groups))
                first += parquet.count(each.file.path, self.groups)
        return found

    def batches(self, columns: Collection[str] | None = None) -> Iterator[Batch]:
        """All rows, but for batches without an event; DamagedError if something cannot be read."""
        yield from filter(_has_events, self._texts)
        for table in self._files:
            yield from filter(_has_events, self._rows(table, columns))

    def _rows(self, table: Table, columns: Collection[str] | None) -> Iterator[Batch]:
        """The rows of a table, which are judged until it is known that all of them are events."""
        if table.path in self._sound:
            default = self.run_id or name_of_run(table.path)
            for batch in table.batches(None if columns is None else {*columns, "run_id"}):
                yield with_run(batch, default)
            return
        sound = True
        for batch in table.batches(None if columns is None else {*columns, *JUDGED}):
            whole = self._judged(batch, ())
            sound = sound and whole.events is None
            yield whole
        if sound:
            self._sound.add(table.path)

    def fetch(self, rows: Collection[int], columns: Collection[str] | None = None) -> dict[int, Event]:
        """Some rows; with some columns only, if these are enough."""
        wanted = sorted(rows)
        found = fetched(self._texts, wanted)
        ends = [*(table.first for table in self._files[1:]), self.rows]
        for table, end in zip(self._files, ends, strict=True) if self._files else ():
            if mine := [row for row in wanted if table.first <= row < end]:
                default = self.run_id or name_of_run(table.path)
                found |= {
                    row: {"run_id": default, **event} for row, event in table.fetch(mine, columns).items()
                }
        return found

    # --- what is in quarantine ----------------------------------------------------------------------

    def _quarantined(self) -> list[Refused]:
        """All that is in quarantine: of tables, what was found there when they were read."""
        self._texts  # noqa: B018 (they are parsed now, if they were not)
        return [*self.faults, *(each for batch in self.refused.values() for each in batch)]

    @property
    def faults(self) -> list[Refused]:
        """Files that cannot be read, or not to their ends."""
        return [
            Refused(number, None, each.fault.reason, each.fault.field, each.fault.value)
            for number, each in enumerate(self.found)
            if each.fault
        ]

    def counts(self, repeats: int = 0) -> Counts:
        """What was read, and what became of it."""
        reasons = Counter(each.reason for each in self._quarantined()) + Counter({REPEATS: repeats})
        read = self.rows + len(self.faults)
        return Counts(read, read - reasons.total(), reasons.total(), dict(sorted(reasons.items())))

    def lacking(self) -> Missing:
        """What is in quarantine, and of which runs it may be."""
        rows = Counter((str(self.found[each.file].file.path), each.run_id) for each in self._quarantined())
        unnamed = {file for file, run in rows if run is None}
        return missing([(file, run, count) for (file, run), count in rows.items()], self._runs_of(unnamed))

    def _runs_of(self, files: Collection[str]) -> Mapping[str, set[str]]:
        """The runs of which events were read from each of some files."""
        runs: dict[str, set[str]] = {}
        for batch in self.batches(["run_id"]) if files else ():
            file = str(self.found[batch.file].file.path)
            if file in files:
                names = batch.names["run_id"]
                codes = names.codes if batch.events is None else names.codes[batch.events]
                runs.setdefault(file, set()).update(str(names.values[code]) for code in np.unique(codes))
        return runs


def _has_events(batch: Batch) -> bool:
    """Whether there is one: a batch without any may lack the columns that every event has."""
    return batch.events is None or bool(batch.events.any())


_FOREIGN: dict[str, Callable[[], Parse]] = {
    nats.FORMAT.name: lambda: of_nats,
    otlp.FORMAT.name: lambda: of_otlp,
    jepsen.FORMAT.name: Operations,
}
"""How lines of foreign records are read, from the first line of a file on."""


def parser(found: Found, mapping: Columns | None, links: Links) -> Parse:
    """How the lines of a text are read."""
    assert found.kind is not None
    if found.kind.format == csv.NAME:
        return Values(found.kind.header, [found.unended] if found.unended else [], mapping or Columns())
    if found.kind.format == rabbitmq.FORMAT.name:
        return Records(links)
    if found.kind.format in _FOREIGN:
        return _FOREIGN[found.kind.format]()
    return json_lines.row_of if mapping is None else Objects(mapping)


def links_of(found: Sequence[Found]) -> Links:
    """What RabbitMQ's files say together of channels and consumers."""
    paths = [each.file.path for each in found if each.kind and each.kind.format == rabbitmq.FORMAT.name]
    return links(line for path in paths for line in lines_of(path))


def without(files: Files, problem: DamagedError) -> Files:
    """The same files, but for one of which something cannot be read."""
    found = [broken(each, problem.why if each.file.path == problem.path else None) for each in files.found]
    return Files(found, files.mapping, files.run_id, room=files.room)
