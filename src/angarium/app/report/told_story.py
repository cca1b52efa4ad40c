"""A verdict's story, read back from its JSON record, and the command that shows it again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from angarium.checker.ir.labels import restored
from angarium.core.records import read
from angarium.core.result import Step, Story
from angarium.systems.registry import systems


def story_of(record: Mapping[str, Any]) -> Story:
    """The story that a verdict's record holds under `story`, with records that are told from arrays."""
    story = read(Story, record)
    kinds = frozenset(map(tuple, story.records))
    steps = tuple(_step(each, kinds) for each in story.steps)
    initial = {name: restored(value, kinds) for name, value in story.initial.items()}
    return replace(story, initial=initial, steps=steps)


def _step(step: Step, kinds: frozenset[tuple[str, ...]]) -> Step:
    return replace(
        step,
        exchanges=tuple(replace(each, value=restored(each.value, kinds)) for each in step.exchanges),
        changes=tuple(
            replace(each, before=restored(each.before, kinds), after=restored(each.after, kinds))
            for each in step.changes
        ),
        state={name: restored(value, kinds) for name, value in step.state.items()},
    )


def shown_again(story: Story) -> tuple[str, str]:
    """What to say before the command that shows a story again, and the command.

    A bundled system is found from anywhere, a file only from where the claim has found it.
    """
    where = "" if story.subject in systems() else ", in the project's folder"
    return f"Show it again{where}: ", f"angarium replay {shlex.quote(story.address)}"
