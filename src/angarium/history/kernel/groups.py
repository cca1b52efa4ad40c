"""Groups: balance, from their assignments alone, and ownership, from these and the deliveries of
partitions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
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
    able = {run for run, profile in facts.profiles.items() if profile.shares}
    keys = ("run", "group", "consumer", "place", "partition", "generation", "domain")
    if not len(deliveries["run"]):
        return found, {}
    order = np.lexsort([deliveries[key] for key in reversed(keys)])
    turned = np.zeros(len(order), np.bool_)
    for key in keys:
        column = deliveries[key][order]
        turned |= np.append(True, column[1:] != column[:-1])
    begins = [*np.flatnonzero(turned).tolist(), len(order)]
    counts, doubtful = Counter[int](), Counter[int]()
    for low, high in pairwise(begins):
        some = order[low:high]
        run = int(deliveries["run"][some[0]])
        if run in able:
            counts[run] += len(some)
            member = _Member(facts, {key: values[some] for key, values in deliveries.items()})
            found += member.foreign()
            doubtful[run] += member.doubtful
    return found, {run: (count - doubtful[run], doubtful[run]) for run, count in counts.items()}


Moment = tuple[int, str, int]
_NEVER: Moment = (1 << 63, "", 0)
Spells = tuple[list[Moment], list[int]]


@dataclass
class _Member:
    """A consumer and a partition that its group reads; its deliveries have one generation and one clock."""

    facts: Facts
    deliveries: Mapping[str, Numbers]
    doubtful: int = 0
    """Deliveries of which nobody knows whether the partition was another's by then."""

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

    def _state(self, count: int) -> tuple[int | None, Told | None]:
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
            if self._takes(event) and given < self.facts.order((row, event))[:3]
        )
        blamed = next(taken, None)
        return (None, own[place]) if blamed is None else (blamed, None)

    def _stale(self, some: Numbers, given: Told) -> Iterator[Finding]:
        """Deliveries after another consumer has got the partition in a later generation."""
        said = self._one("generation")
        generation = given[1].get("generation") if said == NULL else said
        stale = dict(self._newer(some, generation)) if generation is not None else {}
        for place, row in stale.items():
            yield self._found("stale-generation", row, int(self.deliveries["row"][place]))
        doubted = self._doubted_since(given, generation)
        if doubted is not None:
            late = some[self.deliveries["time"][some] > doubted]
            self.doubtful += sum(place not in stale for place in late.tolist())

    def _doubted_since(self, given: Told, generation: int | None) -> int | None:
        """From when on the partition may be another's: it was given to it, nobody says in which generation,
        and that was not over when it was given to the consumer itself."""
        overs, least = self._spells if generation is None else self._undated_spells
        place = bisect_left(overs, self.facts.order(given)[:3])
        return least[place] if place < len(least) else None

    @cached_property
    def _spells(self) -> Spells:
        return self._spells_of(self._to_others)

    @cached_property
    def _undated_spells(self) -> Spells:
        return self._spells_of([told for told in self._to_others if "generation" not in told[1]])

    def _spells_of(self, given: Sequence[Told]) -> Spells:
        """When assignments to others are over, in order; and the least time from which on one of these, or of
        those that are over later, is certainly in force."""
        spells = sorted((self._over(told), self._time_of(told)) for told in given)
        least = list(accumulate((time for _, time in reversed(spells)), min))
        return [over for over, _ in spells], least[::-1]

    def _over(self, told: Told) -> Moment:
        """When a consumer was given other partitions, gave this one back or ended, after an assignment."""
        words = self._words[self._whose(told[1])]
        ends = (self.facts.order(end)[:3] for end in self._ends_of(told[1]))
        this = self.facts.order(told)[:3]
        place = bisect_right(words, this)
        return min([*words[place : place + 1], *(end for end in ends if this < end), _NEVER])

    @cached_property
    def _words(self) -> dict[int, list[Moment]]:
        """When each member was told something that may end what it has of the partition."""
        found: dict[int, list[Moment]] = {}
        for told in self.of_group:
            if told[1]["op_name"] in schema.ASSIGNS or self._takes(told[1]):
                found.setdefault(self._whose(told[1]), []).append(self.facts.order(told)[:3])
        return found

    @cached_property
    def _to_others(self) -> list[Told]:
        """Assignments of the partition to other consumers."""
        mine = self._one("consumer")
        return [
            told
            for told in self.of_group
            if told[1]["op_name"] in schema.ASSIGNS and self._has(told[1])
            if self._whose(told[1]) != mine
        ]

    def _whose(self, event: Mapping[str, Any]) -> int:
        return self.facts.person(event, consumer_of(event))

    def _time_of(self, told: Told) -> int:
        """From when on an assignment is certainly before a delivery."""
        other = self.facts.moment(told)[3] != self._one("domain")
        return int(told[1]["time_unix_nano"]) + (self.facts.parameters.clock_skew if other else 0)

    def _ends_of(self, event: Mapping[str, Any]) -> Iterator[Told]:
        consumers, clients = self.facts.ends
        yield from consumers.get(self._whose(event), ())
        yield from (
            clients.get(self.facts.person(event, event["client_id"]), ()) if "client_id" in event else ()
        )

    def _takes(self, event: Mapping[str, Any]) -> bool:
        """Whether a revocation takes the partition."""
        return event["op_name"] in schema.REVOKES and ("partitions" not in event or self._has(event))

    def _newer(self, some: Numbers, generation: int) -> Iterator[tuple[int, int]]:
        """Deliveries, each with the row of the earliest assignment that has taken the partition."""
        since = [
            (self._time_of(told), told[0])
            for told in self._to_others
            if told[1].get("generation", generation) > generation
        ]
        if not since:
            return
        least = min(time for time, _ in since)
        for place in some[self.deliveries["time"][some] > least].tolist():
            time = int(self.deliveries["time"][place])
            yield place, next(row for begin, row in since if begin < time)

    def _found(self, kind: str, first: int, row: int) -> Finding:
        return Finding("ownership", kind, first, row, row)
