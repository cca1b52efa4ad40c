"""Places for a sequence diagram: where each lifeline stands, and how much room each row takes.

Lifelines stand as near to each other as their names and the words on the arrows between them allow: first the
arrows between neighbours get their room, then the longer ones what is still missing, spread over all the gaps
that they cross. Words that are too long for any diagram are cut; a browser shows all of them at the mouse.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from textwrap import wrap

from angarium.app.report.plot.svg import LETTER
from angarium.app.report.sequence_svg.sequence import Row, Sequence

SIZE, SMALL = 13.0, 12.0
"""Heights of letters: names and arrows; notes and numbers."""
NAME, SAID = 22, 48
"""How many letters a name, and what an arrow says, may have."""
NOTE, NOTE_LINES = 30, 3
"""How many letters a line of a note has, and how many lines."""
HEAD, GAP, PAD, LINE = 30.0, 84.0, 9.0, 16.0
"""The height of a name's box, the least room between lifelines, room around words, the height of a line."""
_ARROW_ROW = 38.0
_NARROW = 0.6
"""A letter's width in heights: more than the average, for fonts that are wide."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A row with its place."""

    row: Row
    lines: tuple[str, ...]
    top: float
    height: float
    left: float
    right: float
    """Of a note: its sides. Of an arrow: its lifelines, from the left to the right."""

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2


@dataclass(frozen=True, slots=True)
class Layout:
    """All places; the first lifeline's is left enough for what stands at the left of it."""

    columns: tuple[float, ...]
    rows: tuple[Placed, ...]
    end: Placed
    """The note with the summary."""
    gutter: float
    width: float
    height: float


def width_of(words: str, size: float = SIZE) -> float:
    """How wide words are, about."""
    return len(words) * size * _NARROW


def cut(words: str, letters: int) -> str:
    """At most so many letters."""
    return words if len(words) <= letters else f"{words[: letters - 1].rstrip()}…"


def laid_out(sequence: Sequence) -> Layout:
    """Where everything stands."""
    gutter = max((width_of(row.sign, SMALL) for row in sequence.rows), default=0.0) + 2 * PAD
    columns = _columns(sequence)
    before = max([_half(sequence.lifelines[0]), *_overhang(sequence, columns)])
    columns = tuple(gutter + before + column for column in columns)
    placed = list(_placed(sequence, columns, HEAD + 2 * PAD))
    bottom = placed[-1].top + placed[-1].height if placed else HEAD + 2 * PAD
    right = max([columns[-1] + _half(sequence.lifelines[-1]), *(each.right for each in placed)])
    right = max(right, columns[0] + 260.0)
    end = _end(sequence.summary, gutter, right, bottom + PAD)
    bracket = 30.0 if sequence.repeated else PAD
    return Layout(columns, tuple(placed), end, gutter, right + bracket, end.top + end.height + PAD)


# --- lifelines ------------------------------------------------------------------------------


def _half(name: str) -> float:
    return width_of(cut(name, NAME)) / 2 + PAD


def _columns(sequence: Sequence) -> tuple[float, ...]:
    """Where lifelines stand, counted from the first."""
    names = sequence.lifelines
    gaps = [max(GAP, _half(a) + _half(b) + PAD) for a, b in pairwise(names)]
    for low, high, room in sorted(_needs(sequence.rows), key=lambda need: need[1] - need[0]):
        missing = max(room - sum(gaps[low:high]), 0.0)
        gaps[low:high] = [gap + missing / (high - low) for gap in gaps[low:high]]
    return tuple(sum(gaps[:number]) for number in range(len(names)))


def _needs(rows: Iterable[Row]) -> Iterable[tuple[int, int, float]]:
    """Between which lifelines an arrow needs how much room."""
    for row in rows:
        if row.is_arrow and row.source is not None and row.target is not None:
            low, high = sorted((row.source, row.target))
            yield low, high, width_of(cut(row.text, SAID)) + 3 * PAD


def _overhang(sequence: Sequence, columns: tuple[float, ...]) -> Iterable[float]:
    """How far notes reach to the left of the first lifeline."""
    for row in sequence.rows:
        if not row.is_arrow and row.source is not None:
            yield _note_width(_note(row.text)) / 2 - columns[row.source]


# --- rows -----------------------------------------------------------------------------------


def _placed(sequence: Sequence, columns: tuple[float, ...], top: float) -> Iterable[Placed]:
    for row in sequence.rows:
        placed = _arrow(row, columns, top) if row.is_arrow else _noted(row, columns, top)
        yield placed
        top += placed.height


def _arrow(row: Row, columns: tuple[float, ...], top: float) -> Placed:
    left, right = sorted((columns[row.source or 0], columns[row.target or 0]))
    return Placed(row, (cut(row.text, SAID),), top, _ARROW_ROW, left, right)


def _noted(row: Row, columns: tuple[float, ...], top: float) -> Placed:
    """A note over its lifeline, or across all."""
    lines = _note(row.text)
    half = _note_width(lines) / 2
    middle = (columns[0] + columns[-1]) / 2 if row.source is None else columns[row.source]
    if row.source is None:
        half = max(half, columns[-1] - middle + 2 * PAD)
    return Placed(row, lines, top, LINE * len(lines) + 2 * PAD, middle - half, middle + half)


def _note(text: str) -> tuple[str, ...]:
    lines = wrap(text, NOTE, break_on_hyphens=False) or [""]
    if len(lines) <= NOTE_LINES:
        return tuple(lines)
    last = cut(" ".join(lines[NOTE_LINES - 1 :]), NOTE)
    return (*lines[: NOTE_LINES - 1], last)


def _note_width(lines: tuple[str, ...]) -> float:
    return max(width_of(line, SMALL) for line in lines) + 2 * PAD


def _end(summary: str, left: float, right: float, top: float) -> Placed:
    """What the story shows, below it and as wide as it."""
    letters = int((right - left - 2 * PAD) / (SMALL * LETTER))
    lines = tuple(wrap(summary, letters, break_on_hyphens=False))
    return Placed(Row(summary), lines, top, LINE * len(lines) + 2 * PAD, left, right)
