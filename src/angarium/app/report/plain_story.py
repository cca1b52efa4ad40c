"""A story without what only a machine needs: the places at which its processes wait, and what they remember.

A process is part of the state as a record with its program counter, `pc`, and its local variables. People
follow a story by what processes do, so the counters are left out, and local variables are shown only when
they change and nothing else tells what the step did: in the first state they have no meaning yet.
A process is told from a record of the model by its counter's text in the first state, `line 12: receive
inbox`: no member of an enumeration is called that. The counters stay in JSON and in traces.

Settings are parameters and part of the state. They never change, and were told before the story.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from typing import Any

from angarium.checker.explore.addresses import parameters_in
from angarium.checker.export.step_text import goes_on
from angarium.checker.ir.labels import Fields
from angarium.core.result import Change, State, Step, Story

COUNTER = "pc"
OVER = ("finished", "crashed")
"""The counters of processes that have come to their end, or are down."""
_UNTIL = re.compile(r"line \d+(?: \(\d+\))?: until (?P<condition>.*)")


def without_counters(story: Story) -> Story:
    """The story as people read it."""
    if not story.initial:  # no model's: nothing in it has a state
        return story
    processes = {name for name, value in story.initial.items() if _is_process(value)}
    told_before = processes | set(parameters_in(story.address))
    initial = {name: value for name, value in story.initial.items() if name not in told_before}
    steps = [replace(step, changes=_told(step, processes)) for step in story.steps]
    return replace(story, initial=initial, steps=steps)


def awaited(before: State, actor: str) -> str:
    """The condition for which a process waits in a state; empty if it waits for something else."""
    process, _, instance = actor.rstrip(")").partition("(")
    value = before.get(process)
    for label in filter(None, instance.split(", ")):
        value = value.get(label) if isinstance(value, dict) else None
    found = _UNTIL.fullmatch(str(value.get(COUNTER))) if isinstance(value, Fields) else None
    return found["condition"] if found and found["condition"] != "True" else ""


def root_of(where: str) -> str:
    """The name of the state that a place is part of: `waiting` for `waiting[q1].head`."""
    return re.split(r"[\[.]", where, maxsplit=1)[0]


def _is_process(value: Any) -> bool:  # noqa: ANN401 (a state's values are anything)
    match value:
        case Fields():
            counter = value.get(COUNTER)
            return isinstance(counter, str) and ": " in counter
        case dict():
            return any(map(_is_process, value.values()))
        case _:
            return False


def _told(step: Step, processes: Set[str]) -> Sequence[Change]:
    """What changed in the model's own state; what a process remembers, if that is all there is to tell."""
    shared = [change for change in step.changes if root_of(change.where) not in processes]
    if shared or step.exchanges or (step.actor and not goes_on(step)):
        return shared
    return [part for change in step.changes for part in _parts(change)]


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
