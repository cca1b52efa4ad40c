"""What Spark opens itself: tables by their names, and files behind URIs (`s3a://`, `hdfs://`, `file://`).

Tables, also those of Parquet files, come as rows of columns; each of their partitions is a piece. All other
files come with all of their bytes in one row each. A task writes these into a folder of its own while
it reads them, so that they are read like all files.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from angarium.core.errors import HistoryError
from angarium.history import schema
from angarium.history.hosts.pieces import Input, Rows
from angarium.history.intake.batch import KINDS, Batch
from angarium.history.intake.files import Files
from angarium.history.intake.formats import look
from angarium.history.intake.mapping import Mapping as Columns
from angarium.history.intake.parquet import batch_of_table
from angarium.history.intake.paths import File, is_uri
from angarium.history.intake.reasons import name_of_run
from angarium.history.intake.rules import Refused, judged
from angarium.history.intake.source import Kept, Source

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, SparkSession

_TABLES = (".parquet", ".parq")
_FILE, _PART = "_angarium_file", "_angarium_part"
_WHOLE = ("tinyint", "smallint", "int", "bigint")
_ALIKE = {schema.TEXT: ("varchar", "char")}
"""What else a type may be called, with a length behind it."""
_LARGEST = 2**31 - 1
"""Bytes of a file that fits into a row."""


def inputs(
    spark: SparkSession,
    uris: Sequence[str],
    tables: Sequence[str],
    mapping: Columns | None,
    run_id: str | None,
    kind: str | None,
) -> list[Input]:
    """What URIs and names of tables stand for. HistoryError if there is nothing."""
    found: list[Input] = []
    listed = _listed(spark, uris)
    parquet = [name for name, _ in listed if _suffix(name) in _TABLES]
    texts = [(name, length) for name, length in listed if name not in parquet]
    if large := [name for name, length in texts if length > _LARGEST]:
        raise HistoryError(
            "ANG131",
            f"the file {large[0]} is too large to be read in one piece",
            possible=f"possible: texts of {_LARGEST:,} bytes, and Parquet of any size",
            remedy="divide it, or write it as Parquet",
        )
    if texts:
        found.append(
            Whole([name for name, _ in texts], mapping, run_id, kind, sum(n for _, n in texts) // 100)
        )
    if parquet:
        found.append(Scan(tuple(parquet), None, run_id, spark.read.parquet(*parquet).count()))
    found += [Scan((), name, run_id, spark.table(name).count()) for name in tables]
    return found


def _listed(spark: SparkSession, uris: Sequence[str]) -> list[tuple[str, int]]:
    """All files behind URIs, with their lengths."""
    if not uris:
        return []
    files = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(list(uris))
    rows = files.select("path", "length").collect()
    found = sorted((row["path"], row["length"]) for row in rows)
    return [each for each in found if not _name(each[0]).startswith((".", "_")) and each[1]]


def _name(uri: str) -> str:
    return PurePosixPath(unquote(urlsplit(uri).path)).name


def _suffix(uri: str) -> str:
    return PurePosixPath(_name(uri)).suffix.lower()


@dataclass(frozen=True)
class Whole:
    """Files that come with all of their bytes."""

    files: Sequence[str]
    mapping: Columns | None
    run_id: str | None
    kind: str | None
    rows: int

    @property
    def count(self) -> int:
        return len(self.files)

    def name(self, piece: int) -> str:
        return self.files[piece]

    def frame(self, spark: SparkSession, some: Sequence[int] | None = None) -> DataFrame:
        wanted = [self.files[each] for each in (range(len(self.files)) if some is None else some)]
        return spark.read.format("binaryFile").load(wanted).select("path", "content")

    def opened(self, rows: Rows) -> Iterator[tuple[int, Source]]:
        for batch in rows:
            for path, content in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                with tempfile.TemporaryDirectory(prefix="angarium-") as folder:
                    here = Path(folder, _name(path).replace(":", "_"))
                    here.write_bytes(content)
                    found = look(File(here, named=True), self.kind, mapped=self.mapping is not None)
                    files = Files([found], self.mapping, self.run_id or name_of_run(Path(_name(path))))
                    yield self.files.index(path), files


@dataclass(frozen=True)
class Scan:
    """A table: of Parquet files, or by its name."""

    files: tuple[str, ...]
    table: str | None
    run_id: str | None
    rows: int
    count: int = 1 << 20

    def name(self, piece: int) -> str:
        return self.table or ", ".join(self.files)

    def frame(self, spark: SparkSession, some: Sequence[int] | None = None) -> DataFrame:
        from pyspark.sql import functions as f

        given = spark.table(self.table) if self.table else spark.read.parquet(*self.files)
        types = {name.lower(): (name, type_) for name, type_ in given.dtypes}
        there = [self._typed(name, *types[name]) for name in schema.NAMES if name in types]
        if not there:
            raise self._refused("none of its columns is of the schema")
        file = f.col("_metadata.file_path") if self.files else f.lit(self.table)
        return given.select(*there, file.alias(_FILE), f.spark_partition_id().alias(_PART))

    def _typed(self, name: str, given: str, type_: str) -> Column:
        """A column as the schema has it."""
        from pyspark.sql import functions as f

        column, kind = f.col(f"`{given}`"), KINDS[name]
        if kind in (schema.LONG, schema.INT) and type_ in _WHOLE:
            return column.cast("bigint").alias(name)
        if name == "time_unix_nano" and type_.startswith("timestamp"):
            return (f.unix_micros(column.cast("timestamp")) * 1000).alias(name)
        if type_ != kind and not type_.startswith(_ALIKE.get(kind, ("?",))):
            raise self._refused(f"{given} is {type_}, and not {kind}")
        return column.alias(name)

    def _refused(self, why: str) -> HistoryError:
        return HistoryError(
            "ANG130",
            f"no events can be read from {self.name(0)}: {why}",
            possible="possible: columns with the names and types of the event schema",
            remedy="make a view with these columns and types, and give its name with --table",
        )

    def opened(self, rows: Rows) -> Iterator[tuple[int, Source]]:
        kept = _Judged([], self.run_id)
        part = 0
        for batch in rows:
            part = batch.column(_PART)[0].as_py() if batch.num_rows else part
            kept.add(batch)
        if kept.kept:
            yield part, kept


@dataclass(frozen=True)
class _Judged(Kept):
    """Batches of a task's rows, judged."""

    kept: list[Batch]
    run_id: str | None
    refused: dict[int, list[Refused]] = field(default_factory=dict)

    def add(self, rows: pa.RecordBatch) -> None:
        names = rows.column(_FILE).to_pylist()
        begins = [0, *(n for n in range(1, len(names)) if names[n] != names[n - 1]), len(names)]
        for low, high in pairwise(begins):
            if low < high:
                self._add(rows.slice(low, high - low), str(names[low]))

    def _add(self, rows: pa.RecordBatch, file: str) -> None:
        default = self.run_id or name_of_run(Path(_name(file) if is_uri(file) else file.rpartition(".")[2]))
        batch, refused = judged(batch_of_table(rows, self.rows), default)
        self.kept.append(batch)
        self.refused[batch.first] = [each for _, each in refused]
