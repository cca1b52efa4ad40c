"""A story as a table of plain text: one row a step, with only what the step changed.

    step                what happens
    -------------------------------------------------------------
    start               waiting[q1] = []
    1 subscribe(a1)     waiting[q1]: [] -> [a1]
    2 ! crash(b1)       up[b1]: True -> False

A fault is marked by `!`. Program counters are left out (see `plain_story`), and the steps of a process
are called by what it does: `producer: send link`, not `producer_send_link`. The first column takes what
it needs, up to two fifths of the width; longer text is wrapped in its own column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from textwrap import wrap

from angarium.model.values import show
from angarium.report.plain_story import without_counters
from angarium.verdict import Change, Exchange, Step, Story

_GAP = "  "
_Row = tuple[str, list[str]]


def render(story: Story, width: int = 80) -> str:
    """The story's steps, and what is wrong (or shown) at the end."""
    story = without_counters(story)
    rows = [("start", _initial(story)), *map(_row, _numbers(story), story.steps)]
    left = min(max(len(label) for label, _ in rows), width * 2 // 5)
    lines = [f"{'step':<{left}}{_GAP}what happens", "-" * width]
    for row in rows:
        lines += _cells(row, left, width - left - len(_GAP))
    end = wrap(f"end: {story.summary}", width, subsequent_indent="     ")
    return "\n".join([*(line.rstrip() for line in lines), "-" * width, *end])


def _numbers(story: Story) -> Iterator[str]:
    """The steps' numbers, right-aligned."""
    digits = len(str(len(story.steps)))
    return (f"{number:>{digits}}" for number in range(1, len(story.steps) + 1))


def _initial(story: Story) -> list[str]:
    return [f"{name} = {show(value)}" for name, value in story.initial.items()]


def _row(number: str, step: Step) -> _Row:
    who = f"{step.actor}: " if step.actor else ""
    fault = "! " if step.fault else ""
    exchanges = (each for each in step.exchanges if each.sender or each.receiver)
    what = [*map(_exchange, exchanges), *map(_change, step.changes)]
    nothing = f"{step.actor} goes on" if step.actor and not step.fault else "nothing changes"
    return f"{number} {fault}{who}{_deed(step)}", what or [nothing]


def _deed(step: Step) -> str:
    """What is done, without the name and the arguments of who does it."""
    process, _, instance = (step.actor or "").rstrip(")").partition("(")
    name = step.action
    if process:
        name = name.removeprefix(f"{process}_").removesuffix(f"_{process}")
    if name != step.action:
        name = name.replace("_", " ")
    own = len(instance.split(", ")) if instance else 0
    arguments = list(step.arguments.values())
    others = arguments[own:] if ", ".join(arguments[:own]) == instance else arguments
    return f"{name}({', '.join(others)})" if others else name


def _exchange(exchange: Exchange) -> str:
    value = "" if exchange.value is None else f" {show(exchange.value)}"
    sender, receiver = exchange.sender, exchange.receiver
    if sender and receiver:
        gives = f"gives{value} to" if value else "signals"
        return f"{sender} {gives} {receiver} on {exchange.channel}"
    if sender:
        return f"{sender} sends{value} to {exchange.channel}"
    return f"{receiver} receives{value} from {exchange.channel}"


def _change(change: Change) -> str:
    return f"{change.where}: {show(change.before)} -> {show(change.after)}"


def _cells(row: _Row, left: int, right: int) -> Iterator[str]:
    """A row's lines."""
    label, what = row
    first = wrap(label, left, subsequent_indent="  ")
    second = [line for text in what for line in _wrapped(text, right)]
    for one, other in zip_longest(first, second, fillvalue=""):
        yield f"{one:<{left}}{_GAP}{other}"


def _wrapped(text: str, width: int) -> Sequence[str]:
    return wrap(text, width, subsequent_indent="    ")
