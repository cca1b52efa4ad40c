"""What surrounds the picture: the title above; below, in words, what its lines, shapes and colours mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from textwrap import wrap

from angarium.mesh.draw import elements, words
from angarium.mesh.draw.cards import PUBLISHES, SUBSCRIBES, triangle
from angarium.mesh.draw.drawing import Drawing, Mark, lettered
from angarium.mesh.draw.elements import Piece
from angarium.mesh.draw.geometry import Box, Point, box_at, curve
from angarium.mesh.draw.ways import MOST

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
    """A piece of the way, with its letters."""

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
