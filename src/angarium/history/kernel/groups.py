"""Groups: balance, from their assignments alone, and ownership, from these and the deliveries of
partitions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from angarium.history import schema
from angarium.history.intake.batch import NULL
from angarium.history.kernel.facts import Facts, Told, consumer_of, is_move
from angarium.history.kernel.finding import Finding
from angarium.history.kernel.interning import Numbers

Counts = dict[int, tuple[int, int]]
"""By run: how much was judged, and how much was not."""


def is_assignment(event: Mapping[str, Any]) -> bool:
    """An assignment of partitions, with its generation."""
    return (
        is_move(event)
        and event["op_name"] in schema.ASSIGNS
        and "partitions" in event
        and "generation" in event
    )


# --- balance ------------------------------------------------------------------------------------------


def balance(facts: Facts) -> tuple[list[Finding], Counts]:
    """`uneven`: an assignment that stands gives members partitions whose numbers differ by more than one."""
    found: list[Finding] = []
    judged, unjudged = Counter[int](), Counter[int]()
    for moves in facts.moves.values():
        assignments = sorted((told for told in moves if is_assignment(told[1])), key=facts.order)
        times = [event["time_unix_nano"] for _, event in assignments]
        generations: dict[int, list[Told]] = {}
        for told in assignments:
            generations.setdefault(told[1]["generation"], []).append(told)
        for each in generations.values():
            run = facts.run(each[0][1])
            if _stands(facts, run, each, times):
                judged[run] += 1
                found += _uneven(facts, each)
            else:
                unjudged[run] += 1
    return found, {run: (judged[run], unjudged[run]) for run in judged | unjudged}


def _stands(facts: Facts, run: int, each: Sequence[Told], times: Sequence[int]) -> bool:
    """Whether no assignment of another generation follows for long enough."""
    last = each[-1][1]["time_unix_nano"]
    until = last + facts.parameters.balance_within
    followed = bisect_right(times, last) < bisect_right(times, until)
    return until <= facts.profiles[run].end + facts.parameters.clock_skew and not followed


def _uneven(facts: Facts, each: Sequence[Told]) -> Iterator[Finding]:
    shares = {consumer_of(event): len(event["partitions"]) for _, event in each}
    difference = max(shares.values()) - min(shares.values())
    if difference > 1:
        (first, _), (last, event) = each[0], each[-1]
        found_at = event["time_unix_nano"] + facts.parameters.balance_within
        given = {"subscriber": event["consumer_group"]}
        yield Finding("balance", "uneven", first, last, last, found_at, difference, 1, (), given)


# --- ownership ----------------------------------------------------------------------------------------


def ownership(facts: Facts, deliveries: Mapping[str, Numbers]) -> tuple[list[Finding], Counts]:
    """`not-assigned` and `stale-generation`, of the deliveries of groups' partitions, in order."""
    found: list[Finding] = []
    able = {run for run, profile in facts.profiles.items() if profile.assignments}
    keys = ("run", "group", "consumer", "place", "partition", "generation", "domain")
    if not len(deliveries["run"]):
        return found, {}
    order = np.lexsort([deliveries[key] for key in reversed(keys)])
    turned = np.zeros(len(order), np.bool_)
    for key in keys:
        column = deliveries[key][order]
        turned |= np.append(True, column[1:] != column[:-1])
    begins = [*np.flatnonzero(turned).tolist(), len(order)]
    counts: Counter[int] = Counter()
    for low, high in pairwise(begins):
        some = order[low:high]
        run = int(deliveries["run"][some[0]])
        if run in able:
            counts[run] += len(some)
            found += _Member(facts, {key: values[some] for key, values in deliveries.items()}).foreign()
    return found, {run: (count, 0) for run, count in counts.items()}


