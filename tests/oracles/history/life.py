"""What happened in a run: sends, deliveries with their settles and their consumer's end, declarations.

This is the page's section *Words*. The rules proper ask only these.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TypeVar

from angarium.history import schema
from angarium.history.parameters import MILLISECOND, Parameters
from tests.oracles.history.events import Event, Message, tolerance

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

FOREVER = float("inf")
CLOSING = ("ack", "requeue", "reject", "dead_letter")
"""What ends a delivery; `extend` and `none` leave it open."""


@dataclass(eq=False)
class Delivery:
    """A delivery: its event, the settles that belong to it (in order), and its consumer's end."""

    event: Event
    number: int
    """Its place among the deliveries of the message to the subscriber, from 1 on."""
    settles: list[Event] = field(default_factory=list)
    refusals: list[Event] = field(default_factory=list)
    """Answers that a settle failed, or that nobody knows what became of it."""
    end: Event | None = None
    """What ended its consumer: the first such event after it."""

    @property
    def message(self) -> Message:
        assert self.event.message is not None
        return self.event.message

    @property
    def reader(self) -> tuple[str | None, str | None]:
        """The subscriber of the destination."""
        return (self.event.destination, self.event.subscriber)

    @property
    def count(self) -> int:
        """The broker's own count of it, or its number if that is larger."""
        return max(self.number, self.event.delivery_count or 0)

    @property
    def is_first(self) -> bool:
        """The first of its message to its subscriber, and the broker does not say that it is another."""
        marked = self.event.redelivered or (self.event.delivery_count or 0) > 1
        return self.number == 1 and not marked

    def settled(self, *ways: str) -> list[Event]:
        return [settle for settle in self.settles if settle.settle in ways]

    def is_open(self) -> bool:
        return not self.settled(*CLOSING)


