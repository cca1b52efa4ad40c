"""An audit by the kernel: from a source of rows to verdicts, violations and figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from angarium.history.guarantees import COMPLETE_LOG, GUARANTEES, Guarantee
from angarium.history.kernel import layout as at
from angarium.history.kernel.buckets import LEAST, LOWEST
from angarium.history.kernel.encode_core import T_STORED
from angarium.history.kernel.facts import Facts, run_of
from angarium.history.kernel.finding import NAMING, Finding, keys_of_messages, rows_of, told, violation
from angarium.history.kernel.folding import CollisionError, Folded
from angarium.history.kernel.groups import balance
from angarium.history.kernel.noted import Noted
from angarium.history.kernel.numbers import Jump, Odd
from angarium.history.kernel.placed import Placed
from angarium.history.kernel.replicas import Replicas
from angarium.history.missing import Missing
from angarium.history.needs import UNJUDGED, chosen, lacks
from angarium.history.parameters import Parameters
from angarium.history.profile import Profile
from angarium.history.results import Figures, Judgement, Violation
from angarium.history.summary import Log, Outcome, judgement, logs_of
from angarium.history.tables import COMPARED

Event = Mapping[str, Any]
Counted = dict[int, tuple[int, int]]
_KERNELS = {
    "no-loss": at.NO_LOSS, "no-phantom": at.NO_PHANTOM, "no-duplicates": at.NO_DUPLICATES,
    "duplicates-after-ack": at.DUPLICATES_AFTER_ACK, "order": at.ORDER, "one-active-consumer": at.ONE_ACTIVE,
    "flow-control": at.FLOW_CONTROL, "bounded-retries": at.RETRIES, "redelivery-time": at.REDELIVERY,
}  # fmt: skip
"""Guarantees of which the kernel counts how much it judged."""
_FIGURED = {"no-loss", "no-phantom", "latency"}
"""Who asks for one of these gets the figures of each run, too."""
_SEEDS = (0, 0x5EED, 0xC0111DE)
"""Hashes with a second seed, where two names have the same with the first."""


@dataclass(frozen=True)
class Audited:
    """What an audit found."""

    profiles: Mapping[str, Profile]
    logs: Mapping[str, Log]
    judgements: Sequence[Judgement]
    figures: Sequence[Figures]
    violations: Sequence[Violation]
    latency: Sequence[tuple[str, str, int, int, int, int]]
    """Rows of `tables.LATENCY`."""
    jumps: Sequence[Jump]
    repeats: Collection[int]
    """Rows that are there twice."""
    times: Mapping[int, int]
    """Times of rows that were put right."""


class Steps(Protocol):
    """Who carries out what an audit needs of the rows: a process, or many."""

    def read(self, seed: int, odd: Odd) -> Noted:
        """Read everything, and keep the events; without some rows, and with other times of some."""

    def odd(self, noted: Noted, sources: Sequence[int]) -> Odd:
        """Look closely at recorders whose numbers do not simply go on."""

    def fold(self, facts: Facts, asked: Collection[str]) -> tuple[Folded, Placed]:
        """Judge messages, and offsets and ownership if these are asked for."""

    def rows_of(self, keys: NDArray[np.uint64]) -> Mapping[int, int]:
        """The rows of all events of some messages, each with its message's hash."""

    def fetch(self, rows: Collection[int], columns: Collection[str] | None = None) -> Mapping[int, Event]:
        """Some rows, with their times as they were put right."""

    def confirmed(self) -> Sequence[tuple[int, Event]]:
        """The sends of messages that are ok, with their rows."""


def audited(
    steps: Steps,
    parameters: Parameters,
    *,
    only: Collection[str] | None = None,
    lacking: Callable[[], Missing] = Missing,
    mend: bool = True,
    say: Callable[[str], None] = lambda text: None,
) -> Audited:
    """Judge all guarantees, or only some, in every run.

    `mend`: put clocks right that went back, and leave out rows that are there twice.
    """
    asked = chosen(only)
    for seed in _SEEDS:
        try:
            return _Audit(steps, parameters, asked, seed, mend, say).audited(lacking)
        except CollisionError:
            continue
    raise AssertionError("names collide with every seed")


