"""Something that is measured again and again over some time: a panel for each series, one below the other.

All panels have the same axes, so that one sees at a glance which series is interrupted, and for how long.
Some times are shaded, and what got lost is a row of marks at the foot of its panel. Of many figures those
of the same small time are drawn as one line from the least to the greatest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from angarium.app.report.plot import frame

_GAP = 12.0
_MOST_BARS = 280
_SHADE = "#bbbbbb"
_LOST = frame.COLOURS[1]
_FOOT = 0.16
"""The share of a panel that is kept for marks."""
_WORDS = 12.0
_ROOMY = 60.0
"""A panel that is lower has numbers only at its foot and near its top."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Series:
    """Figures with their times, and the times at which something got lost."""

    name: str
    times: Floats
    values: Floats
    lost: Floats


@dataclass(frozen=True, slots=True)
class Axes:
    """What is drawn against what, and how far the time goes."""

    across: str
    upwards: str
    end: float


def draw(
    series: Sequence[Series], shaded: Sequence[tuple[float, float]], axes: Axes, caption: frame.Caption
) -> str:
    """A panel a series; times from the first to the second of each pair are shaded."""
    across = frame.across(0.0, axes.end)
    top = max((float(each.values.max()) for each in series if len(each.values)), default=1.0) * 1.1
    height = (frame.HEIGHT - frame.BOTTOM - frame.TOP - _GAP * (len(series) - 1)) / len(series)
    parts = [_shades(shaded, across)]
    for place, each in enumerate(series):
        upper = frame.TOP + place * (height + _GAP)
        upwards = frame.Scale(0.0, top, upper + height * (1 - _FOOT), upper + _WORDS)
        parts += [
            _axis(upwards, upper, upper + height),
            _bars(each, across, upwards, axes.end),
            _marks(each, across, upper + height * (1 - _FOOT / 2), axes.end),
            _name(each, upper),
        ]
    marks = [(value, frame.number(value)) for value in frame.ticks(0.0, axes.end, 10)]
    parts.append(frame.axis_below(across, marks, axes.across))
    middle = (frame.TOP + frame.HEIGHT - frame.BOTTOM) / 2
    parts.append(iter([frame.text((18, middle), axes.upwards, anchor="middle", upright=False)]))
    return frame.surrounded(caption, chain.from_iterable(parts))


def _shades(shaded: Sequence[tuple[float, float]], across: frame.Scale) -> Iterator[str]:
    for start, end in shaded:
        width, height = across(end) - across(start), frame.HEIGHT - frame.BOTTOM - frame.TOP
        yield frame.rectangle(across(start), frame.TOP, width, height, fill=_SHADE, opacity=0.35)


def _axis(upwards: frame.Scale, upper: float, lower: float) -> Iterator[str]:
    for value in frame.ticks(upwards.low, upwards.high, 3 if lower - upper > _ROOMY else 2):
        yield frame.line(
            (frame.LEFT, upwards(value)), (frame.WIDTH - frame.RIGHT, upwards(value)), stroke=frame.FAINT
        )
        yield frame.text((frame.LEFT - 6, upwards(value) + 4), frame.number(value), size=10, anchor="end")
    yield frame.line((frame.LEFT, upper), (frame.LEFT, lower))


def _name(each: Series, upper: float) -> Iterator[str]:
    lost = f", {len(each.lost):,} lost" if len(each.lost) else ""
    yield frame.text((frame.LEFT + 6, upper + 10), f"{each.name}{lost}", size=11, bold=True)


def _bars(each: Series, across: frame.Scale, upwards: frame.Scale, end: float) -> Iterator[str]:
    """Of each small time one line, as long as the figures are apart; at least a dot."""
    places = _places(each.times, end)
    order = np.argsort(places, kind="stable")
    seen, starts = np.unique(places[order], return_index=True)
    if not len(seen):
        return
    low, high = (find.reduceat(each.values[order], starts).tolist() for find in (np.minimum, np.maximum))
    for place, least, greatest in zip(seen.tolist(), low, high, strict=True):
        middle = across((place + 0.5) * end / _MOST_BARS)
        ends = (middle, upwards(least) + 1.3), (middle, upwards(greatest) - 1.3)
        yield frame.line(*ends, stroke=frame.COLOURS[0], width=2)


def _places(times: Floats, end: float) -> NDArray[np.int16]:
    """In which of the small times each of some times is."""
    return np.minimum(times * _MOST_BARS / end, _MOST_BARS - 1).astype(np.int16)


def _marks(each: Series, across: frame.Scale, height: float, end: float) -> Iterator[str]:
    for place in np.unique(_places(each.lost, end)).tolist():
        middle = across((place + 0.5) * end / _MOST_BARS)
        yield frame.line((middle, height - 2.5), (middle, height + 2.5), stroke=_LOST, width=1.6)
