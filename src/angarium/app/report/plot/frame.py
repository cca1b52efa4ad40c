"""What every picture has: elements of SVG, and a frame with axes.

The few elements of SVG that our pictures are made of, as text.

A picture is one file that needs nothing else: no script, no style sheet, no font but what every machine has.
It has a light background of its own, so that it can be read on a dark page as well. Colours are those of
Okabe and Ito, which people with any kind of colour blindness can tell apart.

What surrounds every picture: a title, axes with round numbers, a legend, and a caption.

The caption says what the figures depend on (schedule, seed, number of walks), because a picture is passed on
without the report that it came with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from math import ceil, floor, log10
from textwrap import wrap
from xml.sax.saxutils import escape

from angarium.core.escaping import plain

WIDTH, HEIGHT = 640, 400
BACKGROUND, INK, PALE, FAINT = "#ffffff", "#222222", "#5f5f5f", "#e2e2e2"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
FONT = "system-ui, 'Segoe UI', 'Liberation Sans', Arial, sans-serif"
LETTER, WIDE_LETTER = 0.56, 0.61
"""How wide a letter is on average, in heights of the font: of a usual font, and of one that is wide."""

Point = tuple[float, float]


def picture(title: str, description: str, parts: Iterable[str]) -> str:
    """A whole file."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}"'
        f' height="{HEIGHT}" role="img" font-family="{FONT}">'
    )
    about = [f"<title>{escape(plain(title))}</title>", f"<desc>{escape(plain(description))}</desc>"]
    ground = rectangle(0, 0, WIDTH, HEIGHT, fill=BACKGROUND)
    return "\n".join([head, *about, ground, *parts, "</svg>", ""])


def rectangle(
    x: float, y: float, width: float, height: float, *, fill: str, opacity: float = 1.0, hint: str = ""
) -> str:
    """A filled rectangle; the hint is what a browser shows when one points at it."""
    sides = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'
    return _hinted("rect", f'{sides} fill="{fill}"{_opacity(opacity)}', hint)


def circle(at: Point, radius: float, *, fill: str, hint: str = "") -> str:
    """A filled dot."""
    return _hinted("circle", f'cx="{_n(at[0])}" cy="{_n(at[1])}" r="{_n(radius)}" fill="{fill}"', hint)


def line(start: Point, end: Point, *, stroke: str = INK, width: float = 1.0) -> str:
    """A straight line."""
    ends = f'x1="{_n(start[0])}" y1="{_n(start[1])}" x2="{_n(end[0])}" y2="{_n(end[1])}"'
    return f'<line {ends} stroke="{stroke}" stroke-width="{_n(width)}"/>'


def path(points: Sequence[Point], *, stroke: str, width: float = 2.0) -> str:
    """A line through all points."""
    shape = f'points="{_points(points)}" fill="none" stroke="{stroke}"'
    return f'<polyline {shape} stroke-width="{_n(width)}" stroke-linejoin="round"/>'


def area(points: Sequence[Point], *, fill: str, opacity: float = 1.0) -> str:
    """What the points enclose."""
    return f'<polygon points="{_points(points)}" fill="{fill}"{_opacity(opacity)}/>'


def text(
    at: Point,
    words: str,
    *,
    size: float = 12,
    anchor: str = "start",
    fill: str = INK,
    bold: bool = False,
    upright: bool = True,
) -> str:
    """Words at a place; not upright, they are read from below to above."""
    turn = "" if upright else f' transform="rotate(-90 {_n(at[0])} {_n(at[1])})"'
    weight = ' font-weight="600"' if bold else ""
    style = f'font-size="{_n(size)}" text-anchor="{anchor}" fill="{fill}"{weight}{turn}'
    return f'<text x="{_n(at[0])}" y="{_n(at[1])}" {style}>{escape(plain(words))}</text>'


def fitting(words: str, room: float, size: float) -> str:
    """The words, cut where they would not fit."""
    letters = int(room / (size * LETTER))
    return words if len(words) <= letters else f"{words[: max(letters - 1, 0)].rstrip()}…"


def _hinted(element: str, attributes: str, hint: str) -> str:
    if not hint:
        return f"<{element} {attributes}/>"
    return f"<{element} {attributes}><title>{escape(plain(hint))}</title></{element}>"


def _opacity(opacity: float) -> str:
    return "" if opacity == 1.0 else f' fill-opacity="{_n(opacity)}"'


