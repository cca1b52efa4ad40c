"""JSON lines that are as flat as most are, read by the kernel; all others by `json_lines`, one at a time.

Both give the same rows. What the kernel has read of a block of lines are columns; the few rows of other lines
are put into them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from angarium.history import schema
from angarium.history.intake import flat_core as at
from angarium.history.intake import text
from angarium.history.intake.batch import KINDS, NULL, Batch, Names, Texts
from angarium.history.intake.rules import Refused
from angarium.history.intake.text import Event, Lines, blocks_of, is_blank
from angarium.history.intake.texts import ARGUMENTS, READ
from angarium.native import hash_core
from angarium.native.calls import Native

KERNEL = Native(at, ("read_lines", "hash_bytes"), also=(hash_core,), thorough=True)
_FIELDS = (*schema.NAMES, *(name for name in (*READ, ARGUMENTS) if name not in KINDS))
"""All names that are read: the schema's columns, and what is looked at with care."""
_KINDS = {
    schema.TEXT: at.A_TEXT, schema.LONG: at.A_LONG, schema.INT: at.AN_INT, schema.TRUTH: at.A_TRUTH,
}  # fmt: skip
_NONE = {at.A_TEXT: -1, at.A_LONG: NULL, at.AN_INT: NULL, at.A_TRUTH: -1}
_TYPES = {at.A_TEXT: np.int32, at.A_LONG: np.int64, at.AN_INT: np.int64, at.A_TRUTH: np.int8}


@dataclass(frozen=True)
class Slow:
    """A line that is not simple."""

    row: int
    number: int
    raw: bytes


@dataclass(frozen=True)
class Piece:
    """Some lines, as the kernel has read them."""

    text: bytes
    number: int
    """Of the first line."""
    rows: int
    names: dict[str, Names]
    numbers: dict[str, NDArray[np.int64]]
    truths: dict[str, NDArray[np.int8]]
    slow: Sequence[Slow]

    def put(self, row: int, event: Event) -> None:
        """Put an event in the place of a line that was not simple; lists are told apart."""
        for name, value in event.items():
            if KINDS[name] == schema.TEXT:
                self._put_name(name, row, value)
            elif KINDS[name] == schema.TRUTH:
                self.truths.setdefault(name, np.full(self.rows, -1, np.int8))[row] = value
            elif KINDS[name] != schema.TEXTS:
                self.numbers.setdefault(name, np.full(self.rows, NULL, np.int64))[row] = value

    def _put_name(self, name: str, row: int, value: str) -> None:
        known = self.names.get(name)
        if not isinstance(known, _Growing):
            codes = np.full(self.rows, -1, np.int32) if known is None else known.codes
            known = self.names[name] = _Growing.of(codes, [] if known is None else known.values)
        known.codes[row] = known.places.setdefault(value, len(known.places))

    def batch(self, first: int, file: int, events: dict[int, Event]) -> Batch:
        """A batch of the rows, with those of other lines."""
        for row, event in events.items():
            self.put(row, event)
        listed: dict[str, dict[int, tuple[str, ...]]] = {}
        for row, event in events.items():
            for name in event.keys() & _LISTS:
                listed.setdefault(name, {})[row] = tuple(event[name])
        names = {
            name: each.whole() if isinstance(each, _Growing) else each for name, each in self.names.items()
        }
        return Batch(first, self.rows, names, self.numbers, self.truths, listed, file)


class _Growing(Names):
    """Names to which others may be added."""

    places: dict[str, int]

    @classmethod
    def of(cls, codes: NDArray[np.int32], values: Sequence[str]) -> _Growing:
        found = cls(codes, values)
        found.places = {str(value): code for code, value in enumerate(values)}
        return found

    def whole(self) -> Names:
        return Names(self.codes, list(self.places))


_LISTS = {name for name, kind in KINDS.items() if kind == schema.TEXTS}


@dataclass(frozen=True)
class FlatLines(Lines):
    """A file of JSON lines of the event schema."""

    def batches(
        self, lines: Iterable[tuple[int, bytes]] | None = None
    ) -> Iterator[tuple[Batch, list[tuple[int, Refused]]]]:
        if lines is not None:
            yield from super().batches(lines)
            return
        first, reader = self.first, None
        for block in blocks_of(self.path, self.span):
            if reader is None or reader.length < len(block):
                reader = _Reader(len(block), _lines_in(block), 1 if reader is None else reader.number)
            for piece in reader.pieces(block):
                for batch, refused in self._taken(piece, first):
                    yield batch, refused
                    first += batch.count

    def _taken(self, piece: Piece, first: int) -> Iterator[tuple[Batch, list[tuple[int, Refused]]]]:
        """The rows of a piece: all with care, if a line is blank in another way than the kernel knows."""
        if any(is_blank(each.raw) for each in piece.slow):
            lines = enumerate(piece.text.splitlines(), piece.number)
            yield from replace(self, first=first).batches(lines)
        elif piece.rows:
            refused: list[tuple[int, Refused]] = []
            events: dict[int, Event] = {}
            for slow in piece.slow:
                for event, problem in self.rows_of(slow.raw, slow.number):
                    events[slow.row] = event
                    if problem:
                        refused.append((slow.row, problem))
            yield piece.batch(first, self.file, events), refused


def _lines_in(block: bytes) -> int:
    """At most so many lines there are."""
    return block.count(b"\n") + block.count(b"\r") + 1


