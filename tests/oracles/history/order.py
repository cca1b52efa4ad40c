"""order: first deliveries keep the order in which their producer sent."""

from __future__ import annotations

from collections.abc import Iterable

from angarium.history import schema
from angarium.history.results import Violation
from tests.oracles.history.life import Delivery, Life, grouped
from tests.oracles.history.outcome import Kind, Outcome

INVERSION = Kind("order", "inversion")


def order(life: Life) -> Outcome:
    """No first delivery has a smaller number than one before it in its sequence."""
    judged = [each for each in life.deliveries if each.is_first and _number(life, each) is not None]
    found: list[Violation] = []
    for sequence in grouped(judged, lambda each: _sequence(life, each)).values():
        found += _inversions(life, sequence)
    return Outcome(found, judged=len(judged))


def _sequence(life: Life, delivery: Delivery) -> tuple[object, ...]:
    event, producer = delivery.event, life.sends[delivery.message][0].producer
    consumer = None if life.one_is_active(delivery) else event.consumer
    return (*event.place, event.subscriber, producer, consumer, event.clock_domain)


def _number(life: Life, delivery: Delivery) -> int | None:
    """Its producer_seq, if the message was sent, and sent once."""
    sends = life.sends.get(delivery.message, [])
    invoked = sum(send.phase == "invoke" for send in sends)
    if not sends or delivery.event.system in schema.UNORDERED:
        return None
    if invoked > 1 or any((send.attempt or 1) > 1 for send in sends):
        return None
    own = delivery.event.producer_seq
    return sends[0].producer_seq if own is None else own


def _inversions(life: Life, sequence: list[Delivery]) -> Iterable[Violation]:
    top, largest = sequence[0], _number(life, sequence[0]) or 0
    for delivery in sequence[1:]:
        number = _number(life, delivery) or 0
        if number < largest:
            yield INVERSION.delivered(top.event, delivery.event, measure=number, bound=largest)
        elif number > largest:
            top, largest = delivery, number
