"""consistent-offsets: one message an offset, one offset a message, and polls that only go on."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from angarium.history.results import Violation
from tests.oracles.history.events import Event
from tests.oracles.history.life import Delivery, Life, grouped
from tests.oracles.history.outcome import Kind, Outcome

TWO_VALUES = Kind("consistent-offsets", "two-values")
TWO_OFFSETS = Kind("consistent-offsets", "two-offsets")
NONMONOTONIC_POLL = Kind("consistent-offsets", "nonmonotonic-poll")
SKIP = Kind("consistent-offsets", "skip")


def consistent_offsets(life: Life) -> Outcome:
    """All four kinds."""
    placed = sorted([*_stored(life), *(each.event for each in _placed(life))], key=lambda e: e.moment)
    found = [*_two_values(placed), *_two_offsets(placed), *_nonmonotonic(life), *_skips(life)]
    return Outcome(found, judged=len(placed))


def _stored(life: Life) -> list[Event]:
    """Sends that say at which offset their message is."""
    sends = (send for sends in life.sends.values() for send in sends)
    return [
        send for send in sends if send.phase == "ok" and not send.deduplicated and send.offset is not None
    ]


def _placed(life: Life) -> list[Delivery]:
    return [delivery for delivery in life.deliveries if delivery.event.offset is not None]


def _two_values(placed: list[Event]) -> Iterable[Violation]:
    for events in grouped(placed, lambda event: (event.place, event.offset)).values():
        for others in grouped(events, lambda event: event.message_id).values():
            if others[0].message_id != events[0].message_id:
                yield TWO_VALUES.violation(events[0], others[0], others[0], measure=others[0].offset)


def _two_offsets(placed: list[Event]) -> Iterable[Violation]:
    for events in grouped(placed, lambda event: (event.place, event.message_id)).values():
        for others in grouped(events, lambda event: event.offset).values():
            if others[0].offset != events[0].offset:
                yield TWO_OFFSETS.violation(
                    events[0], others[0], others[0], measure=others[0].offset, bound=events[0].offset
                )


def _polls(deliveries: list[Delivery]) -> Iterable[list[Event]]:
    """Deliveries of a partition to a subscriber's consumer in one generation."""
    events = [delivery.event for delivery in deliveries]
    return grouped(events, lambda e: (e.place, e.subscriber, e.consumer, e.generation)).values()


def _nonmonotonic(life: Life) -> Iterable[Violation]:
    for poll in _polls([each for each in _placed(life) if each.is_first]):
        top = poll[0]
        for event in poll[1:]:
            if (event.offset or 0) < (top.offset or 0):
                yield NONMONOTONIC_POLL.delivered(top, event, measure=event.offset, bound=top.offset)
            elif (event.offset or 0) > (top.offset or 0):
                top = event


def _skips(life: Life) -> Iterable[Violation]:
    """One violation a message and group: the first pair of deliveries between which it was left out."""
    pairs = [
        pair
        for poll in _polls([each for each in _placed(life) if each.event.consumer_group is not None])
        for pair in pairwise(poll)
    ]
    seen = set()
    for one, two in sorted(pairs, key=lambda pair: pair[1].moment):
        for stored in _stored(life):
            skipped = (stored.message, one.consumer_group)
            if _is_left_out(life, one, two, stored) and skipped not in seen:
                seen.add(skipped)
                yield SKIP.violation(
                    one, two, stored, subscriber=one.subscriber, consumer=one.consumer, measure=stored.offset
                )


def _is_left_out(life: Life, one: Event, two: Event, stored: Event) -> bool:
    assert one.offset is not None and two.offset is not None and stored.offset is not None
    is_between = stored.place == one.place and one.offset < stored.offset < two.offset
    if not is_between or stored.at > two.at or stored.message is None:
        return False
    return (stored.message, one.subscriber) not in life.of_reader
