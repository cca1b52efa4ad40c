"""A story without what only a machine needs: the places at which its processes wait.

A process is part of the state as a record with its program counter, `pc`, and its local variables. People
follow a story by what processes do, so the counters are left out, and local variables are shown one by one.
A process is told from a record of the model by its counter's text in the first state, `line 12: receive
inbox`: no member of an enumeration is called that. The counters stay in JSON and in traces.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace
from typing import Any

from angarium.model.values import Fields
from angarium.verdict import Change, State, Step, Story

COUNTER = "pc"


def without_counters(story: Story) -> Story:
    """The story as people read it."""
    processes = {name for name, value in story.initial.items() if _is_process(value)}
    initial = {name: _stripped(value) for name, value in story.initial.items() if name in processes}
    shown = {**story.initial, **initial}
    steps = [replace(step, changes=list(_changes(step, processes))) for step in story.steps]
    return replace(story, initial=_without_empty(shown), steps=steps)


def _is_process(value: Any) -> bool:  # noqa: ANN401 (a state's values are anything)
    match value:
        case Fields():
            counter = value.get(COUNTER)
            return isinstance(counter, str) and ": " in counter
        case dict():
            return any(map(_is_process, value.values()))
        case _:
            return False


def _stripped(value: Any) -> Any:  # noqa: ANN401
    match value:
        case Fields():
            return Fields({name: item for name, item in value.items() if name != COUNTER})
        case dict():
            return _without_empty({key: _stripped(item) for key, item in value.items()})
        case _:
            return value


def _without_empty(state: State) -> dict[str, Any]:
    """What is left, without processes that had nothing but a counter."""
    return {key: item for key, item in state.items() if not isinstance(item, dict) or item}


def _changes(step: Step, processes: Set[str]) -> Iterator[Change]:
    for change in step.changes:
        root = change.where.partition("[")[0].partition(".")[0]
        yield from _parts(change) if root in processes else (change,)


def _parts(change: Change) -> Iterator[Change]:
    """Changes of a process's local variables; its counter is one part, or the whole."""
    before, after = change.before, change.after
    if isinstance(before, Fields) and COUNTER in before:
        for name in before:
            if name != COUNTER and before[name] != after[name]:
                yield Change(f"{change.where}.{name}", before[name], after[name])
    elif not change.where.endswith(f".{COUNTER}"):
        yield change
