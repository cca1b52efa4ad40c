"""Text files: lines to batches, each line that is no event to quarantine.

A line that is blank is none. Compressed files are unpacked as they are read.
"""

from __future__ import annotations

import bz2
import gzip
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any
from zlib import error

from angarium.core.files import opened
from angarium.history.intake.batch import Batch, batch_of
from angarium.history.intake.json_lines import BadLineError
from angarium.history.intake.reasons import LONGEST, NOT_UTF8, TOO_LONG
from angarium.history.intake.rules import Refused

Event = dict[str, Any]
Parse = Callable[[str], "Event | list[Event | BadLineError] | None"]
"""The event of a line, or several; None if there is nothing in it. BadLineError if it is no event."""
ROWS = 1 << 16
LONGEST_LINE = 64 << 20
"""Bytes of a line that are read: a file without an end of a line may have more than there is memory for."""
_PIECE = 1 << 23
_BLANK = b" \t\x0b\x0c\xef\xbb\xbf"
_BOM = "\ufeff"
_Stream = BufferedReader | gzip.GzipFile | bz2.BZ2File


def lines_of(path: Path, span: range | None = None) -> Iterator[bytes]:
    """The lines of a file, or of some bytes of it, up to where it is cut off: a part of a line in front of
    that is not believed."""
    for block in blocks_of(path, span):
        yield from block.splitlines()


def blocks_of(path: Path, span: range | None = None) -> Iterator[bytes]:
    """The same lines, many at a time: blocks of whole lines, of about a size."""
    with opened(path) as packed:
        stream = _unpacked(packed, path.suffix.lower())
        behind: list[bytes] = []
        try:
            for piece in _pieces(stream, span):
                behind.append(piece)
                size = sum(map(len, behind))
                if size >= _PIECE and (end := _end_of_lines(text := b"".join(behind))):
                    yield text[:end]
                    behind = [text[end:]]
                elif size - len(piece) > LONGEST_LINE:
                    behind.pop()
        except (EOFError, error):
            text = b"".join(behind)
            behind = [text[: _end_of_lines(text)]]
        if any(behind):
            yield b"".join(behind)


def _pieces(stream: _Stream, span: range | None) -> Iterator[bytes]:
    left = 1 << 62
    if span is not None:
        stream.seek(span.start)
        left = len(span)
    while piece := stream.read1(min(_PIECE, left)):
        left -= len(piece)
        yield piece


def spans_of(path: Path, size: int) -> list[range]:
    """A file that is not compressed, divided behind ends of lines into pieces of about a size."""
    end, found, start = path.stat().st_size, [], 0
    with opened(path) as stream:
        while start < end:
            stream.seek(min(start + size, end))
            stream.readline()
            found.append(range(start, stream.tell()))
            start = stream.tell()
    return found


def _end_of_lines(text: bytes) -> int:
    """Where the last whole line ends; 0 if none does."""
    end = len(text) - text.endswith(b"\r")  # a line feed may follow
    return max(text.rfind(b"\n", 0, end), text.rfind(b"\r", 0, end)) + 1


def _unpacked(stream: BufferedReader, packing: str) -> _Stream:
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
    span: range | None = None
    """The bytes that are read; None: all."""

    def batches(
        self, lines: Iterable[tuple[int, bytes]] | None = None
    ) -> Iterator[tuple[Batch, list[tuple[int, Refused]]]]:
        """All rows, with those that are no events, by their places.

        `lines`: with their numbers, if they do not come from the file.
        """
        rows: list[dict[str, Any]] = []
        refused: list[tuple[int, Refused]] = []
        first, size = self.first, 0
        for number, raw in enumerate(lines_of(self.path, self.span), 1) if lines is None else lines:
            if not is_blank(raw):
                for row, problem in self.rows_of(raw, number):
                    if problem:
                        refused.append((len(rows), problem))
                    rows.append(row)
            size += len(raw)
            if len(rows) >= ROWS or (rows and size > LONGEST_LINE):
                yield batch_of(rows, first, self.file), refused
                first, rows, refused, size = first + len(rows), [], [], 0
        if rows:
            yield batch_of(rows, first, self.file), refused

    def given(self) -> Iterator[tuple[int, bytes, list[tuple[Event, Refused | None]]]]:
        """The lines that give rows: number, text, and rows."""
        for number, raw in enumerate(lines_of(self.path, self.span), 1):
            if raw.strip(_BLANK) or not _is_text(raw):
                yield number, raw, list(self.rows_of(raw, number))

    def rows_of(self, raw: bytes, number: int) -> Iterator[tuple[Event, Refused | None]]:
        """What a line gives: events, and rows that are none, each with the reason."""
        if len(raw) > LONGEST_LINE:
            yield {}, Refused(self.file, number, TOO_LONG)
            return
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            shown = raw.decode(errors="replace")[:LONGEST]
            yield {}, Refused(self.file, number, NOT_UTF8, raw=shown)
            return
        for each in self._parsed(text):
            if isinstance(each, BadLineError):
                value = None if each.value is None else each.value[:LONGEST]
                refused = self.file, number, each.reason, each.field, value, text[:LONGEST], each.said
                yield {}, Refused(*refused)
            elif each is not None:
                yield each, None

    def _parsed(self, text: str) -> Sequence[Event | BadLineError | None]:
        try:
            found = self.parse(text.removeprefix(_BOM))
        except BadLineError as problem:
            return [problem]
        return found if isinstance(found, list) else [found]


def is_blank(line: bytes) -> bool:
    """Whether there is nothing in a line."""
    return not line.strip(_BLANK) and _is_text(line)


def _is_text(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True
