"""Cables: one line each, with an arrowhead if they lead one way only, around what stands between their ends.

Several cables between the same two brokers curve apart. What is special about a cable stands beside it where
there is room, and in its tooltip always.

Marked paths stand beside the cables that they take, on the right of whoever goes there, their hops numbered.
Each has its own lane along a cable, so that paths that share a cable, or go back over it, are all seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from angarium.mesh.draw import elements, words
from angarium.mesh.draw.cards import Card
from angarium.mesh.draw.drawing import KINDS, MOST_LABELLED, Drawing, Mark, Strand, lettered
from angarium.mesh.draw.elements import Piece
from angarium.mesh.draw.geometry import Box, Curve, Point, box_at, curve
from angarium.mesh.mesh import Link

_APART, _WIDEST = 28.0, 140.0
"""How far two cables between the same brokers are from each other, and all of them together at most."""
_BULGES = (0.0, 18.0, -18.0, 30.0, -30.0, 45.0, -45.0, 60.0, -60.0)
"""How far a line may go out of its way for what stands between its ends; less if that are only dots."""
_ROUNDEST = 0.22
"""How far it may go, in its length: an arch leads astray."""
_FLATTER = 0.3
_STRAIGHT = 1_200
"""With more lines than this, all are straight."""
_CLEAR = 5.0
_UNDER = 3.0
_ALONG = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74)
"""Where a label may stand."""
_LABEL = 10.5


@dataclass(frozen=True, slots=True)
class Line:
    """A strand, and the curve from the middle of its first broker to that of its second."""

    strand: Strand
    whole: Curve
    seen: Curve
    """What is not covered by the brokers at its ends."""


def lines(drawing: Drawing, cards: Mapping[str, Card], centres: Mapping[str, Point]) -> list[Line]:
    """The line of every strand."""
    solid = {name: card.solid(centres[name]) for name, card in cards.items()}
    anchors = {name: card.anchor(centres[name]) for name, card in cards.items()}
    pairs = Counter(_pair(strand) for strand in drawing.strands)
    drawn: Counter[frozenset[str]] = Counter()
    found = []
    for strand in drawing.strands:
        pair, ends = _pair(strand), (anchors[strand.first], anchors[strand.second])
        if len(drawing.strands) > _STRAIGHT:
            whole = curve(*ends)
        elif pairs[pair] == 1:
            whole = _clear(strand, *ends, solid, _FLATTER if cards[strand.first].detail.dots else 1.0)
        else:
            bulge = _fan(drawn[pair], pairs[pair])
            whole = curve(*ends, bulge if strand.first == min(pair) else -bulge)
        drawn[pair] += 1
        found.append(Line(strand, whole, _seen(strand, whole, solid)))
    return found


def _seen(strand: Strand, whole: Curve, solid: Mapping[str, Box]) -> Curve:
    """From edge to edge; without an arrowhead a little further, since the corners of cards are round."""
    inside = (solid[strand.first].grown(-_UNDER), solid[strand.second].grown(-_UNDER * strand.both_ways))
    return whole.between(*inside)


def _pair(strand: Strand) -> frozenset[str]:
    return frozenset((strand.first, strand.second))


def _fan(place: int, number: int) -> float:
    """How far to the side the line at a place of several runs."""
    step = min(_APART, _WIDEST / (number - 1))
    return (place - (number - 1) / 2) * step


def _clear(strand: Strand, start: Point, end: Point, solid: Mapping[str, Box], scale: float) -> Curve:
    """The straightest curve that crosses no other broker; a straight one if all do."""
    straight = curve(start, end)
    reach = straight.box.grown(max(_BULGES))
    others = [
        box.grown(_CLEAR * scale)
        for name, box in solid.items()
        if name not in (strand.first, strand.second) and reach.touches(box)
    ]
    most = straight.length * _ROUNDEST
    tried = (curve(start, end, bulge * scale) for bulge in _BULGES if abs(bulge * scale) <= most)
    return next((each for each in tried if not any(each.crosses(box) for box in others)), straight)


# --- as pieces of a picture -----------------------------------------------------------------


def drawn(line: Line, drawing: Drawing) -> Piece:
    """The cable, with an arrowhead where it leads only one way, and a cross where it is dead itself."""
    dead = " dead" if drawing.is_dead(line.strand) else ""
    pieces = [elements.path(line.seen, f"cable{dead}")]
    if not line.strand.both_ways:
        pieces.append(elements.tip(line.seen, 9, f"tip{dead}"))
    if line.strand.cable in drawing.dead.cables:
        pieces.append(elements.cross(line.seen.at(0.5), 5))
    return elements.group(pieces, words.of_strand(line.strand, drawing))


def labels(found: Sequence[Line], taken: Sequence[Box], marked: Sequence[Curve]) -> Iterator[Piece]:
    """What stands beside the lines, where it covers nothing else."""
    if len(found) > MOST_LABELLED:
        return
    boxes = list(taken)
    for line in found:
        texts = words.short_labels(line.strand)
        others = [*marked, *(other.seen for other in found if other is not line)]
        best = _room(line.seen, texts, boxes, others) if texts else None
        if best:
            boxes.append(best)
            yield from _label(best, texts)


def _room(seen: Curve, texts: Sequence[str], taken: Sequence[Box], others: Sequence[Curve]) -> Box | None:
    """Where the words can stand: on their line, or beside it and near no other."""
    wide, high = max(words.width(text, _LABEL) for text in texts) + 6, len(texts) * 13.0 + 2
    places = chain(_on(seen, wide, high), _beside(seen, wide, high))
    free = (box for box in places if not any(box.touches(other) for other in taken))
    return next((box for box in free if not any(other.crosses(box.grown(_CLEAR)) for other in others)), None)


def _on(seen: Curve, wide: float, high: float) -> Iterator[Box]:
    return (box_at(seen.at(share), wide, high) for share in _ALONG)


def _beside(seen: Curve, wide: float, high: float) -> Iterator[Box]:
    for share in _ALONG:
        (x, y), (right, down) = seen.at(share), seen.normal(share)
        away = abs(right) * wide / 2 + abs(down) * high / 2 + _CLEAR
        for side in (away, -away, away + 12, -away - 12):
            yield box_at((x + side * right, y + side * down), wide, high)


def _label(box: Box, texts: Sequence[str]) -> Iterator[Piece]:
    yield elements.rectangle(box, "behind", radius=3)
    for place, text in enumerate(texts):
        foot = (box.centre[0], box.top + 11 + 13 * place)
        yield elements.text(foot, text, _LABEL, "pale", "middle", words.width(text, _LABEL))


MOST = 24
"""How many paths are drawn."""
_LANE, _FIRST = 7.0, 5.0
_TIP = 11.0
_RING = 5.0
_BADGE, _BADGE_HEIGHT = 9.5, 16.0
_PLACES = (0.5, 0.38, 0.62, 0.28, 0.72, 0.2, 0.8, 0.13, 0.85, 0.44, 0.56)
"""Where the number of a hop may stand."""


@dataclass(frozen=True, slots=True)
class Hop:
    """A link of a marked path."""

    mark: Mark
    number: str
    hint: str
    lane: Curve | None
    """Beside the cable; None within a broker."""
    corner: Point
    """Where the number stands within a broker."""


def hops(drawing: Drawing, found: Sequence[Line], solid: Mapping[str, Box]) -> list[Hop]:
    """Every hop of every path that is drawn."""
    by_link = {link.name: line for line in found for link in line.strand.links}
    ringed = {drawing.happens_at(mark) for mark in drawing.marks[:MOST]}
    edges = {name: box.grown(_RING + 2 if name in ringed else 1) for name, box in solid.items()}
    lanes: Counter[tuple[str, str, str]] = Counter()
    made = []
    for letters, mark in lettered(drawing.marks)[:MOST]:
        for place, name in enumerate(mark.path, 1):
            link, line = drawing.links[name], by_link.get(name)
            lane = lanes[link.fails_as, link.source, link.target]
            lanes[link.fails_as, link.source, link.target] += 1
            course = _lane(line, link, lane, edges) if line else None
            corner = (solid[link.source].left, solid[link.source].top + lane * _BADGE_HEIGHT)
            made.append(Hop(mark, f"{letters}{place}", _hint(link, letters, mark, place), course, corner))
    return made


def _lane(line: Line, link: Link, lane: int, edges: Mapping[str, Box]) -> Curve:
    """The curve of a hop: the cable's, turned into its direction, and to the right of it."""
    whole = line.whole if link.source == line.strand.first else line.whole.turned()
    return whole.beside(_FIRST + _LANE * lane).between(edges[link.source], edges[link.target])


