"""The lines of a TOML file at which tables and keys stand, for errors that point at them.

Python's reader gives values without their places. The places are looked for in the text: the headers of
tables in their order, and keys at the beginning of a line below them. Text within a longer string may look
like one; so a line is only ever used to point at, never to read from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_HEADER = re.compile(r"\s*(\[\[?)\s*([\w.\-\"']+)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"\s*([\w\-]+|\"[^\"]+\"|'[^']+')\s*(?:\.[\w\-.\"']+\s*)?=")


@dataclass(frozen=True, slots=True)
class Lines:
    """Where things stand, counted from 1."""

    headers: Mapping[tuple[str, int], int]
    """A table's name and which one of that name it is."""
    keys: Mapping[tuple[str, int, str], int]

    def of(self, table: str, number: int = 0, key: str | None = None) -> int:
        """The line of a key, or else of its table, or else the first."""
        header = self.headers.get((table, number), 1)
        return header if key is None else self.keys.get((table, number, key), header)


def lines_of(text: str) -> Lines:
    """The places of all tables and keys."""
    headers: dict[tuple[str, int], int] = {}
    keys: dict[tuple[str, int, str], int] = {}
    for line, table, number, key in _places(text):
        if key is None:
            headers[table, number] = line
        else:
            keys.setdefault((table, number, key), line)
    return Lines(headers, keys)


def _places(text: str) -> Iterator[tuple[int, str, int, str | None]]:
    """Line, table, which of that name, and key (None for the header itself)."""
    table, number = "", 0
    counts: dict[str, int] = {}
    for line, words in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(words):
            table = header[2]
            number = counts.get(table, 0)
            counts[table] = number + 1
            yield line, table, number, None
        elif key := _KEY.match(words):
            yield line, table, number, key[1].strip("\"'")
