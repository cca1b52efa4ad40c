"""What surrounds every picture: a title, axes with round numbers, a legend, and a caption.

The caption says what the figures depend on (schedule, seed, number of walks), because a picture is passed on
without the report that it came with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from math import ceil, floor, log10
from textwrap import wrap

from angarium.app.report.plot import svg

LEFT, RIGHT, TOP, BOTTOM = 66.0, 24.0, 62.0, 78.0
_SMALL = 11.0
_ROUND = (1, 2, 5, 10)


@dataclass(frozen=True, slots=True)
class Caption:
    """What is said around a picture."""

    title: str
    subtitle: str
    note: str


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to places along an axis."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / ((self.high - self.low) or 1.0)
        return self.start + share * (self.end - self.start)


def across(low: float, high: float) -> Scale:
    """The scale of the horizontal axis."""
    return Scale(low, high, LEFT, svg.WIDTH - RIGHT)


def upwards(low: float, high: float) -> Scale:
    """The scale of the vertical axis."""
    return Scale(low, high, svg.HEIGHT - BOTTOM, TOP)


def ticks(low: float, high: float, most: int = 8) -> list[float]:
    """Round numbers from low to high, not more than so many."""
    if high <= low:
        return [low]
    step = _round_step((high - low) / most)
    first = ceil(low / step - 1e-9)
    last = floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def _round_step(least: float) -> float:
    """The least step of 1, 2 or 5 times a power of ten that is at least this large."""
    power = 10.0 ** floor(log10(least))
    return next(factor * power for factor in _ROUND if factor * power >= least * (1 - 1e-9))


def number(value: float) -> str:
    """A number beside an axis."""
    if abs(value) >= 10_000:
        return f"{value:,.0f}"
    return f"{value:.6g}"


def surrounded(caption: Caption, parts: Iterable[str]) -> str:
    """The whole picture: what it shows, with title and caption."""
    note = f"{caption.subtitle} {caption.note}"
    return svg.picture(caption.title, note, [*_title(caption), *parts, *_note(caption.note)])


def _title(caption: Caption) -> Iterator[str]:
    room = svg.WIDTH - 32
    yield svg.text((16, 26), svg.fitting(caption.title, room, 16), size=16, bold=True)
    yield svg.text((16, 45), svg.fitting(caption.subtitle, room, 12), size=12, fill=svg.PALE)


def _note(note: str) -> Iterator[str]:
    letters = int((svg.WIDTH - 32) / (_SMALL * svg.WIDE_LETTER))
    lines = wrap(note, letters, break_on_hyphens=False, max_lines=2, placeholder=" …")
    for height, words in zip(count(svg.HEIGHT - 8 - 13 * (len(lines) - 1), 13), lines, strict=False):
        yield svg.text((16, height), words, size=_SMALL, fill=svg.PALE)


def axis_below(scale: Scale, marks: Sequence[tuple[float, str]], name: str) -> Iterator[str]:
    """The horizontal axis: its line, its marks and what it shows."""
    base = svg.HEIGHT - BOTTOM
    yield svg.line((scale.start, base), (scale.end, base))
    for value, words in marks:
        yield svg.line((scale(value), base), (scale(value), base + 4))
        yield svg.text((scale(value), base + 17), words, size=_SMALL, anchor="middle")
    yield svg.text(((scale.start + scale.end) / 2, base + 35), name, anchor="middle")


def axis_left(scale: Scale, name: str) -> Iterator[str]:
    """The vertical axis: faint lines at round numbers, and what it shows."""
    for value in ticks(scale.low, scale.high, 6):
        yield svg.line((LEFT, scale(value)), (svg.WIDTH - RIGHT, scale(value)), stroke=svg.FAINT)
        yield svg.text((LEFT - 6, scale(value) + 4), number(value), size=_SMALL, anchor="end")
    yield svg.text((18, (scale.start + scale.end) / 2), name, anchor="middle", upright=False)


def legend(entries: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Colours and what they stand for, at the top right of the plot."""
    longest = max((len(words) for _, words in entries), default=0)
    left = svg.WIDTH - RIGHT - 26 - longest * 12 * svg.LETTER
    yield svg.rectangle(
        left - 6, TOP, svg.WIDTH - RIGHT - left + 6, 18 * len(entries) + 8, fill=svg.BACKGROUND, opacity=0.85
    )
    for place, (colour, words) in enumerate(entries):
        height = TOP + 18 * place + 17
        yield svg.rectangle(left, height - 9, 12, 10, fill=colour)
        yield svg.text((left + 18, height), words)
