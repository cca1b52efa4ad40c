"""Moves things until none overlaps another or stands on a line between two others, as far as that goes.

Things that overlap are pushed apart where they overlap least. If that does not end, the whole is stretched a
little and tried again: with enough stretching everything is apart, so this ends. Lines are less important
than that: a thing on a line is pushed aside a few times, and what remains is for the curve of the line to
avoid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.mesh.draw.geometry import Point
from angarium.mesh.draw.graph import Graph

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Places = NDArray[np.intp]

_PUSHES, _STRETCH = 40, 1.06
_FEW_PUSHES, _LONG_STRETCH = 15, 1.1
"""The same where there are many things, and each push takes long."""
_TOUCH = 1e-6
_ASIDE = 40
"""How often things are pushed off lines."""
_MANY, _DENSE = 150, 4
"""More things than this are not pushed off lines, nor are they where they have more lines each than this."""


def moved_apart(graph: Graph, places: Numbers, gap: float) -> list[Point]:
    """The places, changed as little as needed."""
    import numpy as np

    room = np.asarray(graph.sizes) + gap * 0.35
    if len(places) <= _MANY and len(graph.edges) <= _DENSE * len(places):
        for _ in range(_ASIDE):
            places = _pushed_apart(places, room)[0]
            places = places + _off_lines(graph, places, room)
    pushes, stretch = (_PUSHES, _STRETCH) if len(places) <= _MANY else (_FEW_PUSHES, _LONG_STRETCH)
    while True:
        for _ in range(pushes):
            places, done = _pushed_apart(places, room)
            if done:
                return [(float(x), float(y)) for x, y in places]
        places = places * stretch


def _pushed_apart(places: Numbers, room: Numbers) -> tuple[Numbers, bool]:
    """One push for each pair that overlaps; and whether there was none."""
    import numpy as np

    first, second = _overlapping(places, room)
    if not len(first):
        return places, True
    apart = places[first] - places[second]
    over = (room[first] + room[second]) / 2 - np.abs(apart)
    sideways = over[:, 0] < over[:, 1]
    push = np.where(apart < 0, -over, over) * np.stack([sideways, ~sideways], axis=1)
    moved = places.copy()
    np.add.at(moved, first, push * 0.51)
    np.add.at(moved, second, push * -0.51)
    return moved, False


def _overlapping(places: Numbers, room: Numbers) -> tuple[Places, Places]:
    """The pairs that overlap, each once."""
    import numpy as np

    (x, y), (wide, high) = places.T, room.T / 2
    near = np.abs(x[:, None] - x) < wide[:, None] + wide - _TOUCH
    near &= np.abs(y[:, None] - y) < high[:, None] + high - _TOUCH
    first, second = np.nonzero(near)
    once = first < second
    return first[once], second[once]


def _off_lines(graph: Graph, places: Numbers, room: Numbers) -> Numbers:
    """How to push each thing that a line between two others crosses; the ends give way too."""
    import numpy as np

    ends = np.asarray(graph.edges)
    start, end = places[ends[:, 0]], places[ends[:, 1]]
    along = end - start
    length = np.maximum(np.sqrt((along**2).sum(axis=1)), 1e-9)
    along = along / length[:, None]
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    offset = places[None] - start[:, None]
    distance = (offset * across[:, None]).sum(axis=2)
    share = (offset * along[:, None]).sum(axis=2) / length[:, None]
    reach = (np.abs(across)[:, None] * room[None]).sum(axis=2) / 2
    hit = (np.abs(distance) < reach) & (share > 0) & (share < 1)
    hit[np.arange(len(ends)), ends[:, 0]] = hit[np.arange(len(ends)), ends[:, 1]] = False
    line, thing = np.nonzero(hit)
    sign = np.where(distance[line, thing] < 0, -1.0, 1.0)
    push = across[line] * (sign * (reach - np.abs(distance))[line, thing])[:, None] * 0.3
    moves = np.zeros_like(places)
    np.add.at(moves, thing, push)
    np.add.at(moves, ends[line, 0], push * -0.5)
    np.add.at(moves, ends[line, 1], push * -0.5)
    return moves
