"""A story as a sequence diagram: one SVG that needs nothing else, no script and no font of its own.

It is drawn in three steps: a story becomes a `Sequence` (who takes part, and what happens row by
row), places are found for it, and it is written as SVG (`draw`). The two kinds of stories
differ in the first step only.
"""

from __future__ import annotations

from angarium.app.report.sequence_svg.draw import drawn
from angarium.app.report.sequence_svg.sequence import Sequence, events_of, shortened, steps_of
from angarium.core.result import Story
from angarium.history.result import AuditStory


def diagram(story: Story) -> str:
    """The picture of a story."""
    return drawn(shortened(sequence_of(story)))


def sequence_of(story: Story) -> Sequence:
    """The rows of the diagram, all of them."""
    return events_of(story) if isinstance(story, AuditStory) else steps_of(story)
