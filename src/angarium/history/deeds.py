"""What an event says, as a sentence, and from whom to whom it goes in a diagram.

The words are the same for all systems: a consumer *takes* a message, *acknowledges* it or *gives it back*.
What the system itself calls it (`basic.ack`, `FIN`) is in the event.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from angarium.history import schema

Event = Mapping[str, Any]
"""The fields of an event; see `story_events.FIELDS`."""

_SETTLES = {
    "ack": "acknowledges",
    "requeue": "gives back",
    "reject": "rejects",
    "dead_letter": "puts aside",
    "extend": "asks for more time for",
    "none": "does not settle",
}
_NOUNS = {
    "ack": "acknowledgement",
    "requeue": "return",
    "reject": "rejection",
    "dead_letter": "putting aside",
    "extend": "longer time",
    "none": "end",
}
_DETAILS = {
    "order": ("number", "producer_seq"),
    "consistent-offsets": ("offset", "offset"),
    "ownership": ("generation", "generation"),
    "balance": ("generation", "generation"),
    "complete-log": ("number", "seq"),
}
"""The figure of an event that matters to a guarantee, and what it is called."""


@dataclass(frozen=True, slots=True)
class Deed:
    """What somebody does. An arrow from `source` to `target`; without a target it is a note."""

    text: str
    source: str
    target: str | None = None
    failed: bool = False


def is_delivery(event: Event) -> bool:
    """Whether a consumer gets a message."""
    return event["op_type"] in ("receive", "process") and event["phase"] == "ok" and bool(event["message_id"])


def deed(event: Event, place: str) -> Deed:
    """What an event says; `place` is the queue or topic that it is about if it does not say so itself."""
    place = event["destination"] or place
    match event["op_type"]:
        case "send" if event["message_id"]:
            return _send(event, place)
        case "receive" | "process" if is_delivery(event):
            return Deed(f"{event['consumer']} takes {event['message_id']}", place, event["consumer"])
        case "settle" if event["settle"]:
            return _settle(event, place)
        case "group" | "replica" | "control" | "flow":
            return _circumstance(event, place)
        case _:
            return _plain(event)


def detail(event: Event, guarantee: str) -> str:
    """The figure that matters to a guarantee: ` (offset 7)`; empty if the event has none."""
    name, field = _DETAILS.get(guarantee, ("", "seq"))
    return f" ({name} {event[field]})" if name and event[field] is not None else ""


def _send(event: Event, place: str) -> Deed:
    producer, message = event["producer"], event["message_id"]
    match event["phase"]:
        case "invoke":
            return Deed(f"{producer} sends {message}", producer, place)
        case "ok":
            return Deed(f"{place} confirms {message} to {producer}", place, producer)
        case "fail":
            return Deed(f"the send of {message} fails", place, producer, failed=True)
        case _:
            return Deed(f"{producer} does not hear what became of {message}", place, producer, failed=True)


def _settle(event: Event, place: str) -> Deed:
    consumer, what = event["consumer"], event["message_id"] or "what it has"
    if event["phase"] == "invoke":
        later = f", for {event['delay_ms']} ms later" if event["delay_ms"] else ""
        return Deed(f"{consumer} {_SETTLES[event['settle']]} {what}{later}", consumer, place)
    noun = f"the {_NOUNS[event['settle']]} of {what}"
    if event["phase"] == "ok":
        return Deed(f"{place} confirms {noun}", place, consumer)
    return Deed(f"{noun} fails or is in doubt", place, consumer, failed=True)


def _circumstance(event: Event, place: str) -> Deed:
    name, consumer = event["op_name"], event["consumer"]
    allowed = event["prefetch"] if event["credit"] is None else event["credit"]
    match event["op_type"]:
        case "group" if name in schema.ASSIGNS:
            return Deed(f"{consumer} gets {_partitions(event['partitions'])}", place, consumer)
        case "group" if name in schema.REVOKES:
            return Deed(f"{consumer} gives {_partitions(event['partitions'])} up", consumer, place)
        case "replica" if name in schema.STORES:
            return Deed(
                f"{event['broker_id']} stores {event['message_id'] or 'it'}", place, event["broker_id"]
            )
        case "control" if name in schema.SUBSCRIBES:
            within = f", with {allowed} in flight at most" if allowed else ""
            return Deed(f"{consumer} subscribes to {place}{within}", consumer, place)
        case "control" if name in schema.ENDS:
            return Deed(f"{consumer} ends ({name})", consumer)
        case "control" if name in schema.BROKER_CHANGES:
            return Deed(f"{event['broker_id'] or 'a broker'}: {name}", place)
        case _ if allowed is not None:
            return Deed(f"{consumer} allows {allowed} in flight", consumer, place)
        case _:
            return _plain(event)


def _partitions(partitions: Sequence[str] | None) -> str:
    match list(partitions or ()):
        case []:
            return "no partition"
        case [one]:
            return f"partition {one}"
        case many:
            return f"partitions {', '.join(many)}"


def _plain(event: Event) -> Deed:
    in_step = f": in step are {', '.join(event['isr'])}" if event["isr"] else ""
    name = event["op_name"] or event["op_type"]
    return Deed(f"{event['recorder']} notes {name} {event['phase']}{in_step}", event["recorder"])
