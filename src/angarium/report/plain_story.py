"""A story without what only a machine needs: the places at which its processes wait.

A process is part of the state as a record with its program counter, `pc`, and its local variables. People
follow a story by what processes do, so the counters are left out, and local variables are shown one by one
when they change: in the first state they have no meaning yet.
A process is told from a record of the model by its counter's text in the first state, `line 12: receive
inbox`: no member of an enumeration is called that. The counters stay in JSON and in traces.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace
from typing import Any

from angarium.model.values import Fields
from angarium.verdict import Change, Step, Story

COUNTER = "pc"
OVER = ("finished", "crashed")
"""The counters of processes that have come to their end, or are down."""


def without_counters(story: Story) -> Story:
    """The story as people read it."""
    processes = {name for name, value in story.initial.items() if _is_process(value)}
    initial = {name: value for name, value in story.initial.items() if name not in processes}
    steps = [replace(step, changes=list(_changes(step, processes))) for step in story.steps]
    return replace(story, initial=initial, steps=steps)


def _is_process(value: Any) -> bool:  # noqa: ANN401 (a state's values are anything)
    match value:
        case Fields():
            counter = value.get(COUNTER)
            return isinstance(counter, str) and ": " in counter
        case dict():
            return any(map(_is_process, value.values()))
        case _:
            return False


def _changes(step: Step, processes: Set[str]) -> Iterator[Change]:
    for change in step.changes:
        root = change.where.partition("[")[0].partition(".")[0]
        yield from _parts(change) if root in processes else (change,)


def _parts(change: Change) -> Iterator[Change]:
    """Changes of a process's local variables; its counter is one part, or the whole."""
    before, after = change.before, change.after
    if isinstance(after, Fields) and after.get(COUNTER) in OVER:
        return  # what is left of its variables means nothing any more
    if isinstance(before, Fields) and COUNTER in before:
        for name in before:
            if name != COUNTER and before[name] != after[name] and after[name] is not None:
                yield Change(f"{change.where}.{name}", before[name], after[name])
    elif not change.where.endswith(f".{COUNTER}") and after is not None:
        yield change
