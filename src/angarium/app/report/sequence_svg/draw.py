"""From the rows of a sequence diagram to SVG: first their places, then the drawing.

Places for a sequence diagram: where each lifeline stands, and how much room each row takes.

Lifelines stand as near to each other as their names and the words on the arrows between them allow: first the
arrows between neighbours get their room, then the longer ones what is still missing, spread over all the gaps
that they cross. Words that are too long for any diagram are cut; a browser shows all of them at the mouse.

A sequence diagram with its places, as SVG.

Colours are in a style of its own, once for light and once for dark screens; on paper it is light. What a
colour says is also said by a word or a sign: a fault has `fault:`, a lost message a cross, an event that
proves the violation an exclamation mark, what comes again a bracket with words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from textwrap import wrap
from xml.sax.saxutils import escape

from angarium.app.report.layout import printable
from angarium.app.report.plot.frame import FONT, LETTER
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
        placed = _arrow_row(row, columns, top) if row.is_arrow else _noted(row, columns, top)
        yield placed
        top += placed.height


def _arrow_row(row: Row, columns: tuple[float, ...], top: float) -> Placed:
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


# --- draw -----------------------------------------------------------------------------------------


_HEAD_LENGTH, _CROSS = 9.0, 5.0
_LIGHT = {
    "ground": "#ffffff", "ink": "#1d2228", "pale": "#57606a", "life": "#a9b2bd", "box": "#e8eef5",
    "edge": "#9aa8b8", "note": "#fdf6dc", "note-edge": "#cdbb78", "bad": "#a11b0f", "bad-band": "#fde4e1",
    "proof-band": "#ffedb8", "again": "#00598c", "end": "#f3f5f8",
}  # fmt: skip
_DARK = {
    "ground": "#15191e", "ink": "#e4e8ed", "pale": "#a2acb8", "life": "#4d5763", "box": "#26303b",
    "edge": "#536273", "note": "#332f1d", "note-edge": "#71673a", "bad": "#ff9d91", "bad-band": "#43201d",
    "proof-band": "#43370f", "again": "#7cc4f2", "end": "#1e242b",
}  # fmt: skip
_RULES = """
.sequence text { fill: var(--ink); }
.sequence .ground { fill: var(--ground); }
.sequence .number { fill: var(--pale); }
.sequence .life { stroke: var(--life); }
.sequence .left-out { stroke-dasharray: 2 5; }
.sequence .box { fill: var(--box); stroke: var(--edge); }
.sequence .note { fill: var(--note); stroke: var(--note-edge); }
.sequence .end { fill: var(--end); stroke: var(--edge); }
.sequence .arrow { stroke: var(--ink); stroke-width: 1.5; fill: none; }
.sequence .tip { fill: var(--ink); }
.sequence .band { fill: var(--bad-band); }
.sequence .proof { fill: var(--proof-band); }
.sequence .bad .arrow { stroke: var(--bad); }
.sequence .bad .tip { fill: var(--bad); }
.sequence .bad text { fill: var(--bad); }
.sequence .said { paint-order: stroke; stroke: var(--ground); stroke-width: 5; stroke-linejoin: round; }
.sequence .on-band .said { stroke: var(--bad-band); }
.sequence .on-proof .said { stroke: var(--proof-band); }
.sequence .bad .note { fill: var(--bad-band); stroke: var(--bad); }
.sequence .again { stroke: var(--again); stroke-width: 2; fill: none; }
.sequence text.again { stroke: none; fill: var(--again); }
"""


def drawn(sequence: Sequence) -> str:
    """The picture, as text."""
    places = laid_out(sequence)
    size = f"{_n(places.width)} {_n(places.height)}"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="sequence" viewBox="0 0 {size}"'
        f' width="{_n(places.width)}" height="{_n(places.height)}" role="img" font-family="{FONT}"'
        f' font-size="{_n(SIZE)}">'
    )
    about = [
        f"<title>{_escaped(f'How {sequence.guarantee} comes about')}</title>",
        f"<desc>{_escaped(_description(sequence))}</desc>",
    ]
    return "\n".join([head, *about, _style(), *_parts(sequence, places), "</svg>", ""])


def _description(sequence: Sequence) -> str:
    """The story in words, for who cannot see it."""
    names = sequence.lifelines
    told = (_in_words(row, names) for row in sequence.rows)
    return " ".join([*(f"{words}." for words in told), sequence.summary])


def _in_words(row: Row, names: tuple[str, ...]) -> str:
    label = f"{row.label} " if row.label else ""
    source = names[row.source] if row.source is not None else ""
    target = f" to {names[row.target]}" if row.is_arrow and row.target is not None else ""
    return f"{label}{source}{target}: {row.text}" if source else f"{label}{row.text}"


def _style() -> str:
    light, dark = (
        " ".join(f"--{name}: {value};" for name, value in each.items()) for each in (_LIGHT, _DARK)
    )
    by_dark = f"@media screen and (prefers-color-scheme: dark) {{ .sequence {{ {dark} }} }}"
    return f"<style>.sequence {{ {light} }}\n{by_dark}{_RULES}</style>"


# --- parts ----------------------------------------------------------------------------------


def _parts(sequence: Sequence, places: Layout) -> Iterator[str]:
    yield _rectangle("ground", 0, 0, places.width, places.height)
    yield from (_band(each, places) for each in places.rows if each.row.fault or each.row.proof)
    yield from _lifelines(places)
    yield from (_name(name, at) for name, at in zip(sequence.lifelines, places.columns, strict=True))
    for each in places.rows:
        yield _group(each.row, [*_label(each, places), *_row(each, places)])
    yield from _bracket(sequence, places)
    yield _rectangle(
        "end", places.end.left, places.end.top, places.end.right - places.end.left, places.end.height
    )
    at = places.end.left + PAD
    yield from _lines(places.end, at, "start")


def _group(row: Row, parts: list[str]) -> str:
    """A row's elements; pointing at it shows all of its words."""
    signs = {"bad": row.fault or row.failed, "on-band": row.fault, "on-proof": row.proof and not row.fault}
    kinds = " ".join(name for name, applies in signs.items() if applies)
    return "\n".join([f'<g class="{kinds}"><title>{_escaped(row.text)}</title>', *parts, "</g>"])


