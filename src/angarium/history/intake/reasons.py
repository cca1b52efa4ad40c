"""The sentences that say why a row, a line or a file is no event, and the names of runs.

A reason is a fixed sentence, so that rows can be counted by it; the row's field and value say the rest.
"""

from __future__ import annotations

import re
from pathlib import Path

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
