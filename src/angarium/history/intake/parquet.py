"""Parquet: names are read as numbers with a dictionary, as they are stored, and columns without a value are
left out.

That they have none is seen by reading them, which takes two nanoseconds a row. The footer says so, too, but
has no checksum: a damaged one would hide a column. And Arrow ends the process if it is asked for what such a
footer says of a column's chunk, where to read that chunk only fails.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from angarium.core.files import opened
from angarium.history import schema
from angarium.history.intake.batch import KINDS, NULL, Batch, Names
from angarium.history.intake.source import Event
from angarium.history.intake.texts import ARGUMENTS, READ

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

ROWS = 1 << 17
"""Rows of a batch: its columns fit into a cache."""
WRONG_COUNT = "a row group should have {} rows, and has {}"


class DamagedError(Exception):
    """A file of which something cannot be read."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(why)
        self.path, self.why = path, why


class Dictionary(Sequence[str]):
    """The names of a column as Arrow has them: they become texts only when they are asked for."""

    def __init__(self, names: pa.StringArray) -> None:
        self.names = names

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401 (a sequence's)
        return self.names[place].as_py()

    def __iter__(self) -> Iterator[str]:
        return iter(self.names.to_pylist())

    def utf8(self) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
        """All names behind each other, and where each begins; the last entry is where they end."""
        _, ends, data = self.names.buffers()
        start, count = self.names.offset, len(self.names)
        places = np.frombuffer(ends, np.uint32)[start : start + count + 1]
        return np.frombuffer(data, np.uint8) if data and data.size else np.zeros(1, np.uint8), places


def fits(given: Sequence[tuple[str, str]]) -> bool:
    """Whether all columns that are read are of the schema's types: names, with types as Spark's."""
    for name, type_ in given:
        wanted = KINDS.get(name)
        if wanted is None:
            if name in READ or name == ARGUMENTS:
                return False
        elif type_ != wanted and not (wanted == schema.LONG and type_ in ("int", "timestamp_nanos")):
            return False
    return True


@dataclass(frozen=True)
class Table:
    """A file."""

    path: Path
    file: int
    first: int
    """The number of the first row that is read."""
    groups: range | None = None
    """The row groups that are read; None: all."""

    def _opened(self, stream: BufferedReader) -> ParquetFile:
        from pyarrow import parquet

        known = parquet.read_metadata(stream)
        texts = [name for name in known.schema.names if KINDS.get(name) == schema.TEXT]
        return parquet.ParquetFile(
            stream, metadata=known, read_dictionary=texts, page_checksum_verification=True
        )

    def batches(self, columns: Collection[str] | None = None) -> Iterator[Batch]:
        """All rows; DamagedError if something cannot be read."""
        for first, count, whole in self._groups(columns):
            for start in range(0, count, ROWS):
                yield _batch(whole, first + start, min(ROWS, count - start), start, self.file)

    def fetch(self, rows: Sequence[int], columns: Collection[str] | None = None) -> dict[int, Event]:
        """Some rows, whose numbers go up."""
        found: dict[int, Event] = {}
        wanted = np.array(rows, np.int64)
        for first, count, whole in self._groups(columns, wanted):
            low, high = np.searchsorted(wanted, [first, first + count])
            batch = _batch(whole, first, count, 0, self.file)
            found |= {row: batch.row(row - first) for row in wanted[low:high].tolist()}
        return found

    def _groups(
        self, columns: Collection[str] | None, wanted: NDArray[np.int64] | None = None
    ) -> Iterator[tuple[int, int, Columns]]:
        """The row groups, or those with some rows: number of the first row, count of rows, and columns."""
        from pyarrow import ArrowException

        try:
            with opened(self.path) as stream, self._opened(stream) as table:
                first, there = self.first, _there(table, columns)
                for group in self.groups or range(table.num_row_groups):
                    count = table.metadata.row_group(group).num_rows
                    if wanted is None or np.diff(np.searchsorted(wanted, [first, first + count]))[0]:
                        given = table.read_row_group(group, there)
                        if there and given.num_rows != count:
                            raise DamagedError(self.path, WRONG_COUNT.format(count, given.num_rows))
                        yield first, count, _columns(in_types_of_schema(_with_values(given)))
                    first += count
        except (OSError, ArrowException, UnicodeDecodeError) as problem:
            raise DamagedError(self.path, str(problem).splitlines()[0]) from None


def in_types_of_schema(table: pa.Table) -> pa.Table:
    """The columns in the types that the schema has. ArrowException if something does not fit."""
    kinds = types()
    for place, name in enumerate(table.column_names):
        wanted, given, column = kinds[KINDS[name]], table.schema.field(place).type, table.column(place)
        if str(given).startswith("timestamp"):
            column = column.cast(given if given.unit == "ns" else _nanoseconds(given)).cast(wanted)
            table = table.set_column(place, name, column)
        elif given != wanted and not _is_text(given, wanted):
            table = table.set_column(place, name, column.cast(wanted))
    return table


def _nanoseconds(given: pa.TimestampType) -> pa.TimestampType:
    import pyarrow as pa

    return pa.timestamp("ns", given.tz)


def _is_text(given: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether it is a column of names, which may be numbers with a dictionary."""
    import pyarrow as pa

    return bool(wanted == pa.string() and pa.types.is_dictionary(given) and given.value_type == wanted)


def types() -> dict[str, pa.DataType]:
    """Arrow's types for the schema's."""
    import pyarrow as pa

    return {
        schema.LONG: pa.int64(), schema.INT: pa.int32(), schema.TEXT: pa.string(), schema.TRUTH: pa.bool_(),
        schema.TEXTS: pa.list_(pa.string()),
    }  # fmt: skip


def counts(path: Path) -> list[int]:
    """How many rows each row group of a file has."""
    from pyarrow import parquet

    with opened(path) as stream:
        known = parquet.read_metadata(stream)
        return [int(known.row_group(group).num_rows) for group in range(known.num_row_groups)]


def count(path: Path, groups: range | None = None) -> int:
    """How many rows a file, or some of its row groups, have."""
    found = counts(path)
    return sum(found if groups is None else (found[group] for group in groups))


def _there(table: ParquetFile, columns: Collection[str] | None) -> list[str]:
    """The columns that are read."""
    given = dict.fromkeys(table.schema_arrow.names)
    return [name for name in given if name in KINDS and (columns is None or name in columns)]


def _with_values(table: pa.Table) -> pa.Table:
    """The columns that have a value."""
    return table.select(
        [name for name in table.column_names if table.column(name).null_count < table.num_rows]
    )


def batch_of_table(rows: pa.RecordBatch, first: int) -> Batch:
    """Rows that somebody else has read; columns of other names are left alone."""
    import pyarrow as pa

    table = pa.Table.from_batches([rows])
    there = _with_values(table.select([name for name in table.column_names if name in KINDS]))
    return _batch(_columns(there), first, table.num_rows, 0, 0)


Columns = tuple[dict[str, Names], dict[str, NDArray[np.int64]], dict[str, NDArray[np.int8]], dict[str, Any]]


def _columns(table: pa.Table) -> Columns:
    """The columns of a row group. ArrowException if there are texts that are none.

    Where pages have no checksums, a changed byte may name what is behind the end of a dictionary.
    """
    names, numbers, truths, lists = {}, {}, {}, {}
    for name in table.column_names:
        column = table.column(name).combine_chunks()
        if KINDS[name] in (schema.TEXT, schema.TEXTS):
            column.validate(full=True)
        match KINDS[name]:
            case schema.TEXT:
                names[name] = _names(column)
            case schema.TRUTH:
                truths[name] = _filled(column, _bits(column), -1).astype(np.int8)
            case schema.TEXTS:
                lists[name] = {
                    n: tuple(each) for n, each in enumerate(column.to_pylist()) if each is not None
                }
            case _:
                numbers[name] = _filled(column, _words(column), NULL)
    return names, numbers, truths, lists


def _names(column: pa.Array) -> Names:
    import pyarrow as pa

    coded = column if isinstance(column, pa.DictionaryArray) else column.dictionary_encode()
    codes = _filled(coded.indices, np.frombuffer(coded.indices.buffers()[1], np.int32)[_span(coded)], -1)
    return Names(codes, Dictionary(coded.dictionary))


def _span(column: pa.Array) -> slice:
    return slice(column.offset, column.offset + len(column))


def _words(column: pa.Array) -> NDArray[np.int64]:
    """A column of whole numbers; what stands where there is none may be anything."""
    kind = np.int32 if column.type.bit_width == 32 else np.int64
    return np.frombuffer(column.buffers()[1], kind)[_span(column)].astype(np.int64, copy=False)


def _bits(column: pa.Array) -> NDArray[np.int64]:
    """A column of truths."""
    bits = np.unpackbits(np.frombuffer(column.buffers()[1], np.uint8), bitorder="little")
    return bits[_span(column)].astype(np.int64)


def _filled(column: pa.Array, values: NDArray[Any], null: int) -> NDArray[Any]:
    """Values, with a number in the place of what is not there.

    Arrow's own functions would do so, too; to load them takes longer than to audit a small file.
    """
    if not column.null_count:
        return values
    there = np.unpackbits(np.frombuffer(column.buffers()[0], np.uint8), bitorder="little")[_span(column)]
    return np.where(there, values, values.dtype.type(null))


def _batch(columns: Columns, first: int, count: int, start: int, file: int) -> Batch:
    """Some rows of a row group."""
    names, numbers, truths, lists = columns
    part = slice(start, start + count)
    return Batch(
        first, count,
        {name: Names(each.codes[part], each.values) for name, each in names.items()},
        {name: each[part] for name, each in numbers.items()},
        {name: each[part] for name, each in truths.items()},
        {name: _part(each, start, count) for name, each in lists.items()},
        file,
    )  # fmt: skip


def _part(listed: Mapping[int, tuple[str, ...]], start: int, count: int) -> dict[int, tuple[str, ...]]:
    return {place - start: each for place, each in listed.items() if start <= place < start + count}
