"""Several named series of points in one picture, each axis linear or in powers of ten.

Their names stand in a row above the picture, where no point can be. Points may be joined or stand alone; a
staircase is joined and has no dots.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import ceil, floor, log10

from angarium.app.report.plot import frame

_BELOW_NAMES = 14.0
"""Between the names and the highest point."""
_SMALL = 11.0


@dataclass(frozen=True, slots=True)
class Series:
    """A name and points, from left to right."""

    name: str
    points: Sequence[frame.Point]
    joined: bool = True
    dotted: bool = True


@dataclass(frozen=True, slots=True)
class Axis:
    """What is along an axis, and whether it goes in powers of ten; then values below 1 stand at 1."""

    name: str
    powers: bool = False
    high: float | None = None
    """Where it ends; else at the highest value."""

    def along(self, values: Sequence[float], start: float, end: float) -> frame.Scale:
        """From values to places; of powers of ten the exponents are the values."""
        high = max(values, default=1.0) if self.high is None else self.high
        if not self.powers:
            return frame.Scale(0.0, high, start, end)
        low = floor(_exponent(min(values, default=1.0)))
        return frame.Scale(low, max(low + 1, ceil(_exponent(high))), start, end)

    def place(self, value: float, scale: frame.Scale) -> float:
        return scale(_exponent(value) if self.powers else value)

    def marks(self, scale: frame.Scale, most: int) -> list[tuple[float, str]]:
        """Round numbers: where on the scale, and how they are written."""
        if not self.powers:
            return [(value, frame.number(value)) for value in frame.ticks(scale.low, scale.high, most)]
        return [(power, f"{10**power:,}") for power in range(int(scale.low), int(scale.high) + 1)]


def draw(across: Axis, up: Axis, series: Sequence[Series], caption: frame.Caption) -> str:
    """The picture."""
    points = [point for each in series for point in each.points]
    below = across.along([x for x, _ in points], frame.LEFT, frame.WIDTH - frame.RIGHT)
    left = up.along([y for _, y in points], frame.HEIGHT - frame.BOTTOM, frame.TOP + _BELOW_NAMES)
    colours = [frame.COLOURS[place % len(frame.COLOURS)] for place in range(len(series))]
    placed = [[(across.place(x, below), up.place(y, left)) for x, y in each.points] for each in series]
    parts = chain(
        _axis_left(up, left),
        chain.from_iterable(map(_drawn, series, placed, colours)),
        frame.axis_below(below, across.marks(below, 10), across.name),
        _names([each.name for each in series], colours),
    )
    return frame.surrounded(caption, parts)


def _axis_left(up: Axis, scale: frame.Scale) -> Iterator[str]:
    for at, words in up.marks(scale, 6):
        yield frame.line((frame.LEFT, scale(at)), (frame.WIDTH - frame.RIGHT, scale(at)), stroke=frame.FAINT)
        yield frame.text((frame.LEFT - 6, scale(at) + 4), words, size=_SMALL, anchor="end")
    yield frame.text((16, (scale.start + scale.end) / 2), up.name, anchor="middle", upright=False)


def _drawn(each: Series, placed: Sequence[frame.Point], colour: str) -> Iterator[str]:
    if each.joined:
        yield frame.path(placed, stroke=colour)
    if each.dotted:
        for (x, y), at in zip(each.points, placed, strict=True):
            yield frame.circle(at, 2.5, fill=colour, hint=f"{each.name}: {x:g}, {y:.4g}")


def _names(names: Sequence[str], colours: Sequence[str]) -> Iterator[str]:
    """The names in a row, each behind its colour."""
    left = frame.LEFT
    for name, colour in zip(names, colours, strict=True):
        yield frame.rectangle(left, frame.TOP - 9, 12, 10, fill=colour)
        yield frame.text((left + 17, frame.TOP), name, size=_SMALL)
        left += 17 + len(name) * _SMALL * frame.WIDE_LETTER + 14


def _exponent(value: float) -> float:
    return log10(max(value, 1.0))
