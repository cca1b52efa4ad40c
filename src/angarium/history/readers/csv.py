"""CSV with a header: one event a line, every value a text. An empty value is none; a list is `a;b`.

The header is read by the driver. Files with the same header are read together, those with another by
themselves. Values with line breaks in them are not read: an event has no use for one.
"""

from __future__ import annotations

import csv
import string
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from angarium.history.readers.quarantine import CUT_LINE, WIDTH
from angarium.history.readers.source import Source
from angarium.history.readers.values import READ

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

NAME = "csv"
_BAD = "_bad"
_SEPARATORS = ",\t;"
_MOST = 20_000
"""Values in a line: Spark's parser fails for more, and takes the whole job with it."""


def names(header: str) -> list[str]:
    """The names in a header, without blanks around them; none in a line with a value that is no name."""
    try:
        return [name.strip() for name in next(csv.reader([header], delimiter=separator_of(header)), [])]
    except csv.Error:  # Python's parser takes no value of more than 131,072 characters
        return []


def recognises(lines: Sequence[str]) -> bool:
    """Whether the first line names columns of the schema."""
    return bool(lines) and len(set(names(lines[0])) & set(READ)) > 1


def source(lines: DataFrame, header: str, unended: Collection[str] = ()) -> Source:
    """The values of lines by the header's names. A line that repeats the header is no event.

    `unended`: last lines of files that have no end. If the last value of one is cut, it looks like a line
    that is whole, with a number of fewer digits or another message. So such a line is not believed.
    """
    from pyspark.sql import functions as f

    given = {name: f"c{number}" for number, name in enumerate(names(header))}
    columns = ", ".join(f"{column} string" for column in (*given.values(), _BAD))
    separator = separator_of(header)
    options = {"sep": separator, "escape": '"', "columnNameOfCorruptRecord": _BAD}
    values = f.when(_parsable(separator), f.from_csv("raw", columns, options))
    below = lines.where(f.btrim("raw", f.lit(string.whitespace)) != header.strip())
    split = below.select("file", "line", "raw", values.alias("values"))
    cut = f.when(f.btrim("raw", f.lit(string.whitespace)).isin(*unended), CUT_LINE)
    wide = f.when(f.col("values").isNull() | f.col(f"values.{_BAD}").isNotNull(), WIDTH)
    frame = split.select("*", f.coalesce(cut, wide).alias("broken"))
    return Source(frame, lambda name: f.col(f"values.{given[name]}") if name in given else None)


def _parsable(separator: str) -> Column:
    """Whether a line has few enough values; a short one needs no counting."""
    from pyspark.sql import functions as f

    length = f.length("raw")
    return (length < _MOST) | (length - f.length(f.replace("raw", f.lit(separator), f.lit(""))) < _MOST)


def separator_of(header: str) -> str:
    """What stands between the names."""
    return next((each for each in _SEPARATORS if each in header), ",")
