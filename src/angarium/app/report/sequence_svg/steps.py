"""A check's story as rows.

Who takes part is as in `export.lifelines`. What goes from one to another is an arrow, and what somebody does
alone is a note.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from angarium.app.report.sequence_svg.sequence import STILL, Row, Sequence
from angarium.checker.export.step_text import (
    Owners,
    action_below,
    call,
    content,
    ends,
    fault_text,
    involved,
    owners_of,
    participants,
)
from angarium.core.result import Exchange, Step, Story


def steps_of(story: Story) -> Sequence:
    """The story's steps, and a row more where the run stands still for ever."""
    owners, lifelines = owners_of(story), participants(story)
    rows = [row for number, step in enumerate(story.steps) for row in _told(number, step, story, owners)]
    if story.cycle == len(story.steps):
        rows.append(("", "", Row(STILL, again=True)))
    return Sequence(
        guarantee=story.guarantee,
        summary=story.summary,
        lifelines=lifelines,
        rows=tuple(_placed(source, target, row, lifelines) for source, target, row in rows),
        unit="step",
        repeated="" if story.cycle is None else _repeated(story),
    )


def _repeated(story: Story) -> str:
    return "for ever" if story.cycle == len(story.steps) else f"for ever, from step {(story.cycle or 0) + 1}"


# --- what is told ---------------------------------------------------------------------------

_Named = tuple[str, str, Row]
"""From whom to whom, by name; the second is empty in a note, both are in a note over all."""


def _told(number: int, step: Step, story: Story, owners: Owners) -> Iterator[_Named]:
    """The rows of a step; the number stands at the first."""
    again = story.cycle is not None and number >= story.cycle
    for place, (source, target, row) in enumerate(_rows(step, owners)):
        label = "" if place else str(number + 1)
        text = f"fault: {row.text}" if step.fault else row.text
        yield source, target, replace(row, text=text, label=label, fault=step.fault, again=again)


def _rows(step: Step, owners: Owners) -> Iterator[_Named]:
    if step.exchanges:
        yield from (_exchange(step, each) for each in step.exchanges)
        return
    match involved(step, owners):
        case [first, second, *_] if not step.actor:
            yield first, second, Row(call(step), failed=step.fault)
        case [first, *_]:
            yield first, "", Row(action_below(step))
        case _:
            yield "", "", Row(call(step))


def _exchange(step: Step, exchange: Exchange) -> _Named:
    source, target = ends(exchange)
    wrong = fault_text(step)
    return source, target, Row(wrong or content(exchange), failed=bool(wrong))


def _placed(source: str, target: str, row: Row, lifelines: tuple[str, ...]) -> Row:
    start = lifelines.index(source) if source else None
    return replace(row, source=start, target=lifelines.index(target) if target else None)
