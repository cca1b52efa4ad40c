"""A mesh as a picture: one SVG file that can be looked at, printed, and put into a document.

Around it stand the title above and, below, in words, what its lines, shapes and colours mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from textwrap import wrap

from angarium.mesh.draw import cards, elements, lines, words
from angarium.mesh.draw.cards import PUBLISHES, SUBSCRIBES, triangle
from angarium.mesh.draw.drawing import MOST_LABELLED, Detail, Drawing, Mark, detail_of, lettered
from angarium.mesh.draw.elements import Piece
from angarium.mesh.draw.geometry import Box, Point, around, box_at, curve
from angarium.mesh.draw.layout import places
from angarium.mesh.draw.lines import MOST

LEAST_WIDTH = 460.0
_SIZE = 11.5
_LINE = 19.0
_SAMPLE = 40.0
"""How much room the sample before the words takes."""
_MOST_LINES = 3
"""A text has at most so many lines."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A sample, and what it means."""

    sample: Callable[[Point], list[Piece]]
    text: str
    room: float = _SAMPLE
    alone: bool = False
    """Whether it has a line of its own."""


def title(drawing: Drawing, box: Box) -> tuple[list[Piece], Box]:
    """The title above the box, and the box that holds both."""
    room = max(box.width, LEAST_WIDTH)
    left = min(box.left, box.centre[0] - room / 2)
    heads = [(line, 16.0, "bold") for line in _wrapped(words.title(drawing), room, 16.0)]
    heads += [(line, 12.0, "pale") for line in _wrapped(words.summary(drawing), room, 12.0)]
    top = box.top - 24 - sum(size * 1.4 for _, size, _ in heads)
    pieces, y = [], top
    for line, size, kind in heads:
        y += size * 1.4
        pieces.append(elements.text((left, y), line, size, kind, wide=min(words.width(line, size), room)))
    return pieces, Box(left, top, left + room, box.bottom)


def legend(drawing: Drawing, box: Box) -> tuple[list[Piece], Box]:
    """The legend below the box, and the box that holds both."""
    pieces: list[Piece] = []
    x, y = box.left, box.bottom + 34
    for entry in _entries(drawing):
        lines = _wrapped(entry.text, box.width - entry.room, _SIZE)
        wide = entry.room + max(words.width(line, _SIZE) for line in lines) + 16
        if x > box.left and (entry.alone or x + wide > box.right):
            x, y = box.left, y + _LINE
        pieces += entry.sample((x, y - 4))
        for place, line in enumerate(lines):
            at = (x + entry.room, y + 15 * place)
            pieces.append(
                elements.text(at, line, _SIZE, wide=min(words.width(line, _SIZE), box.width - entry.room))
            )
        y += 15 * (len(lines) - 1)
        x = box.right if entry.alone else x + wide
    return pieces, Box(box.left, box.top, box.right, y + 10 if pieces else box.bottom)


def _wrapped(text: str, room: float, size: float) -> list[str]:
    """The text in lines that fit, as wide as its widest letters make it."""
    widest = max(words.width(text, size) / max(len(text), 1), size * 0.62)
    return wrap(text, max(int(room / widest), 12), max_lines=_MOST_LINES, placeholder=" …") or [text]


def _entries(drawing: Drawing) -> Iterator[Entry]:
    """Only what the picture has."""
    if any(strand.both_ways for strand in drawing.strands):
        yield Entry(_line("cable"), "link, both ways")
    if any(not strand.both_ways for strand in drawing.strands):
        yield Entry(_arrow("cable", "tip"), "link, one way")
    if drawing.mesh.publishers:
        yield Entry(lambda at: [triangle(PUBLISHES, (at[0] + 6, at[1]), 4.6)], "publishes here", room=18)
    if drawing.mesh.subscribers:
        yield Entry(lambda at: [triangle(SUBSCRIBES, (at[0] + 6, at[1]), 4.6)], "subscribes here", room=18)
    if drawing.dead:
        yield Entry(_dead, "dashed: dead (with a cross), or cut off by that")
    for letters, mark in lettered(drawing.marks)[:MOST]:
        yield Entry(_mark(letters, mark), words.of_mark(mark), alone=True)
    if drawing.marks[MOST:]:
        yield Entry(lambda _: [], f"+ {len(drawing.marks) - MOST} more that are not drawn", alone=True)


def _line(kind: str) -> Callable[[Point], list[Piece]]:
    return lambda at: [elements.path(curve(at, (at[0] + 32, at[1])), kind)]


def _arrow(kind: str, tip: str) -> Callable[[Point], list[Piece]]:
    return lambda at: [
        elements.path(curve(at, (at[0] + 26, at[1])), kind),
        elements.tip(curve(at, (at[0] + 32, at[1])), 9, tip),
    ]


def _dead(at: Point) -> list[Piece]:
    middle = (at[0] + 16, at[1])
    return [elements.path(curve(at, (at[0] + 32, at[1])), "cable dead"), elements.cross(middle, 4)]


def _mark(letters: str, mark: Mark) -> Callable[[Point], list[Piece]]:
    """A piece of the path, with its letters."""

    def sample(at: Point) -> list[Piece]:
        pieces = _arrow(f"mark {mark.kind}", f"tip {mark.kind}")(at)
        if mark.kind == "doubled":
            pieces.insert(1, elements.path(curve(at, (at[0] + 24, at[1])), "mark core halo"))
        if letters:
            middle = (at[0] + 11, at[1])
            wide = max(words.width(letters, 9.5) + 7, 15.0)
            pieces.append(elements.rectangle(box_at(middle, wide, 15), f"badge {mark.kind}", radius=7))
            pieces.append(elements.text((middle[0], at[1] + 3.4), letters, 9.5, "bold", "middle", wide))
        return pieces

    return sample


_MARGIN = 20.0
_LONGEST_GAP = 170.0


def svg(drawing: Drawing) -> str:
    """The picture."""
    detail = detail_of(drawing)
    brokers = cards.cards(drawing, detail)
    centres = _centres(drawing, brokers, detail)
    pieces = _pieces(drawing, brokers, centres)
    above, box = title(drawing, around(piece.box for piece in pieces))
    below, box = legend(drawing, box)
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
    hops = lines.hops(drawing, found, solid)
    badges = lines.badges(hops)
    marked = [hop.lane for hop in hops if hop.lane]
    return [
        *(lines.drawn(line, drawing) for line in found),
        *lines.rings(drawing, solid),
        *lines.paths(hops),
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
    marks = [words.of_mark(mark, letters) for letters, mark in lettered(drawing.marks)[: lines.MOST]]
    return ". ".join([words.summary(drawing), *marks]) + "."
