"""Why a violation is one, as a sentence: one template for each kind.

A template is text with names in braces, each of which stands for a piece of a `Violation`. Times are of the
day, in UTC. Clocks may differ, so the time between two events is told without its sign.
"""

from __future__ import annotations

from collections.abc import Callable
from string import Formatter

from angarium.history.parameters import MILLISECOND, SECOND
from angarium.history.results import Violation

NOBODY = "?"
"""Said for a name that a history does not tell."""

TEMPLATES: dict[str, str] = {
    "lost": "message {message} was confirmed at {last} and never delivered to {subscriber}",
    "never-sent": "message {message} was delivered to {subscriber} at {last}, and nobody had sent it",
    "failed-send": "message {message} was delivered to {subscriber} at {last}, though its send at {first} "
    "had failed",
    "held": "message {message} was delivered to {consumer} at {last}, {between} after a delivery that was "
    "neither given back nor timed out",
    "after-ack": "message {message} was delivered to {consumer} at {last}, {between} after it was "
    "acknowledged",
    "inversion": "{consumer} got message {message} of {place}, number {measure} of its producer, after "
    "number {bound}",
    "two-values": "message {message} is at offset {measure} of {place}, where another was {between} before",
    "two-offsets": "message {message} of {place} is at offset {measure}, and was at offset {bound} before",
    "nonmonotonic-poll": "{consumer} got offset {measure} of {place} after offset {bound}",
    "skip": "message {message}, at offset {measure} of {place}, was skipped: {consumer} went past it, and "
    "{subscriber} never got it",
    "two-active": "{consumer} got a message of {place} at {last}, {between} after another consumer had "
    "become active",
    "not-assigned": "{consumer} got message {message} of {place} at {last}, and the partition was not its "
    "own",
    "stale-generation": "{consumer} got message {message} of {place} at {last}, {between} after the "
    "partition was given to another in a later generation",
    "over-credit": "{consumer} had {measure} in flight at {last}, where {bound} are allowed",
    "too-many": "message {message} came to {subscriber} as delivery number {measure}, where {bound} are "
    "allowed",
    "late": "message {message} was given back, left behind or timed out, and {subscriber} did not get it "
    "again within {span}",
    "uneven": "an assignment of {subscriber} stood in which one member has {measure} partitions more than "
    "another",
    "not-stored": "message {message} of {place} was confirmed at {last}, before broker {broker}, which was "
    "in step, had stored it",
    "gap": "recorder {recorder} goes on from number {before} to number {after}: {measure} missing",
}  # fmt: skip
"""One sentence for every kind of violation."""


Piece = Callable[[Violation], str]
"""What a name in a template stands for."""


def _name(name: Callable[[Violation], object]) -> Piece:
    def told(violation: Violation) -> str:
        found = name(violation)
        return NOBODY if found is None else str(found)

    return told


def time_of_day(time: int | None) -> str | None:
    """A time as people read it: `10:02:34.757`."""
    if time is None:
        return None
    seconds, rest = divmod(time % (86_400 * SECOND), SECOND)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{rest // MILLISECOND:03d}"


def seconds(nanoseconds: int) -> str:
    """A time span as people read it: `0.012 s`."""
    return f"{nanoseconds // SECOND}.{nanoseconds % SECOND // MILLISECOND:03d} s"


def _span(span: Callable[[Violation], int | None]) -> Piece:
    def told(violation: Violation) -> str | None:
        found = span(violation)
        return None if found is None else seconds(found)

    return _name(told)


def _between(violation: Violation) -> int | None:
    if violation.first_time is None or violation.last_time is None:
        return None
    return abs(violation.last_time - violation.first_time)


def _place(violation: Violation) -> str | None:
    if violation.partition_id is None or violation.destination is None:
        return violation.destination
    return f"{violation.destination}/{violation.partition_id}"


def _consumer(violation: Violation) -> str | None:
    return violation.subscriber if violation.consumer_id is None else violation.consumer_id


PIECES: dict[str, Piece] = {
    "message": _name(lambda v: v.message_id),
    "subscriber": _name(lambda v: v.subscriber),
    "consumer": _name(_consumer),
    "broker": _name(lambda v: v.broker_id),
    "recorder": _name(lambda v: v.last_recorder),
    "place": _name(_place),
    "measure": _name(lambda v: v.measure),
    "bound": _name(lambda v: v.bound),
    "before": _name(lambda v: v.first_seq),
    "after": _name(lambda v: v.last_seq),
    "first": _name(lambda v: time_of_day(v.first_time)),
    "last": _name(lambda v: time_of_day(v.last_time)),
    "between": _span(_between),
    "span": _span(lambda v: v.measure),
}
"""What may stand in a template."""


def explanation(violation: Violation) -> str:
    """The sentence for a violation."""
    names = (name for _, name, _, _ in Formatter().parse(TEMPLATES[violation.kind]) if name)
    return TEMPLATES[violation.kind].format(**{name: PIECES[name](violation) for name in names})
