"""What is to be read, in pieces: a task reads one of them, wherever it runs.

A piece is read as a whole file is, by the same code; only its rows are numbered from 0 on. Files are opened
by the tasks under the names that they have here. What only Spark can open it reads itself: files behind a URI
come as rows with all of their bytes, tables as rows of columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from angarium.history.intake import parquet
from angarium.history.intake.files import Files, is_plain_table, links_of
from angarium.history.intake.footers import NAME as PARQUET
from angarium.history.intake.formats import Found
from angarium.history.intake.jepsen import FORMAT as JEPSEN
from angarium.history.intake.mapping import Mapping as Columns
from angarium.history.intake.rabbitmq import Links
from angarium.history.intake.source import Source
from angarium.history.intake.text import spans_of

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

ROWS = 1_000_000
"""About so many rows of a table are in a piece."""
BYTES = 64 << 20
"""About so long is a piece of a text."""
Rows = Iterator["pa.RecordBatch"]


class Input(Protocol):
    """Where the rows of an audit come from."""

    def frame(self, spark: SparkSession, some: Sequence[int] | None = None) -> DataFrame:
        """A table from whose rows tasks get the pieces, or some of them."""

    def opened(self, rows: Rows) -> Iterator[tuple[int, Source]]:
        """In a task: pieces by their numbers, which are in the order of the history."""

    def name(self, piece: int) -> str:
        """The file or table that a piece is of."""

    @property
    def count(self) -> int:
        """At most so many pieces there are."""

    @property
    def rows(self) -> int:
        """About how many rows there are."""


@dataclass(frozen=True)
class Piece:
    """A part of a file."""

    file: int
    groups: range | None = None
    span: range | None = None


@dataclass(frozen=True)
class Paths:
    """Files that tasks open themselves."""

    found: Sequence[Found]
    mapping: Columns | None = None
    run_id: str | None = None
    pieces: Sequence[Piece] = field(default_factory=tuple)
    rows: int = 0
    links: Links | None = None
    """What RabbitMQ's files say together."""

    @classmethod
    def of(cls, found: Sequence[Found], mapping: Columns | None, run_id: str | None) -> Paths:
        """Divide files into pieces: texts first, as everybody reads them."""
        texts: list[Piece] = []
        tables: list[Piece] = []
        rows = 0
        for number, each in enumerate(found):
            if each.kind is None:
                continue
            if each.kind.format == PARQUET:
                counts = parquet.counts(each.file.path)
                rows += sum(counts)
                to = tables if is_plain_table(each, mapping) else texts
                to += [Piece(number, groups=groups) for groups in _runs(counts)]
            else:
                rows += each.file.path.stat().st_size // (10 if each.file.packing else 100)
                texts += _of_text(number, each)
        return cls(found, mapping, run_id, (*texts, *tables), rows, links_of(found))

    @property
    def count(self) -> int:
        return len(self.pieces)

    def name(self, piece: int) -> str:
        return str(self.found[self.pieces[piece].file].file.path)

    def frame(self, spark: SparkSession, some: Sequence[int] | None = None) -> DataFrame:
        if some is None:
            return spark.range(0, len(self.pieces), 1, max(len(self.pieces), 1))
        return spark.createDataFrame([(each,) for each in some], "id bigint").repartition(len(some), "id")

    def opened(self, rows: Rows) -> Iterator[tuple[int, Source]]:
        # What is wrong with a file as a whole is told by who has looked at all of them.
        for batch in rows:
            for number in batch.column(0).to_pylist():
                piece = self.pieces[number]
                found = replace(self.found[piece.file], fault=None)
                read = Files([found], self.mapping, self.run_id, piece.groups, piece.span, _links=self.links)
                yield number, read


def _runs(counts: Sequence[int]) -> Iterator[range]:
    """Row groups that follow each other, about so many rows of them."""
    start, rows = 0, 0
    for group, count in enumerate(counts):
        if rows and rows + count > ROWS:
            yield range(start, group)
            start, rows = group, 0
        rows += count
    if start < len(counts):
        yield range(start, len(counts))


def _of_text(number: int, found: Found) -> list[Piece]:
    whole = found.kind is not None and found.kind.format == JEPSEN.name
    if whole or found.file.packing or found.file.path.stat().st_size <= BYTES:
        return [Piece(number)]
    return [Piece(number, span=span) for span in spans_of(found.file.path, BYTES)]
