"""What stands in the footers of Parquet files: columns and their types.

A file without a footer was not finished, and a wanted column of a type that no value of the schema has cannot
be read: both are told before anything is read.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from angarium.core.extras import demand
from angarium.core.files import opened
from angarium.history.intake.texts import ARGUMENTS, READ

if TYPE_CHECKING:
    from pyarrow import DataType

NAME = "parquet"
Columns = tuple[tuple[str, str], ...]
"""Names, and types as the schema has them; one that cannot be read is empty."""
_NANOS = "timestamp_nanos"
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

    with opened(file) as stream:
        written = parquet.read_metadata(stream).schema
    old = {
        column.path for column in map(written.column, range(len(written))) if column.physical_type == "INT96"
    }
    fields = written.to_arrow_schema()
    return tuple((each.name, "timestamp" if each.name in old else _type(each.type)) for each in fields)


def _type(given: DataType) -> str:
    """A type of Arrow as the schema would name it; empty if it cannot be read."""
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
            "struct<" + ",".join("{}" for _ in given) + ">",
            *(_type(each.type) for each in given),
        )
    return _PLAIN.get(str(given), "")


def _around(form: str, *inner: str) -> str:
    """A type made of others; none of them may be one that only stands for itself."""
    return form.format(*inner) if all(inner) and _NANOS not in inner else ""


def unreadable(given: Columns) -> str | None:
    """A column that cannot be read, and that is wanted."""
    return next((name for name, type_ in given if not type_ and (name in READ or name == ARGUMENTS)), None)
