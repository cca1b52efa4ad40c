"""How the mean of an observation changes with two parameters: a coloured cell for each pair of values.

The colours go from dark blue over green to yellow, as those of viridis do: they are in the same order for
everybody, and in print. Where there is room the figure stands in the cell, in whichever of black and white is
easier to read there. A cell that was not simulated is empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from angarium.app.report.plot import frame

_STOPS = ((68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37))
"""Five colours of viridis, equally far from each other."""
_BAR, _BAR_ROOM = 14.0, 74.0
_MISSING = (240, 240, 240)

Means = Sequence[Sequence[float | None]]
"""A row for each value of the first parameter, a column for each of the second."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A parameter and its values."""

    name: str
    values: Sequence[str]


def draw(down: Axis, across: Axis, means: Means, caption: frame.Caption) -> str:
    """The picture: the first parameter downwards, the second across."""
    known = [mean for row in means for mean in row if mean is not None]
    colours = frame.Scale(min(known, default=0.0), max(known, default=1.0), 0.0, 1.0)
    grid = _Grid(len(down.values), len(across.values))
    parts = chain(
        _cells(down, across, means, grid, colours),
        _names(down, across, grid),
        _bar(colours),
    )
    return frame.surrounded(caption, parts)


@dataclass(frozen=True, slots=True)
class _Grid:
    rows: int
    columns: int

    @property
    def width(self) -> float:
        return (frame.WIDTH - frame.RIGHT - _BAR_ROOM - frame.LEFT) / self.columns

    @property
    def height(self) -> float:
        return (frame.HEIGHT - frame.BOTTOM - frame.TOP) / self.rows

    def corner(self, row: int, column: int) -> frame.Point:
        return frame.LEFT + column * self.width, frame.TOP + row * self.height

    def middle(self, row: int, column: int) -> frame.Point:
        x, y = self.corner(row, column)
        return x + self.width / 2, y + self.height / 2


def _cells(down: Axis, across: Axis, means: Means, grid: _Grid, colours: frame.Scale) -> Iterator[str]:
    for row, values in enumerate(means):
        for column, mean in enumerate(values):
            where = f"{down.name}={down.values[row]}, {across.name}={across.values[column]}"
            yield from _cell(grid, row, column, mean, where, colours)


def _cell(
    grid: _Grid, row: int, column: int, mean: float | None, where: str, colours: frame.Scale
) -> Iterator[str]:
    x, y = grid.corner(row, column)
    colour = _MISSING if mean is None else colour_of(colours(mean))
    hint = f"{where}: {'not simulated' if mean is None else f'{mean:.4g}'}"
    yield frame.rectangle(x, y, grid.width - 1, grid.height - 1, fill=_hex(colour), hint=hint)
    words = "" if mean is None else short(mean)
    size = min(12.0, grid.height - 4, grid.width / (max(len(words), 3) * 0.65))
    if words and size >= 7:
        middle, height = grid.middle(row, column)
        ink = frame.INK if _brightness(colour) > 0.42 else frame.BACKGROUND
        yield frame.text((middle, height + size * 0.35), words, size=size, anchor="middle", fill=ink)


def _names(down: Axis, across: Axis, grid: _Grid) -> Iterator[str]:
    base = frame.HEIGHT - frame.BOTTOM
    longest = max(len(value) for value in across.values) * 11 * frame.LETTER + 4
    for column in range(0, grid.columns, max(1, round(longest / grid.width + 0.5))):
        yield frame.text(
            (grid.middle(0, column)[0], base + 16), across.values[column], size=11, anchor="middle"
        )
    for row in range(0, grid.rows, max(1, round(12 / grid.height + 0.5))):
        yield frame.text(
            (frame.LEFT - 6, grid.middle(row, 0)[1] + 4), down.values[row], size=11, anchor="end"
        )
    yield frame.text((frame.LEFT + grid.columns * grid.width / 2, base + 35), across.name, anchor="middle")
    yield frame.text((18, (frame.TOP + base) / 2), down.name, anchor="middle", upright=False)


def _bar(colours: frame.Scale) -> Iterator[str]:
    """What the colours stand for, as a bar beside the cells."""
    left, base = frame.WIDTH - frame.RIGHT - _BAR_ROOM + 20, frame.HEIGHT - frame.BOTTOM
    upwards = frame.Scale(colours.low, colours.high, base, frame.TOP)
    step = (base - frame.TOP) / 50
    for part in range(50):
        colour = _hex(colour_of((part + 0.5) / 50))
        yield frame.rectangle(left, base - (part + 1) * step, _BAR, step + 0.5, fill=colour)
    for value in frame.ticks(colours.low, colours.high, 6):
        yield frame.text((left + _BAR + 6, upwards(value) + 4), frame.number(value), size=11)


def colour_of(share: float) -> tuple[int, int, int]:
    """The colour at a share from 0 to 1 of the way."""
    place = min(max(share, 0.0), 1.0) * (len(_STOPS) - 1)
    before = min(int(place), len(_STOPS) - 2)
    rest = place - before
    first, second = _STOPS[before], _STOPS[before + 1]
    red, green, blue = (round(a + (b - a) * rest) for a, b in zip(first, second, strict=True))
    return red, green, blue


def short(mean: float) -> str:
    """A figure in three digits."""
    return f"{mean:.0f}" if abs(mean) >= 100 else f"{mean:.3g}"


def _brightness(colour: tuple[int, int, int]) -> float:
    red, green, blue = colour
    return (0.299 * red + 0.587 * green + 0.114 * blue) / 255


def _hex(colour: tuple[int, int, int]) -> str:
    return "#" + "".join(f"{part:02x}" for part in colour)
