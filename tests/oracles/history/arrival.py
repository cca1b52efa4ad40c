"""no-loss and no-phantom: what was confirmed arrives, and nothing else does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from angarium.history.results import Violation
from tests.oracles.history.events import Event, Message
from tests.oracles.history.life import Delivery, Life
from tests.oracles.history.outcome import Kind, Outcome

LOST = Kind("no-loss", "lost")
NEVER_SENT = Kind("no-phantom", "never-sent")
FAILED_SEND = Kind("no-phantom", "failed-send")


@dataclass(frozen=True)
class Expectation:
    """A confirmed message, and a subscriber that must get it."""

    message: Message
    subscriber: str
    confirmation: Event
    delivered: bool
    is_due: bool
    """Whether it was confirmed so long ago that it is not under way any more."""

    @property
    def state(self) -> str:
        return "delivered" if self.delivered else "lost" if self.is_due else "unseen"


def no_loss(life: Life) -> Outcome:
    """Every confirmed message reaches every subscriber that expects it."""
    expected = expectations(life)
    lost = [
        LOST.violation(
            life.sends[each.message][0], each.confirmation, each.confirmation,
            subscriber=each.subscriber, found_at=life.end,
        )
        for each in expected
        if each.state == "lost"
    ]  # fmt: skip
    unseen = sum(each.state == "unseen" for each in expected)
    return Outcome(lost, judged=len(expected) - unseen, unjudged=unseen)


def expectations(life: Life) -> list[Expectation]:
    """What must arrive where."""
    seen = _subscribers(life)
    due = life.end - life.parameters.in_flight_tail
    return [
        Expectation(
            message, name, confirmation, (message, name) in life.of_reader, confirmation.at <= due
        )
        for message in life.sends
        if (confirmation := life.confirmation(message))
        for name in _expecting(life, seen.get(message[0], {}), life.sends[message][0])
    ]  # fmt: skip


def _subscribers(life: Life) -> dict[str | None, dict[str, Event]]:
    """The subscribers of every destination, each with the event that shows it first."""
    shown = [*(delivery.event for delivery in life.deliveries), *life.subscriptions]
    found: dict[str | None, dict[str, Event]] = {}
    for event in sorted(shown, key=lambda each: each.moment):
        if event.subscriber is not None:
            found.setdefault(event.destination, {}).setdefault(event.subscriber, event)
    return found


def _expecting(life: Life, seen: dict[str, Event], send: Event) -> Iterable[str]:
    """The subscriber seen first (of several at one time the first by name), and all seen before the send."""
    if not seen:
        return []
    first = min(seen, key=lambda name: (seen[name].at, name))
    return [name for name in seen if name == first or _was_there(life, seen[name], send)]


def _was_there(life: Life, seen: Event, send: Event) -> bool:
    return seen.at + life.tolerance(seen, send) <= send.at


def no_phantom(life: Life) -> Outcome:
    """Nothing arrives that was not sent before, or whose send failed."""
    if not life.sends:
        return Outcome([], judged=0, unjudged=len(life.of_message))
    firsts = [deliveries[0] for deliveries in life.of_message.values()]
    judged = [first for first in firsts if not _may_be_older(life, first)]
    found = [each for first in judged if (each := _phantom(life, first))]
    return Outcome(found, judged=len(judged), unjudged=len(firsts) - len(judged))


def _phantom(life: Life, first: Delivery) -> Violation | None:
    sends = life.sends.get(first.message, [])
    event, found_at = first.event, first.event.at + life.parameters.clock_skew
    if not any(send.at <= event.at + life.tolerance(send, event) for send in sends):
        return NEVER_SENT.delivered(event, event, found_at)
    if has_failed(sends):
        last_failure = max(send.at for send in sends if send.phase == "fail")
        return FAILED_SEND.delivered(sends[0], event, max(found_at, last_failure))
    return None


def has_failed(sends: list[Event]) -> bool:
    """Whether a message certainly was not sent: every try failed."""
    phases = [send.phase for send in sends]
    tried, failed = phases.count("invoke"), phases.count("fail")
    return not {"ok", "info"} & set(phases) and tried == failed >= 1


def _may_be_older(life: Life, first: Delivery) -> bool:
    """Whether a message may have been under way when a recorder attached to the running system."""
    if not life.attached:
        return False
    known = life.first_known.get(first.reader)
    return known is None or first.event.before(known.event)
