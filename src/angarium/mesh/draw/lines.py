"""Cables: one line each, with an arrowhead if they lead one way only, around what stands between their ends.

Several cables between the same two brokers curve apart. What is special about a cable stands beside it where
there is room, and in its tooltip always.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from angarium.mesh.draw import elements, words
from angarium.mesh.draw.cards import Card
from angarium.mesh.draw.drawing import MOST_LABELLED, Drawing, Strand
from angarium.mesh.draw.elements import Piece
from angarium.mesh.draw.geometry import Box, Curve, Point, box_at, curve

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
    ways = (curve(start, end, bulge * scale) for bulge in _BULGES if abs(bulge * scale) <= most)
    return next((way for way in ways if not any(way.crosses(box) for box in others)), straight)


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
