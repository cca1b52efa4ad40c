"""The findings of a batch: what the folds find in the events that matter, and what of it is new.

A fold finds, in any set of events that is complete up to a time, just those violations of the whole history
that can be known by then. All events before the watermark are there. So of what is found, that with a
`found_at` before the watermark is true for ever, and that from the watermark before on has not been told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from angarium.history.explanations import explanation
from angarium.history.guarantees import COMPLETE_LOG
from angarium.history.kernel import layout as at
from angarium.history.kernel.facts import run_of
from angarium.history.kernel.finding import (
    KINDS,
    MOST_COMPARED,
    NAMING,
    OF_ONE_MESSAGE,
    Finding,
    rows_of,
    told,
    violation,
)
from angarium.history.kernel.folding import Folded
from angarium.history.kernel.groups import balance, ownership
from angarium.history.kernel.offsets import placed
from angarium.history.kernel.replicas import Replicas
from angarium.history.live.matters import Followed
from angarium.history.live.numbered import Gap
from angarium.history.live.progress import Progress
from angarium.history.live.remembered import Remembered
from angarium.history.live.written import Events
from angarium.history.needs import LACKS, lacks
from angarium.history.parameters import Parameters
from angarium.history.profile import Profile
from angarium.history.results import Violation

AT_END = ("no-loss",)
"""Guarantees that are judged when the stream has ended: a message may always still come."""
BATCH_ONLY = {
    "consistent-offsets": "an offset would have to be remembered for ever",
    "latency": "figures, no verdict",
}
"""Guarantees that only an audit of all events judges, and why."""
FOUND_ONCE = ("one-active-consumer",)
"""Guarantees of which a violation is told once, though there is more and more that proves it."""
FOR_EVER = 1 << 62
Rows = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of the history's time: from the watermark before to the watermark."""

    since: int
    until: int

    @property
    def last(self) -> bool:
        return self.until >= FOR_EVER


Since = dict[tuple[str, str], int]
"""For a run and a guarantee, the time up to which its violations have been told."""


def told_before(before: Progress, profiles: Iterable[Profile], parameters: Parameters, span: Span) -> Since:
    """Which guarantees of which runs can be judged by what has been seen, and up to when they were.

    What could not be judged before, for something had not been seen, is told from the beginning. And nothing
    can have been told of a run that is later than its end as it was then known, even if the watermark, which
    is that of all runs, had passed on.
    """
    ends = {each.run_id: each.end + parameters.clock_skew + 1 for each in before.profiles}
    judged = set(before.judged)
    return {
        (run, name): min(span.since, ends[run]) if (run, name) in judged else 0
        for name in _asked(span)
        for each in profiles
        if lacks(name, each, parameters) is None
        for run in (each.run_id,)
    }


def _asked(span: Span) -> list[str]:
    """What is judged now. The names of the others are in `AT_END` and `BATCH_ONLY`."""
    left_out = set(BATCH_ONLY) | (set() if span.last else set(AT_END))
    return [name for name in LACKS if name not in left_out]


