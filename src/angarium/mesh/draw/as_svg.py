"""A mesh as a picture: one SVG file that can be looked at, printed, and put into a document."""

from __future__ import annotations

from angarium.mesh.draw import cards, elements, legend, lines, ways, words
from angarium.mesh.draw.detail import MOST_LABELLED, Detail, detail_of
from angarium.mesh.draw.drawing import Drawing, lettered
from angarium.mesh.draw.elements import Piece
from angarium.mesh.draw.geometry import Box, Point, around, box_at
from angarium.mesh.draw.layout import places

_MARGIN = 20.0
_LONGEST_GAP = 170.0


def svg(drawing: Drawing) -> str:
    """The picture."""
    detail = detail_of(drawing)
    brokers = cards.cards(drawing, detail)
    centres = _centres(drawing, brokers, detail)
    pieces = _pieces(drawing, brokers, centres)
    above, box = legend.title(drawing, around(piece.box for piece in pieces))
    below, box = legend.legend(drawing, box)
    return elements.picture(
        words.title(drawing), _description(drawing), _whole(box.grown(_MARGIN)), [*above, *pieces, *below]
    )


def _centres(drawing: Drawing, brokers: dict[str, cards.Card], detail: Detail) -> dict[str, Point]:
    """Where each broker stands."""
    numbers = {name: number for number, name in enumerate(brokers)}
    edges = [(numbers[strand.first], numbers[strand.second]) for strand in drawing.strands]
    sizes = [card.size for card in brokers.values()]
    return dict(zip(brokers, places(sizes, edges, _gap(drawing, detail)), strict=True))


def _gap(drawing: Drawing, detail: Detail) -> float:
    """Long enough that what stands beside the lines can be read."""
    if len(drawing.strands) > MOST_LABELLED:
        return detail.gap
    texts = (text for strand in drawing.strands for text in words.short_labels(strand))
    longest = max((words.width(text, 10.5) + 30 for text in texts), default=0.0)
    return min(max(detail.gap, longest), _LONGEST_GAP)


def _pieces(drawing: Drawing, brokers: dict[str, cards.Card], centres: dict[str, Point]) -> list[Piece]:
    """Everything, from what lies lowest to what lies on top."""
    solid = {name: card.solid(centres[name]) for name, card in brokers.items()}
    found = lines.lines(drawing, brokers, centres)
    hops = ways.hops(drawing, found, solid)
    badges = ways.badges(hops)
    marked = [hop.way for hop in hops if hop.way]
    return [
        *(lines.drawn(line, drawing) for line in found),
        *ways.rings(drawing, solid),
        *ways.paths(hops),
        *lines.labels(found, _taken(drawing, brokers, centres, found, badges), marked),
        *(cards.drawn(card, centres[name]) for name, card in brokers.items()),
        *badges,
    ]


def _taken(
    drawing: Drawing,
    brokers: dict[str, cards.Card],
    centres: dict[str, Point],
    found: list[lines.Line],
    badges: list[Piece],
) -> list[Box]:
    """Where no words can stand beside a line: brokers, numbers of hops, crosses of the dead."""
    things = [box_at(centres[name], *card.size) for name, card in brokers.items()]
    dead = [line.seen.at(0.5) for line in found if line.strand.cable in drawing.dead.cables]
    return [*things, *(badge.box for badge in badges), *(box_at(at, 14, 14) for at in dead)]


def _whole(box: Box) -> Box:
    """The box in whole numbers, none smaller."""
    return Box(box.left // 1, box.top // 1, box.right // 1 + 1, box.bottom // 1 + 1)


def _description(drawing: Drawing) -> str:
    """What somebody who cannot see it should know."""
    marks = [words.of_mark(mark, letters) for letters, mark in lettered(drawing.marks)[: ways.MOST]]
    return ". ".join([words.summary(drawing), *marks]) + "."
