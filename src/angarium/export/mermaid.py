"""A story as a Mermaid sequence diagram.

Processes are participants, and so is every channel that holds messages: a send is an arrow to the
channel, a receive an arrow from it, a rendezvous an arrow between two processes. In a model of
plain actions the arguments are the participants: an arrow from the first to the second, or a note
if there is only one. Faults stand on a red ground.

Mermaid's text has traps: `;` and a line break end a statement, `#` begins an entity, `<` begins
HTML, and the word `end` closes a block. All of them are written as entities.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import wrap

from angarium.model.values import show
from angarium.verdict import Exchange, Step, Story

_ENTITIES = {"#": "#35;", ";": "#59;", "<": "#lt;", ">": "#gt;", "\n": "<br/>"}
_NOBODY = re.compile(r"-?\d+|True|False|None")
"""Arguments that are values and not somebody."""


NOTE = 50
"""How many characters a line of the last note has: Mermaid does not break lines by itself."""


def render(story: Story) -> str:
    """The source of the diagram."""
    everybody = _participants(story)
    lines = ["sequenceDiagram"]
    lines += [f"    participant {key} as {_text(name)}" for name, key in everybody.items()]
    for step in story.steps:
        lines += _framed(step, list(_step(step, everybody)))
    keys = list(everybody.values())
    span = ",".join(dict.fromkeys((keys[0], keys[-1])))
    lines_of_note = (part for line in story.summary.splitlines() for part in wrap(line, NOTE))
    summary = "<br/>".join(map(_text, lines_of_note))
    return "\n".join([*lines, f"    Note over {span}: {summary}", ""])


def _participants(story: Story) -> dict[str, str]:
    """A short key for each participant, in the order of appearance."""
    names = dict.fromkeys(name for step in story.steps for name in _involved(step))
    return {name: f"P{number}" for number, name in enumerate(names or (story.subject,), 1)}


def _involved(step: Step) -> Iterator[str]:
    if step.actor:
        yield step.actor
    for exchange in step.exchanges:
        yield from _ends(exchange)
    if not step.actor and not step.exchanges:
        yield from (each for each in step.arguments.values() if not _NOBODY.fullmatch(each))


def _ends(exchange: Exchange) -> tuple[str, str]:
    """Whom the arrow connects; the channel stands for a missing end."""
    return exchange.sender or exchange.channel, exchange.receiver or exchange.channel


def _step(step: Step, everybody: dict[str, str]) -> Iterator[str]:
    fault, call = "fault: " if step.fault else "", _call(step)
    if step.exchanges:
        for exchange in step.exchanges:
            sender, receiver = (everybody[end] for end in _ends(exchange))
            yield f"{sender}->>{receiver}: {_text(fault + _content(exchange))}"
        return
    keys = [everybody[name] for name in dict.fromkeys(_involved(step))]
    match keys:
        case [first, second, *_] if not step.actor:
            yield f"{first}{'-x' if step.fault else '->>'}{second}: {_text(fault + call)}"
        case [first, *_]:
            yield f"Note over {first}: {_text(fault + call)}"
        case _:
            yield f"Note over {next(iter(everybody.values()))}: {_text(fault + call)}"


def _content(exchange: Exchange) -> str:
    """What an arrow says: the value, and the channel if it is not one of the arrow's ends."""
    value = "" if exchange.value is None else show(exchange.value)
    if exchange.sender and exchange.receiver:
        return f"{exchange.channel}({value})"
    return value or exchange.channel


def _call(step: Step) -> str:
    return f"{step.action}({', '.join(step.arguments.values())})"


def _framed(step: Step, lines: list[str]) -> list[str]:
    if not step.fault:
        return [f"    {line}" for line in lines]
    inner = [f"        {line}" for line in lines]
    return ["    rect rgb(255, 224, 224)", *inner, "    end"]


def _text(text: str) -> str:
    """Text that Mermaid reads as text."""
    escaped = "".join(_ENTITIES.get(character, character) for character in text)
    return re.sub(r"\bend\b", "#101;nd", escaped)