@dataclass
class _Audit:
    """One audit: what was read, and what was found so far."""

    steps: Steps
    parameters: Parameters
    asked: Sequence[str]
    seed: int
    mend: bool
    say: Callable[[str], None]
    counts: dict[str, Counted] = field(default_factory=dict)
    """By guarantee and run: how much was judged, and how much was not."""

    def audited(self, lacking: Callable[[], Missing]) -> Audited:
        noted, odd = self._read()
        facts = noted.facts(self.parameters)
        profiles = facts.profiles
        missing = lacking()
        self.say("judging")
        folded, placed = self.steps.fold(facts, self.asked)
        findings = [*odd.gaps, *told(folded.findings, noted.tables, self._is_asked)]
        self._count_messages(folded)
        findings += self._beside(noted, facts, folded, placed)
        events = self._named(findings, folded)
        named = self._violations(findings, events, profiles)
        logs = self._logs(profiles, named, missing)
        return Audited(
            {each.run_id: each for each in profiles.values()}, logs,
            self._judgements(profiles, named, logs), self._figures(profiles, folded),
            [each for each in named if self._is_asked(each.guarantee)], _latency(profiles, folded),
            sorted(odd.jumps, key=astuple), odd.repeats, odd.times,
        )  # fmt: skip

    def _read(self) -> tuple[Noted, Odd]:
        """Read everything; once more, if clocks went back, or rows are there twice."""
        noted = self.steps.read(self.seed, Odd())
        odd = Odd()
        if sources := noted.tally.sources.not_in_order():
            odd = self.steps.odd(noted, sources)
        if not self.mend:
            odd = Odd(gaps=odd.gaps)
        if odd.repeats or odd.times:
            noted = self.steps.read(self.seed, odd)
        return noted, odd

    # --- judging ------------------------------------------------------------------------------------

    def _is_asked(self, guarantee: str) -> bool:
        return guarantee in self.asked

    def _count_messages(self, folded: Folded) -> None:
        for name, place in _KERNELS.items():
            judged = folded.judged[:, place]
            self.counts[name] = {run: (int(each[0]), int(each[1])) for run, each in enumerate(judged)}

    def _beside(self, noted: Noted, facts: Facts, folded: Folded, placed: Placed) -> Iterator[Finding]:
        """What is judged beside the messages."""
        profiles = facts.profiles
        yield from placed.findings
        self.counts["consistent-offsets"] = _offsets(noted, placed, folded)
        self.counts["ownership"] = placed.owned
        findings, self.counts["balance"] = balance(facts)
        yield from findings
        if self._is_asked("acks-all") and any(each.stores and each.isrs for each in profiles.values()):
            findings, self.counts["acks-all"] = Replicas(facts, self.steps.confirmed()).acks_all()
            yield from findings
        self.counts[COMPLETE_LOG] = {
            run: (profile.numbered, profile.events - profile.numbered) for run, profile in profiles.items()
        }

    def _named(self, findings: Sequence[Finding], folded: Folded) -> Mapping[int, Event]:
        """The events of findings, with names. CollisionError if the kernel took two messages for one."""
        of_messages = self.steps.rows_of(keys_of_messages(folded.findings))
        events = self.steps.fetch(rows_of(findings) | set(of_messages), NAMING)
        names: dict[int, tuple[str, ...]] = {}
        for row, key in of_messages.items():
            event = events[row]
            name = run_of(event), event["destination"], event["message_id"]
            if names.setdefault(key, name) != name:
                raise CollisionError
        return events

    def _violations(
        self, findings: Sequence[Finding], events: Mapping[int, Event], profiles: Mapping[int, Profile]
    ) -> list[Violation]:
        """The violations in the runs that can be judged."""
        able = {(name, run) for name, runs in self._able(profiles).items() for run in runs}
        named = (violation(finding, events) for finding in findings)
        return sorted((each for each in named if (each.guarantee, each.run_id) in able), key=_order)

    def _able(self, profiles: Mapping[int, Profile]) -> dict[str, set[str]]:
        """The runs that each guarantee can be judged of; gaps are looked for in any case."""
        return {
            name: {each.run_id for each in profiles.values() if lacks(name, each, self.parameters) is None}
            for name in {*self.asked, COMPLETE_LOG}
        }

    # --- verdicts -----------------------------------------------------------------------------------

    def _logs(
        self, profiles: Mapping[int, Profile], violations: Sequence[Violation], lacking: Missing
    ) -> dict[str, Log]:
        gaps = Counter(each.run_id for each in violations if each.guarantee == COMPLETE_LOG)
        return logs_of([each.run_id for each in profiles.values()], gaps, lacking)

    def _judgements(
        self, profiles: Mapping[int, Profile], violations: Sequence[Violation], logs: Mapping[str, Log]
    ) -> list[Judgement]:
        kinds: dict[tuple[str, str], Counter[str]] = {}
        for each in violations:
            kinds.setdefault((each.guarantee, each.run_id), Counter())[each.kind] += 1
        return [
            judgement(
                profile.run_id,
                guarantee,
                self._outcome(guarantee, run, profile, kinds),
                logs[profile.run_id],
            )
            for run, profile in profiles.items()
            for guarantee in GUARANTEES
            if guarantee.name in self.asked and guarantee.kinds
        ]

    def _outcome(
        self,
        guarantee: Guarantee,
        run: int,
        profile: Profile,
        kinds: Mapping[tuple[str, str], Counter[str]],
    ) -> Outcome:
        if reason := lacks(guarantee.name, profile, self.parameters):
            return Outcome(reason=reason)
        judged, unjudged = self.counts.get(guarantee.name, {}).get(run, (0, 0))
        found = kinds.get((guarantee.name, profile.run_id), Counter())
        proved = sum(found[kind] for kind in guarantee.proved)
        reason = UNJUDGED.get(guarantee.name) if unjudged else None
        return Outcome(judged, unjudged, found.total(), proved, reason)

    def _figures(self, profiles: Mapping[int, Profile], folded: Folded) -> list[Figures]:
        if not _FIGURED & {*self.asked}:
            return []
        return [
            Figures(profile.run_id, *folded.figures[run].tolist())
            for run, profile in profiles.items()
            if folded.figures[run].any()
        ]


def _offsets(noted: Noted, placed: Placed, folded: Folded) -> Counted:
    """By run, how many sends that stored something and deliveries have an offset, and how many have none."""
    found = {}
    for run in range(len(noted.tables.runs.values)):
        judged = placed.judged[run]
        stored = noted.tally.of(run, T_STORED)
        found[run] = judged, stored + int(folded.figures[run, at.DELIVERED_TIMES]) - judged
    return found


def _order(violation: Violation) -> tuple[Any, ...]:
    """The same order, however the history was read."""
    return tuple((value is not None, value or 0) for value in map(violation.__getattribute__, COMPARED))


_SPANS = ("confirm", "deliver", "settle")


def _latency(profiles: Mapping[int, Profile], folded: Folded) -> list[tuple[str, str, int, int, int, int]]:
    """The histograms, as rows."""
    found = []
    for place, count, shortest, longest in folded.histogram.tolist():
        run, bucket = divmod(place, len(_SPANS) * len(LEAST))
        span, bucket = divmod(bucket, len(LEAST))
        found.append((profiles[run].run_id, _SPANS[span], bucket + LOWEST, count, shortest, longest))
    return sorted(found)
