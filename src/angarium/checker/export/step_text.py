"""A step of a story in words that tables and diagrams share, and who takes part, whatever draws it.

    producer(p1) gives PUB m1 to nsqd(d1) on wire       a rendezvous
    intruder intercepts name(p1) from producer(p1) on wire
    producer(p1) sends m1 to link                       into a buffer
    consumer(c1) receives m1 from link                  out of a buffer
    consumer(c1) goes on                                a process that waited for a condition
    producer(p1): timeout                               ... for one that has a name
    consumer(c1) crashes, link loses m1                 the faults of the language
    deliver(c1)                                         a plain action

The steps of processes are named by the compiler: `producer_send_link`, `crash_consumer`, `lose_link`; those
that would have the same name get the number of their line behind it.

Processes are participants, and so is every channel that holds messages: a send goes to the channel, a
receive comes from it, a rendezvous joins two processes. In a model of plain actions the arguments are the
participants; where there are processes too, an argument of a plain action means the process that has it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from angarium.checker.ir.labels import brief
from angarium.checker.ir.transition import INTRUDER
from angarium.core.result import Exchange, Step, Story

_CHANNEL_FAULTS = {
    "lose": "{channel} loses {value}",
    "duplicate": "{channel} doubles {value}",
    "reorder": "{channel} lets {value} and what is behind it change places",
}
"""What channels do wrong, by the first word of the action."""
_PROCESS_FAULTS = {"crash": "crashes", "restart": "begins again"}
"""What happens to processes."""


def step_sentences(step: Step) -> list[str]:
    """What a step does, in one sentence for each message that it is about."""
    if step.text:
        return [step.text]
    wrong = fault_text(step)
    if wrong:
        return [wrong]
    told = [_exchange(each) for each in step.exchanges if each.sender or each.receiver]
    return told or [_alone(step)]


def fault_text(step: Step) -> str:
    """What a fault of the language does; empty for any other step, and for a fault of the model's own."""
    if not step.fault:
        return ""
    for verb, says in _PROCESS_FAULTS.items():
        if step.actor and _is_called(step, f"{verb}_{process_of(step)}"):
            return f"{step.actor} {says}"
    pairs = ((verb, exchange) for verb in _CHANNEL_FAULTS for exchange in step.exchanges)
    found = ((v, e) for v, e in pairs if _is_called(step, f"{v}_{e.channel.partition('[')[0]}"))
    return next((_channel_fault(verb, exchange) for verb, exchange in found), "")


def goes_on(step: Step) -> bool:
    """Whether a process only went on by itself, from an `until` that has no name."""
    return step.actor is not None and _is_called(step, f"{process_of(step)}_until")


def process_of(step: Step) -> str:
    """The name of the process that does the step, without its arguments."""
    return (step.actor or "").partition("(")[0]


def action_text(step: Step) -> str:
    """What is done, without the name and the arguments of who does it."""
    process, name = process_of(step), step.action
    if process:
        name = name.removeprefix(f"{process}_").removesuffix(f"_{process}")
    if name != step.action:
        name = re.sub(r"(_\d+)+$", "", name).replace("_", " ")
    arguments = ", ".join(others(step))
    return f"{name}({arguments})" if arguments else name


def others(step: Step) -> Sequence[str]:
    """The arguments that do not say who acts."""
    instance = (step.actor or "").rstrip(")").partition("(")[2]
    own = len(instance.split(", ")) if instance else 0
    arguments = list(step.arguments.values())
    return arguments[own:] if ", ".join(arguments[:own]) == instance else arguments


def _is_called(step: Step, name: str) -> bool:
    return re.fullmatch(rf"{re.escape(name)}(_\d+)*", step.action) is not None


def _alone(step: Step) -> str:
    if not step.actor:
        return action_text(step)
    if not goes_on(step):
        return f"{step.actor}: {action_text(step)}"
    choices = ", ".join(others(step))
    return f"{step.actor} goes on (choice {choices})" if choices else f"{step.actor} goes on"


def _channel_fault(verb: str, exchange: Exchange) -> str:
    value = "a message" if exchange.value is None else brief(exchange.value)
    if exchange.sender:  # without a buffer: nobody receives what was given
        return f"{exchange.channel} loses {value} from {exchange.sender}"
    return _CHANNEL_FAULTS[verb].format(channel=exchange.channel, value=value)


def _exchange(exchange: Exchange) -> str:
    value = "" if exchange.value is None else f" {brief(exchange.value)}"
    sender, receiver = exchange.sender, exchange.receiver
    if receiver == INTRUDER:
        return f"{receiver} intercepts{value} from {sender} on {exchange.channel}"
    if sender and receiver:
        gives = f"gives{value} to" if value else "signals"
        return f"{sender} {gives} {receiver} on {exchange.channel}"
    if sender:
        return f"{sender} sends{value} to {exchange.channel}"
    return f"{receiver} receives{value} from {exchange.channel}"


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


def action_below(step: Step) -> str:
    """What somebody does; it stands below the name."""
    if not step.actor:
        return call(step)
    return step_sentences(step)[0].removeprefix(step.actor).lstrip(": ")


def call(step: Step) -> str:
    """What happens, in words where it has some, or the action as one would write it."""
    return step.text or f"{step.action}({', '.join(step.arguments.values())})"
