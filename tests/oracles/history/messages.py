"""The messages: one row a message and subscriber, with its life; and what happened in a run, counted."""

from __future__ import annotations

from dataclasses import dataclass

from angarium.history.results import Figures
from tests.oracles.history.arrival import expectations, has_failed, no_phantom
from tests.oracles.history.events import Message
from tests.oracles.history.life import Delivery, Life


@dataclass(frozen=True)
class Told:
    """A message's life for one subscriber: those columns of `tables.MESSAGES` that judge it."""

    run_id: str
    destination: str | None
    message_id: str
    subscriber: str | None
    send_outcome: str
    deliveries: int
    requeues: int
    state: str


def messages(life: Life) -> list[Told]:
    """Every message with every subscriber that got or expects it; with none, if there is no such."""
    phantoms = {(each.destination, each.message_id) for each in no_phantom(life).violations}
    missing = {
        (each.message, each.subscriber): each.state for each in expectations(life) if not each.delivered
    }
    pairs = {*life.of_reader, *missing}
    reached = {message for message, _ in pairs}
    alone = {(message, None) for message in life.sends if message not in reached}
    return [
        _told(life, message, subscriber, message in phantoms, missing.get((message, subscriber or "")))
        for message, subscriber in pairs | alone
    ]


def _told(life: Life, message: Message, subscriber: str | None, phantom: bool, missing: str | None) -> Told:
    got = life.of_reader.get((message, subscriber), [])
    outcome = _send_outcome(life, message)
    state = ("phantom" if phantom else _state(got)) if got else missing or _unexpected(outcome)
    requeues = sum(len(each.settled("requeue")) for each in got)
    return Told(life.run_id, *message, subscriber, outcome, len(got), requeues, state)


def _state(got: list[Delivery]) -> str:
    return "settled" if any(each.settled("ack", "reject", "dead_letter") for each in got) else "delivered"


def _unexpected(outcome: str) -> str:
    """The state of a message that reached nobody, and that nobody is known to expect."""
    return "unseen" if outcome == "confirmed" else "unconfirmed"


def _send_outcome(life: Life, message: Message) -> str:
    sends = life.sends.get(message, [])
    if life.confirmation(message):
        return "confirmed"
    return "never" if not sends else "failed" if has_failed(sends) else "unknown"


def figures(life: Life) -> Figures:
    """What happened, counted."""
    told = expectations(life)
    lives = life.of_reader.values()
    confirmed = [message for message in life.sends if life.confirmation(message)]
    settled = [each for each in life.deliveries if each.settled("requeue")]
    return Figures(
        run_id=life.run_id,
        attempted=len(life.sends),
        confirmed=len(confirmed),
        unconfirmed=len(set(life.sends) - set(confirmed) - set(life.of_message)),
        delivered=len(life.of_message),
        deliveries=len(life.deliveries),
        redelivered=len({deliveries[0].message for deliveries in lives if len(deliveries) > 1}),
        max_deliveries=max(map(len, lives), default=0),
        requeues=len(settled),
        unseen=sum(each.state == "unseen" for each in told),
        lost=sum(each.state == "lost" for each in told),
    )
