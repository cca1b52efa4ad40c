"""A story as a table of plain text: one row a step, with only what the step changed.

Of a model of plain actions:                      Of a model with processes:

    step                what happens                  step   what happens
    -------------------------------------------       ------------------------------------------
    start               waiting[q1] = []              start  queue = []
    1 subscribe(a1)     waiting[q1]: [] -> [a1]       1      producer(p1) sends PUB m1 to queue
    2 ! crash(b1)       up[b1]: True -> False                  queue: [] -> [(PUB m1)]
                                                      2 !    consumer(c1) crashes

A fault is marked by `!`. Program counters are left out (see `plain_story`). The first column takes what it
needs, up to two fifths of the width; longer text is wrapped in its own column. Of a run without end, the
steps that are repeated stand between two lines that say so. Stories of meshes and histories are in words,
where `!` marks the steps that prove the violation too, and each has its time if there are clocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from textwrap import wrap

from angarium.app.report import story_rows
from angarium.app.report.plain_story import without_counters
from angarium.app.report.story_rows import Row
from angarium.core.result import Step, Story

_GAP = "  "
_AGAIN = "from here on the same again, for ever"
_STILL = "nothing more happens: it stays like this for ever"
_Told = Callable[[Row, int], list[str]]


def render(story: Story, width: int = 80) -> str:
    """The story's steps, and what is wrong (or shown) at the end."""
    plain = without_counters(story)
    rows = story_rows.rows(plain, story.initial)
    by_processes = any(step.actor or step.text for step in plain.steps)
    labels = _numbers(rows) if by_processes else _actions(rows)
    left = min(max(map(len, ["start", *labels])), width * 2 // 5)
    told: _Told = story_rows.sentences if by_processes else story_rows.changes
    lines = [f"{'step':<{left}}{_GAP}what happens", "-" * width]
    if plain.initial:
        lines += _cells("start", story_rows.initial(plain.initial, width - left - len(_GAP)), left, width)
    for row, label in zip(rows, labels, strict=True):
        if row.first - 1 == story.cycle:
            lines += _bar(_AGAIN, width)
        lines += _cells(label, told(row, width - left - len(_GAP)), left, width)
    end = wrap(f"end: {story.summary}", width, subsequent_indent="     ", break_on_hyphens=False)
    return "\n".join([*(line.rstrip() for line in lines), *_bar(_after(story), width), *end])


def _numbers(rows: Sequence[Row]) -> list[str]:
    """The steps' numbers, right-aligned, with a mark where a step is a fault."""
    digits = max((len(row.number) for row in rows), default=1)
    return [f"{row.number:>{digits}}{_mark(row.steps[-1])}" for row in rows]


def _mark(step: Step) -> str:
    """Whether a step is a fault or proves something, and when it was."""
    mark = " !" if step.fault or step.proves else ""
    return mark if step.at is None else f"{mark:<2}  {step.at / 1e9:.3f} s"


def _actions(rows: Sequence[Row]) -> list[str]:
    digits = max((len(row.number) for row in rows), default=1)
    return [f"{row.number:>{digits}} {story_rows.label(row)}" for row in rows]


def _after(story: Story) -> str:
    """What comes behind the last step of a run without end."""
    if story.cycle is None:
        return ""
    if story.cycle == len(story.steps):
        return _STILL
    return f"back to the state after step {story.cycle}" if story.cycle else "back to the start"


def _bar(text: str, width: int) -> list[str]:
    """A line across the table, with what it says in its middle."""
    return [f"{f' {line} ' if line else '':-^{width}}" for line in wrap(text, width - 6) or [""]]


def _cells(label: str, what: Sequence[str], left: int, width: int) -> Iterator[str]:
    """A row's lines."""
    first = wrap(label, left, subsequent_indent="  ")
    second = [line for text in what for line in _wrapped(text, width - left - len(_GAP))]
    for one, other in zip_longest(first, second, fillvalue=""):
        yield f"{one:<{left}}{_GAP}{other}"


def _wrapped(text: str, width: int) -> Sequence[str]:
    deeper = len(text) - len(text.lstrip()) + 4
    return wrap(text, width, subsequent_indent=" " * deeper, break_on_hyphens=False)
