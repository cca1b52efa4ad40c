"""A story as a Mermaid sequence diagram.

Who takes part is as in `step_text`. A send is an arrow to the channel, a receive an arrow from it, a
rendezvous an arrow between two processes; a plain action is an arrow from its first argument to the
second, or a note if there is only one. Faults stand on a red ground, and what is repeated for ever in a loop.

Mermaid's text has traps: `;` and a line break end a statement, `#` begins an entity, `<` begins
HTML, and the word `end` closes a block. All of them are written as entities.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

from angarium.checker.export.step_text import (
    Owners,
    action_below,
    call,
    content,
    ends,
    fault_text,
    involved,
    owners_of,
    participants,
)
from angarium.core.result import Exchange, Step, Story

_ENTITIES = {"#": "#35;", ";": "#59;", "<": "#lt;", ">": "#gt;", "\n": "<br/>"}
_STILL = "nothing more happens:\nit stays like this for ever"


NOTE = 50
"""How many characters a line of the last note has: Mermaid does not break lines by itself."""


def render(story: Story) -> str:
    """The source of the diagram."""
    cast = _cast(story)
    lines_of_note = (wrap(line, NOTE, break_on_hyphens=False) for line in story.summary.splitlines())
    summary = "<br/>".join(legible(part) for parts in lines_of_note for part in parts)
    lines = [f"participant {key} as {legible(name)}" for name, key in cast.keys.items()]
    lines += [*_steps(story, cast), f"Note over {cast.span}: {summary}"]
    return "\n".join(["sequenceDiagram", *_indented(lines), ""])


# --- who takes part -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Cast:
    """The participants, each with its key."""

    keys: Mapping[str, str]
    owners: Owners

    @property
    def span(self) -> str:
        """From the first to the last."""
        first, *_, last = *self.keys.values(), *self.keys.values()
        return ",".join(dict.fromkeys((first, last)))

    def of(self, step: Step) -> list[str]:
        """The keys of those whom a step is about."""
        return [self.keys[name] for name in involved(step, self.owners)]


def _cast(story: Story) -> _Cast:
    """A short key for each participant, in the order of appearance."""
    keys = {name: f"P{number}" for number, name in enumerate(participants(story), 1)}
    return _Cast(keys, owners_of(story))


# --- steps ----------------------------------------------------------------------------------


def _steps(story: Story, cast: _Cast) -> list[str]:
    """All steps; those that are repeated in a loop, and a note where the run stands still for ever."""
    told = [_framed(step, list(_step(step, cast))) for step in story.steps]
    before = [line for lines in told[: story.cycle] for line in lines]
    if story.cycle is None:
        return before
    again = [line for lines in told[story.cycle :] for line in lines]
    if not again:
        return [*before, f"Note over {cast.span}: {legible(_STILL)}"]
    return [*before, "loop for ever", *_indented(again), "end"]


def _step(step: Step, cast: _Cast) -> Iterator[str]:
    fault = "fault: " if step.fault else ""
    if step.exchanges:
        yield from (_arrow(step, exchange, cast) for exchange in step.exchanges)
        return
    match cast.of(step):
        case [first, second, *_] if not step.actor:
            yield f"{first}{'-x' if step.fault else '->>'}{second}: {legible(fault + call(step))}"
        case [first, *_]:
            yield f"Note over {first}: {legible(fault + action_below(step))}"
        case _:
            yield f"Note over {cast.span}: {legible(fault + call(step))}"


def _arrow(step: Step, exchange: Exchange, cast: _Cast) -> str:
    """An arrow with what goes along it; what a channel does wrong with its own contents is a note."""
    sender, receiver = (cast.keys[end] for end in ends(exchange))
    wrong = fault_text(step)
    if wrong and sender == receiver:
        return f"Note over {sender}: {legible(f'fault: {wrong}')}"
    if wrong:
        return f"{sender}-x{receiver}: {legible(f'fault: {wrong}')}"
    return f"{sender}->>{receiver}: {legible(('fault: ' if step.fault else '') + content(exchange))}"


def _framed(step: Step, lines: list[str]) -> list[str]:
    return ["rect rgb(255, 224, 224)", *_indented(lines), "end"] if step.fault else lines


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def legible(text: str) -> str:
    """Text that Mermaid reads as text."""
    escaped = "".join(_ENTITIES.get(character, character) for character in text)
    return re.sub(r"\bend\b", "#101;nd", escaped)
