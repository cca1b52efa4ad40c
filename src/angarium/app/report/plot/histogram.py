"""How often each figure was seen, of one simulation or of several over one another.

Bins of two simulations need not be equally wide, so the height is the share of the figures at each whole
number: then the areas are the same, and the shapes can be compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from angarium import __version__
from angarium.app.report.plot import frame
from angarium.app.report.simulation_text import figure
from angarium.checker.walks.plan import Plan
from angarium.checker.walks.results import Bin, Statistic
from angarium.core.result import Parameters, assigned


def draw(series: Sequence[tuple[str, Statistic]], caption: frame.Caption) -> str:
    """A histogram of each named statistic; those without figures have none."""
    seen = [(name, each) for name, each in series if each.count]
    bins = list(chain.from_iterable(each.histogram for _, each in seen)) or [Bin(0, 0, 0)]
    across = frame.across(min(each.low for each in bins) - 0.5, max(each.high for each in bins) + 0.5)
    heights = [_share(each, statistic) for _, statistic in seen for each in statistic.histogram]
    upwards = frame.upwards(0, max(heights, default=1.0) * 1.08)
    marks = [(value, frame.number(value)) for value in frame.ticks(across.low, across.high)]
    parts = chain(
        frame.axis_left(upwards, "figures at each value, %"),
        chain.from_iterable(_bars(each, across, upwards, place) for place, (_, each) in enumerate(seen)),
        frame.axis_below(across, marks, series[0][1].observation if series else ""),
        _means(seen, across),
        frame.legend([(_colour(place), _entry(name, each)) for place, (name, each) in enumerate(seen)]),
    )
    return frame.surrounded(caption, parts)


def _share(part: Bin, statistic: Statistic) -> float:
    return 100 * part.count / statistic.count / (part.high - part.low + 1)


def _bars(statistic: Statistic, across: frame.Scale, upwards: frame.Scale, place: int) -> Iterator[str]:
    outline: list[frame.Point] = [(across(statistic.histogram[0].low - 0.5), upwards(0))]
    for part in statistic.histogram:
        left, right = across(part.low - 0.5), across(part.high + 0.5)
        top = upwards(_share(part, statistic))
        outline += [(left, top), (right, top)]
        hint = f"{_range(part)}: {part.count:,}"
        yield frame.rectangle(
            left, top, right - left, upwards(0) - top, fill=_colour(place), opacity=0.35, hint=hint
        )
    yield frame.path([*outline, (outline[-1][0], upwards(0))], stroke=_colour(place), width=1.5)


def _means(seen: Sequence[tuple[str, Statistic]], across: frame.Scale) -> Iterator[str]:
    """A mark on the axis at each mean."""
    base = frame.HEIGHT - frame.BOTTOM
    for place, (_, statistic) in enumerate(seen):
        at = across(statistic.mean)
        yield frame.area([(at - 6, base + 9), (at + 6, base + 9), (at, base)], fill=_colour(place))


def _entry(name: str, statistic: Statistic) -> str:
    words = f"mean {figure(statistic.mean)}"
    return f"{name}: {words}" if name else words


def _range(part: Bin) -> str:
    return str(part.low) if part.low == part.high else f"{part.low} to {part.high}"


def _colour(place: int) -> str:
    return frame.COLOURS[place % len(frame.COLOURS)]


def caption_of(
    subject: str, each: Statistic, parameters: Parameters, plan: Plan, seeds: int = 1
) -> frame.Caption:
    """What stands around the picture of a statistic: what the figures depend on; alternatives have the next
    seeds."""
    scenario = ", ".join(assigned(parameters))
    seed = f"seed {plan.seed}" if seeds == 1 else f"seeds {plan.seed} to {plan.seed + seeds - 1}"
    walks = f"{plan.runs:,} walks" if seeds == 1 else f"{plan.runs:,} walks each"
    note = f"Schedule {plan.schedule}, {seed}, {walks}. {scenario}. Angarium {__version__}."
    return frame.Caption(f"{subject}: {each.observation}", each.description, note)
