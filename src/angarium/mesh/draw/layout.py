"""Where the brokers stand.

Every part of a mesh that hangs together is laid out by the plainest shape that it has: a ring or a clique on
a circle, a star around its hub, a tree in layers; what has none of these shapes by the distances in the
graph. Then the parts stand side by side. The layout knows nothing about brokers: only how large each thing
is, and which are linked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from math import log

from angarium.mesh.draw.circle import on_a_circle
from angarium.mesh.draw.geometry import ASPECT, Box, Point, around, box_at
from angarium.mesh.draw.graph import Graph, Size
from angarium.mesh.draw.stress import by_distance
from angarium.mesh.draw.tree import in_layers

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
    ways = [_rows(boxes, gap, width) for width in widths]
    return min(ways, key=lambda moves: _unlike_a_page(boxes, moves), default=[])


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
