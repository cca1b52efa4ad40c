"""What is known of a history beside its messages, as tables of the kernel's context.

Control events are few, and they are gone through in Python: what ends consumers, what makes brokers forget,
what is declared of places and subscribers, and what consumers allow to be in flight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from angarium.history import schema
from angarium.history.kernel import layout as at
from angarium.history.kernel.memory import Context, zeros
from angarium.history.kernel.numbering import Tables
from angarium.history.parameters import MILLISECOND, Parameters
from angarium.history.profile import Profile
from angarium.history.schema import BROKER

Event = Mapping[str, Any]
Told = tuple[int, Event]
"""An event with its row."""
UNLIMITED = (1 << 63) - 1
"""What a prefetch of 0 allows."""


def run_of(event: Event) -> str:
    """The history that an event belongs to."""
    beside = event.get("vantage") == "broker" and event["op_type"] != "replica"
    return f"{event['run_id']}{BROKER}" if beside else str(event["run_id"])


def consumer_of(event: Event) -> str:
    return str(event.get("consumer_id", event.get("client_id", event["recorder"])))


def subscriber_of(event: Event) -> str | None:
    named = (event.get(name) for name in ("consumer_group", "subscription", "destination"))
    return next((each for each in named if each is not None), None)


def is_control(event: Event, names: Sequence[str]) -> bool:
    """Whether it is a control event of one of some names that did not fail."""
    return event["op_type"] == "control" and event["phase"] != "fail" and event.get("op_name") in names


@dataclass
class Facts:
    """The facts, in the numbers of the tables."""

    tables: Tables
    others: Sequence[Told]
    profiles: Mapping[int, Profile]
    parameters: Parameters
    may_read: set[tuple[int, int]]
    several: set[int]

    # --- events of no message -----------------------------------------------------------------------

    def run(self, event: Event) -> int:
        return self.tables.runs.of(run_of(event))

    def person(self, event: Event, name: str) -> int:
        return self.tables.people.of(self.run(event), self.tables.names.of(name))

    def place(self, event: Event) -> int:
        return self.tables.places.of(self.run(event), self.tables.names.of(event["destination"]))

    def moment(self, told: Told) -> tuple[int, int, int, int]:
        """The four words of a moment."""
        row, event = told
        recorder = self.tables.recorders.of(event["recorder"])
        domain = event.get("clock_domain")
        clock = 0 if domain is None else self.tables.domains.of(domain) + 1
        return event["time_unix_nano"], event.get("seq", -1) + 1, (recorder << 32) | row, clock

    def order(self, told: Told) -> tuple[int, str, int, int]:
        """What puts events into the order of their history."""
        row, event = told
        return event["time_unix_nano"], event["recorder"], event.get("seq", -1), row

    @cached_property
    def ends(self) -> tuple[dict[int, list[Told]], dict[int, list[Told]]]:
        """What ends consumers, and what ends clients, by person."""
        consumers: dict[int, list[Told]] = {}
        clients: dict[int, list[Told]] = {}
        for told in self.others:
            event = told[1]
            if is_control(event, schema.ENDS):
                if "consumer_id" in event:
                    consumers.setdefault(self.person(event, event["consumer_id"]), []).append(told)
                elif "client_id" in event:
                    clients.setdefault(self.person(event, event["client_id"]), []).append(told)
        return consumers, clients

    @cached_property
    def changes(self) -> dict[int, list[Told]]:
        """What may make brokers forget who holds a message, by run."""
        return self._by(self.run, lambda event: is_control(event, schema.BROKER_CHANGES))

    @cached_property
    def moves(self) -> dict[int, list[Told]]:
        """Assignments and revocations, by group."""
        return self._by(self._group, is_move)

    def _group(self, event: Event) -> int:
        return self.tables.groups.of(self.run(event), self.tables.names.of(event["consumer_group"]))

    @cached_property
    def subscriptions(self) -> list[Told]:
        return [
            told
            for told in self.others
            if is_control(told[1], schema.SUBSCRIBES) and "destination" in told[1]
        ]

    @cached_property
    def declarations(self) -> dict[int, list[Told]]:
        """What control events say of each place."""
        return self._by(self.place, lambda event: event["op_type"] == "control" and "destination" in event)

    def _by(self, key: Callable[[Event], int], chosen: Callable[[Event], bool]) -> dict[int, list[Told]]:
        found: dict[int, list[Told]] = {}
        for told in self.others:
            if chosen(told[1]):
                found.setdefault(key(told[1]), []).append(told)
        return found

    # --- subscribers --------------------------------------------------------------------------------

    @cached_property
    def subscribed(self) -> dict[tuple[int, int], list[Told]]:
        """The subscribing events of each subscriber of a place."""
        found: dict[tuple[int, int], list[Told]] = {}
        for told in self.subscriptions:
            place, name = self.place(told[1]), subscriber_of(told[1])
            assert name is not None
            subscriber = self.tables.subscribers.of(place, self.tables.names.of(name))
            found.setdefault((place, subscriber), []).append(told)
        return found

    def said_of(self, subscriber: int) -> list[Told]:
        """The control events that concern a subscriber: they name it, or nobody."""
        place, name = self.tables.subscribers.values[subscriber]
        return [
            told
            for told in self.declarations.get(place, ())
            if (named := told[1].get("consumer_group", told[1].get("subscription"))) is None
            or self.tables.names.of(named) == name
        ]

    def timeout(self, run: int, said: Iterable[Told]) -> int:
        """The message timeout of a subscriber of which this is said."""
        if self.parameters.message_timeout is not None:
            return self.parameters.message_timeout
        if waits := [int(event["ack_wait_ms"]) for _, event in said if "ack_wait_ms" in event]:
            return min(max(*waits, 0) * MILLISECOND, at.FOREVER - 1)
        return at.FOREVER if run in self.profiles and self.profiles[run].timerless else at.UNKNOWN

    def limit(self, said: Iterable[Told]) -> int | None:
        """How often a message may be delivered to a subscriber of which this is said."""
        if self.parameters.retry_limit is not None:
            return self.parameters.retry_limit
        return max((event["max_deliveries"] for _, event in said if "max_deliveries" in event), default=None)

    def is_single_active(self, place: int) -> bool:
        """Whether a place is said to have a single active consumer."""
        declared = any(event.get("single_active") for _, event in self.declarations.get(place, ()))
        name = self.tables.places.values[place][1]
        destination = self.tables.names.values[name] if name >= 0 else ""
        return declared or any(fnmatchcase(destination, each) for each in self.parameters.single_active)

    # --- credits ------------------------------------------------------------------------------------

    @cached_property
    def credits_of_people(self) -> dict[int, list[tuple[Told, int]]]:
        """What consumers allow to be in flight."""
        found: dict[int, list[tuple[Told, int]]] = {}
        subscribing = {row for row, _ in self.subscriptions}
        for told in self.others:
            row, event = told
            flows = event["op_type"] == "flow" and event["phase"] != "fail"
            if (flows or row in subscribing) and (allowed := _allowed(event, flows)) is not None:
                found.setdefault(self.person(event, consumer_of(event)), []).append((told, allowed))
        return found

    def credits_of_subscriber(self, said: Iterable[Told]) -> list[tuple[Told, int]]:
        """What is said that may be in flight at all consumers of a subscriber together."""
        return [
            (told, told[1]["credit"])
            for told in said
            if told[1]["phase"] != "fail" and "credit" in told[1]
            if "client_id" not in told[1] and "consumer_id" not in told[1]
        ]


def _allowed(event: Event, flows: bool) -> int | None:
    """The limit that an event sets, if it sets one."""
    if "credit" in event:
        return int(event["credit"])
    if flows or "prefetch" not in event:
        return None
    return UNLIMITED if event["prefetch"] == 0 else int(event["prefetch"])


def is_move(event: Event) -> bool:
    """Whether it gives partitions to a member, or takes some away."""
    named = event.get("op_name") in (*schema.ASSIGNS, *schema.REVOKES)
    return named and event["op_type"] == "group" and event["phase"] != "fail" and "consumer_group" in event


# --- tables -------------------------------------------------------------------------------------------


@dataclass
class _Lists:
    """Lists of moments behind each other."""

    facts: Facts
    rows: list[tuple[int, ...]] = field(default_factory=list)

    def add(self, told: Iterable[Told]) -> tuple[int, int]:
        """Where a list, put into order, is."""
        start = len(self.rows)
        self.rows += [self.facts.moment(each) for each in sorted(told, key=self.facts.order)]
        return start, len(self.rows)

    def add_values(self, told: Iterable[tuple[Told, int]]) -> tuple[int, int]:
        """The same for events that set a limit."""
        start = len(self.rows)
        for each, value in sorted(told, key=lambda pair: self.facts.order(pair[0])):
            self.rows.append((*self.facts.moment(each)[:3], max(value, 0)))
        return start, len(self.rows)

    def table(self) -> NDArray[np.uint64]:
        return table(len(self.rows), at.MOMENT, dict(enumerate(self.rows)))


def table(rows: int, width: int, given: Mapping[int, Sequence[int]]) -> NDArray[np.uint64]:
    """A table with some rows filled."""
    found = np.zeros((max(rows, 1), width), np.uint64)
    for row, values in given.items():
        found[row, : len(values)] = values
    return found


def context_of(facts: Facts) -> Context:
    """All tables of the context but the stores."""
    context, parameters, tables = Context(), facts.parameters, facts.tables
    for place, value in (
        (at.GRACE, parameters.grace), (at.SKEW, parameters.clock_skew), (at.TAIL, parameters.in_flight_tail),
        (at.DOUBT, parameters.ack_doubt), (at.WITHIN, parameters.redelivery_within),
    ):  # fmt: skip
        context.set(place, value)
    facts.may_read.update(facts.subscribed)
    ends, changes, allowed = _Lists(facts), _Lists(facts), _Lists(facts)
    _set_people(context, facts, ends, allowed)
    _set_groups(context, facts, changes)
    _set_readers(context, facts)
    _set_subscribers(context, facts, allowed)
    context.set(at.ENDS, ends.table())
    context.set(at.CHANGES, changes.table())
    context.set(at.CREDITS, allowed.table())
    _set_places(context, facts)
    ordered = sorted(
        range(len(tables.recorders.values)), key=lambda each: tables.recorders.values[each].encode()
    )
    ranks = zeros(len(ordered))
    ranks[ordered] = np.arange(len(ordered))
    context.set(at.RANKS, ranks)
    return context


def _set_people(context: Context, facts: Facts, ends: _Lists, allowed: _Lists) -> None:
    consumers, clients = facts.ends
    people: dict[int, list[int]] = {}
    for person in {*consumers, *clients, *facts.credits_of_people, *facts.several}:
        own, client = ends.add(consumers.get(person, ())), ends.add(clients.get(person, ()))
        limits = allowed.add_values(facts.credits_of_people.get(person, ()))
        people[person] = [*own, *client, *limits, int(person in facts.several)]
    context.set(at.PEOPLE, table(len(facts.tables.people.values), at.PERSON, people))


def _set_groups(context: Context, facts: Facts, changes: _Lists) -> None:
    runs: dict[int, list[int]] = {}
    for run, profile in facts.profiles.items():
        spans = changes.add(facts.changes.get(run, ()))
        runs[run] = [
            profile.end + facts.parameters.clock_skew, int(profile.unsettled is not None),
            int(profile.acks > 0), int(profile.attached), int(profile.sends > 0), *spans,
        ]  # fmt: skip
    context.set(at.RUNS, table(len(facts.tables.runs.values), at.RUN, runs))
    groups = {group: changes.add(moves) for group, moves in facts.moves.items()}
    context.set(at.GROUPS, table(len(facts.tables.groups.values), at.GROUP, groups))


def _set_subscribers(context: Context, facts: Facts, allowed: _Lists) -> None:
    tables, rows = facts.tables, {}
    for subscriber, (place, _) in enumerate(tables.subscribers.values):
        said = facts.said_of(subscriber)
        limit = facts.limit(said)
        rows[subscriber] = [
            facts.timeout(tables.places.values[place][0], said), 0 if limit is None else max(limit, 0) + 1,
            *allowed.add_values(facts.credits_of_subscriber(said)), 0,
        ]  # fmt: skip
    context.set(at.SUBSCRIBERS, table(len(rows), at.SUBSCRIBER, rows))


def _set_places(context: Context, facts: Facts) -> None:
    """The places; of those with one subscriber it is known who is the first."""
    readers: dict[int, list[int]] = {}
    for place, subscriber in sorted(facts.may_read):
        readers.setdefault(place, []).append(subscriber)
    rows: dict[int, list[int]] = {}
    seeing: list[tuple[int, int, int]] = []
    for place in range(len(facts.tables.places.values)):
        may_read = readers.get(place, [])
        only = len(may_read) == 1
        rows[place] = [len(may_read), int(facts.is_single_active(place)), len(seeing), len(seeing) + only]
        seeing += [(may_read[0], 0, 0)] if only else []
    context.set(at.PLACES, table(len(rows), at.LOCATION, rows))
    context.set(at.SEEING, table(len(seeing), at.SIGHT, dict(enumerate(seeing))))


def _set_readers(context: Context, facts: Facts) -> None:
    tables, rows = facts.tables, {}
    for reader, (place, channel) in enumerate(tables.readers.values):
        run, destination = tables.places.values[place]
        group, _ = tables.channels.values[channel]
        known = tables.groups.known(run, group) if group >= 0 else None
        named = destination >= 0 or any(each >= 0 for each in tables.channels.values[channel])
        subscriber = tables.subscriber_of(reader) if named else 0
        rows[reader] = [run, place, subscriber, 0 if known is None else known + 1]
    context.set(at.READERS, table(len(rows), at.READER, rows))
