"""What a sequence diagram shows, before there are places: lifelines, and rows from above to below."""

from __future__ import annotations

from dataclasses import dataclass, replace

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
