"""JSON lines of the event schema: one object a line.

Spark parses a line against the schema, and says of a line only that something in it does not fit. Such
lines are looked at again: numbers in quotes, as JavaScript writes those above 2**53, are numbers; otherwise
the first field of the wrong type is named. Spark also stops after the first object of a line; what follows
it would be lost without a word, so a line with a closing brace before its end is parsed as a list, too, in
which nothing else may stand.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from angarium.history import schema
from angarium.history.readers.quarantine import CUT_LINE, NO_OBJECT, NOT_JSON, SEVERAL, WRONG_TYPE
from angarium.history.readers.reader import Reader
from angarium.history.readers.source import Source
from angarium.history.readers.values import ARGUMENTS, READ, columns, of_text

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_BAD = "_bad"
_PARSED = (
    ", ".join(f"`{name}` {kind}" for name, kind in READ.items()) + f", `{ARGUMENTS}` string, {_BAD} string"
)
_OPTIONS = {"columnNameOfCorruptRecord": _BAD}
_NUMBERS = tuple(name for name, kind in READ.items() if kind not in (schema.TEXT, schema.TEXTS))
_QUOTED = rf'"({"|".join(_NUMBERS)})"\s*:\s*"\s*(-?\d+|true|false)\s*"'


def objects(lines: Sequence[str]) -> list[dict[str, Any]]:
    """The objects among the first lines of a file."""
    found = []
    for line in lines:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        found += [value] if isinstance(value, dict) else []
    return found


def recognises(lines: Sequence[str]) -> bool:
    """Whether there is an object among the lines; whether it is an event is seen afterwards."""
    return bool(objects(lines))


def parse(lines: DataFrame) -> DataFrame:
    """Rows of JSON lines."""
    from pyspark.sql import functions as f

    bad = f.col(f"event.{_BAD}").isNotNull()
    first = lines.select("file", "line", "raw", _parsed(f.col("raw")).alias("first"))
    unquoted = _parsed(f.regexp_replace("raw", _QUOTED, '"$1":$2'))
    best = f.when(f.col(f"first.{_BAD}").isNotNull(), unquoted).otherwise(f.col("first"))
    events = first.select("file", "line", "raw", best.alias("event"))
    seen = events.select("*", broken(f.col("raw"), bad).alias("broken"), f.when(bad, _wrong()).alias("wrong"))
    return seen.select(
        *columns([*READ, ARGUMENTS], lambda name: f.col(f"event.{name}")),
        "file",
        "line",
        "raw",
        f.coalesce("broken", f.when(bad, WRONG_TYPE)).alias("reason"),
        f.when(f.col("broken").isNull(), f.col("wrong.key")).alias("field"),
        f.when(f.col("broken").isNull(), f.col("wrong.value")).alias("value"),
    )


def _parsed(text: Column) -> Column:
    from pyspark.sql import functions as f

    return f.from_json(text, _PARSED, _OPTIONS)


def broken(raw: Column, doubted: Column) -> Column:
    """Why a line is not one JSON object; null if it is one. A doubted line is looked at in any case."""
    from pyspark.sql import functions as f

    text = f.trim(raw)
    plain = text.startswith("{") & (f.locate("}", text) == f.length(text))
    listed = f.size(f.from_json(f.concat(f.lit("["), raw, f.lit("]")), "array<map<string,string>>"))
    begins = f.from_json(raw, "map<string,string>").isNotNull()
    other = f.when(f.expr("try_parse_json(raw)").isNotNull(), NO_OBJECT).otherwise(NOT_JSON)
    return (
        f.when(plain & ~doubted, None)
        .when(~text.startswith("{"), other)
        .when(listed == 1, None)
        .when(begins | (listed > 1), SEVERAL)
        .when(~text.endswith("}"), CUT_LINE)
        .otherwise(NOT_JSON)
    )


def _wrong() -> Column:
    """The first entry (key, value) of a line that is not of its type."""
    from pyspark.sql import functions as f

    entries = f.map_entries(f.from_json("raw", "map<string,string>"))
    return f.try_element_at(f.filter(entries, _misfit), f.lit(1))


def _misfit(entry: Column) -> Column:
    from pyspark.sql import functions as f

    fits = f.when(entry["value"].isNull(), f.lit(True))
    for kind in sorted(set(READ.values()) - {schema.TEXT}):
        names = [name for name, its in READ.items() if its == kind]
        value = f.from_json(entry["value"], kind) if kind == schema.TEXTS else of_text(entry["value"], kind)
        fits = fits.when(entry["key"].isin(*names), value.isNotNull())
    return ~fits.otherwise(f.lit(True))


READER = Reader("json-lines", recognises, parse)


def source(lines: DataFrame) -> Source:
    """The values of JSON lines by dotted paths. A key may have dots itself."""
    from pyspark.sql import functions as f

    raw = f.col("raw")
    frame = lines.select("file", "line", "raw", broken(raw, f.lit(True)).alias("broken"))
    parsed = frame.select("*", f.expr("try_parse_json(raw)").alias("object"))
    return Source(parsed, _at)


def _at(path: str) -> Column:
    from pyspark.sql import functions as f

    ways = {f'$["{path}"]', "$" + "".join(f'["{key}"]' for key in path.split("."))}
    return f.coalesce(*(f.try_variant_get(f.col("object"), way, "string") for way in sorted(ways)))
