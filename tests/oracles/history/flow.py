"""flow-control: never more in flight than was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise

from angarium.history.results import Violation
from tests.oracles.history.events import Event, Message, Moment
from tests.oracles.history.life import CLOSING, Delivery, Life, concerns, grouped
from tests.oracles.history.outcome import Kind, Outcome

UNLIMITED = 2**63 - 1
"""What a prefetch of 0 allows."""
OVER_CREDIT = Kind("flow-control", "over-credit")


def flow_control(life: Life) -> Outcome:
    """Limits of consumers, and limits of subscribers."""
    known = [each for each in life.deliveries if life.message_timeout(each.event) is not None]
    found: list[Violation] = []
    judged: set[int] = set()
    if life.is_silent:
        return Outcome([], judged=0, unjudged=len(life.deliveries))
    for deliveries in grouped(known, lambda each: each.event.consumer).values():
        found += _exceeded(life, deliveries, _of(_consumer_credits(life), deliveries[0]), True, judged)
    for deliveries in grouped(known, lambda each: each.reader).values():
        if len({each.event.clock_domain for each in deliveries}) == 1:  # no clock could tell how many at once
            found += _exceeded(life, deliveries, _of(_subscriber_credits(life), deliveries[0]), False, judged)
    return Outcome(found, judged=len(judged), unjudged=len(life.deliveries) - len(judged))


Credit = tuple[Callable[[Delivery], bool], Event, int]
"""For which deliveries it is, the event that sets it, and how many."""


def _consumer_credits(life: Life) -> list[Credit]:
    """Set by flow events with a credit, and by subscribing events with a credit or a prefetch."""
    found: list[Credit] = []
    for event in life.events:
        if event.op_type == "flow" and event.phase != "fail" and event.credit is not None:
            found.append((_of_consumer(event), event, event.credit))
    for event in life.subscriptions:
        limit = event.prefetch if event.credit is None else event.credit
        if limit is not None:
            is_unlimited = event.credit is None and limit == 0
            found.append((_of_consumer(event), event, UNLIMITED if is_unlimited else limit))
    return sorted(found, key=lambda credit: credit[1].moment)


def _of_consumer(event: Event) -> Callable[[Delivery], bool]:
    return lambda delivery: delivery.event.consumer == event.consumer


def _subscriber_credits(life: Life) -> list[Credit]:
    """Set by control events that name a destination and a credit, but neither a client nor a consumer."""
    return [
        (_of_subscriber(event), event, event.credit)
        for events in life.declarations.values()
        for event in events
        if event.phase != "fail" and event.credit is not None
        if event.client_id is None and event.consumer_id is None
    ]


def _of_subscriber(event: Event) -> Callable[[Delivery], bool]:
    return lambda delivery: concerns(event, delivery.event)


def _of(credits_set: list[Credit], delivery: Delivery) -> list[tuple[Event, int]]:
    return [(event, value) for is_meant, event, value in credits_set if is_meant(delivery)]


def _exceeded(
    life: Life,
    deliveries: list[Delivery],
    limits: list[tuple[Event, int]],
    names_consumer: bool,
    judged: set[int],
) -> Iterable[Violation]:
    in_flight: dict[Message, Moment] = {}
    """Until when each message is: one that comes again is still one message."""
    for delivery in deliveries:
        event = delivery.event
        in_flight = {message: until for message, until in in_flight.items() if until > event.moment}
        until, limit = _until(life, delivery, names_consumer), _limit(life, limits, event)
        if until > event.moment:  # else it was over before it came
            in_flight[delivery.message] = until
        if limit is None:
            continue
        judged.add(id(delivery))
        if until > event.moment and len(in_flight) > limit[1]:
            yield OVER_CREDIT.violation(
                limit[0], event, event, subscriber=event.subscriber,
                consumer=event.consumer if names_consumer else None,
                measure=len(in_flight), bound=limit[1],
            )  # fmt: skip


def _limit(life: Life, limits: list[tuple[Event, int]], event: Event) -> tuple[Event, int] | None:
    """The credit in force, and how many it allows: at least what was allowed within the grace before."""
    before = [(credit, value) for credit, value in limits if credit.before(event)]
    if not before:
        return None
    since = event.at - life.parameters.grace
    replaced = [value for (_, value), (by, _) in pairwise(before) if by.at >= since]
    return before[-1][0], max([before[-1][1], *replaced])


def _until(life: Life, delivery: Delivery, names_consumer: bool) -> Moment:
    """When a delivery is in flight no longer: settled, its consumer ended, or timed out.

    Or the message was acknowledged for an earlier delivery, perhaps while this one was on its way: for a
    subscriber's limit by anybody, for a consumer's by that consumer.
    """
    event = delivery.event
    timeout = life.message_timeout(event)
    assert timeout is not None
    alike = life.of_reader[delivery.message, event.subscriber]
    if names_consumer:
        alike = [each for each in alike if each.event.consumer == event.consumer]
    acks = sorted((ack for each in alike for ack in each.settled("ack")), key=lambda ack: ack.moment)
    acknowledged = [ack for ack in acks if ack.at >= event.at - life.parameters.grace][:1]
    ends = [*delivery.settled(*CLOSING)[:1], *([delivery.end] if delivery.end else []), *acknowledged]
    timed_out = (life.timer(delivery) + timeout - life.parameters.grace, "", float("-inf"))
    return min([*(end.moment for end in ends), timed_out])
