"""one-active-consumer and ownership: who may be active where."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations

from angarium.history import schema
from angarium.history.results import Violation
from tests.oracles.history.events import Event
from tests.oracles.history.life import Delivery, Life, grouped, is_grouped
from tests.oracles.history.outcome import Kind, Outcome

TWO_ACTIVE = Kind("one-active-consumer", "two-active")
NOT_ASSIGNED = Kind("ownership", "not-assigned")
STALE_GENERATION = Kind("ownership", "stale-generation")


def one_active_consumer(life: Life) -> Outcome:
    """Once another consumer has got something, the one before gets nothing more."""
    judged = [each for each in life.deliveries if _is_judged(life, each)]
    found: list[Violation] = []
    for deliveries in grouped(judged, _where).values():
        of_consumer = grouped(deliveries, lambda each: (each.event.consumer, each.event.generation))
        for ones, others in combinations(of_consumer.values(), 2):
            if ones[0].event.consumer != others[0].event.consumer:
                found += _two_active(life, ones, others[0])
    return Outcome(found, judged=len(judged), unjudged=len(life.deliveries) - len(judged))


def _is_judged(life: Life, delivery: Delivery) -> bool:
    """Without generations, a partition that comes back to a consumer looks as if it had two."""
    is_dated = is_grouped(delivery) and delivery.event.generation is not None
    return is_dated or life.is_single_active(delivery.event.destination)


def _where(delivery: Delivery) -> tuple[object, ...]:
    """A group's partition, or else a destination with a subscriber."""
    event = delivery.event
    return (event.destination, event.partition_id if is_grouped(delivery) else None, event.subscriber)


def _two_active(life: Life, ones: list[Delivery], other: Delivery) -> Iterable[Violation]:
    for one in ones:
        if one.event.at > other.event.at + life.tolerance(one.event, other.event):
            found = TWO_ACTIVE.delivered(other.event, one.event)
            unit = one.event.partition_id if is_grouped(one) else None
            yield replace(found, message_id=None, partition_id=unit)
            return


def ownership(life: Life) -> Outcome:
    """A partition's messages go to the member that it is assigned to, as of the newest generation."""
    known = [each for each in life.deliveries if is_grouped(each)]
    moves = [move for moves in life.moves.values() for move in moves]
    if not any(move.op_name in schema.ASSIGNS and move.partitions is not None for move in moves):
        return Outcome([], judged=0, unjudged=len(known))
    found = {
        number: each for number, each in ((n, _foreign(life, d.event)) for n, d in enumerate(known)) if each
    }
    doubtful = [n for n, each in enumerate(known) if n not in found and _is_doubtful(life, each.event)]
    return Outcome(list(found.values()), judged=len(known) - len(doubtful), unjudged=len(doubtful))


def _is_doubtful(life: Life, event: Event) -> bool:
    """Whether another consumer may have the partition: it was given to it, nobody says in which generation,
    and that was not over when it was given to the delivery's own."""
    of_group = life.moves.get(event.consumer_group or "", [])
    own = [move for move in of_group if move.consumer == event.consumer and move.before(event)]
    given = next(move for move in reversed(own) if move.op_name in schema.ASSIGNS)
    generation = given.generation if event.generation is None else event.generation
    others = [move for move in of_group if _gives_to_another(life, move, event)]
    undated = [move for move in others if generation is None or move.generation is None]
    return any(not _is_over(life, move, given, event) for move in undated)


def _is_over(life: Life, move: Event, given: Event, event: Event) -> bool:
    """Whether a consumer was given other partitions, gave this one back or ended, before an assignment."""
    later = [each for each in life.moves[move.consumer_group or ""] if each.consumer == move.consumer]
    words = [each for each in later if each.op_name in schema.ASSIGNS or _takes_away(each, event)]
    return any(move.before(each) and each.before(given) for each in (*words, *life.ends_of(move)))


def is_assignment(event: Event) -> bool:
    """An assignment of partitions, with its generation."""
    is_complete = event.partitions is not None and event.generation is not None
    return (
        event.op_type == "group" and event.op_name in schema.ASSIGNS and event.phase != "fail" and is_complete
    )


def _foreign(life: Life, event: Event) -> Violation | None:
    of_group = life.moves.get(event.consumer_group or "", [])
    own = [move for move in of_group if move.consumer == event.consumer and move.before(event)]
    given = next((move for move in reversed(own) if move.op_name in schema.ASSIGNS), None)
    if given is None or not _contains(given, event):
        return NOT_ASSIGNED.delivered(given or event, event)
    if taken := next((move for move in own if given.before(move) and _takes_away(move, event)), None):
        return NOT_ASSIGNED.delivered(taken, event)
    generation = given.generation if event.generation is None else event.generation
    newer = [move for move in of_group if _takes_over(life, move, event, generation)]
    return STALE_GENERATION.delivered(newer[0], event) if newer else None


def _takes_over(life: Life, move: Event, event: Event, generation: int | None) -> bool:
    """Whether an assignment gave the partition to another consumer, and is newer than a delivery's."""
    is_newer = generation is not None and move.generation is not None and move.generation > generation
    return is_newer and _gives_to_another(life, move, event)


def _gives_to_another(life: Life, move: Event, event: Event) -> bool:
    """Whether an assignment before a delivery gave the partition to another consumer."""
    if move.op_name not in schema.ASSIGNS or move.consumer == event.consumer or not _contains(move, event):
        return False
    return move.at + life.tolerance(move, event) < event.at


def _takes_away(move: Event, event: Event) -> bool:
    """Whether a revocation takes an event's partition: it names it, or it names none and takes all."""
    return move.op_name in schema.REVOKES and (move.partitions is None or _contains(move, event))


def _contains(move: Event, event: Event) -> bool:
    """Partitions are named `0`, or `topic/0`."""
    names = {event.partition_id, f"{event.destination}/{event.partition_id}"}
    return bool(names & set(move.partitions or ()))
