"""Who takes part in a story, and what an arrow or a note of its diagram says, whatever draws it.

Processes are participants, and so is every channel that holds messages: a send goes to the channel, a receive
comes from it, a rendezvous joins two processes. In a model of plain actions the arguments are the
participants; where there are processes too, an argument of a plain action means the process that has it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from angarium.checker.export.wording import happening
from angarium.checker.ir.labels import brief
from angarium.core.result import Exchange, Step, Story

Owners = Mapping[str, str] | None
"""Which process an argument of a plain action means; None in a story without processes."""
_NOBODY = re.compile(r"-?\d+|True|False|None")
"""Arguments that are values and not somebody."""


def participants(story: Story) -> tuple[str, ...]:
    """All who take part, in the order of appearance; the system itself if nobody does."""
    owners = owners_of(story)
    named = dict.fromkeys(name for step in story.steps for name in involved(step, owners))
    return tuple(named) or (story.subject,)


def owners_of(story: Story) -> Owners:
    """The processes by their only argument, where it tells them from all others."""
    acting = {step.actor for step in story.steps}
    acting |= {end for step in story.steps for each in step.exchanges for end in (each.sender, each.receiver)}
    names = sorted(filter(None, acting))
    labels = Counter(_label(name) for name in names)
    return {_label(name): name for name in names if labels[_label(name)] == 1} if names else None


def _label(process: str) -> str:
    return process.partition("(")[2].removesuffix(")")


def involved(step: Step, owners: Owners) -> list[str]:
    """Those whom a step is about."""
    return list(dict.fromkeys(_involved(step, owners)))


def _involved(step: Step, owners: Owners) -> Iterator[str]:
    if step.actor:
        yield step.actor
    for exchange in step.exchanges:
        yield from ends(exchange)
    if not step.actor and not step.exchanges:
        arguments = (each for each in step.arguments.values() if not _NOBODY.fullmatch(each))
        yield from arguments if owners is None else (owners[each] for each in arguments if each in owners)


def ends(exchange: Exchange) -> tuple[str, str]:
    """Whom the arrow connects; the channel stands for a missing end."""
    return exchange.sender or exchange.channel, exchange.receiver or exchange.channel


def content(exchange: Exchange) -> str:
    """What an arrow says: the value, and the channel if it is not one of the arrow's ends."""
    value = "" if exchange.value is None else brief(exchange.value)
    if exchange.sender and exchange.receiver:
        return f"{exchange.channel}({value})"
    return value or exchange.channel


def deed_below(step: Step) -> str:
    """What somebody does; it stands below the name."""
    if not step.actor:
        return call(step)
    return happening(step)[0].removeprefix(step.actor).lstrip(": ")


def call(step: Step) -> str:
    """What happens, in words where it has some, or the action as one would write it."""
    return step.text or f"{step.action}({', '.join(step.arguments.values())})"
