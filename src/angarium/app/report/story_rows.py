"""The rows of a story's table: which steps stand in one row, and what is said of them.

Every step is there, with its number. Consecutive steps in which one process goes on by itself share a row,
`7-9`, if all but the last change nothing that anybody else can see.

What changed is said as `queue: [m1] -> []`. Where that is too long for a line, only what came or went is
said. In the first state, values that are the same for all are said once: `ready[c1, c2][d1 .. d4] = 0`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from angarium.app.report.plain_story import awaited, root_of
from angarium.checker.export.step_text import action_text, goes_on, others, process_of, step_sentences
from angarium.checker.ir.labels import Fields, Value, brief
from angarium.core.result import Change, State, Step, Story

_FEW = 8
"""Up to so many variables have a line each in the first state."""
_ALL = 3
"""Up to so many labels are all named; of more only the first and the last."""


@dataclass(frozen=True, slots=True)
class Row:
    """One step, or several in which a process only goes on."""

    first: int
    """The number of its first step, counted from 1."""
    steps: tuple[Step, ...]
    before: State
    """The state in which it begins."""

    @property
    def number(self) -> str:
        last = self.first + len(self.steps) - 1
        return str(self.first) if last == self.first else f"{self.first}-{last}"


def rows(story: Story, first: State) -> list[Row]:
    """The story's steps in rows; none holds both a step that is repeated and one that is not.

    The first state is given as a whole, with the places at which processes wait.
    """
    states = [first, *(step.state for step in story.steps)]
    found: list[Row] = []
    for position, step in enumerate(story.steps):
        last = found[-1] if found and position != story.cycle else None
        if last and last.steps[-1].actor == step.actor and _is_bookkeeping(last.steps[-1]) and goes_on(step):
            found[-1] = replace(last, steps=(*last.steps, step))
        else:
            found.append(Row(position + 1, (step,), states[position]))
    return found


def _is_bookkeeping(step: Step) -> bool:
    """Whether a process went on without a choice, and nothing but its own variables changed."""
    return goes_on(step) and not others(step) and not any(_is_shared(step, each) for each in step.changes)


def _is_shared(step: Step, change: Change) -> bool:
    return root_of(change.where) != process_of(step)


# --- what is said ---------------------------------------------------------------------------


def sentences(row: Row, room: int) -> list[str]:
    """What happens in a row, and below that, indented, what it changed."""
    step, changed = row.steps[-1], _changes(row)
    told = step_sentences(step)
    if goes_on(step) and not any(_is_shared(step, change) for change in changed):
        told = [f"{told[0]}{_condition(row)}"]
    nothing = [] if changed or step.exchanges or step.actor or step.text else ["  nothing changes"]
    return [*told, *(f"  {_change(each, room - 2)}" for each in changed), *nothing]


def _condition(row: Row) -> str:
    """What a process waited for, where there is little else to tell."""
    (step, *more) = row.steps
    condition = awaited(row.before, step.actor) if step.actor and not more else ""
    return f": {condition}" if condition else ""


def changes(row: Row, room: int) -> list[str]:
    """What a row of plain actions changed."""
    return [_change(each, room) for each in _changes(row)] or ["nothing changes"]


def label(row: Row) -> str:
    """Which action a row is, with its arguments and a mark if it is a fault."""
    (step,) = row.steps
    return f"{'! ' if step.fault else ''}{action_text(step)}"


def _changes(row: Row) -> list[Change]:
    """What is different behind the last step of a row from what it was before the first."""
    merged: dict[str, Change] = {}
    pairs = [(change, _is_shared(step, change)) for step in row.steps for change in step.changes]
    only_shared = any(shared for _, shared in pairs)
    for change in (change for change, shared in pairs if shared or not only_shared):
        before = merged[change.where].before if change.where in merged else change.before
        merged[change.where] = Change(change.where, before, change.after)
    return [change for change in merged.values() if change.before != change.after]


def _change(change: Change, room: int) -> str:
    text = f"{change.where}: {brief(change.before)} -> {brief(change.after)}"
    return text if len(text) <= room else _difference(change) or text


def _difference(change: Change) -> str:
    """What came to a sequence or set, or went; empty if it is more than that."""
    before, after = change.before, change.after
    if not isinstance(before, list | tuple) or not isinstance(after, list | tuple):
        return ""
    came, went = _beyond(after, before), _beyond(before, after)
    if (came and went and not isinstance(after, tuple)) or not _is_steady(before, after):
        return ""
    signed = [f"{sign} {brief(items)[1:-1]}" for sign, items in (("+", came), ("-", went)) if items]
    return f"{change.where}: {' '.join(signed)} (now {len(after)})"


def _beyond(some: Sequence[Value], others: Sequence[Value]) -> list[Value]:
    """The items of the one that the other does not have, each as often as it has more of them."""
    more, left = [], list(others)
    for item in some:
        if item in left:
            left.remove(item)
        else:
            more.append(item)
    return more


def _is_steady(before: Sequence[Value], after: Sequence[Value]) -> bool:
    """Whether what is in both is in the same order, and what came stands at the end."""
    kept = [item for item in before if item in after]
    return kept == list(after[: len(kept)]) or isinstance(after, tuple)


# --- the first state ------------------------------------------------------------------------


def initial(state: State, room: int) -> list[str]:
    """The first state: a line for each variable; if they are many, those that hold nothing yet together."""
    if len(state) <= _FEW:
        return [_assigned(name, value) for name, value in state.items()]
    blank: dict[str, list[str]] = {}
    for name, value in state.items():
        blank.setdefault(_blank(value), []).append(name)
    words = [_assigned(name, state[name]) for name in blank.pop("", [])]
    return [*_filled(words, room), *(f"{what}: {', '.join(names)}" for what, names in blank.items())]


def _blank(value: Value) -> str:
    """How a value holds nothing, the same for every label of an array; empty if it holds something."""
    match value:
        case None | 0:
            return str(value)
        case [] | ():
            return "empty"
        case dict() if not isinstance(value, Fields):
            return "".join({_blank(item) for item in value.values()} if _is_alike(value) else ())
        case _:
            return ""


def _is_alike(array: dict[str, Value]) -> bool:
    first, *rest = array.values()
    return all(item == first for item in rest)


def _assigned(name: str, value: Value) -> str:
    """`name = value`; what is the same for every label of an array is said once."""
    while isinstance(value, dict) and not isinstance(value, Fields) and len(value) > 1 and _is_alike(value):
        labels = list(value)
        shown = ", ".join(labels) if len(labels) <= _ALL else f"{labels[0]} .. {labels[-1]}"
        name, value = f"{name}[{shown}]", value[labels[0]]
    return f"{name} = ({brief(value)})" if isinstance(value, Fields) else f"{name} = {brief(value)}"


def _filled(words: Sequence[str], room: int) -> Iterator[str]:
    """As many words in a line as fit."""
    line = ""
    for word in words:
        longer = f"{line}; {word}" if line else word
        if line and len(longer) > room:
            yield line
            longer = word
        line = longer
    yield from filter(None, [line])
