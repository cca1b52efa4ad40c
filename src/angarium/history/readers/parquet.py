"""Parquet: files with the schema's types are read as they are; others are cast, column by column.

The driver reads the footers. Files with the same columns are read together; a file without a footer was not
finished, and a file with a column of a type that Spark cannot read would end the job: both stay out of it.

What is behind the footer is only seen to be damaged by reading it, and Spark then gives up the whole job. To
read every file twice would be dear. So the damaged ones are looked for when a job has failed (`damaged`).
Pages that have checksums are compared with them; without one, a number that was changed is a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from angarium.core.extras import demand
from angarium.core.files import opened as opened_file
from angarium.history import schema
from angarium.history.readers.lines import opened
from angarium.history.readers.quarantine import WRONG_TYPE
from angarium.history.readers.source import Source
from angarium.history.readers.values import ARGUMENTS, READ, columns, of_text

if TYPE_CHECKING:
    from pyarrow import DataType
    from pyspark.sql import Column, DataFrame, SparkSession

NAME = "parquet"
Columns = tuple[tuple[str, str], ...]
"""Names, and the types as which Spark reads them; a type that it cannot read is empty."""
_NANOS = "timestamp_nanos"
"""A timestamp of nanoseconds: Spark can read it as a bigint only."""
_PLAIN = {
    "bool": "boolean", "int8": "int", "int16": "int", "int32": "int", "int64": "bigint",
    "uint8": "int", "uint16": "int", "uint32": "bigint", "uint64": "decimal(20,0)",
    "float": "float", "double": "double", "date32[day]": "date",
    "string": "string", "large_string": "string", "binary": "binary", "large_binary": "binary",
}  # fmt: skip


def footer(file: Path) -> Columns:
    """The columns of a file. OSError or ValueError if it has no footer, NotImplementedError if it has types
    that there are not."""
    demand("parquet", "without it, histories as JSON lines or CSV")
    from pyarrow import parquet

    with opened_file(file) as stream:
        written = parquet.read_metadata(stream).schema
    old = {
        column.path for column in map(written.column, range(len(written))) if column.physical_type == "INT96"
    }
    fields = written.to_arrow_schema()
    return tuple((each.name, "timestamp" if each.name in old else _type(each.type)) for each in fields)


def damaged(files: Iterable[Path]) -> dict[Path, str]:
    """The files of which something cannot be read, and why: all columns of all their row groups are."""
    from pyarrow import ArrowException, parquet

    found = {}
    for file in files:
        try:
            with (
                opened_file(file) as stream,
                parquet.ParquetFile(stream, page_checksum_verification=True) as table,
            ):
                for group in range(table.num_row_groups):
                    table.read_row_group(group)
        except (OSError, ArrowException) as problem:
            found[file] = str(problem).splitlines()[0]
    return found


def _type(given: DataType) -> str:
    """A type of Arrow as one of Spark; empty if Spark cannot read it."""
    from pyarrow import types

    if types.is_timestamp(given):
        return _NANOS if given.unit == "ns" else "timestamp" if given.tz else "timestamp_ntz"
    if types.is_dictionary(given):
        return _type(given.value_type)
    if types.is_decimal128(given):
        return f"decimal({given.precision},{given.scale})"
    if types.is_list(given) or types.is_large_list(given):
        return _around("array<{}>", _type(given.value_type))
    if types.is_map(given):
        return _around("map<{},{}>", _type(given.key_type), _type(given.item_type))
    if types.is_struct(given):
        return _around(
            "struct<" + ",".join(f"{_literal(each.name)}:{{}}" for each in given) + ">",
            *(_type(each.type) for each in given),
        )
    return _PLAIN.get(str(given), "")


def quoted(name: str) -> str:
    """A column's name in SQL, whatever is in it."""
    return f"`{name.replace('`', '``')}`"


def _literal(name: str) -> str:
    """The same in a form that is filled in."""
    return quoted(name).replace("{", "{{").replace("}", "}}")


def _around(form: str, *inner: str) -> str:
    """A type made of others; none of them may be one that only stands for itself."""
    return form.format(*inner) if all(inner) and _NANOS not in inner else ""


def unreadable(given: Columns) -> str | None:
    """A column that Spark cannot read, and that is wanted."""
    return next((name for name, type_ in given if not type_ and (name in READ or name == ARGUMENTS)), None)


