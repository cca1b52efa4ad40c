"""What is counted while rows pass by: how many events of each kind each run has, and its recorders' numbers.

Where a recorder's numbers go on one by one, and its times do not go back, as they are read, nothing else need
be known of them. Only the others are looked at closely afterwards: see `numbers`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from angarium.history import schema
from angarium.history.intake.batch import NULL, Batch
from angarium.history.kernel.encode_core import (
    T_ACKS,
    T_BEGIN,
    T_CONFIRMED,
    T_END,
    T_EVENTS,
    T_GROUPED,
    T_MULTIPLES,
    T_NAMELESS,
    T_NUMBERED,
    T_PLACED,
    T_PROCESSES,
    T_RECEIVES,
    T_REQUEUES,
    T_SENDS,
    T_SEQUENCED,
    T_SETTLES,
    TALLY,
)
from angarium.history.kernel.interning import Numbers, Pairs
from angarium.history.kernel.library import KERNEL
from angarium.history.kernel.memory import Words, address
from angarium.history.kernel.numbering import Tables, Truths
from angarium.history.kernel.numbers_core import (
    BASED,
    COUNT_ENDED,
    COUNT_WAITING,
    ENDED,
    ENDING,
    FIRST,
    FIRST_TIME,
    LAST,
    LAST_TIME,
    ODD,
    RANGE,
    STATE,
    WAITING,
    WAITS,
)
from angarium.history.profile import Profile

_SEEN = ("system", "recorder", "clock_domain")


@dataclass
class Tally:
    """What was counted."""

    counted: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, TALLY), np.int64))
    """By run: counts of events, as the kernel has them, and the first and the last time."""
    said: dict[str, Counter[int]] = field(default_factory=dict)
    """By field of the profile and run: what events of no message say."""
    seen: dict[tuple[str, int], set[str | None]] = field(default_factory=dict)
    """Systems, recorders and clock domains, each by run."""
    sources: Watched = field(default_factory=lambda: Watched())
    _there: tuple[Pairs, ...] = field(default_factory=lambda: tuple(Pairs() for _ in _SEEN))
    """Runs and what is noted of them already, by numbers."""

    def count(
        self, batch: Batch, given: Words, times: Numbers, flags: NDArray[np.uint8], tables: Tables
    ) -> None:
        """Count a batch's rows, as the kernel is given them."""
        self._make_room(len(tables.runs.values))
        pairs = (*self._there, tables.sources)
        numbered = np.array([address(each.table(batch.count)) for each in pairs], np.uint64)
        sources = np.empty(batch.count, np.int64)
        KERNEL.call("count_rows", given, flags, numbered, batch.count, self.counted, sources)
        for name, each in zip(_SEEN, self._there, strict=True):
            for run, value in each.fresh():
                mine = self.seen.setdefault((name, run), set())
                mine.add(tables.names.values[value] if value >= 0 else None)
        tables.sources.fresh()
        self._watch(batch, sources, times, flags)

    def _make_room(self, runs: int) -> None:
        if len(self.counted) < runs:
            more = np.zeros((max(runs, 2 * len(self.counted)) - len(self.counted), TALLY), np.int64)
            self.counted = np.concatenate([self.counted, more])

    def _watch(self, batch: Batch, sources: Numbers, times: Numbers, flags: NDArray[np.uint8]) -> None:
        seq = batch.numbers.get("seq")
        if seq is not None:
            self.sources.watch(sources, seq, times, (flags != 0) & (seq != NULL))

    def add(self, run: int, event: Mapping[str, Any]) -> None:
        """Count an event of no message for what it says."""
        for name, says in _SAYING.items():
            if says(event):
                self.said.setdefault(name, Counter())[run] += 1

    def merge(self, other: Tally, runs: Numbers, sources: Numbers) -> None:
        """Add what was counted elsewhere; `runs`, `sources`: the numbers here of those there."""
        for name, counts in other.said.items():
            mine = self.said.setdefault(name, Counter())
            for run, count in counts.items():
                mine[int(runs[run])] += count
        there = np.flatnonzero(other.counted[:, T_END])
        self._make_room(int(runs.max(initial=-1)) + 1)
        counted, before = other.counted[there], self.counted[runs[there]]
        whole = before + counted
        whole[:, T_END] = np.maximum(before[:, T_END], counted[:, T_END])
        earlier = (before[:, T_BEGIN] == 0) | (counted[:, T_BEGIN] < before[:, T_BEGIN])
        whole[:, T_BEGIN] = np.where(earlier, counted[:, T_BEGIN], before[:, T_BEGIN])
        self.counted[runs[there]] = whole
        for (name, run), values in other.seen.items():
            self.seen.setdefault((name, int(runs[run])), set()).update(values)
        self.sources.add(other.sources, sources)

    def of(self, run: int, count: int) -> int:
        """One of the kernel's counts of a run."""
        return int(self.counted[run, count]) if run < len(self.counted) else 0

    def profiles(self, runs: list[str]) -> dict[int, Profile]:
        """The profile of every run by its number, in the order of names."""
        there = np.flatnonzero(self.counted[:, T_END]).tolist()
        return {run: self._profile(run, runs[run]) for run in sorted(there, key=lambda each: runs[each])}

    def _profile(self, run: int, name: str) -> Profile:
        values: dict[str, Any] = {
            each.name: self.said.get(each.name, Counter())[run] for each in fields(Profile)
        }
        values |= {name: self.of(run, count) for name, count in _COUNTED.items()}
        found = {key: self.seen[key, run] for key in _SEEN}
        systems = tuple(sorted(each for each in found["system"] if each is not None))
        return Profile(
            **values
            | {
                "run_id": name, "systems": systems, "recorders": len(found["recorder"]),
                "clock_domains": len({each or "" for each in found["clock_domain"]}),
                "attached": bool(values["attached"]),
            }
        )  # fmt: skip


