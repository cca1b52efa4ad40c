"""Stories as text: what people need of the states, the rows of a table, and the table itself.

A story without what only a machine needs: the places at which its processes wait, and what they remember.

A process is part of the state as a record with its program counter, `pc`, and its local variables. People
follow a story by what processes do, so the counters are left out, and local variables are shown only when
they change and nothing else tells what the step did: in the first state they have no meaning yet.
A process is told from a record of the model by its counter's text in the first state, `line 12: receive
inbox`: no member of an enumeration is called that. The counters stay in JSON and in traces.

Settings are parameters and part of the state. They never change, and were told before the story.

A story that was read back from its JSON record, and the command that shows it again.

The rows of a story's table: which steps stand in one row, and what is said of them.

Every step is there, with its number. Consecutive steps in which one process goes on by itself share a row,
`7-9`, if all but the last change nothing that anybody else can see.

What changed is said as `queue: [m1] -> []`. Where that is too long for a line, only what came or went is
said. In the first state, values that are the same for all are said once: `ready[c1, c2][d1 .. d4] = 0`.

A story as a table of plain text: one row a step, with only what the step changed.

Of a model of plain actions:                      Of a model with processes:

    step                what happens                  step   what happens
    -------------------------------------------       ------------------------------------------
    start               waiting[q1] = []              start  queue = []
    1 subscribe(a1)     waiting[q1]: [] -> [a1]       1      producer(p1) sends PUB m1 to queue
    2 ! crash(b1)       up[b1]: True -> False                  queue: [] -> [(PUB m1)]
                                                      2 !    consumer(c1) crashes

A fault is marked by `!`. Program counters are left out (see above). The first column takes what it
needs, up to two fifths of the width; longer text is wrapped in its own column. Of a run without end, the
steps that are repeated stand between two lines that say so. Stories of meshes and histories are in words,
where `!` marks the steps that prove the violation too, and each has its time if there are clocks.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import zip_longest
from textwrap import wrap
from typing import Any

from angarium.checker.explore.addresses import parameters_in
from angarium.checker.export.step_text import action_text, goes_on, others, process_of, step_sentences
from angarium.checker.ir.labels import Fields, Value, brief, restored
from angarium.core.result import Change, State, Step, Story
from angarium.systems.registry import systems

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


# --- told story -----------------------------------------------------------------------------------


def restored_story(story: Story) -> Story:
    """A story that was read from JSON, with records that are told from arrays."""
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


# --- story rows -----------------------------------------------------------------------------------


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


# --- story table ----------------------------------------------------------------------------------


_GAP = "  "
_AGAIN = "from here on the same again, for ever"
_STILL = "nothing more happens: it stays like this for ever"
_Told = Callable[[Row, int], list[str]]


def render(story: Story, width: int = 80) -> str:
    """The story's steps, and what is wrong (or shown) at the end."""
    plain = without_counters(story)
    shown = rows(plain, story.initial)
    by_processes = any(step.actor or step.text for step in plain.steps)
    labels = _numbers(shown) if by_processes else _actions(shown)
    left = min(max(map(len, ["start", *labels])), width * 2 // 5)
    told: _Told = sentences if by_processes else changes
    lines = [f"{'step':<{left}}{_GAP}what happens", "-" * width]
    if plain.initial:
        lines += _cells("start", initial(plain.initial, width - left - len(_GAP)), left, width)
    for row, label in zip(shown, labels, strict=True):
        if row.first - 1 == story.cycle:
            lines += _bar(_AGAIN, width)
        lines += _cells(label, told(row, width - left - len(_GAP)), left, width)
    end = wrap(f"end: {story.summary}", width, subsequent_indent="     ", break_on_hyphens=False)
    return "\n".join([*(line.rstrip() for line in lines), *_bar(_after(story), width), *end])


def _numbers(rows: Sequence[Row]) -> list[str]:
    """The steps' numbers, right-aligned, with a mark where a step is a fault."""
    digits = max((len(row.number) for row in rows), default=1)
    return [f"{row.number:>{digits}}{_mark(row.steps[-1])}" for row in rows]


def _mark(step: Step) -> str:
    """Whether a step is a fault or proves something, and when it was."""
    mark = " !" if step.fault or step.proves else ""
    return mark if step.at is None else f"{mark:<2}  {step.at / 1e9:.3f} s"


def _actions(rows: Sequence[Row]) -> list[str]:
    digits = max((len(row.number) for row in rows), default=1)
    return [f"{row.number:>{digits}} {label(row)}" for row in rows]


def _after(story: Story) -> str:
    """What comes behind the last step of a run without end."""
    if story.cycle is None:
        return ""
    if story.cycle == len(story.steps):
        return _STILL
    return f"back to the state after step {story.cycle}" if story.cycle else "back to the start"


def _bar(text: str, width: int) -> list[str]:
    """A line across the table, with what it says in its middle."""
    return [f"{f' {line} ' if line else '':-^{width}}" for line in wrap(text, width - 6) or [""]]


def _cells(label: str, what: Sequence[str], left: int, width: int) -> Iterator[str]:
    """A row's lines."""
    first = wrap(label, left, subsequent_indent="  ")
    second = [line for text in what for line in _wrapped(text, width - left - len(_GAP))]
    for one, other in zip_longest(first, second, fillvalue=""):
        yield f"{one:<{left}}{_GAP}{other}"


def _wrapped(text: str, width: int) -> Sequence[str]:
    deeper = len(text) - len(text.lstrip()) + 4
    return wrap(text, width, subsequent_indent=" " * deeper, break_on_hyphens=False)
