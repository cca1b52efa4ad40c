"""Text files: lines to batches, each line that is no event to quarantine.

A line that is blank is none. Compressed files are unpacked as they are read.
"""

from __future__ import annotations

import bz2
import gzip
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any
from zlib import error

from angarium.core.files import opened
from angarium.history.intake.batch import Batch, batch_of
from angarium.history.intake.json_lines import BadLineError
from angarium.history.intake.rules import Refused
from angarium.history.readers.quarantine import LONGEST, NOT_UTF8, TOO_LONG

Parse = Callable[[str], dict[str, Any] | None]
"""The event of a line; None if there is nothing in it. BadLineError if it is no event."""
ROWS = 1 << 16
LONGEST_LINE = 64 << 20
"""Bytes of a line that are read: a file without an end of a line may have more than there is memory for."""
_PIECE = 1 << 22
_BLANK = b" \t\x0b\x0c\xef\xbb\xbf"
_BOM = "\ufeff"


def lines_of(path: Path) -> Iterator[bytes]:
    """The lines of a file, up to where it is cut off: a part of a line in front of that is not believed."""
    with opened(path) as packed:
        stream = _unpacked(packed, path.suffix.lower())
        behind: list[bytes] = []
        try:
            while piece := stream.read1(_PIECE):
                behind.append(piece)
                if b"\n" in piece or b"\r" in piece:
                    *whole, last = _split(b"".join(behind))
                    yield from whole
                    behind = [last]
                elif sum(map(len, behind[:-1])) > LONGEST_LINE:
                    behind.pop()
        except (EOFError, error):
            return
        yield from b"".join(behind).splitlines()


def _split(text: bytes) -> list[bytes]:
    """The lines of a piece, and what is behind the last end of a line."""
    if text.endswith(b"\r"):  # a line feed may follow
        return [*text[:-1].splitlines()[:-1], (text[:-1].splitlines() or [b""])[-1] + b"\r"]
    lines = text.splitlines()
    return lines if lines and not text.endswith(b"\n") else [*lines, b""]


def _unpacked(stream: BufferedReader, packing: str) -> BufferedReader | gzip.GzipFile | bz2.BZ2File:
    if packing == ".gz":
        return gzip.GzipFile(fileobj=stream)
    return bz2.BZ2File(stream) if packing == ".bz2" else stream


@dataclass(frozen=True)
class Lines:
    """A text file, and how its lines are read."""

    path: Path
    file: int
    first: int
    parse: Parse

    def batches(
        self, lines: Iterable[tuple[int, bytes]] | None = None
    ) -> Iterator[tuple[Batch, list[tuple[int, Refused]]]]:
        """All rows, with those that are no events, by their places.

        `lines`: with their numbers, if they do not come from the file.
        """
        rows: list[dict[str, Any]] = []
        refused: list[tuple[int, Refused]] = []
        first, size = self.first, 0
        for number, raw in enumerate(lines_of(self.path), 1) if lines is None else lines:
            if raw.strip(_BLANK) or not _is_text(raw):
                row, problem = self._row(raw, number)
                if problem:
                    refused.append((len(rows), problem))
                if row is not None:
                    rows.append(row)
            size += len(raw)
            if len(rows) == ROWS or size > LONGEST_LINE:
                yield batch_of(rows, first, self.file), refused
                first, rows, refused, size = first + len(rows), [], [], 0
        if rows:
            yield batch_of(rows, first, self.file), refused

    def _row(self, raw: bytes, number: int) -> tuple[dict[str, Any] | None, Refused | None]:
        if len(raw) > LONGEST_LINE:
            return {}, Refused(self.file, number, TOO_LONG)
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            shown = raw.decode(errors="replace")[:LONGEST]
            return {}, Refused(self.file, number, NOT_UTF8, raw=shown)
        try:
            return self.parse(text.removeprefix(_BOM)), None
        except BadLineError as problem:
            value = None if problem.value is None else problem.value[:LONGEST]
            return {}, Refused(
                self.file, number, problem.reason, problem.field, value, text[:LONGEST], problem.said
            )


def _is_text(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True
