"""What is counted while rows pass by: how many events of each kind each run has, and its recorders' numbers.

Where a recorder's numbers go on one by one, and its times do not go back, as they are read, nothing else need
be known of them. Only the others are looked at closely afterwards: see `numbers`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from angarium.history import schema
from angarium.history.intake.batch import NULL, Batch, Names
from angarium.history.kernel import layout as at
from angarium.history.kernel.interning import Numbers
from angarium.history.kernel.library import KERNEL
from angarium.history.kernel.numbering import Columns, Tables, Truths
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


@dataclass
class Tally:
    """What was counted."""

    counts: dict[str, Counter[int]] = field(default_factory=dict)
    """By field of the profile and run."""
    begins: dict[int, int] = field(default_factory=dict)
    ends: dict[int, int] = field(default_factory=dict)
    seen: dict[tuple[str, int], set[str | None]] = field(default_factory=dict)
    """Systems, recorders and clock domains, each by run."""
    sources: Watched = field(default_factory=lambda: Watched())

    def count(self, batch: Batch, columns: Columns, fit: Truths, time: Numbers, tables: Tables) -> None:
        """Count a batch's rows."""
        conditions = _counted(batch, columns)
        self._span(columns.run[fit], time[fit])
        for name, rows in conditions.items():
            for run, many in _by_run(columns.run, rows & fit):
                self.counts.setdefault(name, Counter())[run] += many
        for name in ("system", "recorder", "clock_domain"):
            for run, value in _values(batch.names.get(name), columns.run, fit):
                self.seen.setdefault((name, run), set()).add(value)
        self._watch(batch, fit, time, tables)

    def _span(self, runs: Numbers, time: Numbers) -> None:
        """Note when runs begin and end."""
        last = np.zeros(int(runs.max(initial=-1)) + 1, np.int64)
        first = np.full(len(last), 1 << 62)
        np.maximum.at(last, runs, time)
        np.minimum.at(first, runs, time)
        for run in np.flatnonzero(last).tolist():
            self.begins[run] = min(int(first[run]), self.begins.get(run, 1 << 62))
            self.ends[run] = max(int(last[run]), self.ends.get(run, 0))

    def _watch(self, batch: Batch, fit: Truths, time: Numbers, tables: Tables) -> None:
        seq = batch.numbers.get("seq")
        if seq is None:
            return
        numbered = fit & (seq != NULL)
        if numbered.any():
            run = tables.names.column(batch.names["run_id"], batch.count)
            recorder = tables.names.column(batch.names["recorder"], batch.count)
            self.sources.watch(tables.sources.column(run, recorder), seq, time, numbered)

    def add(self, run: int, event: Mapping[str, Any]) -> None:
        """Count an event of no message for what it says."""
        for name, says in _SAYING.items():
            if says(event):
                self.counts.setdefault(name, Counter())[run] += 1

    def merge(self, other: Tally, runs: Numbers, sources: Numbers) -> None:
        """Add what was counted elsewhere; `runs`, `sources`: the numbers here of those there."""
        for name, counts in other.counts.items():
            mine = self.counts.setdefault(name, Counter())
            for run, count in counts.items():
                mine[int(runs[run])] += count
        for there, run in ((there, int(runs[there])) for there in other.ends):
            self.begins[run] = min(other.begins[there], self.begins.get(run, 1 << 62))
            self.ends[run] = max(other.ends[there], self.ends.get(run, 0))
        for (name, there), values in other.seen.items():
            self.seen.setdefault((name, int(runs[there])), set()).update(values)
        self.sources.add(other.sources, sources)

    def profiles(self, runs: list[str]) -> dict[int, Profile]:
        """The profile of every run by its number, in the order of names."""
        return {run: self._profile(run, runs[run]) for run in sorted(self.ends, key=lambda each: runs[each])}

    def _profile(self, run: int, name: str) -> Profile:
        values: dict[str, Any] = {
            each.name: self.counts.get(each.name, Counter())[run] for each in fields(Profile)
        }
        found = {key: self.seen[key, run] for key in ("system", "recorder", "clock_domain")}
        systems = tuple(sorted(each for each in found["system"] if each is not None))
        return Profile(
            **values
            | {
                "run_id": name, "systems": systems, "begin": self.begins[run], "end": self.ends[run],
                "recorders": len(found["recorder"]),
                "clock_domains": len({each or "" for each in found["clock_domain"]}),
                "attached": bool(values["attached"]),
            }
        )  # fmt: skip


def _by_run(runs: Numbers, rows: Truths) -> Iterator[tuple[int, int]]:
    """How many of some rows each run has: in one go, for a history may name as many runs as it has rows."""
    if (runs == runs[:1]).all():
        yield from ((run, int(np.count_nonzero(rows))) for run in runs[:1].tolist())
        return
    counts = np.bincount(runs[rows])
    yield from ((run, int(counts[run])) for run in np.flatnonzero(counts).tolist())


def _values(names: Names | None, runs: Numbers, rows: Truths) -> Iterator[tuple[int, str | None]]:
    """The names in some rows, each once for each run that has it there."""
    codes = np.zeros(len(runs), np.int64) if names is None else names.codes.astype(np.int64) + 1
    width = int(codes.max(initial=0)) + 1
    for pair in np.unique(runs[rows] * width + codes[rows]).tolist():
        run, code = divmod(pair, width)
        yield run, str(names.values[code - 1]) if names is not None and code else None


def _counted(batch: Batch, columns: Columns) -> dict[str, Truths]:
    """Which rows each count of a profile is of."""
    sent = columns.named & (columns.op == at.SEND)
    settled = (columns.op == at.SETTLE) & (columns.phase != at.FAILED) & (columns.way <= at.NONE)
    told = sent | columns.taken
    found = {
        "events": np.ones(batch.count, np.bool_),
        "sends": sent,
        "confirmed": sent & (columns.phase == at.OK),
        "receives": columns.taken & (columns.op == at.RECEIVE),
        "processes": columns.taken & (columns.op == at.PROCESS),
        "settles": settled,
        "acks": settled & (columns.way == at.ACK),
        "requeues": settled & (columns.way == at.REQUEUE),
    }
    for name, column, rows in (
        ("numbered", "seq", None),
        ("sequenced", "producer_seq", told),
        ("placed", "offset", told),
    ):
        if column in batch.numbers:
            there = batch.numbers[column] != NULL
            found[name] = there if rows is None else there & rows
    group, part = batch.names.get("consumer_group"), batch.names.get("partition_id")
    if group is not None and part is not None:
        found["grouped"] = columns.taken & (group.codes >= 0) & (part.codes >= 0)
    if "settle_multiple" in batch.truths:
        found["multiples"] = settled & (batch.truths["settle_multiple"] == 1)
    if "offset" in batch.numbers:
        repeated = batch.truths.get("deduplicated")
        stored = found["confirmed"]
        found["stored"] = stored if repeated is None else stored & (repeated != 1)
    if not columns.named.all():
        found["nameless"] = ~columns.named & _nameless(batch, columns)
    return found


def _nameless(batch: Batch, columns: Columns) -> Truths:
    """Which rows are of a message, if it has no name."""
    found = np.zeros(batch.count, np.bool_)
    destination = batch.names.get("destination")
    if destination is not None:
        done = ((columns.op == at.SEND) | (columns.op == at.PROCESS)) & (columns.phase == at.OK)
        found |= done & (destination.codes >= 0)
    said = batch.names.get("error_type")
    if said is not None and schema.NAMELESS in said.values:
        found |= said.codes == list(said.values).index(schema.NAMELESS)
    return found


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
