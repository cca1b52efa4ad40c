"""Trees: in layers from their middle, downwards or to the right, whichever looks less stretched."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from angarium.mesh.draw.geometry import ASPECT, Point, around, box_at
from angarium.mesh.draw.graph import Graph, Size

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
