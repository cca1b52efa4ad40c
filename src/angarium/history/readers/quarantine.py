"""What makes a row an event, and the sentences that say why another is none.

A reason is a fixed sentence, so that rows can be counted by it; the row's `field` and `value` say the rest.
The rules here hold for every format. They are expressions without a shuffle, and where the columns of a file
have the schema's types already, they are all that reading costs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from angarium.history import schema
from angarium.history.readers.reader import ORIGIN, SAID

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# --- of a row -----------------------------------------------------------------------------------

MISSING = "a required field is missing"
IMPOSSIBLE = "a field has a value that the schema does not know"
WRONG_TYPE = "a field has the wrong type"
NO_TIME = "the time is not between 1970 and 2116, in nanoseconds"
NEGATIVE = "a number is negative"
NO_DESTINATION = "a message has no destination"
REPEATS = "the row is there twice"

# --- of a line ----------------------------------------------------------------------------------

NOT_UTF8 = "the line is not UTF-8"
NOT_JSON = "the line is not JSON"
CUT_LINE = "the line is cut off"
NO_OBJECT = "the line is no JSON object"
SEVERAL = "the line has something after its JSON object"
WIDTH = "the line has more or fewer values than the header"
TOO_LONG = "the line is longer than 64 MiB"

OF_LINE = (NOT_UTF8, NOT_JSON, CUT_LINE, NO_OBJECT, SEVERAL, WIDTH, TOO_LONG)
"""Reasons for which what a line says is not to be believed, not even its run."""

# --- of a file ----------------------------------------------------------------------------------

CUT_FILE = "the file is cut off; what was before that is read"
EMPTY_FILE = "the file is empty"
BROKEN_FILE = "the file cannot be read"
NO_FORMAT = "the file has no format that is known"
BAD_HEADER = "the header does not name the columns"
BAD_COLUMN = "a column has a type that cannot be read"

LATEST = 2**62
LONGEST = 4096
"""The most characters of a row that are kept."""
SPOILT = "\0not UTF-8\0"
"""Begins what is put in the place of a line that is not UTF-8. No format begins a line like this."""

_LISTS = {
    "op_type": schema.OP_TYPES,
    "phase": schema.PHASES,
    "settle": schema.SETTLES,
    "vantage": schema.VANTAGES,
}


@dataclass(frozen=True)
class _Rule:
    """When a row is no event; the reason, the field that is to blame, and its value."""

    broken: Column
    reason: Column
    field: Column
    value: Column


def judged(rows: DataFrame, run_id: str | None = None) -> DataFrame:
    """The rows of a reader, each with its run, and with the first rule that it breaks as its reason."""
    from pyspark.sql import functions as f

    rules = _rules()
    default = f.lit(run_id) if run_id else run_of(f.col("file"))
    return rows.select(
        f.coalesce("run_id", default).alias("run_id"),
        *schema.NAMES[1:],
        f.col("run_id").alias(SAID),
        *ORIGIN[:3],
        _first([(rule.broken, rule.reason) for rule in rules]).alias("reason"),
        _first([(rule.broken, rule.field) for rule in rules]).alias("field"),
        _first([(rule.broken, rule.value) for rule in rules]).alias("value"),
    )


def run_of_refused() -> Column:
    """The run of a row in quarantine, as far as it is known; null if nobody can say of which run it is.

    A row that is there twice is an event, and belongs to a run as the other does.
    """
    from pyspark.sql import functions as f

    reason = f.col("reason")
    believed = f.when(~reason.isin(*OF_LINE), f.col(SAID))
    return f.when(reason == REPEATS, f.col("run_id")).otherwise(believed)


def _first(cases: list[tuple[Column, Column]]) -> Column:
    """The value of the first case that holds; null if there is none."""
    from pyspark.sql import functions as f

    choice = f.when(*cases[0])
    for case in cases[1:]:
        choice = choice.when(*case)
    return choice


def _rules() -> list[_Rule]:
    """A condition that is null does not hold, so that what is missing breaks no other rule."""
    from pyspark.sql import functions as f

    col, none = f.col, f.lit(None).cast("string")
    time, seq = col("time_unix_nano"), col("seq")
    homeless = col("op_type").isin(*schema.MESSAGE_OPS) & col("message_id").isNotNull()
    return [
        _Rule(col("reason").isNotNull(), col("reason"), col("field"), col("value")),
        *(_rule(col(name).isNull(), MISSING, name, none) for name in schema.REQUIRED),
        *(_rule(~col(name).isin(*known), IMPOSSIBLE, name, col(name)) for name, known in _LISTS.items()),
        _rule((time <= 0) | (time >= LATEST), NO_TIME, "time_unix_nano", time.cast("string")),
        _rule(seq < 0, NEGATIVE, "seq", seq.cast("string")),
        _rule(homeless & col("destination").isNull(), NO_DESTINATION, "destination", none),
    ]


def _rule(broken: Column, reason: str, field: str, value: Column) -> _Rule:
    from pyspark.sql import functions as f

    return _Rule(broken, f.lit(reason), f.lit(field), value)


# --- the names of files and of runs -------------------------------------------------------------

_ENDINGS = "jsonl|ndjson|json|csv|tsv|parquet|parq|log|txt|snappy|zstd|lz4|gz|bz2"
_NOT_THE_RUN = rf"([.](client|broker))?(-[0-9]{{6}})?([.]({_ENDINGS}))*$"
"""What a file's name has beside its run's: who saw it, a recorder's number of the file, and its format."""
_PIECE = "part-"
"""So begin the files that Spark writes; the folder has the name then."""


def name_of_run(path: Path) -> str:
    """The run whose events a file holds, unless they say another."""
    name = path.parent.name if path.name.startswith(_PIECE) else path.name
    return re.sub(_NOT_THE_RUN, "", name)


def run_of(file: Column) -> Column:
    """The same for a file as Spark names it."""
    from pyspark.sql import functions as f

    name = f.substring_index(file, "/", -1)
    folder = f.substring_index(f.substring_index(file, "/", -2), "/", 1)
    chosen = f.when(name.startswith(_PIECE), folder).otherwise(name)
    return f.regexp_replace(_decoded(chosen), _NOT_THE_RUN, "")


def path_of(file: Column) -> Column:
    """The path of a file that Spark names by an address."""
    from pyspark.sql import functions as f

    return f.regexp_replace(_decoded(file), "^file:(//)?", "")


def _decoded(address: Column) -> Column:
    from pyspark.sql import functions as f

    return f.coalesce(f.try_url_decode(f.replace(address, f.lit("+"), f.lit("%2B"))), address)
