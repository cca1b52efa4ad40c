"""An audit by the kernel: from a source of rows to verdicts, violations and figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from angarium.history.audit import chosen
from angarium.history.checks.check import Check
from angarium.history.guarantees import COMPLETE_LOG, GUARANTEES, Guarantee
from angarium.history.intake.batch import NULL, Batch
from angarium.history.intake.source import Source
from angarium.history.kernel import layout as at
from angarium.history.kernel.buckets import LOWEST
from angarium.history.kernel.encoding import Encoder
from angarium.history.kernel.facts import Facts, run_of
from angarium.history.kernel.finding import NAMING, OF_ONE_MESSAGE, Finding, rows_of, told, violation
from angarium.history.kernel.folding import CollisionError, Folded, Folding
from angarium.history.kernel.groups import balance, ownership
from angarium.history.kernel.interning import Numbers
from angarium.history.kernel.memory import Store, bits_for
from angarium.history.kernel.numbers import Jump, Odd, odd_of
from angarium.history.kernel.offsets import consistent_offsets, placed, some
from angarium.history.kernel.replicas import Replicas
from angarium.history.missing import Missing
from angarium.history.parameters import Parameters
from angarium.history.profile import Profile
from angarium.history.results import Figures, Judgement, Violation
from angarium.history.summary import Log, Outcome, judgement, log_of

Event = Mapping[str, Any]
Counted = dict[int, tuple[int, int]]
_KERNELS = {
    "no-loss": at.NO_LOSS, "no-phantom": at.NO_PHANTOM, "no-duplicates": at.NO_DUPLICATES,
    "duplicates-after-ack": at.DUPLICATES_AFTER_ACK, "order": at.ORDER, "one-active-consumer": at.ONE_ACTIVE,
    "flow-control": at.FLOW_CONTROL, "bounded-retries": at.RETRIES, "redelivery-time": at.REDELIVERY,
}  # fmt: skip
"""Guarantees of which the kernel counts how much it judged."""
_TIMEOUTS = "the message timeout of some subscribers is not known"
_REASONS = {
    "no-loss": "messages confirmed shortly before the end may still be on their way",
    "no-phantom": "messages may have been on their way when the recorder attached",
    "no-duplicates": _TIMEOUTS,
    "duplicates-after-ack": _TIMEOUTS,
    "order": "some messages have no producer_seq or no send, were sent twice, or are promised no order",
    "consistent-offsets": "some sends or deliveries have no offset",
    "one-active-consumer": "some queues may have many active consumers, or some deliveries of partitions "
    "have no generation",
    "flow-control": "some deliveries have no limit, or their message timeout is not known",
    "bounded-retries": "some subscribers have no retry limit",
    "redelivery-time": "some redeliveries may still come after the end of the history",
    "balance": "some assignments did not stand long enough",
    "acks-all": "of some sends nobody knows the replicas in step",
    COMPLETE_LOG: "some events have no seq",
}
"""Why some of a run was not judged."""
MOST_COMPARED = 20_000
"""Messages of which something was found, and all of whose events' names are compared."""
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


def audit(
    source: Source,
    parameters: Parameters,
    *,
    only: Collection[str] | None = None,
    lacking: Callable[[], Missing] = Missing,
    threads: int = 1,
    mend: bool = True,
) -> Audited:
    """Judge all guarantees, or only some, in every run of a source.

    `mend`: put clocks right that went back, and leave out rows that are there twice.
    """
    asked = chosen(only)
    for seed in _SEEDS:
        try:
            return _Audit(source, parameters, asked, threads, seed, mend).audited(lacking)
        except CollisionError:
            continue
    raise AssertionError("names collide with every seed")


@dataclass
class Corrected:
    """A source without rows that are there twice, and with times that were put right."""

    source: Source
    odd: Odd = field(default_factory=Odd)

    def batches(self) -> Iterator[tuple[Batch, Numbers | None]]:
        repeats = np.array(sorted(self.odd.repeats), np.int64)
        rows = np.array(sorted(self.odd.times), np.int64)
        for batch in self.source.batches():
            whole, times = batch, None
            low, high = np.searchsorted(repeats, [batch.first, batch.first + batch.count])
            if low < high:
                fit = np.ones(batch.count, np.bool_) if batch.events is None else batch.events.copy()
                fit[repeats[low:high] - batch.first] = False
                whole = replace(batch, events=fit)
            low, high = np.searchsorted(rows, [batch.first, batch.first + batch.count])
            if low < high:
                times = batch.numbers["time_unix_nano"].copy()
                times[rows[low:high] - batch.first] = [self.odd.times[row] for row in rows[low:high].tolist()]
            yield whole, times

    def fetch(self, rows: Collection[int], columns: Collection[str] | None = None) -> dict[int, Event]:
        found = self.source.fetch(rows, columns)
        for row in self.odd.times.keys() & found.keys():
            found[row] = {**found[row], "time_unix_nano": self.odd.times[row]}
        return found


