"""From what a file has to the schema's columns: other names, and texts where there should be numbers.

Some names of others are taken beside the schema's own. A text that is no number where there must be one makes
no null: the row gets a reason, the field and the text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from angarium.history import schema
from angarium.history.readers.quarantine import WRONG_TYPE

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

SECONDS = "ack_wait_s"
"""ack_wait_ms in seconds."""
SECONDS_TYPE = "decimal(27,9)"
ARGUMENTS = "arguments"
"""What a queue was declared with: a JSON object."""
TYPES = {column.name: column.type for column in schema.COLUMNS}
READ = TYPES | {name: TYPES[field] for name, field in schema.SYNONYMS.items()} | {SECONDS: SECONDS_TYPE}
"""All names that are read, with their types; beside them there is `ARGUMENTS`."""


def unknown(names: Collection[str]) -> tuple[str, ...]:
    """Those of the names that nobody reads."""
    return tuple(name for name in names if name not in READ and name != ARGUMENTS)


def columns(given: Collection[str], value: Callable[[str], Column]) -> list[Column]:
    """The schema's columns: each the first that is there of its own name and its other names."""
    from pyspark.sql import functions as f

    found: dict[str, list[Column]] = {name: [value(name)] for name in schema.NAMES if name in given}
    for name, field in schema.SYNONYMS.items():
        if name in given:
            found.setdefault(field, []).append(value(name))
    if SECONDS in given:
        found.setdefault("ack_wait_ms", []).append((value(SECONDS) * 1000).try_cast("bigint"))
    if ARGUMENTS in given:
        for name, field in schema.ARGUMENTS.items():
            text = f.get_json_object(value(ARGUMENTS), f"$['{name}']")
            found.setdefault(field, []).append(of_text(text, TYPES[field]))
    absent = {name: [f.lit(None).cast(TYPES[name])] for name in schema.NAMES}
    return [f.coalesce(*each).alias(name) for name, each in (absent | found).items()]


def of_text(text: Column, kind: str) -> Column:
    """A text as a value of a type, null if it is none. Lists are `a;b` or JSON; a blank text is null."""
    from pyspark.sql import functions as f

    given = f.when(f.trim(text) != "", text)
    if kind == schema.TEXT:
        return given
    if kind == schema.TEXTS:
        listed = f.transform(f.split(given, ";"), lambda each: f.trim(each))
        return f.when(given.startswith("["), f.from_json(given, kind)).otherwise(listed)
    if kind == schema.TRUTH:
        return f.when(f.lower(f.trim(given)).isin("true", "false"), given.try_cast(kind))
    return given.try_cast(kind)


def typed(lines: DataFrame, texts: Mapping[str, Column], reason: Column) -> DataFrame:
    """Rows of lines whose fields are texts, by their names. The given reason goes before a wrong type."""
    from pyspark.sql import functions as f

    given = tuple(texts)
    named = (text.alias(_text(name)) for name, text in texts.items())
    split = lines.select("file", "line", "raw", reason.alias("known"), *named)
    values = (of_text(f.col(_text(name)), READ.get(name, schema.TEXT)).alias(name) for name in given)
    whole = split.select("*", *values)
    return whole.select("*", _wrong(given).alias("wrong")).select(
        *columns(given, f.col),
        "file",
        "line",
        "raw",
        f.coalesce("known", f.when(f.col("wrong").isNotNull(), WRONG_TYPE)).alias("reason"),
        f.col("wrong.field").alias("field"),
        f.col("wrong.value").alias("value"),
    )


def _text(name: str) -> str:
    return f"text_{name}"


def _wrong(given: Collection[str]) -> Column:
    """The first field whose text is of the wrong type, and the text."""
    from pyspark.sql import functions as f

    fine = f.col("known").isNull()
    lost = ((name, fine & f.col(name).isNull() & (f.trim(_text(name)) != "")) for name in given)
    return f.coalesce(
        *(
            f.when(there, f.struct(f.lit(name).alias("field"), f.col(_text(name)).alias("value")))
            for name, there in lost
        )
    )