@dataclass
class _Member:
    """A consumer and a partition that its group reads; its deliveries have one generation and one clock."""

    facts: Facts
    deliveries: Mapping[str, Numbers]
    _states: dict[int, tuple[int | None, Mapping[str, Any] | None]] = field(default_factory=dict)

    def _one(self, key: str) -> int:
        return int(self.deliveries[key][0])

    @cached_property
    def of_group(self) -> list[Told]:
        group = self.facts.tables.groups.known(self._one("run"), self._one("group"))
        moves = self.facts.moves.get(-1 if group is None else group, ())
        return sorted(moves, key=self.facts.order)

    @cached_property
    def own(self) -> list[Told]:
        mine = self._one("consumer")
        return [told for told in self.of_group if self.facts.person(told[1], consumer_of(told[1])) == mine]

    @cached_property
    def _names(self) -> set[str]:
        """What the partition may be called."""
        tables = self.facts.tables
        partition = tables.names.values[self._one("partition") - 1]
        destination = tables.names.values[tables.places.values[self._one("place")][1]]
        return {partition, f"{destination}/{partition}"}

    def _has(self, event: Mapping[str, Any]) -> bool:
        return not self._names.isdisjoint(event.get("partitions", ()))

    def foreign(self) -> Iterator[Finding]:
        """The deliveries of a partition that was not the consumer's own."""
        moments = [self.facts.order(told)[:3] for told in self.own]
        before = self._before(moments)
        for count in np.unique(before).tolist():
            blamed, given = self._state(count)
            some = np.flatnonzero(before == count)
            if given is None:
                for place in some.tolist():
                    row = int(self.deliveries["row"][place])
                    yield self._found("not-assigned", row if blamed is None else blamed, row)
            else:
                yield from self._stale(some, given)

    def _before(self, moments: Sequence[tuple[int, str, int]]) -> Numbers:
        """How many moves of the consumer are before each delivery."""
        times = np.array([moment[0] for moment in moments], np.int64)
        low = np.searchsorted(times, self.deliveries["time"], "left")
        same = np.flatnonzero(low != np.searchsorted(times, self.deliveries["time"], "right"))
        for place in same.tolist():
            recorder = self.facts.tables.recorders.values[int(self.deliveries["recorder"][place])]
            moment = int(self.deliveries["time"][place]), recorder, int(self.deliveries["seq"][place]) - 1
            low[place] = bisect_left(moments, moment)
        return low

    def _state(self, count: int) -> tuple[int | None, Mapping[str, Any] | None]:
        """After so many moves: the assignment in force, or None and the row of the move that is to blame."""
        own = self.own[:count]
        place = next((n for n in reversed(range(count)) if own[n][1]["op_name"] in schema.ASSIGNS), None)
        if place is None:
            return None, None
        if not self._has(own[place][1]):
            return own[place][0], None
        given = self.facts.order(own[place])[:3]
        taken = (
            row
            for row, event in own[place + 1 :]
            if event["op_name"] in schema.REVOKES
            and ("partitions" not in event or self._has(event))
            and given < self.facts.order((row, event))[:3]
        )
        blamed = next(taken, None)
        return (None, own[place][1]) if blamed is None else (blamed, None)

    def _stale(self, some: Numbers, given: Mapping[str, Any]) -> Iterator[Finding]:
        """Deliveries after another consumer has got the partition in a later generation."""
        said = self._one("generation")
        generation = given.get("generation") if said == NULL else said
        if generation is None:
            return
        for place, row in self._newer(some, generation):
            yield self._found("stale-generation", row, int(self.deliveries["row"][place]))

    def _newer(self, some: Numbers, generation: int) -> Iterator[tuple[int, int]]:
        """Deliveries, each with the row of the earliest assignment that has taken the partition."""
        mine, domain = self._one("consumer"), self._one("domain")
        since = [
            (event["time_unix_nano"] + (self.facts.parameters.clock_skew if clock != domain else 0), row)
            for row, event in self.of_group
            if event["op_name"] in schema.ASSIGNS and event.get("generation", generation) > generation
            if self._has(event) and self.facts.person(event, consumer_of(event)) != mine
            for clock in [self.facts.moment((row, event))[3]]
        ]
        if not since:
            return
        least = min(time for time, _ in since)
        for place in some[self.deliveries["time"][some] > least].tolist():
            time = int(self.deliveries["time"][place])
            yield place, next(row for begin, row in since if begin < time)

    def _found(self, kind: str, first: int, row: int) -> Finding:
        return Finding("ownership", kind, first, row, row)
