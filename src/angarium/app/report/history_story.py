"""A history's story as plain text: what happened, when, and between whom.

      after    p0     orders c1       what happens
    ------------------------------------------------------------------------
      0.000 s  |------>      |        p0 sends p0-7
    ! 0.004 s  <------|      |        orders confirms p0-7 to p0

The two events that prove the violation are marked by `!`. Where many take part there are no arrows.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from textwrap import wrap

from angarium.app.report.layout import amount, printable
from angarium.history.explanations import seconds, time_of_day
from angarium.history.sequence import arrows
from angarium.history.stories import HistoryStory, StoryRow

_GAP = "  "


def render(story: HistoryStory, width: int = 80) -> str:
    """The story with what it proves, and how to find it again."""
    return printable("\n".join(line.rstrip() for line in _lines(story, width)))


def _lines(story: HistoryStory, width: int) -> Iterator[str]:
    yield from wrap(f"{story.guarantee}: {story.explanation}", width, subsequent_indent="  ")
    drawn = arrows(story) or [""] * (len(story.rows) + 1)
    times = [_time(row) for row in story.rows]
    left = max(map(len, ["after", *times]))
    yield f"  {'after':<{left}}{_GAP}{drawn[0]}{_GAP if drawn[0] else ''}what happens"
    yield "-" * width
    for row, time, arrow in zip(story.rows, times, drawn[1:], strict=True):
        head = f"{'!' if row.proof else ' '} {time:>{left}}{_GAP}{arrow}{_GAP if arrow else ''}"
        text = wrap(row.text, width - len(head), subsequent_indent="  ", break_on_hyphens=False)
        below = " " * len(head)
        for first, line in zip_longest([head], text, fillvalue=""):
            yield (first or below) + line
    yield "-" * width
    yield from wrap(_end(story), width, subsequent_indent="  ", break_on_hyphens=False)


def _time(row: StoryRow) -> str:
    return "" if row.cut else seconds(row.after)


def _end(story: HistoryStory) -> str:
    others = f"; {amount(story.others, 'other violation')} of it" if story.others else ""
    return f"begins at {time_of_day(story.begins)}, address {story.address}{others}"