def _band(placed: Placed, places: Layout) -> str:
    kind = "band" if placed.row.fault else "proof"
    return _rectangle(kind, 0, placed.top, places.width, placed.height, round_by=0)


def _lifelines(places: Layout) -> Iterator[str]:
    """From the names to the end; with dots where rows are left out."""
    gaps = [(each.top, each.top + each.height) for each in places.rows if each.row.gap]
    stops = [PAD + HEAD, *(y for gap in gaps for y in gap), places.end.top]
    for at in places.columns:
        for number, (top, bottom) in enumerate(pairwise(stops)):
            yield _line("life left-out" if number % 2 else "life", at, top, at, bottom)


def _name(name: str, at: float) -> str:
    shown = cut(name, NAME)
    half = width_of(shown) / 2 + PAD
    box = _rectangle("box", at - half, PAD, 2 * half, HEAD)
    words = _text(shown, at, PAD + HEAD / 2 + SIZE * 0.35, anchor="middle", weight="600")
    return f"<g><title>{_escaped(name)}</title>\n{box}\n{words}\n</g>"


def _label(placed: Placed, places: Layout) -> Iterator[str]:
    row = placed.row
    if row.sign:
        y = _base(placed) if row.is_arrow else placed.top + placed.height / 2
        yield _text(row.sign, places.gutter - PAD, y + SMALL * 0.35, "number", "end", SMALL)


def _base(placed: Placed) -> float:
    """The height at which an arrow goes."""
    return placed.top + placed.height - PAD


def _row(placed: Placed, places: Layout) -> Iterator[str]:
    if placed.row.is_arrow:
        yield from _arrow(placed, places)
    elif placed.row.gap:
        yield from _lines(placed, placed.middle, "middle", "number")
    else:
        width = placed.right - placed.left
        yield _rectangle("note", placed.left, placed.top + PAD / 2, width, placed.height - PAD)
        yield from _lines(placed, placed.middle, "middle")


def _arrow(placed: Placed, places: Layout) -> Iterator[str]:
    """A line with a tip, or with a cross before its end if nothing arrives; the words stand above it."""
    row, y = placed.row, _base(placed)
    start, end = places.columns[row.source or 0], places.columns[row.target or 0]
    ahead = 1.0 if end > start else -1.0
    if row.failed:
        stop = end - ahead * 3 * _CROSS
        yield _line("arrow", start, y, stop, y)
        yield _line("arrow", stop - _CROSS, y - _CROSS, stop + _CROSS, y + _CROSS)
        yield _line("arrow", stop - _CROSS, y + _CROSS, stop + _CROSS, y - _CROSS)
    else:
        back = end - ahead * _HEAD_LENGTH
        yield _line("arrow", start, y, back, y)
        corners = " ".join(f"{_n(a)},{_n(b)}" for a, b in ((end, y), (back, y - 4), (back, y + 4)))
        yield f'<polygon class="tip" points="{corners}"/>'
    yield _text(placed.lines[0], placed.middle, y - 7, "said", "middle")


def _lines(placed: Placed, at: float, anchor: str, kind: str = "") -> Iterator[str]:
    top = placed.top + (placed.height - LINE * len(placed.lines)) / 2
    for number, line in enumerate(placed.lines):
        yield _text(line, at, top + LINE * number + SMALL, kind, anchor, SMALL)


def _bracket(sequence: Sequence, places: Layout) -> Iterator[str]:
    """At the right of what is repeated."""
    again = [each for each in places.rows if each.row.again]
    if not again:
        return
    top, bottom = again[0].top + 4, again[-1].top + again[-1].height - 2
    x = places.width - 20
    yield f'<path class="again" d="M{_n(x - 8)},{_n(top)} H{_n(x)} V{_n(bottom)} H{_n(x - 8)}"/>'
    room = width_of(sequence.repeated, SMALL) / 2
    middle = min(max((top + bottom) / 2, room), places.height - room)
    turned = f' transform="rotate(90 {_n(x + 7)} {_n(middle)})"'
    yield _text(sequence.repeated, x + 7, middle, "again", "middle", SMALL, more=turned)


# --- elements -------------------------------------------------------------------------------


def _rectangle(kind: str, x: float, y: float, width: float, height: float, round_by: float = 4) -> str:
    sides = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'
    return f'<rect class="{kind}" {sides} rx="{_n(round_by)}"/>'


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}"/>'


def _text(
    words: str,
    x: float,
    y: float,
    kind: str = "",
    anchor: str = "start",
    size: float = SIZE,
    weight: str = "",
    more: str = "",
) -> str:
    kinds = f' class="{kind}"' if kind else ""
    heavy = f' font-weight="{weight}"' if weight else ""
    place = f'x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}" font-size="{_n(size)}"'
    return f"<text{kinds} {place}{heavy}{more}>{_escaped(words)}</text>"


def _escaped(words: str) -> str:
    """Words of others: without what XML or a terminal would obey."""
    return escape(printable(words))


def _n(number: float) -> str:
    """A number with as few digits as a picture needs."""
    return f"{number:.1f}".rstrip("0").rstrip(".")
