"""Parquet of another shape: other columns, by a mapping, or other types than the schema's.

Such a file is read row by row, as a text is, and its rows are kept: each value becomes the one that the
schema wants, or the row goes into quarantine with the field and the value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from angarium.core.files import opened
from angarium.history import schema
from angarium.history.intake.batch import Batch, batch_of
from angarium.history.intake.csv import mapped
from angarium.history.intake.json_lines import BadLineError
from angarium.history.intake.mapping import Mapping as Columns
from angarium.history.intake.parquet import ROWS, WRONG_COUNT, DamagedError
from angarium.history.intake.reasons import LONGEST, WRONG_TYPE
from angarium.history.intake.rules import Refused
from angarium.history.intake.texts import (
    ARGUMENTS,
    READ,
    SECONDS_TYPE,
    WrongError,
    as_json,
    fields,
    of_text,
    seconds,
    within,
)

if TYPE_CHECKING:
    import pyarrow as pa

Event = dict[str, Any]
Row = Callable[[int], Event]
_A_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_BEGIN = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Moment:
    """A timestamp, in nanoseconds since 1970."""

    nanoseconds: int

    def __str__(self) -> str:
        """As ISO 8601 has it, all of its digits but zeros behind the last."""
        whole, rest = divmod(self.nanoseconds, 10**9)
        told = (_BEGIN + timedelta(seconds=whole)).strftime("%Y-%m-%d %H:%M:%S")
        return f"{told}.{rest:09d}".rstrip("0") if rest else told


@dataclass(frozen=True)
class OtherTable:
    """A file, and how its rows are read."""

    path: Path
    file: int
    first: int
    mapping: Columns | None
    groups: range | None = None
    """The row groups that are read; None: all."""

    def batches(self) -> Iterator[tuple[Batch, list[tuple[int, Refused]]]]:
        """All rows, with those that are no events, by their places. DamagedError if some cannot be read."""
        first = self.first
        for table in self._tables():
            row = self._row(table)
            rows: list[Event] = []
            refused: list[tuple[int, Refused]] = []
            for place in range(table.num_rows):
                event, problem = self._read(row, place, first)
                if problem:
                    refused.append((place, problem))
                rows.append(event)
            if rows:
                yield batch_of(rows, first, self.file), refused
                first += len(rows)

    def _tables(self) -> Iterator[pa.Table]:
        from pyarrow import ArrowException, parquet

        given = () if self.mapping is None else self.mapping.columns.values()
        wanted = {*READ, ARGUMENTS, *given, *(path.split(".")[0] for path in given)}
        try:
            with (
                opened(self.path) as stream,
                parquet.ParquetFile(stream, page_checksum_verification=True) as file,
            ):
                columns = [name for name in dict.fromkeys(file.schema_arrow.names) if name in wanted]
                for group in self.groups or range(file.num_row_groups):
                    table, count = (
                        file.read_row_group(group, columns),
                        file.metadata.row_group(group).num_rows,
                    )
                    if columns and table.num_rows != count:
                        raise DamagedError(self.path, WRONG_COUNT.format(count, table.num_rows))
                    yield from (table.slice(start, ROWS) for start in range(0, table.num_rows, ROWS))
        except (OSError, ArrowException, UnicodeDecodeError) as problem:
            raise DamagedError(self.path, str(problem).splitlines()[0]) from None

    def _row(self, table: pa.Table) -> Row:
        """How a row is read."""
        if self.mapping is None:
            given = {name: _values(table.column(name)) for name in table.column_names}
            return lambda place: typed({name: each[place] for name, each in given.items()})
        mapping = self.mapping
        paths = {mapping.columns.get(name, name) for name in (*READ, ARGUMENTS)}
        found = {path: column for path in paths if (column := _at(table, path)) is not None}
        texts = {path: [_text(each) for each in _values(column)] for path, column in found.items()}
        return lambda place: mapped(mapping, texts.keys(), lambda path: texts[path][place])

    def _read(self, row: Row, place: int, first: int) -> tuple[Event, Refused | None]:
        try:
            return row(place), None
        except BadLineError as problem:
            value = None if problem.value is None else problem.value[:LONGEST]
            number = first + place
            return {}, Refused(
                self.file, None, problem.reason, problem.field, value, None, problem.said, number
            )


def _at(table: pa.Table, path: str) -> pa.ChunkedArray | None:
    """The column at a dotted path; a column's own name may have dots."""
    import pyarrow as pa
    from pyarrow import compute

    name = path if path in table.column_names else path.split(".")[0]
    if name not in table.column_names:
        return None
    column = table.column(name)
    for part in path.removeprefix(name).split(".")[1:]:
        if not pa.types.is_struct(column.type) or column.type.get_field_index(part) < 0:
            return None
        column = compute.struct_field(column, part)
    return column


def _values(column: pa.ChunkedArray) -> Sequence[Any]:
    """The values of a column; Python's own times have no nanoseconds."""
    import pyarrow as pa

    if pa.types.is_timestamp(column.type):
        scale = 10**9 // _A_SECOND[column.type.unit]
        numbers = column.cast(pa.int64()).to_pylist()
        return [None if each is None else Moment(each * scale) for each in numbers]
    found: Sequence[Any] = column.to_pylist()
    return found


def _text(value: object) -> str | None:
    """A value as a text; None if there is none."""
    if value is None or (isinstance(value, float) and isnan(value)):
        return None
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, dict | list | bool):
        return as_json(_plain(value))
    return str(value)


def _plain(value: object) -> object:
    """A value as JSON has it; a map is a list of pairs."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        if value and all(isinstance(each, tuple) for each in value):
            return {str(key): _plain(each) for key, each in value}
        return [_plain(each) for each in value]
    return value if isinstance(value, str | int | float | None) else _text(value)


def typed(given: Event) -> Event:
    """The event of values of any type. BadLineError if one of them does not fit."""
    found: Event = {}
    wrong: tuple[str, str | None] | None = None
    for name, value in given.items():
        if (text := _text(value)) is not None:
            try:
                found[name] = _of(value, text, READ.get(name, schema.TEXT), name)
            except WrongError:
                wrong = wrong or (name, text)
    if wrong:
        problem = BadLineError(WRONG_TYPE, *wrong)
        problem.said = found.get("run_id")
        raise problem
    return fields({name: value for name, value in found.items() if value is not None})


def _of(value: object, text: str, kind: str, name: str) -> Any:  # noqa: ANN401 (a value of the type)
    """A value as one of a type. WrongError if nothing of it may get lost, and something would."""
    if isinstance(value, str | bytes):
        return of_text(text, kind)
    if isinstance(value, Moment) and name == "time_unix_nano":
        return within(value.nanoseconds, kind)
    if kind == schema.TEXT:
        return text
    if kind == schema.TEXTS:
        if not isinstance(value, list):
            raise WrongError
        return [_text(each) or "" for each in value]
    if kind == schema.TRUTH and isinstance(value, int):
        return bool(value)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise WrongError
    if kind == SECONDS_TYPE:
        return seconds(text)
    if kind == schema.TRUTH or value != value // 1:
        raise WrongError
    return within(int(value), kind)
