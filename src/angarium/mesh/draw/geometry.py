"""Boxes, curves and graphs: where things are, what they touch, and which of them are linked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import hypot

Point = tuple[float, float]
ASPECT = 1.5
"""How much wider than high a page is."""
_STEPS, _HALVINGS = 32, 12


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle whose sides are level."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def centre(self) -> Point:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def grown(self, margin: float) -> Box:
        return Box(self.left - margin, self.top - margin, self.right + margin, self.bottom + margin)

    def moved(self, x: float, y: float) -> Box:
        return Box(self.left + x, self.top + y, self.right + x, self.bottom + y)

    def touches(self, other: Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def holds(self, point: Point) -> bool:
        return self.left <= point[0] <= self.right and self.top <= point[1] <= self.bottom


def box_at(centre: Point, width: float, height: float) -> Box:
    x, y = centre
    return Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def around(boxes: Iterable[Box]) -> Box:
    """The least box that holds them all."""
    each = list(boxes) or [Box(0, 0, 0, 0)]
    return Box(
        min(box.left for box in each),
        min(box.top for box in each),
        max(box.right for box in each),
        max(box.bottom for box in each),
    )


@dataclass(frozen=True, slots=True)
class Curve:
    """From start to end, drawn towards `bend` (a quadratic Bézier curve)."""

    start: Point
    bend: Point
    end: Point

    def at(self, share: float) -> Point:
        a, b, c = (1 - share) ** 2, 2 * share * (1 - share), share**2
        return (
            a * self.start[0] + b * self.bend[0] + c * self.end[0],
            a * self.start[1] + b * self.bend[1] + c * self.end[1],
        )

    def normal(self, share: float) -> Point:
        """To the right of whoever goes along it, one unit long."""
        (x0, y0), (x1, y1), (x2, y2) = self.start, self.bend, self.end
        x = (1 - share) * (x1 - x0) + share * (x2 - x1)
        y = (1 - share) * (y1 - y0) + share * (y2 - y1)
        length = hypot(x, y) or 1.0
        return -y / length, x / length

    @property
    def straight(self) -> bool:
        middle = ((self.start[0] + self.end[0]) / 2, (self.start[1] + self.end[1]) / 2)
        return hypot(middle[0] - self.bend[0], middle[1] - self.bend[1]) < 0.5

    @property
    def length(self) -> float:
        return hypot(self.end[0] - self.start[0], self.end[1] - self.start[1])

    @property
    def box(self) -> Box:
        points = [self.at(step / 8) for step in range(9)]
        return around(Box(x, y, x, y) for x, y in points)

    def turned(self) -> Curve:
        """The same, from end to start."""
        return Curve(self.end, self.bend, self.start)

    def beside(self, distance: float) -> Curve:
        """A curve to the right of it."""
        return Curve(
            *(
                _moved(point, self.normal(share), distance)
                for point, share in ((self.start, 0.0), (self.bend, 0.5), (self.end, 1.0))
            )
        )

    def crosses(self, box: Box) -> bool:
        """Whether some of it lies in the box."""
        (x0, y0), (x1, y1), (x2, y2) = self.start, self.bend, self.end
        far_x = max(x0, x1, x2) < box.left or min(x0, x1, x2) > box.right
        if far_x or max(y0, y1, y2) < box.top or min(y0, y1, y2) > box.bottom:
            return False
        return any(box.holds(self.at(n / _STEPS)) for n in range(_STEPS + 1))

    def between(self, first: Box, second: Box) -> Curve:
        """What of it is outside of the boxes that it leads from and to."""
        low = self._leaves(first)
        high = 1 - self.turned()._leaves(second)
        return self.part(low, high) if low < high else self

    def part(self, low: float, high: float) -> Curve:
        """What lies between two shares of it."""
        a, b = self.at(low), self.at(high)
        (x0, y0), (x1, y1), (x2, y2) = self.start, self.bend, self.end
        weights = ((1 - low) * (1 - high), low * (1 - high) + high * (1 - low), low * high)
        x, y = (sum(w * p for w, p in zip(weights, ps, strict=True)) for ps in ((x0, x1, x2), (y0, y1, y2)))
        return Curve(a, (x, y), b)

    def _leaves(self, box: Box) -> float:
        """The share of the curve at which it leaves the box that it begins in."""
        high = next((n / _STEPS for n in range(_STEPS) if not box.holds(self.at(n / _STEPS))), 1.0)
        low = max(0.0, high - 1 / _STEPS)
        if high == 0.0:
            return 0.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if box.holds(self.at(middle)) else (low, middle)
        return high


def curve(start: Point, end: Point, bulge: float = 0.0) -> Curve:
    """From one point to another; with a bulge, its middle is so far to the right of the straight line."""
    straight = Curve(start, ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2), end)
    return Curve(start, _moved(straight.bend, straight.normal(0.5), 2 * bulge), end)


def arrowhead(line: Curve, size: float) -> tuple[Point, Point, Point]:
    """The corners of an arrowhead at the end of a line."""
    across = line.normal(1.0)
    along = (across[1], -across[0])
    foot = _moved(line.end, along, -size)
    return line.end, _moved(foot, across, size * 0.5), _moved(foot, across, -size * 0.5)


def _moved(point: Point, direction: Point, distance: float) -> Point:
    return point[0] + direction[0] * distance, point[1] + direction[1] * distance


Size = tuple[float, float]
"""Width and height."""


@dataclass(frozen=True)
class Graph:
    """Things by number, and the pairs that are linked, each once."""

    sizes: tuple[Size, ...]
    pairs: tuple[tuple[int, int], ...]

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """The pairs without repetition or direction."""
        return tuple(dict.fromkeys((min(pair), max(pair)) for pair in self.pairs))

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        found: list[list[int]] = [[] for _ in self.sizes]
        for first, second in self.edges:
            found[first].append(second)
            found[second].append(first)
        return tuple(map(tuple, found))

    @property
    def is_tree(self) -> bool:
        """Whether it is one; it must hang together."""
        return len(self.edges) == len(self.sizes) - 1

    @property
    def hub(self) -> int | None:
        """What everything is linked to and nothing else is."""
        others = len(self.sizes) - 1
        return next(
            (n for n, each in enumerate(self.neighbours) if len(each) == others == len(self.edges)), None
        )

    def parts(self) -> list[list[int]]:
        """What hangs together, each part in order."""
        seen: set[int] = set()
        return [self._reached(start, seen) for start in range(len(self.sizes)) if start not in seen]

    def _reached(self, start: int, seen: set[int]) -> list[int]:
        seen.add(start)
        found = [start]
        for number in found:
            for other in self.neighbours[number]:
                if other not in seen:
                    seen.add(other)
                    found.append(other)
        return sorted(found)

    def of(self, part: Sequence[int]) -> Graph:
        """A part of it, numbered anew."""
        numbers = {number: place for place, number in enumerate(part)}
        inside = ((a, b) for a, b in self.edges if a in numbers)
        return Graph(tuple(self.sizes[n] for n in part), tuple((numbers[a], numbers[b]) for a, b in inside))
