"""What a reader of a text format is: it knows its own by the first lines, and makes rows of lines.

A reader is a function of lines to rows, both tables of Spark. Lines have the columns of `LINES`. Rows have
all columns of the schema, with the schema's types, where the line came from, and what is wrong with it: the
columns of `ORIGIN`. A row whose `reason` is null is good as far as the reader can say; whether it is an event
is judged afterwards, for all formats alike. One line may give several rows, or none if it holds no event at
all; a line that should have held one gives a row with a reason, never nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

LINES = "file string, line bigint, raw string"
"""The lines of files. `line` is a number by which a line is found again, or null; rows pass it on as it is.
Lines without anything but blanks are left out before, and what is not UTF-8 is in quarantine before."""

ORIGIN = ("file", "line", "raw", "reason", "field", "value")
"""The columns of a row beside those of the schema. Reason: a fixed sentence, one of those of `quarantine`, so
that reasons can be counted; `field` and `value` say where and what."""

SAID = "said_run"
"""A column that a row has when it is judged: the run that the row itself names, or null. Its `run_id` is the
one that it is counted for if it is an event: an event that names none belongs to the run of its file."""


@dataclass(frozen=True)
class Reader:
    """A reader of one text format."""

    name: str
    recognises: Callable[[Sequence[str]], bool]
    """Whether the first lines of a file are of this format."""
    parse: Callable[[DataFrame], DataFrame]
    """Lines to rows: see above."""
