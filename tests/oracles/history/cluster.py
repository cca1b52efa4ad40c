"""balance, acks-all and complete-log: what groups, replicas and recorders owe."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from angarium.history import schema
from angarium.history.results import Violation
from tests.oracles.history.active import is_assignment
from tests.oracles.history.events import Event
from tests.oracles.history.life import Life, grouped
from tests.oracles.history.outcome import Kind, Outcome

UNEVEN = Kind("balance", "uneven")
NOT_STORED = Kind("acks-all", "not-stored")
GAP = Kind("complete-log", "gap")


def balance(life: Life) -> Outcome:
    """An assignment that stands for a while is even."""
    assignments = [
        event for event in life.events if event.consumer_group is not None and is_assignment(event)
    ]
    of_generation = grouped(assignments, lambda event: (event.consumer_group, event.generation)).values()
    judged = [events for events in of_generation if _stands(life, events, assignments)]
    found = [violation for events in judged for violation in _uneven(life, events)]
    return Outcome(found, judged=len(judged), unjudged=len(of_generation) - len(judged))


def _stands(life: Life, events: list[Event], assignments: list[Event]) -> bool:
    """Whether no other generation of the group follows for long enough."""
    last = events[-1]
    until = last.at + life.parameters.balance_within
    others = [
        each
        for each in assignments
        if each.consumer_group == last.consumer_group and each.generation != last.generation
    ]
    return until <= life.end and not any(last.at < each.at <= until for each in others)


def _uneven(life: Life, events: list[Event]) -> Iterable[Violation]:
    first, last = events[0], events[-1]
    shares = {event.consumer: len(event.partitions or ()) for event in events}
    difference = max(shares.values()) - min(shares.values())
    if difference > 1:
        yield UNEVEN.violation(
            first, last, last, found_at=last.at + life.parameters.balance_within,
            subscriber=last.consumer_group, measure=difference, bound=1,
        )  # fmt: skip


def acks_all(life: Life) -> Outcome:
    """Every replica in step has a message before its producer hears that it is stored."""
    stores = [event for event in life.events if _is_store(event)]
    recorded = {store.place for store in stores}
    sends = [send for sends in life.sends.values() for send in sends if send.phase == "ok"]
    answers = [(send, isr) for send in sends if send.place in recorded and (isr := _in_step(life, send))]
    found: dict[object, Violation] = {}
    for send, isr in sorted(answers, key=lambda answer: answer[0].moment):
        for broker in sorted(_all_in_step(life, isr, send)):
            if not any(_has(life, store, broker, send) for store in stores):
                found_at = send.at + life.parameters.clock_skew
                violation = NOT_STORED.violation(isr, send, send, found_at=found_at, broker=broker)
                found.setdefault((send.message, broker), violation)
    return Outcome(list(found.values()), judged=len(answers), unjudged=len(sends) - len(answers))


def _is_store(event: Event) -> bool:
    return event.op_type == "replica" and event.op_name in schema.STORES and event.phase != "fail"


def _in_step(life: Life, send: Event) -> Event | None:
    """The event that says which brokers are in step at a send: itself, or the partition's last before."""
    if send.isr is not None:
        return send
    said = [event for event in life.events if event.isr is not None and event.place == send.place]
    return next((event for event in reversed(said) if event.before(send)), None)


def _all_in_step(life: Life, isr: Event, send: Event) -> set[str]:
    """The brokers in step; where clocks differ, only those that are so whichever event counts."""
    brokers = set(isr.isr or ())
    for event in life.events:
        doubted = life.tolerance(event, send)
        if event.isr is not None and event.op_type != "send" and event.place == send.place and doubted:
            if isr is not send and abs(event.at - send.at) <= doubted:
                brokers &= set(event.isr)
    return brokers


def _has(life: Life, store: Event, broker: str, send: Event) -> bool:
    same = (
        store.message_id == send.message_id
        if store.message_id is not None
        else store.offset is not None and store.offset == send.offset
    )
    in_time = store.at <= send.at + life.tolerance(store, send)
    return same and in_time and store.broker_id == broker and store.place == send.place


def complete_log(life: Life) -> Outcome:
    """The numbers of a recorder have no gap; it may have written down what both sides saw."""
    numbered = [event for event in life.events if event.seq is not None]
    recorders = {event.recorder for event in numbered}
    beside = [event for event in life.beside if event.seq is not None and event.recorder in recorders]
    whole = sorted([*numbered, *beside], key=lambda event: event.moment)
    found = []
    for events in grouped(whole, lambda event: event.recorder).values():
        rows = grouped(events, lambda event: event.seq)
        for one, two in pairwise(sorted(rows)):
            if two - one > 1:
                found.append(_gap(life.run_id, rows[one][0], rows[two][0], two - one - 1))
    return Outcome(found, judged=len(numbered), unjudged=len(life.events) - len(numbered))


def _gap(run_id: str, first: Event, last: Event, missing: int) -> Violation:
    nowhere = Event(run_id, last.recorder, last.at, last.op_type, last.phase)
    return GAP.violation(first, last, nowhere, measure=missing)
