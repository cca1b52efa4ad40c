"""The tables of a followed history on disk, as Parquet: events, quarantine and findings, a part a batch.

The events are read again for what was found, for messages that come back after they were forgotten, and when
a process goes on where another one was killed. They are numbered through all batches, in the order in which
they were accepted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from angarium.history.intake.batch import Batch
from angarium.history.intake.parquet import Dictionary, Table, count
from angarium.history.kernel.hashing import hashes
from angarium.history.live.parts import parts_of, put_together
from angarium.history.tabled import schema_of, schema_of_events, table_of

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

Event = Mapping[str, Any]
_FILE = "part.parquet"
_GROUP = 1 << 16
"""Rows of a row group: so many are read for one of them."""
_SEED = 0xFEED


# --- parts ----------------------------------------------------------------------------------------------


@contextmanager
def writing(folder: Path, wanted: pa.Schema) -> Iterator[ParquetWriter]:
    """A part that is being written; what was there from a batch that was not finished is overwritten."""
    from pyarrow import parquet

    folder.mkdir(parents=True, exist_ok=True)
    with (
        (folder / _FILE).open("wb") as file,
        parquet.ParquetWriter(file, wanted, compression="lz4", use_dictionary=True) as writer,
    ):
        yield writer
        writer.close()
        file.flush()
        os.fsync(file.fileno())


def write(folder: Path, ddl: str, rows: Sequence[Mapping[str, object]]) -> None:
    """Write a part of a small table."""
    import pyarrow as pa

    wanted = schema_of(ddl)
    with writing(folder, wanted) as writer:
        writer.write_table(
            pa.Table.from_pylist([{name: row.get(name) for name in wanted.names} for row in rows], wanted)
        )


def read(table: Path, until: int) -> Iterator[dict[str, Any]]:
    """The rows of all parts of batches up to one."""
    from pyarrow import parquet

    for part in parts_of(table):
        if part.last <= until:
            yield from parquet.read_table(part.path / _FILE).to_pylist()


def join_small(table: Path, before: int) -> bool:
    """Put together what many batches before one have written; whether there was something."""
    done: list[Path] = []
    put_together(table, before, lambda parts, path: done.append(_joined(parts, path)))
    return bool(done)


def _joined(parts: Sequence[Path], path: Path) -> Path:
    from pyarrow import parquet

    with writing(path, parquet.read_schema(parts[0] / _FILE)) as writer:
        for part in parts:
            writer.write_table(parquet.read_table(part / _FILE), _GROUP)
    return path


# --- events ---------------------------------------------------------------------------------------------


@dataclass
class Events:
    """The events that were accepted."""

    folder: Path
    _parts: list[tuple[int, int, Path]] = field(default_factory=list)
    """Of each part its last batch, the number of its first event, and where it is."""
    count: int = 0

    def look(self, until: int) -> None:
        """See which parts there are of batches up to one."""
        self._parts, self.count = [], 0
        for part in parts_of(self.folder):
            if part.last <= until:
                self._parts.append((part.last, self.count, part.path / _FILE))
                self.count += count(part.path / _FILE)

    @contextmanager
    def writing(self, number: int) -> Iterator[Callable[[Batch], int]]:
        """Write the part of a batch; what is called with its rows says the number of the first."""
        part, first = self.folder / f"batch={number}", self.count
        columns = schema_of_events(plain=False)
        with writing(part, columns) as writer:

            def put(batch: Batch) -> int:
                writer.write_table(table_of(batch, columns), _GROUP)
                self.count += batch.count
                return self.count - batch.count

            yield put
        self._parts.append((number, first, part / _FILE))

    def join_small(self, before: int, until: int) -> None:
        if join_small(self.folder, before):
            self.look(until)

    def first(self, number: int) -> int:
        """The number of the first event of a batch, or of those after it."""
        return next((first for last, first, _ in self._parts if last >= number), self.count)

    def of_batch(self, number: int) -> Iterator[Batch]:
        """The events of a batch that has a part of its own."""
        for last, first, path in self._parts:
            if last == number:
                yield from Table(path, 0, first).batches()

    def fetch(self, numbers: Collection[int], columns: Collection[str] | None = None) -> dict[int, Event]:
        """Some events, by their numbers."""
        wanted = np.array(sorted(numbers), np.int64)
        ends = [*(first for _, first, _ in self._parts[1:]), self.count]
        found: dict[int, Event] = {}
        for (_, first, path), end in zip(self._parts, ends, strict=True) if len(wanted) else ():
            low, high = np.searchsorted(wanted, [first, end])
            if low < high:
                found |= Table(path, 0, first).fetch(wanted[low:high].tolist(), columns)
        return found

    def of_messages(self, names: Collection[str]) -> list[int]:
        """The numbers of all events of messages with some names, wherever they were sent to."""
        wanted = np.unique(hashes(sorted(names), _SEED)[:-1])
        return self._where("message_id", lambda texts: np.isin(hashes(Dictionary(texts), _SEED)[:-1], wanted))

    def of_several(self) -> list[int]:
        """The numbers of all settles of several messages."""
        return self._where("settle_multiple", lambda truths: np.array(truths.fill_null(False), np.bool_))

    def _where(self, column: str, chosen: Callable[[pa.Array], NDArray[np.bool_]]) -> list[int]:
        """The numbers of the events with a column that is chosen."""
        from pyarrow import parquet

        found: list[int] = []
        for _, first, path in self._parts:
            with parquet.ParquetFile(path) as file:
                for group in range(file.num_row_groups):
                    values = file.read_row_group(group, [column]).column(0).combine_chunks()
                    found += (first + np.flatnonzero(chosen(values))).tolist()
                    first += len(values)
        return found