@dataclass
class Released:
    """What is new of what was found."""

    remembered: Remembered
    events: Events
    folding: Followed
    folded: Folded
    since: Since
    span: Span
    pinned: list[int] = field(default_factory=list)
    """Rows that proved what is told once."""

    def violations(self) -> list[Violation]:
        """All that is new, with sentences, in the order in which it can be known."""
        findings = [self._numbered(each) for each in self._found()]
        findings += map(_of_gap, self.remembered.numbered.gaps(self.folding.facts.tables, self.span.until))
        events = self.events.fetch(rows_of(findings), NAMING)
        named = [violation(each, events) for each in findings]
        new = [each for each in named if self._is_new(each)]
        return [replace(each, explanation=explanation(each)) for each in sorted(new, key=_order)]

    def _is_new(self, found: Violation) -> bool:
        since = self.since.get((found.run_id, found.guarantee))
        return since is not None and since <= found.found_at < self.span.until

    def _numbered(self, finding: Finding) -> Finding:
        """A finding with the numbers of events in the place of rows."""
        origins = self.remembered.origins

        def number(row: int | None) -> int | None:
            return None if row is None else int(origins[row])

        first, last = int(origins[finding.first]), int(origins[finding.last])
        return replace(
            finding, first=first, last=last, about=number(finding.about), whose=number(finding.whose)
        )

    def _found(self) -> Iterator[Finding]:
        facts, words = self.folding.facts, self._without_collisions(self._new(self.folded.findings))
        for kind in (at.TWO_ACTIVE,):
            self.pinned += words[words[:, at.X_KIND] == kind, at.X_LAST].tolist()
        yield from told(words, facts.tables, lambda _: True)
        yield from self._ownership()
        yield from balance(facts)[0]
        if any(each.stores and each.isrs for each in facts.profiles.values()):
            yield from self._acks_all()

    # --- of the kernel ----------------------------------------------------------------------------------

    def _new(self, words: Rows) -> Rows:
        """The kernel's findings that are new."""
        found = np.zeros(len(words), np.bool_)
        runs = self._runs(words)
        for kind, (guarantee, _) in KINDS.items():
            least = self._since(guarantee)
            mine = words[:, at.X_KIND] == kind
            found |= mine & (words[:, at.X_FOUND_AT] >= least[runs])
        return words[found & (words[:, at.X_FOUND_AT] < self.span.until)]

    def _since(self, guarantee: str) -> Rows:
        """From when on findings of a guarantee are new, by run."""
        runs = self.folding.facts.tables.runs.values
        return np.array([self.since.get((run, guarantee), at.UNKNOWN) for run in runs] or [0], np.uint64)

    def _runs(self, words: Rows) -> NDArray[np.int64]:
        """The run of each finding."""
        tables = self.folding.facts.tables
        subscribers = [tables.places.values[place][0] for place, _ in tables.subscribers.values] or [0]
        people = [run for run, _ in tables.people.values] or [0]
        known = words[:, [at.X_RUN, at.X_SUBSCRIBER, at.X_CONSUMER]].astype(np.int64)
        subscriber, consumer = (np.maximum(known[:, place] - 1, 0) for place in (1, 2))
        others = np.where(known[:, 1] > 0, np.array(subscribers)[subscriber], np.array(people)[consumer])
        found: NDArray[np.int64] = np.where(_is_of_one(words), known[:, 0], others)
        return found

    def _without_collisions(self, words: Rows) -> Rows:
        """Without what was found of two messages that have one hash: nobody is accused by it."""
        keys = np.unique(words[_is_of_one(words), at.X_KEY])[:MOST_COMPARED]
        rows = self.remembered.rows_of(keys)
        origins = self.remembered.origins
        numbers = {row: int(origins[row]) for row in rows}
        events = self.events.fetch(set(numbers.values()), NAMING)
        names: dict[int, set[tuple[str, str, str]]] = {}
        for row, key in rows.items():
            event = events[numbers[row]]
            names.setdefault(key, set()).add((run_of(event), event["destination"], event["message_id"]))
        two = np.array([key for key, each in names.items() if len(each) > 1], np.uint64)
        return words[~(np.isin(words[:, at.X_KEY], two) & _is_of_one(words))]

    # --- beside ---------------------------------------------------------------------------------------------

    def _least(self, guarantee: str) -> int:
        """From when on something may be new."""
        return min((since for (_, name), since in self.since.items() if name == guarantee), default=FOR_EVER)

    def _ownership(self) -> Iterator[Finding]:
        least = self._least("ownership")
        new = [_some(each, _owned(each) & (each["time"] >= least)) for each in self.remembered.encoder.placed]
        taken = self.folding.taken.astype(np.int64)
        new = [each | {"taken": taken[each["row"]]} for each in new if len(each["row"])]
        events = placed(new, self.folding.facts.tables)
        if events:
            yield from ownership(self.folding.facts, events)[0]

    def _acks_all(self) -> Iterator[Finding]:
        facts, origins = self.folding.facts, self.remembered.origins
        rows = self.remembered.stored_since(self._least("acks-all") - facts.parameters.clock_skew)
        events = self.events.fetch({int(origins[row]) for row in rows})
        sends = [(row, events[int(origins[row])]) for row in rows]
        yield from Replicas(facts, sends).acks_all()[0]


def _is_of_one(words: Rows) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = np.isin(words[:, at.X_KIND], OF_ONE_MESSAGE)
    return found


def _owned(events: Mapping[str, NDArray[np.int64]]) -> NDArray[np.bool_]:
    """Which are deliveries of a group's partition."""
    found: NDArray[np.bool_] = (events["group"] >= 0) & (events["partition"] > 0) & (events["stored"] == 0)
    return found


def _some(events: Mapping[str, NDArray[np.int64]], chosen: NDArray[np.bool_]) -> dict[str, NDArray[np.int64]]:
    return {name: values[chosen] for name, values in events.items()}


def _of_gap(gap: Gap) -> Finding:
    return Finding(
        COMPLETE_LOG, "gap", gap.first, gap.last, None, measure=gap.missing, names=(),
        given={"run_id": gap.run_id},
    )  # fmt: skip


def _order(found: Violation) -> tuple[int | str, ...]:
    """The order of findings: by when they can be known, then by what they are."""
    names = (found.run_id, found.guarantee, found.kind, found.last_recorder or "")
    return (
        found.found_at, *names, found.last_seq or 0, found.first_recorder or "", found.first_seq or 0,
        found.message_id or "", found.subscriber or "", found.consumer_id or "", found.broker_id or "",
    )  # fmt: skip
