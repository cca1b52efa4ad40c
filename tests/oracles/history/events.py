"""Events as the rules speak of them: with a message, a consumer, a subscriber, and a place in the order.

What clients saw and what a broker saw are two histories: a broker's own events belong to `RUN@broker`. Only
replica events stay with the run, for they say what no client can see.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from angarium.history.parameters import Parameters

Moment = tuple[float, str, float]
"""A place in the order of a history: (time, recorder, seq); an event without a number comes first."""

Message = tuple[str | None, str]
"""Destination and message_id, within one run."""


@dataclass(frozen=True, eq=False)
class Event:
    """One row of the event table; only the columns that some rule asks for."""

    run_id: str
    recorder: str
    time_unix_nano: int
    op_type: str
    phase: str
    seq: int | None = None
    clock_domain: str | None = None
    vantage: str | None = None
    system: str | None = None
    op_name: str | None = None
    message_id: str | None = None
    producer_seq: int | None = None
    attempt: int | None = None
    deduplicated: bool | None = None
    destination: str | None = None
    partition_id: str | None = None
    offset: int | None = None
    subscription: str | None = None
    consumer_group: str | None = None
    broker_id: str | None = None
    client_id: str | None = None
    consumer_id: str | None = None
    delivery_tag: int | None = None
    redelivered: bool | None = None
    delivery_count: int | None = None
    settle: str | None = None
    settle_multiple: bool | None = None
    delay_ms: int | None = None
    credit: int | None = None
    prefetch: int | None = None
    max_deliveries: int | None = None
    ack_wait_ms: int | None = None
    single_active: bool | None = None
    generation: int | None = None
    partitions: tuple[str, ...] | None = None
    isr: tuple[str, ...] | None = None

    @property
    def at(self) -> int:
        return self.time_unix_nano

    @cached_property
    def moment(self) -> Moment:
        return (self.at, self.recorder, float("-inf") if self.seq is None else self.seq)

    @cached_property
    def run(self) -> str:
        """The history that it is audited with."""
        seen_by_broker = self.vantage == "broker" and self.op_type != "replica"
        return f"{self.run_id}@broker" if seen_by_broker else self.run_id

    @cached_property
    def message(self) -> Message | None:
        return None if self.message_id is None else (self.destination, self.message_id)

    @cached_property
    def place(self) -> tuple[str | None, str | None]:
        """Destination and partition."""
        return (self.destination, self.partition_id)

    @cached_property
    def producer(self) -> str:
        return self.client_id or self.recorder

    @cached_property
    def consumer(self) -> str:
        return self.consumer_id or self.client_id or self.recorder

    @cached_property
    def subscriber(self) -> str | None:
        return self.consumer_group or self.subscription or self.destination

    def before(self, other: Event) -> bool:
        return self.moment < other.moment


KNOWN = tuple(field.name for field in fields(Event))


def event(row: Mapping[str, Any]) -> Event:
    """The event of a row of the event table; other columns, and those that are null, are left out."""
    given = {name: row[name] for name in KNOWN if row.get(name) is not None}
    for lists in ("partitions", "isr"):
        if lists in given:
            given[lists] = tuple(given[lists])
    return Event(**given)


def runs(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[Event]]:
    """The events of every run, in the order of the history."""
    found: dict[str, list[Event]] = {}
    for one in sorted(map(event, rows), key=lambda each: each.moment):
        found.setdefault(one.run, []).append(one)
    return found


def tolerance(one: Event, other: Event, parameters: Parameters) -> int:
    """By how much the times of two events may deceive: not at all if they are of one clock."""
    return 0 if one.clock_domain == other.clock_domain else parameters.clock_skew
