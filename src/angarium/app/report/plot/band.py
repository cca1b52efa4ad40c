"""An observation along one parameter: its mean as a line, and where nearly all walks are as a band.

The band is from the 5 % to the 95 % quantile of the figures, not a confidence interval: it says what one run
may bring. Values that are words stand side by side at equal distances, without a line between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from angarium.app.report.plot import frame
from angarium.checker.walks.results import Statistic

_COLOUR = frame.COLOURS[0]
_HEADROOM = 1.2
"""The legend stands above the band."""


@dataclass(frozen=True, slots=True)
class _Place:
    at: float
    words: str
    statistic: Statistic


def draw(name: str, rows: Sequence[tuple[str, Statistic | None]], caption: frame.Caption) -> str:
    """One place a value of the parameter; where there are no figures, there is nothing."""
    numbers = _numbers([value for value, _ in rows])
    positions = numbers or [float(place) for place in range(len(rows))]
    places = [
        _Place(at, value, statistic)
        for at, (value, statistic) in zip(positions, rows, strict=True)
        if statistic and statistic.count
    ]
    across = frame.across(*_wider(positions, 0.06 if numbers else 0.5))
    upwards = frame.upwards(
        0, max((each.statistic.quantiles[0.95] for each in places), default=1) * _HEADROOM
    )
    observation = places[0].statistic.observation if places else ""
    parts = chain(
        frame.axis_left(upwards, observation),
        _band(places, across, upwards) if numbers else _whiskers(places, across, upwards),
        _dots(places, across, upwards),
        frame.axis_below(across, _marks(rows, numbers, across), name),
        frame.legend([(_COLOUR, "mean, and 5 to 95 % of the figures")]),
    )
    return frame.surrounded(caption, parts)


def _numbers(values: Sequence[str]) -> list[float]:
    """The values as numbers; none if one of them is a word."""
    try:
        return [float(int(value)) for value in values]
    except ValueError:
        return []


def _wider(positions: Sequence[float], share: float) -> tuple[float, float]:
    low, high = min(positions), max(positions)
    margin = (high - low) * share or 0.5
    return low - margin, high + margin


def _marks(
    rows: Sequence[tuple[str, Statistic | None]], numbers: Sequence[float], across: frame.Scale
) -> list[tuple[float, str]]:
    if len(numbers) > 12:
        return [(value, frame.number(value)) for value in frame.ticks(across.low, across.high, 10)]
    positions = numbers or [float(place) for place in range(len(rows))]
    return [(at, value) for at, (value, _) in zip(positions, rows, strict=True)]


def _band(places: Sequence[_Place], across: frame.Scale, upwards: frame.Scale) -> Iterator[str]:
    if not places:
        return
    lower = [(across(each.at), upwards(each.statistic.quantiles[0.05])) for each in places]
    upper = [(across(each.at), upwards(each.statistic.quantiles[0.95])) for each in places]
    yield frame.area([*lower, *reversed(upper)], fill=_COLOUR, opacity=0.2)
    means = [(across(each.at), upwards(each.statistic.mean)) for each in places]
    yield frame.path(means, stroke=_COLOUR)


def _whiskers(places: Sequence[_Place], across: frame.Scale, upwards: frame.Scale) -> Iterator[str]:
    for each in places:
        low, high = (upwards(each.statistic.quantiles[share]) for share in (0.05, 0.95))
        yield frame.rectangle(across(each.at) - 14, high, 28, low - high, fill=_COLOUR, opacity=0.2)


def _dots(places: Sequence[_Place], across: frame.Scale, upwards: frame.Scale) -> Iterator[str]:
    for each in places:
        at = (across(each.at), upwards(each.statistic.mean))
        yield frame.circle(at, 3.5, fill=_COLOUR, hint=f"{each.words}: mean {each.statistic.mean:.4g}")
