"""Marked ways: beside the cables that they take, on the right of whoever goes there, their hops numbered.

Each way has its own lane along a cable, so that ways that share a cable, or go back over it, are all seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from angarium.mesh.draw import elements, words
from angarium.mesh.draw.drawing import KINDS, Drawing, Mark, lettered
from angarium.mesh.draw.elements import Piece
from angarium.mesh.draw.geometry import Box, Curve, Point, box_at
from angarium.mesh.draw.lines import Line
from angarium.mesh.mesh import Link

MOST = 24
"""How many ways are drawn."""
_LANE, _FIRST = 7.0, 5.0
_TIP = 11.0
_RING = 5.0
_BADGE, _BADGE_HEIGHT = 9.5, 16.0
_ALONG = (0.5, 0.38, 0.62, 0.28, 0.72, 0.2, 0.8, 0.13, 0.85, 0.44, 0.56)
"""Where the number of a hop may stand."""


@dataclass(frozen=True, slots=True)
class Hop:
    """A link of a marked way."""

    mark: Mark
    number: str
    hint: str
    way: Curve | None
    """Beside the cable; None within a broker."""
    corner: Point
    """Where the number stands within a broker."""


def hops(drawing: Drawing, found: Sequence[Line], solid: Mapping[str, Box]) -> list[Hop]:
    """Every hop of every way that is drawn."""
    by_link = {link.name: line for line in found for link in line.strand.links}
    ringed = {drawing.happens_at(mark) for mark in drawing.marks[:MOST]}
    edges = {name: box.grown(_RING + 2 if name in ringed else 1) for name, box in solid.items()}
    lanes: Counter[tuple[str, str, str]] = Counter()
    made = []
    for letters, mark in lettered(drawing.marks)[:MOST]:
        for place, name in enumerate(mark.way, 1):
            link, line = drawing.links[name], by_link.get(name)
            lane = lanes[link.fails_as, link.source, link.target]
            lanes[link.fails_as, link.source, link.target] += 1
            way = _lane(line, link, lane, edges) if line else None
            corner = (solid[link.source].left, solid[link.source].top + lane * _BADGE_HEIGHT)
            made.append(Hop(mark, f"{letters}{place}", _hint(link, letters, mark, place), way, corner))
    return made


def _lane(line: Line, link: Link, lane: int, edges: Mapping[str, Box]) -> Curve:
    """The curve of a hop: the cable's, turned into its direction, and to the right of it."""
    whole = line.whole if link.source == line.strand.first else line.whole.turned()
    return whole.beside(_FIRST + _LANE * lane).between(edges[link.source], edges[link.target])


def _hint(link: Link, letters: str, mark: Mark, place: int) -> str:
    return f"{words.of_mark(mark, letters)}\nhop {place} of {len(mark.way)}\n{words.of_link(link)}"


# --- as pieces of a picture -----------------------------------------------------------------


def paths(made: Sequence[Hop]) -> Iterator[Piece]:
    """The lines of the ways."""
    for hop in made:
        if hop.way:
            yield elements.group(list(_path(hop.mark, hop.way)), hop.hint)


def _path(mark: Mark, way: Curve) -> Iterator[Piece]:
    """The line of a hop, short of its arrowhead; two lines for what arrives more than once."""
    stem = way.part(0.0, max(1 - _TIP / max(way.length, 1.0), 0.2))
    yield elements.path(stem, f"mark {mark.kind}")
    if mark.kind == "doubled":
        yield elements.path(stem, "mark core halo")
    yield elements.tip(way, _TIP + 2, f"tip {mark.kind}")


def badges(made: Sequence[Hop]) -> list[Piece]:
    """The numbers of the hops, none on another if there is room."""
    placed: list[Piece] = []
    for hop in made:
        places = [hop.way.at(share) for share in _ALONG] if hop.way else [hop.corner]
        wide = max(words.width(hop.number, _BADGE) + 8, _BADGE_HEIGHT)
        boxes = [box_at(place, wide, _BADGE_HEIGHT) for place in places]
        free = (box for box in boxes if not any(box.touches(other.box) for other in placed))
        placed.append(_badge(hop, next(free, max(boxes, key=lambda box: _room(box, placed)))))
    return placed


def _room(box: Box, placed: Sequence[Piece]) -> float:
    """How far from the nearest number."""
    x, y = box.centre
    centres = (other.box.centre for other in placed)
    return min((abs(x - there[0]) + abs(y - there[1]) for there in centres), default=0.0)


def _badge(hop: Hop, box: Box) -> Piece:
    x, y = box.centre
    pieces = [
        elements.rectangle(box, f"badge {hop.mark.kind}", radius=_BADGE_HEIGHT / 2),
        elements.text((x, y + 3.4), hop.number, _BADGE, "bold", "middle", box.width),
    ]
    return elements.group(pieces, hop.hint)


def rings(drawing: Drawing, solid: Mapping[str, Box]) -> Iterator[Piece]:
    """Around each broker that a way is about."""
    for letters, mark in lettered(drawing.marks)[:MOST]:
        if at := drawing.happens_at(mark):
            hint = f"{words.of_mark(mark, letters)}\n{KINDS[mark.kind].meaning}"
            box = solid[at].grown(_RING)
            yield elements.group([elements.rectangle(box, f"ring {mark.kind}", radius=11)], hint)