@dataclass
class _Audit:
    """One audit: what was read, and what was found so far."""

    source: Source
    parameters: Parameters
    asked: Sequence[Check]
    threads: int
    seed: int
    mend: bool
    counts: dict[str, Counted] = field(default_factory=dict)
    """By guarantee and run: how much was judged, and how much was not."""

    def audited(self, lacking: Callable[[], Missing]) -> Audited:
        corrected, encoder = self._read()
        profiles = encoder.tally.profiles(encoder.tables.runs.values)
        facts = Facts(
            encoder.tables, encoder.others, profiles, self.parameters, encoder.may_read, encoder.several
        )
        folded = Folding(encoder, facts, self.source.rows, threads=self.threads).folded()
        findings = [*corrected.odd.gaps, *told(folded.findings, encoder.tables, self._is_asked)]
        self._count_messages(folded)
        findings += self._beside(corrected, encoder, facts, folded)
        events = self._named(corrected, findings, encoder.store, folded)
        named = self._violations(findings, events, profiles)
        logs = self._logs(profiles, named, lacking())
        return Audited(
            {each.run_id: each for each in profiles.values()}, logs,
            self._judgements(profiles, named, logs), self._figures(profiles, folded),
            [each for each in named if self._is_asked(each.guarantee)], _latency(profiles, folded),
            corrected.odd.jumps, corrected.odd.repeats, corrected.odd.times,
        )  # fmt: skip

    # --- reading ------------------------------------------------------------------------------------

    def _read(self) -> tuple[Corrected, Encoder]:
        """Read everything; once more, if clocks went back, or rows are there twice."""
        corrected = Corrected(self.source)
        encoder = self._encoded(corrected)
        odd = encoder.tally.sources.odd()
        corrected.odd = odd_of(self.source.batches(), encoder.tables, odd, self.source.fetch)
        if not self.mend:
            corrected.odd = Odd(gaps=corrected.odd.gaps)
        if corrected.odd.repeats or corrected.odd.times:
            encoder = self._encoded(corrected)
        return corrected, encoder

    def _encoded(self, corrected: Corrected) -> Encoder:
        rows = self.source.rows
        bits = bits_for(rows)
        encoder = Encoder(Store(rows, bits), Store(rows, bits), self.seed)
        for batch, times in corrected.batches():
            encoder.add(batch, times)
        for _, event in encoder.others:
            encoder.tally.add(encoder.tables.runs.of(run_of(event)), event)
        return encoder

    # --- judging ------------------------------------------------------------------------------------

    def _is_asked(self, guarantee: str) -> bool:
        return any(check.guarantee == guarantee for check in self.asked)

    def _count_messages(self, folded: Folded) -> None:
        for name, place in _KERNELS.items():
            judged = folded.judged[:, place]
            self.counts[name] = {run: (int(each[0]), int(each[1])) for run, each in enumerate(judged)}

    def _beside(
        self, corrected: Corrected, encoder: Encoder, facts: Facts, folded: Folded
    ) -> Iterator[Finding]:
        """What is judged beside the messages."""
        events = placed(encoder.placed, encoder.tables, folded.taken)
        profiles = facts.profiles
        if self._is_asked("consistent-offsets") and events and any(each.placed for each in profiles.values()):
            yield from consistent_offsets(events)
        self.counts["consistent-offsets"] = _offsets(encoder, events, folded)
        if self._is_asked("ownership") and events:
            owned = (events["group"] >= 0) & (events["partition"] > 0) & (events["stored"] == 0)
            findings, self.counts["ownership"] = ownership(facts, some(events, owned))
            yield from findings
        findings, self.counts["balance"] = balance(facts)
        yield from findings
        if self._is_asked("acks-all") and any(each.stores and each.isrs for each in profiles.values()):
            findings, self.counts["acks-all"] = Replicas(facts, _confirmed(corrected)).acks_all()
            yield from findings
        self.counts[COMPLETE_LOG] = {
            run: (profile.numbered, profile.events - profile.numbered) for run, profile in profiles.items()
        }

    def _named(
        self, corrected: Corrected, findings: Sequence[Finding], store: Store, folded: Folded
    ) -> Mapping[int, Event]:
        """The events of findings, with names. CollisionError if the kernel took two messages for one."""
        of_messages = store.rows_of(_keys_of_messages(folded))
        events = corrected.fetch(rows_of(findings) | set(of_messages), NAMING)
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
        able = {(check, run) for check, runs in self._able(profiles).items() for run in runs}
        named = (violation(finding, events) for finding in findings)
        return [each for each in named if (each.guarantee, each.run_id) in able]

    def _able(self, profiles: Mapping[int, Profile]) -> dict[str, set[str]]:
        """The runs that each check can judge; gaps are looked for in any case."""
        checks = {check.guarantee: check for check in (*self.asked, *chosen([COMPLETE_LOG]))}
        return {
            name: {each.run_id for each in profiles.values() if check.lacks(each, self.parameters) is None}
            for name, check in checks.items()
        }

    # --- verdicts -----------------------------------------------------------------------------------

    def _logs(
        self, profiles: Mapping[int, Profile], violations: Sequence[Violation], lacking: Missing
    ) -> dict[str, Log]:
        gaps = Counter(each.run_id for each in violations if each.guarantee == COMPLETE_LOG)
        names = [each.run_id for each in profiles.values()]
        return {name: log_of(name, gaps, lacking, names) for name in names}

    def _judgements(
        self, profiles: Mapping[int, Profile], violations: Sequence[Violation], logs: Mapping[str, Log]
    ) -> list[Judgement]:
        kinds: dict[tuple[str, str], Counter[str]] = {}
        for each in violations:
            kinds.setdefault((each.guarantee, each.run_id), Counter())[each.kind] += 1
        checks = {check.guarantee: check for check in self.asked}
        return [
            judgement(
                profile.run_id,
                guarantee,
                self._outcome(checks[guarantee.name], guarantee, run, profile, kinds),
                logs[profile.run_id],
            )
            for run, profile in profiles.items()
            for guarantee in GUARANTEES
            if guarantee.name in checks and guarantee.kinds
        ]

    def _outcome(
        self,
        check: Check,
        guarantee: Guarantee,
        run: int,
        profile: Profile,
        kinds: Mapping[tuple[str, str], Counter[str]],
    ) -> Outcome:
        if reason := check.lacks(profile, self.parameters):
            return Outcome(reason=reason)
        judged, unjudged = self.counts.get(guarantee.name, {}).get(run, (0, 0))
        found = kinds.get((guarantee.name, profile.run_id), Counter())
        proved = sum(found[kind] for kind in guarantee.proved)
        reason = _REASONS.get(guarantee.name) if unjudged else None
        return Outcome(judged, unjudged, found.total(), proved, reason)

    def _figures(self, profiles: Mapping[int, Profile], folded: Folded) -> list[Figures]:
        if not {"no-loss", "no-phantom", "latency"} & {check.guarantee for check in self.asked}:
            return []
        return [
            Figures(profile.run_id, *folded.figures[run].tolist())
            for run, profile in profiles.items()
            if folded.figures[run].any()
        ]


