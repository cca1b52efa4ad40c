"""Rings, cliques and stars: things on a circle, in the order in which they are linked.

The circle is an ellipse, since things are wider than high, and as small as it can be with room for the lines.
"""

from __future__ import annotations

from itertools import combinations
from math import cos, pi, sin

from angarium.mesh.draw.geometry import Point, box_at
from angarium.mesh.draw.graph import Graph

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