def rows(spark: SparkSession, files: Sequence[Path], given: Columns) -> DataFrame:
    """The rows of files that have the same columns."""
    from pyspark.sql import functions as f

    wanted = {name: type_ for name, type_ in given if name in READ or name == ARGUMENTS}
    table = _table(spark, files, tuple(wanted.items()))
    values = {name: _converted(name, type_) for name, type_ in wanted.items()}
    wrong = _wrong({name: value for name, value in values.items() if type_of(name) != wanted[name]})
    blamed = {
        "reason": f.when(wrong.isNotNull(), WRONG_TYPE),
        "field": wrong["field"],
        "value": wrong["value"],
    }
    told = (column.alias(name) for name, column in blamed.items())
    return table.select(*columns(values, values.__getitem__), "file", "line", "raw", *told)


def source(spark: SparkSession, files: Sequence[Path], given: Columns) -> Source:
    """The values of files by dotted paths, as texts; a timestamp as ISO 8601."""
    from pyspark.sql import functions as f

    readable = {name: type_ for name, type_ in given if type_}
    table = _table(spark, files, tuple(readable.items()))
    return Source(
        table.withColumn("broken", f.lit(None).cast("string")), lambda path: _at(table, path, readable)
    )


def _table(spark: SparkSession, files: Sequence[Path], given: Columns) -> DataFrame:
    """The columns with file, line (none) and raw: the row as JSON, which is only made for the quarantine."""
    from pyspark.sql import functions as f

    ddl = ", ".join(f"{quoted(name)} {'bigint' if type_ == _NANOS else type_}" for name, type_ in given)
    reader = opened(spark).option("parquet.page.verify-checksum.enabled", "true")
    table = reader.schema(ddl).parquet(*(f"file:{file}" for file in files))
    names = [quoted(name) for name, _ in given]
    raw = f.to_json(f.struct(*names)) if names else f.lit("{}")
    address, line = f.col("_metadata.file_path").alias("file"), f.lit(None).cast("bigint").alias("line")
    return table.select(*names, address, line, raw.alias("raw"))


# --- types --------------------------------------------------------------------------------------


def type_of(name: str) -> str:
    """The type that a column is to have."""
    return READ.get(name, schema.TEXT)


def _converted(name: str, given: str) -> Column:
    """A column as the schema wants it; null where a value does not fit."""
    from pyspark.sql import functions as f

    column, wanted = f.col(name), type_of(name)
    if given == wanted or (given == _NANOS and wanted == schema.LONG):
        return column
    if given == "string":
        return of_text(column, wanted)
    if given.startswith("timestamp") and name == "time_unix_nano":
        return f.try_multiply(f.unix_micros(column.cast("timestamp")), f.lit(1000))
    if wanted == schema.TEXT:
        return f.to_json(column) if given.startswith(("map", "struct")) else column.cast("string")
    if wanted == schema.TEXTS:
        return column.cast(wanted) if given.startswith("array") else f.lit(None).cast(wanted)
    return _number(column, given, wanted)


def _number(column: Column, given: str, wanted: str) -> Column:
    """A number as another; a part of one is lost nowhere."""
    from pyspark.sql import functions as f

    if not given.startswith(("int", "bigint", "decimal", "float", "double")):
        return f.lit(None).cast(wanted)
    exact = wanted.startswith("decimal") or given in ("int", "bigint")
    return column.try_cast(wanted) if exact else f.when(column == f.floor(column), column.try_cast(wanted))


def _wrong(values: dict[str, Column]) -> Column:
    """Field and value of the first column whose value got lost; pandas writes nothing as not-a-number."""
    from pyspark.sql import functions as f

    none = f.lit(None).cast("struct<field:string,value:string>")
    texts = {name: f.col(name).cast("string") for name in values}
    lost = [
        f.when(
            value.isNull() & (f.trim(texts[name]) != "") & (texts[name] != "NaN"),
            f.struct(f.lit(name).alias("field"), texts[name].alias("value")),
        )
        for name, value in values.items()
    ]
    return f.coalesce(none, *lost)


def _at(table: DataFrame, path: str, given: dict[str, str]) -> Column | None:
    """The text at a path; None if the table has no such place. A column's own name may have dots."""
    from pyspark.sql import functions as f
    from pyspark.sql.types import StructType

    name = path if path in given else path.split(".")[0]
    if name not in given:
        return None
    column, place = f.col(quoted(name)), table.schema[name].dataType
    if given[name] == _NANOS:
        return _iso(name)
    for part in path.removeprefix(name).split(".")[1:]:
        if not isinstance(place, StructType) or part not in place.fieldNames():
            return None
        column, place = column[part], place[part].dataType
    return column.cast("string")


def _iso(name: str) -> Column:
    """A number of nanoseconds as the text of a time."""
    from pyspark.sql import functions as f

    second = f.date_format(f.expr(f"timestamp_micros({quoted(name)} div 1000)"), "yyyy-MM-dd HH:mm:ss.SSSSSS")
    return f.concat(second, f.lpad(f.expr(f"string(pmod({quoted(name)}, 1000))"), 3, "0"))
