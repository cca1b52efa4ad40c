"""Where the brokers stand.

Every part of a mesh that hangs together is laid out by the plainest shape that it has: a ring or a clique on
a circle, a star around its hub, a tree in layers; what has none of these shapes by the distances in the
graph. Then the parts stand side by side. The layout knows nothing about brokers: only how large each thing
is, and which are linked.

Rings, cliques and stars stand on a circle, in the order in which they are linked. It is an ellipse, since
things are wider than high, and as small as it can be with room for the lines.

Trees stand in layers from their middle, downwards or to the right, whichever looks less stretched.

In any other shape things stand as far apart as they are in the graph, as nearly as a page allows. *Stress* is
the sum, over all pairs, of how far the distance on the page is from that in the graph, weighed by the inverse
square of the latter; each step of majorisation lowers it. The first places are those of classical scaling,
which needs no chance: the same mesh always looks the same. At last whatever overlaps is moved apart, and so
is what stands on a line between two others.

At last things are moved until none overlaps another or stands on a line between two others. Things that
overlap are pushed apart where they overlap least. If that does not end, the whole is stretched a little and
tried again: with enough stretching everything is apart, so this ends. Lines are less important than that: a
thing on a line is pushed aside a few times, and what remains is for the curve of the line to avoid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, combinations
from math import cos, log, pi, sin, sqrt
from typing import TYPE_CHECKING

from angarium.mesh.draw.geometry import ASPECT, Box, Graph, Point, Size, around, box_at

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Places = NDArray[np.intp]

# --- circle ----------------------------------------------------------------------------------------------

_GROWTH = 1.05
_ROUNDEST, _FLATTEST = 1.0, 1.7


def on_a_circle(graph: Graph, gap: float) -> list[Point]:
    """Around the circle from the top, clockwise; the hub of a star in its middle."""
    hub = graph.hub if graph.is_tree else None
    order = [number for number in _round(graph) if number != hub]
    flatness = _flatness(graph, gap)
    radius = gap
    while True:
        points = [(0.0, 0.0)] * len(graph.sizes)
        for place, number in enumerate(order):
            angle = _first(len(order)) + 2 * pi * place / len(order)
            points[number] = (radius * flatness * cos(angle), radius * sin(angle))
        if not _crowded(graph, points, gap):
            return points
        radius *= _GROWTH


def _first(number: int) -> float:
    """The angle to begin at: the top, but four make a level square."""
    return -pi * 3 / 4 if number == 4 else -pi / 2


def _flatness(graph: Graph, gap: float) -> float:
    width = max(size[0] for size in graph.sizes) + gap
    height = max(size[1] for size in graph.sizes) + gap
    return min(max(width / height, _ROUNDEST), _FLATTEST)


def _round(graph: Graph) -> list[int]:
    """The things so that each is linked to the next, as far as that goes without looking back."""
    order, here, left = [0], 0, set(range(1, len(graph.sizes)))
    while left:
        here = min((n for n in graph.neighbours[here] if n in left), default=min(left))
        left.remove(here)
        order.append(here)
    return order


def _crowded(graph: Graph, points: list[Point], gap: float) -> bool:
    """Whether two things leave less than the gap between them."""
    boxes = [box_at(point, w + gap, h + gap * 0.8) for point, (w, h) in zip(points, graph.sizes, strict=True)]
    return any(one.touches(other) for one, other in combinations(boxes, 2))


# --- tree ------------------------------------------------------------------------------------------------

_BESIDE = 0.35
"""How much of the gap there is between two things of a layer, where no line runs."""


def in_layers(graph: Graph, gap: float) -> list[Point]:
    """The layout that is nearer to a page."""
    down = _layered(graph, graph.sizes, gap)
    right = [(x, y) for y, x in _layered(graph, [(h, w) for w, h in graph.sizes], gap)]
    return min((down, right), key=lambda points: _stretched(graph, points))


def _stretched(graph: Graph, points: Sequence[Point]) -> float:
    """How far from a page the shape is, and how large."""
    box = around(box_at(point, *size) for point, size in zip(points, graph.sizes, strict=True))
    return abs(log(box.width / box.height / ASPECT)) + 0.5 * log(box.width * box.height)


def _layered(graph: Graph, sizes: Sequence[Size], gap: float) -> list[Point]:
    """From above to below, parents above the middle of their children."""
    order, parents = _downwards(graph)
    children: dict[int, list[int]] = {number: [] for number in order}
    for number in order[1:]:
        children[parents[number]].append(number)
    widths: dict[int, float] = {}
    for number in reversed(order):
        below = sum(widths[child] for child in children[number])
        widths[number] = max(sizes[number][0] + gap * _BESIDE, below)
    depths = {order[0]: 0}
    lefts = {order[0]: 0.0}
    for number in order:
        left = lefts[number] + (widths[number] - sum(widths[child] for child in children[number])) / 2
        for child in children[number]:
            depths[child], lefts[child] = depths[number] + 1, left
            left += widths[child]
    heights = _heights(depths, sizes, gap)
    return [(lefts[n] + widths[n] / 2, heights[depths[n]]) for n in range(len(sizes))]


def _heights(depths: dict[int, int], sizes: Sequence[Size], gap: float) -> list[float]:
    """The middle of each layer, from above."""
    tallest = [0.0] * (max(depths.values()) + 1)
    for number, depth in depths.items():
        tallest[depth] = max(tallest[depth], sizes[number][1])
    middles, top = [], 0.0
    for height in tallest:
        middles.append(top + height / 2)
        top += height + gap
    return middles


def _downwards(graph: Graph) -> tuple[list[int], dict[int, int]]:
    """All from the root on, parents before children, and the parent of each."""
    root = _middle(graph)
    order, parents = [root], {root: root}
    for number in order:
        fresh = [other for other in graph.neighbours[number] if other != parents[number]]
        parents.update(dict.fromkeys(fresh, number))
        order += fresh
    return order, parents


def _middle(graph: Graph) -> int:
    """What is left when the outermost are taken away again and again; of two, that with more neighbours."""
    degrees = [len(each) for each in graph.neighbours]
    left = set(range(len(degrees)))
    while len(left) > 2:
        leaves = [number for number in left if degrees[number] == 1]
        left.difference_update(leaves)
        for number in leaves:
            for other in graph.neighbours[number]:
                degrees[other] -= 1
    return min(left, key=lambda number: (-len(graph.neighbours[number]), number))


# --- apart -----------------------------------------------------------------------------------------------

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


# --- stress ----------------------------------------------------------------------------------------------

_ROUNDS, _EFFORT = 200, 60_000
"""How many steps there are at most, and how many all things together make."""
_STILL = 1e-4
"""How little stress a step takes off when it is the last."""
_DIGITS = 5
"""What processors calculate differently is rounded away, before it decides where something is pushed."""
_WIDEST = 1.6
_SHORTER = 0.8
"""Most lines are longer than one, and lines lie aslant: they have room enough with less."""
_NOISE = 1e-3
"""Makes distances unequal, so that shapes that could be turned freely have one way to stand."""


def by_distance(graph: Graph, gap: float) -> list[Point]:
    """The centre of each thing."""
    distances = _distances(graph)
    flat = _relaxed(_scaled(distances), distances)
    return moved_apart(graph, _enlarged(graph, flat, gap), gap)


def _distances(graph: Graph) -> Numbers:
    """Between all pairs (Floyd and Warshall). A line is longer where its ends have many other neighbours."""
    import numpy as np

    number = len(graph.sizes)
    found = np.full((number, number), np.inf)
    np.fill_diagonal(found, 0.0)
    around = [set(each) for each in graph.neighbours]
    for first, second in graph.edges:
        others = len(around[first] ^ around[second]) - 2
        found[first, second] = found[second, first] = sqrt(1 + 0.25 * others)
    for middle in range(number):
        np.minimum(found, found[:, middle, None] + found[middle], out=found)
    noise = np.random.default_rng(7).random((number, number)) * _NOISE
    return found * (1 + (noise + noise.T) / 2)


def _scaled(distances: Numbers) -> Numbers:
    """Classical scaling: along the two directions in which the distances spread most."""
    import numpy as np

    squares = distances**2
    means = squares.mean(axis=0)
    inner = -0.5 * (squares - means[:, None] - means + squares.mean())
    values, vectors = np.linalg.eigh(inner)
    places = vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 1e-6))
    first = np.abs(places).argmax(axis=0)
    return np.asarray(np.round(places * np.sign(places[first, [0, 1]]), _DIGITS))


def _relaxed(places: Numbers, distances: Numbers) -> Numbers:
    """The places after majorisation: each step solves a linear system, always with the same matrix."""
    import numpy as np

    number = len(distances)
    same = np.eye(number)
    wanted = distances + same
    weights = wanted**-2 - same
    laplacian = np.diag(weights.sum(axis=1)) - weights
    inverse = np.linalg.inv(laplacian + 1 / number)
    before = np.inf
    for _ in range(min(_ROUNDS, _EFFORT // number)):
        x, y = places.T
        apart = np.sqrt((x[:, None] - x) ** 2 + (y[:, None] - y) ** 2) + same
        stress = float((weights * (apart - wanted) ** 2).sum())
        if stress > before * (1 - _STILL):
            break
        before = stress
        pull = weights * wanted / np.maximum(apart, 1e-9)
        places = inverse @ (pull.sum(axis=1)[:, None] * places - pull @ places)
    return np.round(places, _DIGITS)


def _enlarged(graph: Graph, places: Numbers, gap: float) -> Numbers:
    """From distances to pixels: a line of length one has room for a thing and a gap."""
    import numpy as np

    width, height = _SHORTER * (np.asarray(graph.sizes).mean(axis=0) + gap)
    across = min(width, height * _WIDEST)
    return np.asarray(places * (across, max(height, across / _WIDEST)))


# --- layout ----------------------------------------------------------------------------------------------

_LARGEST_CLIQUE, _LARGEST_RING, _LARGEST_STAR, _LARGEST_TREE = 12, 24, 16, 60
_LONGEST_ROW = 40


def places(sizes: Sequence[Size], edges: Iterable[tuple[int, int]], gap: float) -> list[Point]:
    """The centre of each thing, so that none overlaps another; `gap` is how long a line should be seen."""
    whole = Graph(tuple(sizes), tuple(edges))
    placed: list[Point] = [(0.0, 0.0)] * len(sizes)
    laid = [(part, _laid_out(whole.of(part), gap)) for part in _parts(whole)]
    boxes = [_surrounding(whole, part, points) for part, points in laid]
    for (part, points), (x, y) in zip(laid, _side_by_side(boxes, gap), strict=True):
        for number, point in zip(part, points, strict=True):
            placed[number] = (point[0] + x, point[1] + y)
    return placed


def _parts(graph: Graph) -> list[list[int]]:
    """What hangs together, the largest first; at last all that is linked to nothing, as one part."""
    parts = graph.parts()
    alone = [part[0] for part in parts if len(part) == 1]
    linked = sorted((part for part in parts if len(part) > 1), key=lambda part: (-len(part), part[0]))
    return [*linked, alone] if alone else linked


def _laid_out(graph: Graph, gap: float) -> list[Point]:
    """The part by its shape."""
    if not graph.edges:
        return _in_rows(graph, gap)
    shapes: tuple[tuple[bool, Callable[[Graph, float], list[Point]]], ...] = (
        (_is_ring(graph) or _is_dense(graph), on_a_circle),
        (_is_star(graph), on_a_circle),
        (graph.is_tree and len(graph.sizes) <= _LARGEST_TREE, in_layers),
        (True, by_distance),
    )
    return next(shape for fits, shape in shapes if fits)(graph, gap)


def _in_rows(graph: Graph, gap: float) -> list[Point]:
    """What is linked to nothing: side by side, in rows."""
    boxes = [box_at((0.0, 0.0), *size) for size in graph.sizes]
    return _side_by_side(boxes, gap / 3)


def _is_ring(graph: Graph) -> bool:
    return len(graph.sizes) <= _LARGEST_RING and all(len(each) == 2 for each in graph.neighbours)


def _is_dense(graph: Graph) -> bool:
    """Whether most pairs are linked: then no arrangement is plainer than a circle."""
    number = len(graph.sizes)
    possible = number * (number - 1) / 2
    return 3 <= number <= _LARGEST_CLIQUE and len(graph.edges) > 0.6 * possible


def _is_star(graph: Graph) -> bool:
    number = len(graph.sizes)
    return graph.is_tree and 5 <= number <= _LARGEST_STAR and graph.hub is not None


def _surrounding(graph: Graph, part: Sequence[int], points: Sequence[Point]) -> Box:
    return around(box_at(point, *graph.sizes[number]) for number, point in zip(part, points, strict=True))


def _side_by_side(boxes: Sequence[Box], gap: float) -> list[Point]:
    """How far to move each box so that they stand in rows, as many as make the whole most like a page."""
    widths = accumulate(box.width + gap for box in boxes[:_LONGEST_ROW])
    layouts = [_rows(boxes, gap, width) for width in widths]
    return min(layouts, key=lambda moves: _unlike_a_page(boxes, moves), default=[])


def _rows(boxes: Sequence[Box], gap: float, room: float) -> list[Point]:
    """How far to move each box if a row is at most so wide."""
    moves: list[Point] = []
    x = y = tallest = 0.0
    for box in boxes:
        if x and x + box.width > room:
            x, y, tallest = 0.0, y + tallest + gap, 0.0
        moves.append((x - box.left, y - box.top))
        x, tallest = x + box.width + gap, max(tallest, box.height)
    return moves


def _unlike_a_page(boxes: Sequence[Box], moves: Sequence[Point]) -> float:
    whole = around(box.moved(*move) for box, move in zip(boxes, moves, strict=True))
    return abs(log(whole.width / whole.height / ASPECT))
