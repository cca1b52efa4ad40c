"""The files of a folder as rows, each file once: a broken file is a row with a reason, not the end.

A file is read when it is there under its own name: names that begin with a dot or an underscore are not
ready. Text is read line by line, Parquet group by group, so what is in memory does not grow with the file.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from fnmatch import fnmatch
from pathlib import Path

from angarium.core import files
from angarium.history.intake import json_lines, parquet
from angarium.history.intake.batch import Batch
from angarium.history.intake.paths import File, end
from angarium.history.intake.reasons import BROKEN_FILE, CUT_FILE, EMPTY_FILE, LONGEST
from angarium.history.intake.rules import Refused
from angarium.history.intake.text import Lines, lines_of

FILES = ("*.jsonl", "*.jsonl.gz", "*.ndjson", "*.ndjson.gz", "*.parquet")
"""Names of files that are followed."""
Rows = tuple[Batch | None, list[tuple[int, Refused]]]
"""Rows, and those of them that are no events, by their places; or what is wrong with the file."""


# --- which files there are ------------------------------------------------------------------------------


def new_files(folder: Path, read: Collection[str]) -> list[Path]:
    """Files that were not read, the oldest first."""
    found = [entry for entry in _entries(folder) if entry.path not in read]
    known = [(_changed(entry), entry.path) for entry in found]
    return [Path(path) for _, path in sorted(known)]


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith((".", "_")):
                continue
            if entry.is_dir(follow_symlinks=False):  # links may lead round in a ring
                yield from _entries(Path(entry.path))
            elif any(fnmatch(entry.name, each) for each in FILES):
                yield entry


def _changed(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat().st_mtime_ns
    except OSError:  # it has gone, or it is a link to nothing: that is found when it is opened
        return 0


# --- what is in them ------------------------------------------------------------------------------------


def rows_of(path: Path) -> Iterator[Rows]:
    """The rows of a file."""
    if path.suffix == ".parquet":
        yield from _of_parquet(path)
    elif reason := _unusable(path):
        yield None, [(0, Refused(0, None, reason))]
    else:
        cut = path.suffix == ".gz" and end(File(path, named=False)).cut
        yield from Lines(path, 0, 0, json_lines.row_of).batches()
        if cut:
            yield None, [(0, Refused(0, None, CUT_FILE, value=cut))]


def _unusable(path: Path) -> str | None:
    """Why nothing of a text file is to be read: in one whose checksum is wrong anything may be wrong."""
    try:
        if not path.stat().st_size:
            return EMPTY_FILE
        if path.suffix == ".gz" and end(File(path, named=False)).changed:
            return BROKEN_FILE
        with files.opened(path):
            return None
    except OSError:
        return BROKEN_FILE


def _of_parquet(path: Path) -> Iterator[Rows]:
    try:
        for batch in parquet.Table(path, 0, 0).batches():
            yield batch, []
    except (parquet.DamagedError, OSError) as problem:
        yield None, [(0, Refused(0, None, CUT_FILE, value=str(problem)[:LONGEST]))]


def line_numbers(path: Path, places: Collection[int]) -> dict[int, tuple[int, str]]:
    """The lines in which some rows of a text file are: the number of each, and what it says."""
    found, row = {}, 0
    for number, raw in enumerate(lines_of(path), 1):
        if raw.strip():
            if row in places:
                found[row] = number, raw.decode(errors="replace").strip()[:LONGEST]
            row += 1
    return found