_COUNTED = {
    "events": T_EVENTS, "sends": T_SENDS, "confirmed": T_CONFIRMED, "receives": T_RECEIVES,
    "processes": T_PROCESSES, "settles": T_SETTLES, "acks": T_ACKS, "requeues": T_REQUEUES,
    "numbered": T_NUMBERED, "sequenced": T_SEQUENCED, "placed": T_PLACED, "grouped": T_GROUPED,
    "multiples": T_MULTIPLES, "nameless": T_NAMELESS, "begin": T_BEGIN, "end": T_END,
}  # fmt: skip
"""What a profile has of the kernel's counts."""


def _declares(event: Mapping[str, Any], name: str) -> bool:
    return event["op_type"] == "control" and "destination" in event and bool(event.get(name) is not None)


def _is_named(event: Mapping[str, Any], op: str, names: tuple[str, ...]) -> bool:
    """Whether it is an event of a kind with one of some names, that did not fail."""
    return event["op_type"] == op and event["phase"] != "fail" and event.get("op_name") in names


_SAYING: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "subscriptions": lambda e: _is_named(e, "control", schema.SUBSCRIBES) and "destination" in e,
    "closings": lambda e: _is_named(e, "control", schema.ENDS) and ("consumer_id" in e or "client_id" in e),
    "credits": lambda e: "credit" in e or e.get("prefetch", 0) > 0,
    "retry_limits": lambda e: _declares(e, "max_deliveries"),
    "timeouts": lambda e: _declares(e, "ack_wait_ms"),
    "single_actives": lambda e: _declares(e, "single_active") and e["single_active"],
    "assignments": lambda e: (
        _is_named(e, "group", schema.ASSIGNS) and "partitions" in e and "generation" in e
    ),
    "shares": lambda e: _is_named(e, "group", schema.ASSIGNS) and "partitions" in e,
    "stores": lambda e: _is_named(e, "replica", schema.STORES),
    "isrs": lambda e: "isr" in e,
    "attached": lambda e: _is_named(e, "control", (schema.RECORDING_BEGINS,)),
}
"""What an event of no message says, by the count of a profile that it is for."""


Ranges = Numbers
"""Rows of source, first number and its time, last number and its time: numbers that go on one by one."""


class Watched:
    """The numbers of each recorder: only of those that do not simply go on more need be known."""

    def __init__(self) -> None:
        self._states = np.zeros((16, STATE), np.uint64)
        self.odd: set[int] = set()
        """Sources of which it is known already that their numbers do not simply go on."""
        self.elsewhere: list[Ranges] = []
        """What was watched in other pieces of the history."""

    def watch(self, source: Numbers, seq: Numbers, time: Numbers, numbered: Truths) -> None:
        """Look at numbers in the order of reading."""
        most = int(source.max())
        if most >= len(self._states):
            more = np.zeros((2 * most + 2 - len(self._states), STATE), np.uint64)
            self._states = np.concatenate([self._states, more])
        whole = [np.ascontiguousarray(each) for each in (source, seq, time, numbered)]
        KERNEL.call("watch", *whole, len(whole[0]), self._states)

    def add(self, other: Watched, sources: Numbers) -> None:
        """Take what another piece has seen; `sources`: the numbers here of its sources."""
        self.odd |= {int(sources[each]) for each in other.all_odd() if each < len(sources)}
        ranges = other.ranges()
        ranges[:, 0] = sources[ranges[:, 0]]
        self.elsewhere.append(ranges)

    def all_odd(self) -> set[int]:
        return self.odd | set(np.flatnonzero(self._states[:, ODD]).tolist())

    def ranges(self) -> Ranges:
        """What goes on one by one, and each number that still waits."""
        states = self._states.view(np.int64)
        fine = states[:, ODD] == 0
        based = np.flatnonzero(fine & (states[:, BASED] != 0))
        found = [np.column_stack([based, states[based][:, [FIRST, FIRST_TIME, LAST, LAST_TIME]]])]
        for place in range(ENDING):
            some = np.flatnonzero(fine & (states[:, COUNT_ENDED] > place))
            start = ENDED + place * RANGE
            found.append(np.column_stack([some, states[some][:, start : start + RANGE]]))
        for place in range(WAITING):
            some = np.flatnonzero(fine & (states[:, COUNT_WAITING] > place))
            waits = states[some][:, [WAITS + 2 * place, WAITS + 2 * place + 1] * 2]
            found.append(np.column_stack([some, waits]))
        return np.concatenate([*self.elsewhere, *found])

    def not_in_order(self) -> list[int]:
        """The sources whose numbers do not go on one by one, or whose times go back."""
        ranges = self.ranges()
        ranges = ranges[np.lexsort((ranges[:, 1], ranges[:, 0]))]
        before, after = ranges[:-1], ranges[1:]
        goes_on = (after[:, 1] == before[:, 3] + 1) & (after[:, 2] >= before[:, 4])
        broken = (after[:, 0] == before[:, 0]) & ~goes_on
        return sorted(self.all_odd() | set(after[broken, 0].tolist()))
