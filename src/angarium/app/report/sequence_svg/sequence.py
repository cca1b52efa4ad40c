"""What a sequence diagram shows, before there are places: lifelines, and rows from above to below.

A check's story as rows.

Who takes part is as in `export.lifelines`. What goes from one to another is an arrow, and what somebody does
alone is a note.

An audit's story as rows: what brokers and clients recorded, with the time since the first event.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

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
from angarium.history.explanations import seconds
from angarium.history.result import AuditStory
from angarium.history.stories import StoryRow

MOST, FIRST, LAST = 40, 14, 22
"""With more rows than this, only so many of the first and of the last are drawn."""
STILL = "nothing more happens: it stays like this for ever"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the diagram: an arrow, or a note."""

    text: str
    label: str = ""
    """What stands at the left: the step's number, or when it was."""
    source: int | None = None
    """The lifeline where it begins; None is a note over all of them."""
    target: int | None = None
    """The lifeline where the arrow ends; None is a note over the source."""
    fault: bool = False
    failed: bool = False
    """Whether what was sent did not arrive."""
    proof: bool = False
    """Whether it is one of the events that prove the violation."""
    again: bool = False
    """Whether it is repeated for ever."""
    gap: bool = False
    """Whether it stands for rows that are left out."""

    @property
    def is_arrow(self) -> bool:
        return self.target is not None and self.target != self.source

    @property
    def sign(self) -> str:
        """The label, with a mark if the row proves something."""
        return f"! {self.label}" if self.proof else self.label


@dataclass(frozen=True, slots=True)
class Sequence:
    """A story, ready to be drawn."""

    guarantee: str
    summary: str
    lifelines: tuple[str, ...]
    rows: tuple[Row, ...]
    unit: str
    """What a row is: a step, or an event."""
    repeated: str = ""
    """What the bracket beside the rows says that come again and again."""


def shortened(sequence: Sequence) -> Sequence:
    """The same with a gap in its middle, if it is too long to be looked at."""
    rows = sequence.rows
    if len(rows) <= MOST:
        return sequence
    left_out = rows[FIRST:-LAST]
    count = sum(bool(row.label) for row in left_out)
    gap = Row(f"… {count} {sequence.unit}s …", gap=True, again=all(row.again for row in left_out))
    return replace(sequence, rows=(*rows[:FIRST], gap, *rows[-LAST:]))


# --- steps ----------------------------------------------------------------------------------------


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


# --- events ---------------------------------------------------------------------------------------


def events_of(story: AuditStory) -> Sequence:
    """The rows of an audit's story."""
    rows = story.rows
    named = (name for row in rows if not row.cut for name in (row.source, row.target) if name)
    lifelines = tuple(dict.fromkeys(named)) or (story.run_id,)
    return Sequence(
        guarantee=story.guarantee,
        summary=story.explanation,
        lifelines=lifelines,
        rows=tuple(_row(row, lifelines) for row in rows),
        unit="event",
    )


def _row(row: StoryRow, lifelines: tuple[str, ...]) -> Row:
    if row.cut:
        return Row(row.text, gap=True)
    return Row(
        text=row.text.removeprefix(f"{row.source} ").removeprefix(f"{row.target} "),  # who does it is seen
        label=f"+{seconds(row.after)}",
        source=lifelines.index(row.source),
        target=lifelines.index(row.target) if row.target else None,
        failed=row.failed,
        proof=row.proof,
    )
