"""Curves through points, with logarithms on both axes: what one wants little of against another such thing.

A figure of 0 has no logarithm. It stands on the lowest line, which says that none was seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import log10

from angarium.app.report.plot import decades, frame

_NONE = "none"


@dataclass(frozen=True, slots=True)
class Curve:
    """Points in their order, each with what a browser shows when one points at it."""

    name: str
    points: Sequence[tuple[float, float, str]]


def draw(curves: Sequence[Curve], across_name: str, upwards_name: str, caption: frame.Caption) -> str:
    """All curves in one picture, each in its colour."""
    points = [point for curve in curves for point in curve.points]
    left, right = decades.span(x for x, _, _ in points)
    bottom, top = decades.span(y for _, y, _ in points)
    across, upwards = frame.across(left, right), frame.upwards(bottom - 1, top)
    parts = chain(
        _lines(upwards, bottom, top, upwards_name),
        chain.from_iterable(
            _curve(each, frame.COLOURS[place % len(frame.COLOURS)], across, upwards, bottom - 1)
            for place, each in enumerate(curves)
        ),
        frame.axis_below(across, decades.marks(left, right), across_name),
        frame.legend([(frame.COLOURS[p % len(frame.COLOURS)], curve.name) for p, curve in enumerate(curves)]),
    )
    return frame.surrounded(caption, parts)


def _lines(upwards: frame.Scale, bottom: int, top: int, name: str) -> Iterator[str]:
    for power, words in ((bottom - 1, _NONE), *decades.marks(bottom, top)):
        height = upwards(power)
        yield frame.line((frame.LEFT, height), (frame.WIDTH - frame.RIGHT, height), stroke=frame.FAINT)
        yield frame.text((frame.LEFT - 6, height + 4), words, size=11, anchor="end")
    yield frame.text((14, (upwards.start + upwards.end) / 2), name, anchor="middle", upright=False)


def _curve(
    curve: Curve, colour: str, across: frame.Scale, upwards: frame.Scale, lowest: int
) -> Iterator[str]:
    places = [
        ((across(log10(x)), upwards(log10(y) if y > 0 else lowest)), hint) for x, y, hint in curve.points
    ]
    yield frame.path([at for at, _ in places], stroke=colour)
    for at, hint in places:
        yield frame.circle(at, 3.5, fill=colour, hint=f"{curve.name}: {hint}")
