"""no-duplicates and duplicates-after-ack: nothing is delivered twice without a cause, nor after its end.

A message comes again for a reason, or because its acknowledgement never reached the broker. Where a client's
word is not confirmed, only an acknowledgement beyond doubt is held against the broker.
"""

from __future__ import annotations

from collections.abc import Iterable

from angarium.history.results import Violation
from tests.oracles.history.events import Event
from tests.oracles.history.life import Delivery, Life
from tests.oracles.history.outcome import Kind, Outcome

HELD = Kind("no-duplicates", "held")
AFTER_ACK = Kind("duplicates-after-ack", "after-ack")
ACKS = 64
"""So many acknowledgements of a message to a subscriber are looked at."""


def no_duplicates(life: Life) -> Outcome:
    """A delivery again needs a cause, if the one before is not acknowledged."""
    found = [
        _again(HELD, life, earlier[-1].event, again)
        for earlier, again in _repeats(life)
        if not acknowledgement_in_force(life, earlier, again)
        and life.certainly_precedes(earlier[-1].event, again.event)
        and not _cause(life, earlier[-1], again)
        and not any(ack.before(again.event) for ack in earlier[-1].settled("ack"))
    ]
    return Outcome(found, *_judged(life))


def duplicates_after_ack(life: Life) -> Outcome:
    """What was acknowledged is not delivered again."""
    found = [
        _again(AFTER_ACK, life, ack, again)
        for earlier, again in _repeats(life)
        if (ack := acknowledgement_in_force(life, earlier, again))
    ]
    judged, unjudged = _judged(life)
    return Outcome(found, judged, unjudged) if life.acknowledges else Outcome([], 0, judged + unjudged)


def _again(kind: Kind, life: Life, first: Event, again: Delivery) -> Violation:
    return kind.delivered(first, again.event, again.event.at + life.parameters.clock_skew)


def _judged(life: Life) -> tuple[int, int]:
    known = [each for each in life.deliveries if _is_known(life, each)]
    return len(known), len(life.deliveries) - len(known)


def _is_known(life: Life, delivery: Delivery) -> bool:
    """Whether it can be known if a delivery was given back: by its consumer, or after some time."""
    return not life.is_silent and life.message_timeout(delivery.event) is not None


def _repeats(life: Life) -> Iterable[tuple[list[Delivery], Delivery]]:
    """Every delivery that is not the first, with all before it, where the message timeout is known."""
    for deliveries in life.of_reader.values():
        if _is_known(life, deliveries[0]):
            for place in range(1, len(deliveries)):
                yield deliveries[:place], deliveries[place]


def acknowledgement_in_force(life: Life, earlier: list[Delivery], again: Delivery) -> Event | None:
    """The earliest acknowledgement of any earlier delivery that the broker must have had."""
    alike = life.of_reader[again.message, again.event.subscriber]
    acks = sorted((ack for each in alike for ack in each.settled("ack")), key=lambda ack: ack.moment)
    found = {ack for delivery in earlier for ack in _in_force(life, delivery, again.event)}
    return next((ack for ack in acks[:ACKS] if ack in found), None)


def _in_force(life: Life, delivery: Delivery, again: Event) -> list[Event]:
    """The acknowledgements of a delivery in force: its confirmations if there are any, else its words."""
    acks = [ack for ack in delivery.settled("ack") if _has_arrived(life, ack, again)]
    confirmed = [ack for ack in acks if ack.phase == "ok"]
    said = [ack for ack in acks if ack.phase == "invoke" and _is_beyond_doubt(life, delivery, ack, again)]
    return confirmed or said


def _has_arrived(life: Life, ack: Event, again: Event) -> bool:
    """Whether it was said so long before that the delivery cannot have been under way already."""
    return ack.at + life.tolerance(ack, again) + life.parameters.grace <= again.at


def _is_beyond_doubt(life: Life, delivery: Delivery, ack: Event, again: Event) -> bool:
    """Whether an acknowledgement that nobody confirmed came in time, and nothing came between.

    One that follows a requeue of its delivery may be meant for an earlier one, which is over.
    """
    timeout = life.message_timeout(delivery.event)
    assert timeout is not None
    was_in_time = ack.at <= life.timer(delivery, ack) + timeout - life.parameters.grace
    troubles = [*life.changes(delivery), *life.ends_of(delivery.event)]
    troubled = any(_casts_doubt(life, trouble, ack, again) for trouble in troubles)
    refused = any(ack.before(each) and each.before(again) for each in delivery.refusals)
    given_back = any(each.before(ack) for each in delivery.settled("requeue", "reject", "dead_letter"))
    return was_in_time and not troubled and not refused and not given_back


def _casts_doubt(life: Life, trouble: Event, ack: Event, again: Event) -> bool:
    """Whether it lies in [ack, ack + ack doubt] and before the delivery, as far as clocks can tell."""
    until = ack.at + life.parameters.ack_doubt + life.tolerance(trouble, ack)
    is_near = life.may_strike(trouble, ack) and trouble.at <= until
    return is_near and trouble.at <= again.at + life.tolerance(trouble, again)


def _cause(life: Life, delivery: Delivery, again: Delivery) -> bool:
    """Whether the broker had a reason to take the delivery back."""
    timeout = life.message_timeout(delivery.event)
    assert timeout is not None
    doubted = life.tolerance(delivery.event, again.event)
    if again.event.at + doubted >= life.timer(delivery, again.event) + timeout - life.parameters.grace:
        return True
    given_back = delivery.settled("requeue", "reject", "dead_letter")
    troubles = [*life.ends_of(delivery.event), *life.changes(delivery)]
    later = [each for each in troubles if life.may_strike(each, delivery.event)]
    return any(
        cause.at <= again.event.at + life.tolerance(cause, again.event) for cause in [*given_back, *later]
    )