def _hint(link: Link, letters: str, mark: Mark, place: int) -> str:
    return f"{words.of_mark(mark, letters)}\nhop {place} of {len(mark.path)}\n{words.of_link(link)}"


# --- as pieces of a picture -----------------------------------------------------------------


def paths(made: Sequence[Hop]) -> Iterator[Piece]:
    """The lines of the paths."""
    for hop in made:
        if hop.lane:
            yield elements.group(list(_path(hop.mark, hop.lane)), hop.hint)


def _path(mark: Mark, lane: Curve) -> Iterator[Piece]:
    """The line of a hop, short of its arrowhead; two lines for what arrives more than once."""
    stem = lane.part(0.0, max(1 - _TIP / max(lane.length, 1.0), 0.2))
    yield elements.path(stem, f"mark {mark.kind}")
    if mark.kind == "doubled":
        yield elements.path(stem, "mark core halo")
    yield elements.tip(lane, _TIP + 2, f"tip {mark.kind}")


def badges(made: Sequence[Hop]) -> list[Piece]:
    """The numbers of the hops, none on another if there is room."""
    placed: list[Piece] = []
    for hop in made:
        places = [hop.lane.at(share) for share in _PLACES] if hop.lane else [hop.corner]
        wide = max(words.width(hop.number, _BADGE) + 8, _BADGE_HEIGHT)
        boxes = [box_at(place, wide, _BADGE_HEIGHT) for place in places]
        free = (box for box in boxes if not any(box.touches(other.box) for other in placed))
        placed.append(_badge(hop, next(free, max(boxes, key=lambda box: _lane_room(box, placed)))))
    return placed


def _lane_room(box: Box, placed: Sequence[Piece]) -> float:
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
    """Around each broker that a path is about."""
    for letters, mark in lettered(drawing.marks)[:MOST]:
        if at := drawing.happens_at(mark):
            hint = f"{words.of_mark(mark, letters)}\n{KINDS[mark.kind].meaning}"
            box = solid[at].grown(_RING)
            yield elements.group([elements.rectangle(box, f"ring {mark.kind}", radius=11)], hint)
