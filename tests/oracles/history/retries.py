"""bounded-retries and redelivery-time: not too often, and not too late."""

from __future__ import annotations

from angarium.history.parameters import MILLISECOND
from angarium.history.results import Violation
from tests.oracles.history.events import Event
from tests.oracles.history.life import FOREVER, Delivery, Life, grouped
from tests.oracles.history.outcome import Kind, Outcome

TOO_MANY = Kind("bounded-retries", "too-many")
LATE = Kind("redelivery-time", "late")


def bounded_retries(life: Life) -> Outcome:
    """No message is delivered to a subscriber more often than allowed."""
    found = []
    limited = [each for each in life.deliveries if life.retry_limit(each.event) is not None]
    for deliveries in grouped(limited, lambda each: (each.message, each.event.subscriber)).values():
        limit = life.retry_limit(deliveries[0].event)
        assert limit is not None
        for delivery in [each for each in deliveries if each.count > limit][:1]:
            found.append(
                TOO_MANY.delivered(deliveries[0].event, delivery.event, measure=delivery.count, bound=limit)
            )
    return Outcome(found, judged=len(limited), unjudged=len(life.deliveries) - len(limited))


def redelivery_time(life: Life) -> Outcome:
    """What was given back or left behind comes again in time."""
    if life.is_silent or not life.settles_anything:
        return Outcome([], judged=0, unjudged=len(life.deliveries))
    of_reader = grouped(life.deliveries, lambda each: each.reader)
    owed = [(each, due) for each in life.deliveries if (due := _due(life, each))]
    judged = [(each, due) for each, due in owed if _is_judged(life, each, due[0])]
    found = [
        violation
        for each, (due, cause) in judged
        if (violation := _late(life, each, due, cause, of_reader[each.reader]))
    ]
    return Outcome(found, judged=len(judged), unjudged=len(owed) - len(judged))


def _due(life: Life, delivery: Delivery) -> tuple[int, Event] | None:
    """When a delivery must come again, and why; None if it need not."""
    limit = life.retry_limit(delivery.event)
    if delivery.settled("ack", "reject", "dead_letter") or (limit is not None and delivery.count >= limit):
        return None
    causes = _causes(life, delivery)
    when, cause = min(causes, key=lambda each: each[0], default=(0, None))
    if cause is None:
        return None
    return when + (cause.delay_ms or 0) * MILLISECOND, cause


def _causes(life: Life, delivery: Delivery) -> list[tuple[int, Event]]:
    """Its requeue, its consumer's end and its timeout: each with its time and event.

    An `extend` that came late may have counted: the broker may take the time that it gives.
    """
    timeout = life.message_timeout(delivery.event)
    causes = [(requeue.at, requeue) for requeue in delivery.settled("requeue")[:1]]
    if delivery.end:
        causes.append((delivery.end.at, delivery.end))
    if timeout is not None and timeout != FOREVER:
        started = max([delivery.event.at, *(extend.at for extend in delivery.settled("extend"))])
        causes.append((started + int(timeout), delivery.event))
    return causes


def _next(life: Life, delivery: Delivery) -> Delivery | None:
    """The message's next delivery to the subscriber."""
    later = life.of_reader[delivery.message, delivery.event.subscriber][delivery.number :]
    return later[0] if later else None


def _is_judged(life: Life, delivery: Delivery, due: int) -> bool:
    return due + life.parameters.redelivery_within <= life.end or _next(life, delivery) is not None


def _late(life: Life, delivery: Delivery, due: int, cause: Event, others: list[Delivery]) -> Violation | None:
    event, again = delivery.event, _next(life, delivery)
    deadline = due + life.parameters.redelivery_within
    alike = life.of_reader[delivery.message, event.subscriber]
    acknowledged = any(ack.at <= deadline for each in alike for ack in each.settled("ack"))
    if acknowledged or (again is not None and again.event.at <= deadline):
        return None
    if not any(due <= other.event.at <= deadline for other in others):
        return None
    return LATE.violation(
        event, cause, event, found_at=deadline, subscriber=event.subscriber, consumer=event.consumer,
        measure=life.parameters.redelivery_within,
    )  # fmt: skip