class Life:
    """A run's events and what they amount to."""

    def __init__(
        self, run_id: str, events: Sequence[Event], parameters: Parameters, beside: Sequence[Event] = ()
    ) -> None:
        """`beside`: what was seen of the same run from the other side, by clients or by a broker."""
        self.run_id = run_id
        self.events = events
        self.parameters = parameters
        self.beside = beside

    @cached_property
    def end(self) -> int:
        return max(event.at for event in self.events) + self.parameters.clock_skew

    def tolerance(self, one: Event, other: Event) -> int:
        return tolerance(one, other, self.parameters)

    def may_strike(self, trouble: Event, one: Event) -> bool:
        """Whether an end or a change may have come after an event; who kills says so a little before."""
        return one.at <= trouble.at + self.tolerance(one, trouble) + self.parameters.grace

    def certainly_precedes(self, one: Event, other: Event) -> bool:
        """Whether the one event came before the other: in order, and by more than clocks may differ."""
        tolerance = self.tolerance(one, other)
        return one.at + tolerance < other.at if tolerance else one.before(other)

    # --- sends ------------------------------------------------------------------------------------

    @cached_property
    def sends(self) -> dict[Message, list[Event]]:
        """All send events of each message."""
        return grouped((e for e in self.events if e.op_type == "send" and e.message), lambda e: e.message)

    def confirmation(self, message: Message) -> Event | None:
        return next((send for send in self.sends.get(message, ()) if send.phase == "ok"), None)

    # --- deliveries and what became of them -------------------------------------------------------

    @cached_property
    def deliveries(self) -> list[Delivery]:
        """All deliveries in order, with their settles and ends."""
        events = list(self._delivery_events())
        numbers: dict[object, int] = defaultdict(int)
        found = []
        for event in events:
            numbers[event.message, event.subscriber] += 1
            found.append(Delivery(event, numbers[event.message, event.subscriber]))
        self._settle(found)
        for delivery in found:
            delivery.end = self._end_of(delivery.event)
        return found

    def _delivery_events(self) -> Iterable[Event]:
        """`receive` ok; `process` ok, unless the event before of that message and consumer is a `receive`."""
        last: dict[object, str] = {}
        for event in self.events:
            if event.op_type in ("receive", "process") and event.phase == "ok" and event.message:
                before = last.get((event.message, event.consumer))
                last[event.message, event.consumer] = event.op_type
                if event.op_type == "receive" or before != "receive":
                    yield event

    def _settle(self, deliveries: Sequence[Delivery]) -> None:
        """Give each settle to its deliveries."""
        of_consumer = grouped(deliveries, lambda delivery: delivery.event.consumer)
        of_message = grouped(deliveries, lambda delivery: (delivery.event.message, delivery.event.consumer))
        for event in self.events:
            if event.op_type == "settle" and event.settle is not None:
                if event.settle_multiple and event.delivery_tag is not None and event.settle in CLOSING:
                    candidates = of_consumer.get(event.consumer, ())
                    given = [each for each in candidates if _is_included(each, event) and each.is_open()]
                else:
                    same = of_message.get((event.message, event.consumer), ())
                    given = [each for each in same if each.event.before(event)][-1:]
                for delivery in given:
                    if event.phase in ("fail", "info"):
                        delivery.refusals.append(event)
                    if event.phase != "fail":
                        delivery.settles.append(event)

    def _end_of(self, event: Event) -> Event | None:
        return next((end for end in self.ends_of(event) if event.before(end)), None)

    def ends_of(self, event: Event) -> list[Event]:
        """All events that end an event's consumer: by its own name, or by its client's with all consumers."""
        of_client = self.endings.get((None, event.client_id), []) if event.client_id else []
        of_consumer = self.endings.get((event.consumer, None), [])
        return sorted([*of_client, *of_consumer], key=lambda end: end.moment)

    @cached_property
    def endings(self) -> dict[tuple[str | None, str | None], list[Event]]:
        """Ends of consumers, by (consumer_id, None), and of clients, by (None, client_id)."""
        ends = (e for e in self.control(schema.ENDS) if e.consumer_id or e.client_id)
        return grouped(ends, lambda e: (e.consumer_id, None if e.consumer_id else e.client_id))

    @cached_property
    def of_reader(self) -> dict[tuple[Message, str | None], list[Delivery]]:
        """The deliveries of each message to each subscriber."""
        return grouped(self.deliveries, lambda each: (each.message, each.event.subscriber))

    @cached_property
    def of_message(self) -> dict[Message, list[Delivery]]:
        return grouped(self.deliveries, lambda each: each.message)

    @cached_property
    def first_known(self) -> dict[tuple[str | None, str | None], Delivery]:
        """The first delivery to each subscriber of a message whose send is in the history."""
        known = [delivery for delivery in self.deliveries if delivery.message in self.sends]
        return {delivery.reader: delivery for delivery in reversed(known)}

    # --- control ----------------------------------------------------------------------------------

    def control(self, names: Sequence[str]) -> list[Event]:
        return [
            event
            for event in self.events
            if event.op_type == "control" and event.phase != "fail" and event.op_name in names
        ]

    @cached_property
    def broker_changes(self) -> list[Event]:
        return self.control(schema.BROKER_CHANGES)

    @cached_property
    def moves(self) -> dict[str, list[Event]]:
        """Assignments and revocations of each group."""
        names = (*schema.ASSIGNS, *schema.REVOKES)
        moves = (e for e in self.events if e.op_type == "group" and e.phase != "fail" and e.op_name in names)
        return grouped(moves, lambda event: event.consumer_group)

    def changes(self, delivery: Delivery) -> list[Event]:
        """What may make a broker forget who holds a message: brokers' changes, and its group's new shares."""
        return [*self.broker_changes, *self.moves.get(delivery.event.consumer_group or "", ())]

    @cached_property
    def attached(self) -> bool:
        """Whether a recorder attached to a running system."""
        return bool(self.control([schema.RECORDING_BEGINS]))

    @cached_property
    def subscriptions(self) -> list[Event]:
        return [event for event in self.control(schema.SUBSCRIBES) if event.destination is not None]

    @cached_property
    def declarations(self) -> dict[str, list[Event]]:
        """What control events say of each destination."""
        said = (e for e in self.events if e.op_type == "control" and e.destination is not None)
        return grouped(said, lambda event: event.destination)

    @cached_property
    def is_silent(self) -> bool:
        """Whether nobody wrote down what consumers settle, so that a requeue may have gone unseen."""
        return not self._settle_events and self._systems != {"kafka"}

    @property
    def settles_anything(self) -> bool:
        """Whether somebody wrote down what consumers settle: of Kafka's, what they commit."""
        return bool(self._settle_events)

    @cached_property
    def acknowledges(self) -> bool:
        """Whether somebody acknowledges something."""
        return any(settle.settle == "ack" for settle in self._settle_events)

    @cached_property
    def _settle_events(self) -> list[Event]:
        return [
            e for e in self.events if e.op_type == "settle" and e.phase != "fail" and e.settle is not None
        ]

    def message_timeout(self, event: Event) -> float | None:
        """That of an event's subscriber, in nanoseconds; FOREVER if there is none; None if nobody knows."""
        if self.parameters.message_timeout is not None:
            return self.parameters.message_timeout
        if waits := [said.ack_wait_ms for said in self._said_of(event) if said.ack_wait_ms is not None]:
            return max(waits) * MILLISECOND
        return FOREVER if self._systems and self._systems <= set(schema.TIMERLESS) else None

    def _said_of(self, event: Event) -> list[Event]:
        """The control events that concern an event's subscriber."""
        return [said for said in self.declarations.get(event.destination or "", ()) if concerns(said, event)]

    def timer(self, delivery: Delivery, until: Event | None = None) -> int:
        """When a delivery's timeout was started: by itself, or by its last `extend` in time before an event.

        One that is later may reach the broker when the message has been taken back already.
        """
        timeout, started = self.message_timeout(delivery.event), delivery.event.at
        assert timeout is not None
        for extend in delivery.settled("extend"):
            is_meant = until is None or extend.before(until)
            if is_meant and extend.at <= started + timeout - self.parameters.grace:
                started = extend.at
        return started

    @cached_property
    def _systems(self) -> set[str]:
        return {event.system for event in self.events if event.system is not None}

    def retry_limit(self, event: Event) -> int | None:
        """How often a message may be delivered to an event's subscriber; None if that is not said."""
        if self.parameters.retry_limit is not None:
            return self.parameters.retry_limit
        said = [each.max_deliveries for each in self._said_of(event)]
        return max((limit for limit in said if limit is not None), default=None)

    def is_single_active(self, destination: str | None) -> bool:
        declared = any(event.single_active for event in self.declarations.get(destination or "", ()))
        return declared or any(fnmatchcase(destination or "", each) for each in self.parameters.single_active)

    def one_is_active(self, delivery: Delivery) -> bool:
        """Whether one consumer at a time is active where it was delivered."""
        return is_grouped(delivery) or self.is_single_active(delivery.event.destination)


def _is_included(delivery: Delivery, settle: Event) -> bool:
    """Whether it is one of the deliveries that a settle of several means: with tag 0, all before it."""
    tag, limit = delivery.event.delivery_tag, settle.delivery_tag
    is_meant = limit == 0 or (tag is not None and limit is not None and tag <= limit)
    return is_meant and delivery.event.before(settle)


def concerns(control: Event, event: Event) -> bool:
    """Whether a control event of a destination is about an event's subscriber: it names it, or nobody."""
    named = control.consumer_group or control.subscription
    return control.destination == event.destination and named in (None, event.subscriber)


def is_grouped(delivery: Delivery) -> bool:
    """Whether it comes from a partition that a group reads."""
    return delivery.event.consumer_group is not None and delivery.event.partition_id is not None


def grouped(things: Iterable[T], key: Callable[[T], K | None]) -> dict[K, list[T]]:
    """Things by key, each group in the order given; things whose key is None are left out."""
    found: dict[K, list[T]] = defaultdict(list)
    for thing in things:
        if (of := key(thing)) is not None:
            found[of].append(thing)
    return dict(found)