class _Reader:
    """The kernel's memory for blocks of a length, which is used for one after the other."""

    def __init__(self, length: int, lines: int, number: int) -> None:
        self.length, self.number = length, number
        self.room = min(lines, text.ROWS)
        self.words = np.zeros(at.READING, np.uint64)
        self._fields = np.zeros((len(_FIELDS), at.FIELD), np.uint64)
        self._slow = np.zeros((self.room, at.SLOW_LINE), np.uint64)
        self._out: list[NDArray[Any]] = []
        self._kept: list[dict[int, NDArray[Any]]] = []
        for field, name in zip(self._fields, _FIELDS, strict=True):
            self._prepare(field, _KINDS.get(KINDS.get(name, ""), at.A_RIDDLE))
        self._enter_names()
        self.words[at.FIELDS], self.words[at.SLOW] = _address(self._fields), _address(self._slow)

    def _prepare(self, field: NDArray[np.uint64], kind: int) -> None:
        """Make room for a column."""
        out = np.full(self.room if kind != at.A_RIDDLE else 0, _NONE.get(kind, 0), _TYPES.get(kind, np.int8))
        kept: dict[int, NDArray[Any]] = {at.F_OUT: out}
        if kind == at.A_TEXT:
            kept |= {
                at.F_DATA: np.empty(self.length + 1, np.uint8),
                at.F_ENDS: np.zeros(self.room + 2, np.uint32),
                at.F_SLOTS: np.empty(8 * self.room + at.FEW, np.uint64),
                at.F_HASHES: np.empty(self.room + 1, np.uint64),
            }  # fmt: skip
        field[at.F_KIND], field[at.F_ROOM] = kind, self.room
        for place, memory in kept.items():
            field[place] = _address(memory)
        self._kept.append(kept)

    def _enter_names(self) -> None:
        """The table of the columns' names."""
        encoded = [name.encode() for name in _FIELDS]
        ends = np.cumsum([0, *map(len, encoded)]).astype(np.uint32)
        data = np.frombuffer(b"".join(encoded), np.uint8)
        size = 1 << (4 * len(_FIELDS)).bit_length()
        keys = np.zeros((size, 2), np.uint64)
        for number, start in enumerate(ends[:-1].tolist()):
            length = int(ends[number + 1]) - start
            hashed = KERNEL.call("hash_bytes", data[start:], length, at.SEED_OF_KEYS)
            place = hashed & (size - 1)
            while keys[place, 1]:
                place = (place + 1) & (size - 1)
            keys[place] = hashed, number + 1
        self._names = keys, data, ends
        self.words[at.KEYS], self.words[at.KEY_TEXT] = _address(keys), _address(data)
        self.words[at.KEY_ENDS], self.words[at.KEY_MASK] = _address(ends), size - 1

    def pieces(self, block: bytes) -> Iterator[Piece]:
        """The rows of a block."""
        data = np.frombuffer(block, np.uint8)
        self.words[at.STRICT] = not _is_text(block)
        self.words[at.HERE], self.words[at.LONGEST] = 0, text.LONGEST_LINE
        while (start := int(self.words[at.HERE])) < len(block):
            number = self.number
            self._begin()
            rows = KERNEL.call("read_lines", self.words, len(_FIELDS), data, len(block), self.room)
            self.number = int(self.words[at.NUMBER])
            yield self._piece(block, start, number, rows)

    def _begin(self) -> None:
        """Nothing was read yet."""
        self.words[at.SLOWS], self.words[at.NUMBER] = 0, self.number
        for field, kept in zip(self._fields, self._kept, strict=True):
            kind = int(field[at.F_KIND])
            if field[at.F_SEEN] and kind != at.A_RIDDLE:
                kept[at.F_OUT][:] = _NONE[kind]
            field[at.F_SEEN] = field[at.F_NAMES] = field[at.F_LAST] = 0
            if kind == at.A_TEXT:
                field[at.F_MASK] = at.FEW - 1
                kept[at.F_SLOTS][: at.FEW] = 0

    def _piece(self, block: bytes, start: int, number: int, rows: int) -> Piece:
        names: dict[str, Names] = {}
        numbers: dict[str, NDArray[np.int64]] = {}
        truths: dict[str, NDArray[np.int8]] = {}
        for name, field, kept in zip(_FIELDS, self._fields, self._kept, strict=True):
            kind, values = int(field[at.F_KIND]), kept[at.F_OUT][:rows]
            if not field[at.F_SEEN] or (self.words[at.SLOWS] and (values == _NONE[kind]).all()):
                continue
            if kind == at.A_TEXT:
                ends = kept[at.F_ENDS][: int(field[at.F_NAMES]) + 1].copy()
                names[name] = Names(values.copy(), Texts(kept[at.F_DATA][: int(ends[-1])].copy(), ends))
            elif kind == at.A_TRUTH:
                truths[name] = values.copy()
            else:
                numbers[name] = values.copy()
        slow = [
            Slow(row, line, block[low:high])
            for row, low, high, line in self._slow[: int(self.words[at.SLOWS])].tolist()
        ]
        given = block[start : int(self.words[at.HERE])] if slow else b""
        return Piece(given, number, rows, names, numbers, truths, slow)


def _address(memory: NDArray[Any]) -> int:
    return int(memory.ctypes.data)


def _is_text(block: bytes) -> bool:
    """Whether all of it is UTF-8."""
    try:
        block.decode()
    except UnicodeDecodeError:
        return False
    return True
