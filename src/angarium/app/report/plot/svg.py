"""The few elements of SVG that our pictures are made of, as text.

A picture is one file that needs nothing else: no script, no style sheet, no font but what every machine has.
It has a light background of its own, so that it can be read on a dark page as well. Colours are those of
Okabe and Ito, which people with any kind of colour blindness can tell apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