def _offsets(encoder: Encoder, events: Mapping[str, Numbers], folded: Folded) -> Counted:
    """By run, how many sends that stored something and deliveries have an offset, and how many have none."""
    runs = len(encoder.tables.runs.values)
    judged = np.zeros(runs, np.int64)
    if events:
        judged = np.bincount(events["run"][events["offset"] != NULL], minlength=runs)
    stored = encoder.tally.counts.get("stored", Counter())
    whole = [stored[run] + int(folded.figures[run, at.DELIVERED_TIMES]) for run in range(runs)]
    return {run: (int(judged[run]), whole[run] - int(judged[run])) for run in range(runs)}


def _keys_of_messages(folded: Folded) -> NDArray[np.uint64]:
    """The messages, by their hashes, of which something was found: so many as names can be compared of."""
    of_one = np.isin(folded.findings[:, at.X_KIND], OF_ONE_MESSAGE)
    return np.unique(folded.findings[of_one, at.X_KEY])[:MOST_COMPARED]


def _confirmed(corrected: Corrected) -> list[tuple[int, Event]]:
    """The sends that are ok, with their rows."""
    found = []
    for batch, _ in corrected.batches():
        ops, phases = batch.names["op_type"], batch.names["phase"]
        ok = [
            list(each.values).index(name) if name in each.values else -2
            for each, name in ((ops, "send"), (phases, "ok"))
        ]
        sent = (ops.codes == ok[0]) & (phases.codes == ok[1])
        if batch.events is not None:
            sent &= batch.events
        found += [batch.first + place for place in np.flatnonzero(sent).tolist()]
    return [(row, event) for row, event in corrected.fetch(found).items() if "message_id" in event]


_SPANS = ("confirm", "deliver", "settle")


def _latency(profiles: Mapping[int, Profile], folded: Folded) -> list[tuple[str, str, int, int, int, int]]:
    """The histograms, as rows."""
    found = []
    for run, profile in profiles.items():
        for span, bucket in np.argwhere(folded.histogram[run, :, :, 0]).tolist():
            count, shortest, longest = folded.histogram[run, span, bucket].tolist()
            found.append((profile.run_id, _SPANS[span], bucket + LOWEST, count, shortest, longest))
    return found
