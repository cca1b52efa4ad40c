"""Elements of SVG as text, and the style sheet: one file that needs nothing else and runs no script.

Everything has a class, and the style sheet says what a class looks like on light and on dark ground. A
program that knows nothing of dark ground shows the light one. What a colour says is always said by a word or
a shape as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from angarium.mesh.draw.drawing import KINDS
from angarium.mesh.draw.geometry import Box, Curve, Point, around, arrowhead

FONT = "system-ui, 'Segoe UI', 'Liberation Sans', Arial, sans-serif"

_SIDES: Sequence[tuple[str, str, str]] = (
    (".paper", "fill:#ffffff", "fill:#15191e"),
    ("text", "fill:#222222", "fill:#e6e9ed"),
    (".pale", "fill:#5f5f5f", "fill:#a3abb5"),
    (".card", "fill:#eef4fa;stroke:#40617f", "fill:#202a35;stroke:#8fb0d0"),
    (".dot", "fill:#40617f;stroke:#ffffff", "fill:#8fb0d0;stroke:#15191e"),
    (".rule", "stroke:#c4d3e1", "stroke:#3a4a5b"),
    (".cable", "stroke:#75818d", "stroke:#8b96a2"),
    (".tip", "fill:#75818d", "fill:#8b96a2"),
    (".publishes", "fill:#00795a", "fill:#3ecfa4"),
    (".subscribes", "fill:#7a4fa3", "fill:#c6a2ea"),
    (".behind", "fill:#ffffff;fill-opacity:.88", "fill:#15191e;fill-opacity:.88"),
    (".halo", "stroke:#ffffff", "stroke:#15191e"),
    (".dead.card", "fill:#f4f4f4;stroke:#8a8a8a", "fill:#1c1f23;stroke:#7b7b7b"),
    (".dead.dot", "fill:#ffffff;stroke:#8a8a8a", "fill:#15191e;stroke:#7b7b7b"),
    (".dead.cable", "stroke:#a9a9a9", "stroke:#6a6a6a"),
    (".dead.tip", "fill:#a9a9a9", "fill:#6a6a6a"),
    (".cross", "stroke:#222222", "stroke:#e6e9ed"),
    (".badge", "fill:#ffffff", "fill:#15191e"),
    *((f".{name}", f"stroke:{kind.light}", f"stroke:{kind.dark}") for name, kind in KINDS.items()),
    *((f".tip.{name}", f"fill:{kind.light}", f"fill:{kind.dark}") for name, kind in KINDS.items()),
)
"""A selector, and what it looks like on light and on dark ground."""
_SHAPES = (
    ".cable,.mark,.ring,.cross{fill:none}",
    ".cable{stroke-width:1.6}",
    ".card{stroke-width:1.4}",
    ".dot{stroke-width:1}",
    ".bold{font-weight:600}",
    ".mark{stroke-width:3.4;stroke-linecap:round;stroke-linejoin:round}",
    ".lost.mark{stroke-dasharray:9 6}",
    ".core{stroke-width:1.2}",
    ".ring{stroke-width:2.6}",
    ".lost.ring{stroke-dasharray:7 4}",
    ".badge{stroke-width:1.6}",
    ".dead.cable,.dead.card,.dead.dot{stroke-dasharray:5 4}",
    ".cross{stroke-width:2;stroke-linecap:round}",
    ".halo{paint-order:stroke;stroke-width:3;stroke-linejoin:round}",
    ".core.halo{stroke-width:1.2}",
    "g:hover>.cable{stroke-width:3}",
)


@dataclass(frozen=True, slots=True)
class Piece:
    """Something drawn, and the room it takes."""

    text: str
    box: Box


def style_sheet() -> str:
    light = [f"{selector}{{{look}}}" for selector, look, _ in _SIDES]
    dark = "".join(f"{selector}{{{look}}}" for selector, _, look in _SIDES)
    rules = [*light, *_SHAPES, f"@media (prefers-color-scheme:dark){{{dark}}}"]
    return f"<style>{''.join(rules)}</style>"


def picture(title: str, description: str, box: Box, pieces: Iterable[Piece]) -> str:
    """A whole file."""
    view = " ".join(number(each) for each in (box.left, box.top, box.width, box.height))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" width="{number(box.width)}"'
        f' height="{number(box.height)}" role="img" font-family="{FONT}">'
    )
    about = [f"<title>{escape(title)}</title>", f"<desc>{escape(description)}</desc>", style_sheet()]
    ground = rectangle(box, "paper").text
    return "\n".join([head, *about, ground, *(piece.text for piece in pieces), "</svg>", ""])


def group(pieces: Sequence[Piece], hint: str) -> Piece:
    """Pieces that belong together, and what a browser says when one points at them."""
    inside = "".join(piece.text for piece in pieces)
    return Piece(f"<g><title>{escape(hint)}</title>{inside}</g>", around(piece.box for piece in pieces))


def rectangle(box: Box, kind: str, radius: float = 0.0) -> Piece:
    sides = {"x": box.left, "y": box.top, "width": box.width, "height": box.height}
    return Piece(_element("rect", kind, {**sides, **({"rx": radius} if radius else {})}), box)


def circle(at: Point, radius: float, kind: str) -> Piece:
    x, y = at
    box = Box(x - radius, y - radius, x + radius, y + radius)
    return Piece(_element("circle", kind, {"cx": x, "cy": y, "r": radius}), box)


def polygon(points: Sequence[Point], kind: str) -> Piece:
    corners = " ".join(f"{number(x)},{number(y)}" for x, y in points)
    return Piece(
        f'<polygon points="{corners}" class={quoteattr(kind)}/>', around(Box(x, y, x, y) for x, y in points)
    )


def path(line: Curve, kind: str) -> Piece:
    """A curve; straight ones are lines."""
    bend = "L" if line.straight else f"Q{_point(line.bend)} "
    shape = f"M{_point(line.start)} {bend}{_point(line.end)}"
    return Piece(f'<path d="{shape}" class={quoteattr(kind)}/>', line.box)


def tip(line: Curve, size: float, kind: str) -> Piece:
    """The arrowhead at the end of a line."""
    return polygon(arrowhead(line, size), kind)


def cross(at: Point, size: float) -> Piece:
    """What is dead."""
    x, y = at
    shape = f"M{_point((x - size, y - size))} l{_point((2 * size, 2 * size))}"
    shape += f" M{_point((x - size, y + size))} l{_point((2 * size, -2 * size))}"
    return Piece(f'<path d="{shape}" class="cross"/>', Box(x - size, y - size, x + size, y + size))


def text(
    at: Point, words: str, size: float, kind: str = "", anchor: str = "start", wide: float = 0.0
) -> Piece:
    """A line of words whose foot is at a place; `wide` is how much room they take."""
    x, y = at
    left = x - {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor] * wide
    look = f' class="{kind}"' if kind else ""
    place = f'x="{number(x)}" y="{number(y)}" font-size="{number(size)}" text-anchor="{anchor}"{look}'
    box = Box(left, y - size * 0.8, left + wide, y + size * 0.25)
    return Piece(f"<text {place}>{escape(words)}</text>", box)


def number(value: float) -> str:
    """A number with as few digits as a picture needs."""
    short = f"{value:.1f}".rstrip("0").rstrip(".")
    return "0" if short == "-0" else short


def _element(name: str, kind: str, numbers: dict[str, float]) -> str:
    sides = " ".join(f'{key}="{number(value)}"' for key, value in numbers.items())
    return f"<{name} {sides} class={quoteattr(kind)}/>"


def _point(point: Point) -> str:
    return f"{number(point[0])} {number(point[1])}"
