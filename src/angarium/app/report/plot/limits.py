"""Chances with the limits between which they are, one below the other, on a logarithmic axis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import log10

from angarium.app.report.plot import decades, frame

_NAMES = 210.0
"""Where the plot begins: names stand before it."""
_COLOUR = frame.COLOURS[0]


@dataclass(frozen=True, slots=True)
class Row:
    """A chance, and what it is the chance of."""

    name: str
    value: float
    low: float
    high: float


def draw(rows: Sequence[Row], across_name: str, caption: frame.Caption, at_most: float | None = None) -> str:
    """All chances, each as a dot on the bar between its limits; what is allowed is a line."""
    shown = [value for row in rows for value in (row.low, row.value, row.high)]
    left, right = decades.span([*shown, *([at_most] if at_most else [])])
    across = frame.Scale(left, right, _NAMES, frame.WIDTH - frame.RIGHT)
    room = (frame.HEIGHT - frame.BOTTOM - frame.TOP) / max(len(rows), 1)
    parts = chain(
        _allowed(at_most, across),
        chain.from_iterable(
            _row(row, across, frame.TOP + room * (place + 0.5), min(room * 0.5, 16.0))
            for place, row in enumerate(rows)
        ),
        frame.axis_below(across, decades.marks(left, right), across_name),
    )
    return frame.surrounded(caption, parts)


def _allowed(at_most: float | None, across: frame.Scale) -> Iterator[str]:
    if at_most:
        at = across(log10(at_most))
        base = frame.HEIGHT - frame.BOTTOM
        yield frame.line((at, frame.TOP - 6), (at, base), stroke=frame.COLOURS[1], width=1.5)
        yield frame.text((at + 4, frame.TOP - 2), f"at most {at_most:.3g}", size=11, fill=frame.COLOURS[1])


def _row(row: Row, across: frame.Scale, height: float, thick: float) -> Iterator[str]:
    def at(value: float) -> float:
        return across(max(across.low, log10(value)) if value > 0 else across.low)

    hint = f"{row.name}: {row.value:.3g}, between {row.low:.3g} and {row.high:.3g}"
    yield frame.text(
        (_NAMES - 8, height + 4), frame.fitting(row.name, _NAMES - 16, 11), size=11, anchor="end"
    )
    yield frame.line((across.start, height), (across.end, height), stroke=frame.FAINT)
    width = max(at(row.high) - at(row.low), 1.0)
    yield frame.rectangle(at(row.low), height - thick / 2, width, thick, fill=_COLOUR, opacity=0.3, hint=hint)
    yield frame.circle((at(row.value), height), 4, fill=_COLOUR, hint=hint)
