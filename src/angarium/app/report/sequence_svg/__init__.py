"""A story as a sequence diagram: one SVG that needs nothing else, no script and no font of its own.

It is drawn in three steps: a story's record becomes a `Sequence` (who takes part, and what happens row by
row), places are found for it, and it is written as SVG (`draw`). The two kinds of stories
differ in the first step only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from angarium.app.report.sequence_svg.draw import drawn
from angarium.app.report.sequence_svg.sequence import Sequence, events_of, shortened, steps_of
from angarium.core.result import Story


def diagram(story: Story | Mapping[str, Any]) -> str:
    """The picture of a story: of a check, or as an audit's record has it."""
    return drawn(shortened(sequence_of(story)))


def sequence_of(story: Story | Mapping[str, Any]) -> Sequence:
    """The rows of the diagram, all of them."""
    return steps_of(story) if isinstance(story, Story) else events_of(story)
