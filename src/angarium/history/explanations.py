"""Why a violation is one, as a sentence: one template for each kind, filled in by Spark or by Python.

A template is text with names in braces. Each name stands for a piece: a Spark SQL expression over a row of
the violations, and beside it the same in Python over a `Violation`. That is all that there is twice.
Times are of the day, in UTC, and are made by arithmetic: Spark's own would depend on the session's time zone.
Clocks may differ, so the time between two events is told without its sign.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from string import Formatter
from typing import TYPE_CHECKING

from angarium.history.parameters import MILLISECOND, SECOND
from angarium.history.results import Violation

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

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


@dataclass(frozen=True, slots=True)
class Piece:
    """What a name in a template stands for, in both languages."""

    sql: str
    plain: Callable[[Violation], str]


def _name(sql: str, plain: Callable[[Violation], str | None]) -> Piece:
    def told(violation: Violation) -> str:
        name = plain(violation)
        return NOBODY if name is None else name

    return Piece(f"coalesce({sql}, '{NOBODY}')", told)


def _number(column: str, plain: Callable[[Violation], int | None]) -> Piece:
    return _name(f"cast({column} AS string)", lambda violation: _as_text(plain(violation)))


def _as_text(number: int | None) -> str | None:
    return None if number is None else str(number)


def time_of_day(time: int | None) -> str | None:
    """A time as people read it: `10:02:34.757`."""
    if time is None:
        return None
    seconds, rest = divmod(time % (86_400 * SECOND), SECOND)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{rest // MILLISECOND:03d}"


def _time(column: str, plain: Callable[[Violation], int | None]) -> Piece:
    day = f"pmod({column}, {86_400 * SECOND})"
    parts = (
        f"{day} div {3600 * SECOND}", f"{day} div {60 * SECOND} % 60", f"{day} div {SECOND} % 60",
        f"{day} div {MILLISECOND} % 1000",
    )  # fmt: skip
    said = f"if({column} IS NULL, NULL, format_string('%02d:%02d:%02d.%03d', {', '.join(parts)}))"
    return _name(said, lambda violation: time_of_day(plain(violation)))


def seconds(nanoseconds: int) -> str:
    """A time span as people read it: `0.012 s`."""
    return f"{nanoseconds // SECOND}.{nanoseconds % SECOND // MILLISECOND:03d} s"


def _span(sql: str, plain: Callable[[Violation], int | None]) -> Piece:
    parts = f"{sql} div {SECOND}, {sql} % {SECOND} div {MILLISECOND}"
    said = f"if({sql} IS NULL, NULL, format_string('%d.%03d s', {parts}))"

    def told(violation: Violation) -> str | None:
        span = plain(violation)
        return None if span is None else seconds(span)

    return _name(said, told)


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
    "message": _name("message_id", lambda v: v.message_id),
    "subscriber": _name("subscriber", lambda v: v.subscriber),
    "consumer": _name("coalesce(consumer_id, subscriber)", _consumer),
    "broker": _name("broker_id", lambda v: v.broker_id),
    "recorder": _name("last_recorder", lambda v: v.last_recorder),
    "place": _name("coalesce(concat(destination, '/', partition_id), destination)", _place),
    "measure": _number("measure", lambda v: v.measure),
    "bound": _number("bound", lambda v: v.bound),
    "before": _number("first_seq", lambda v: v.first_seq),
    "after": _number("last_seq", lambda v: v.last_seq),
    "first": _time("first_time", lambda v: v.first_time),
    "last": _time("last_time", lambda v: v.last_time),
    "between": _span("abs(last_time - first_time)", _between),
    "span": _span("measure", lambda v: v.measure),
}
"""What may stand in a template."""


def explained(violations: DataFrame) -> DataFrame:
    """The violations with their explanation: the columns of `tables.EXPLAINED`."""
    from pyspark.sql import functions as f

    told = f.lit(None).cast("string")
    for kind, template in TEMPLATES.items():
        told = f.when(f.col("kind") == kind, _filled(template)).otherwise(told)
    return violations.withColumn("explanation", told)


def _filled(template: str) -> Column:
    from pyspark.sql import functions as f

    parts: list[Column] = []
    for text, name, _, _ in Formatter().parse(template):
        parts += [f.lit(text), *([f.expr(PIECES[name].sql)] if name else [])]
    return f.concat(*parts)


def explanation(violation: Violation) -> str:
    """The same sentence in plain Python."""
    names = (name for _, name, _, _ in Formatter().parse(TEMPLATES[violation.kind]) if name)
    return TEMPLATES[violation.kind].format(**{name: PIECES[name].plain(violation) for name in names})