def _points(points: Sequence[Point]) -> str:
    return " ".join(f"{_n(x)},{_n(y)}" for x, y in points)


def _n(number: float) -> str:
    """A number with as few digits as a picture needs."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


# --- frame ----------------------------------------------------------------------------------------


LEFT, RIGHT, TOP, BOTTOM = 66.0, 24.0, 62.0, 78.0
_SMALL = 11.0
_ROUND = (1, 2, 5, 10)


@dataclass(frozen=True, slots=True)
class Caption:
    """What is said around a picture."""

    title: str
    subtitle: str
    note: str


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to places along an axis."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / ((self.high - self.low) or 1.0)
        return self.start + share * (self.end - self.start)


def across(low: float, high: float) -> Scale:
    """The scale of the horizontal axis."""
    return Scale(low, high, LEFT, WIDTH - RIGHT)


def upwards(low: float, high: float) -> Scale:
    """The scale of the vertical axis."""
    return Scale(low, high, HEIGHT - BOTTOM, TOP)


def ticks(low: float, high: float, most: int = 8) -> list[float]:
    """Round numbers from low to high, not more than so many."""
    if high <= low:
        return [low]
    step = _round_step((high - low) / most)
    first = ceil(low / step - 1e-9)
    last = floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def _round_step(least: float) -> float:
    """The least step of 1, 2 or 5 times a power of ten that is at least this large."""
    power = 10.0 ** floor(log10(least))
    return next(factor * power for factor in _ROUND if factor * power >= least * (1 - 1e-9))


def number(value: float) -> str:
    """A number beside an axis."""
    if abs(value) >= 10_000:
        return f"{value:,.0f}"
    return f"{value:.6g}"


def surrounded(caption: Caption, parts: Iterable[str]) -> str:
    """The whole picture: what it shows, with title and caption."""
    note = f"{caption.subtitle} {caption.note}"
    return picture(caption.title, note, [*_title(caption), *parts, *_note(caption.note)])


def _title(caption: Caption) -> Iterator[str]:
    room = WIDTH - 32
    yield text((16, 26), fitting(caption.title, room, 16), size=16, bold=True)
    yield text((16, 45), fitting(caption.subtitle, room, 12), size=12, fill=PALE)


def _note(note: str) -> Iterator[str]:
    letters = int((WIDTH - 32) / (_SMALL * WIDE_LETTER))
    lines = wrap(note, letters, break_on_hyphens=False, max_lines=2, placeholder=" …")
    for height, words in zip(count(HEIGHT - 8 - 13 * (len(lines) - 1), 13), lines, strict=False):
        yield text((16, height), words, size=_SMALL, fill=PALE)


def axis_below(scale: Scale, marks: Sequence[tuple[float, str]], name: str) -> Iterator[str]:
    """The horizontal axis: its line, its marks and what it shows."""
    base = HEIGHT - BOTTOM
    yield line((scale.start, base), (scale.end, base))
    for value, words in marks:
        yield line((scale(value), base), (scale(value), base + 4))
        yield text((scale(value), base + 17), words, size=_SMALL, anchor="middle")
    yield text(((scale.start + scale.end) / 2, base + 35), name, anchor="middle")


def axis_left(scale: Scale, name: str) -> Iterator[str]:
    """The vertical axis: faint lines at round numbers, and what it shows."""
    for value in ticks(scale.low, scale.high, 6):
        yield line((LEFT, scale(value)), (WIDTH - RIGHT, scale(value)), stroke=FAINT)
        yield text((LEFT - 6, scale(value) + 4), number(value), size=_SMALL, anchor="end")
    yield text((18, (scale.start + scale.end) / 2), name, anchor="middle", upright=False)


def legend(entries: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Colours and what they stand for, at the top right of the plot."""
    longest = max((len(words) for _, words in entries), default=0)
    left = WIDTH - RIGHT - 26 - longest * 12 * LETTER
    yield rectangle(
        left - 6, TOP, WIDTH - RIGHT - left + 6, 18 * len(entries) + 8, fill=BACKGROUND, opacity=0.85
    )
    for place, (colour, words) in enumerate(entries):
        height = TOP + 18 * place + 17
        yield rectangle(left, height - 9, 12, 10, fill=colour)
        yield text((left + 18, height), words)
