"""The files of a folder as rows, opened one by one: a broken file is a row with a reason, not the end.

Spark's own sources stop the whole stream at a file that is cut in the middle, at every start again, or pass
over what is wrong with it. So Spark only says which files are new, and Python opens them: text line by line,
Parquet group by group. Either way what is in memory does not grow with the file.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING
from urllib.parse import quote

from angarium.core import files
from angarium.history import schema
from angarium.history.readers.files import File, end
from angarium.history.readers.quarantine import BROKEN_FILE, CUT_FILE, EMPTY_FILE, NOT_UTF8

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

FILES = "*.{jsonl,jsonl.gz,ndjson,ndjson.gz,parquet}"
"""Names of files that are followed; names that begin with a dot or an underscore are not ready."""
ROWS = f"file string, line bigint, raw string, reason string, {schema.DDL}"
"""A line of text has `raw`, a row of Parquet the columns of the schema, a broken file a reason. `file` is an
address, as Spark gives it."""
_BLOCK = 20_000
_FILE = "path string, modificationTime timestamp, length bigint, content binary"


def rows_of(spark: SparkSession, folder: Path, files_per_batch: int | None) -> DataFrame:
    """A stream of the rows of all files of a folder and the folders in it, each file once."""
    source = spark.readStream.format("binaryFile").schema(_FILE)
    source = source.option("recursiveFileLookup", "true").option("pathGlobFilter", FILES)
    if files_per_batch:
        source = source.option("maxFilesPerTrigger", str(files_per_batch))
    return source.load(str(folder)).select("path").mapInArrow(_opened, ROWS)


def _opened(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for path in batch.column(0).to_pylist():
            file = path.removeprefix("file:")
            yield from _of_parquet(file) if file.endswith(".parquet") else _of_text(file)


def _of_text(file: str) -> Iterator[pa.RecordBatch]:
    number, block, whole = 0, list[bytes](), False
    if reason := _unusable(Path(file)):
        yield _rows(file, 1, reason=[reason])
        return
    try:
        with _binary(file) as lines:
            for line in lines:
                block.append(line)
                if len(block) == _BLOCK:
                    yield _texts(file, number, block)
                    number, block = number + len(block), []
        whole = True
    except (OSError, EOFError, zlib.error):
        pass
    yield _texts(file, number, block)
    if not whole:
        yield _rows(file, 1, line=[number + len(block)], reason=[CUT_FILE])


def _unusable(path: Path) -> str | None:
    """Why nothing of a text file is to be read: in one whose checksum is wrong anything may be wrong."""
    try:
        if path.suffix == ".gz" and end(File(path, named=False)).changed:
            return BROKEN_FILE
        return None if path.stat().st_size else EMPTY_FILE
    except OSError:
        return BROKEN_FILE


@contextmanager
def _binary(file: str) -> Iterator[IO[bytes]]:
    with files.opened(file) as stream:
        if not file.endswith(".gz"):
            yield stream
            return
        with gzip.GzipFile(fileobj=stream) as unpacked:
            yield unpacked  # type: ignore[misc]


def _texts(file: str, before: int, block: list[bytes]) -> pa.RecordBatch:
    """Lines with something in them; the number of each is its number in the file."""
    lines = [(before + place, line.strip()) for place, line in enumerate(block, 1)]
    full = [(number, line) for number, line in lines if line]
    texts = [_decoded(line) for _, line in full]
    return _rows(
        file,
        len(full),
        line=[number for number, _ in full],
        raw=[text or line.decode("utf-8", "replace") for text, (_, line) in zip(texts, full, strict=True)],
        reason=[None if text is not None else NOT_UTF8 for text in texts],
    )


def _decoded(line: bytes) -> str | None:
    try:
        return line.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _of_parquet(file: str) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa
    from pyarrow import parquet

    number = 0
    try:
        with (
            files.opened(file) as stream,
            parquet.ParquetFile(stream, page_checksum_verification=True) as table,
        ):
            wanted = [name for name in table.schema_arrow.names if name in schema.NAMES]
            for batch in table.iter_batches(_BLOCK, columns=wanted):
                rows = batch.num_rows
                columns = {name: _as_schema(name, batch.column(name)) for name in wanted}
                lines = pa.array(range(number + 1, number + rows + 1), pa.int64())
                yield _rows(file, rows, line=lines, **columns)
                number += rows
    except (OSError, pa.ArrowException):
        yield _rows(file, 1, line=[number], reason=[CUT_FILE])


def _as_schema(name: str, column: pa.Array) -> pa.Array:
    import pyarrow as pa

    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("ns", column.type.tz))
    return column.cast(_types()[name])


def _rows(file: str, count: int, **columns: object) -> pa.RecordBatch:
    """Rows of `ROWS` of a file; columns that are not given are null."""
    import pyarrow as pa

    columns["file"] = [quote(file)] * count
    arrays = [
        pa.nulls(count, kind) if name not in columns else pa.array(columns[name], kind)
        for name, kind in _types().items()
    ]
    return pa.RecordBatch.from_arrays(arrays, names=list(_types()))


def _types() -> dict[str, pa.DataType]:
    import pyarrow as pa

    kinds = {
        schema.LONG: pa.int64(), schema.INT: pa.int32(), schema.TEXT: pa.string(), schema.TRUTH: pa.bool_(),
        schema.TEXTS: pa.list_(pa.string()),
    }  # fmt: skip
    own = {"file": pa.string(), "line": pa.int64(), "raw": pa.string(), "reason": pa.string()}
    return own | {column.name: kinds[column.type] for column in schema.COLUMNS}
