"""The audit: which checks can judge which runs, what they find, and the verdicts.

A check is asked about those runs that have what it needs, and if there is none, no job is run. What all of
them need, deliveries and messages with what became of them, is computed once and kept, in memory as far as
there is room and on disk for the rest. What a check finds is written down at once, and all else is read from
there: a plan that has been carried out is not carried out again.

Ctrl-C ends an audit early. What was judged until then stands, and the rest is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from angarium.core.control import cut_of
from angarium.core.errors import UsageError, did_you_mean
from angarium.history import tables
from angarium.history.checks.check import Check, Looks
from angarium.history.checks.facts import Facts, normalised
from angarium.history.checks.latency import latency
from angarium.history.checks.messages import figures, messages
from angarium.history.checks.registry import CHECKS
from angarium.history.closer import Closer
from angarium.history.guarantees import COMPLETE_LOG, GUARANTEES, NAMES, Guarantee
from angarium.history.missing import Missing
from angarium.history.parameters import Parameters
from angarium.history.profile import FIELDS, Profile, profiles
from angarium.history.results import Figures, Judgement
from angarium.history.summary import Log, Outcome, judgement, logs_of
from angarium.history.workshop import WORTH_A_PROGRAM, Workshop
from angarium.spark.failures import translated
from angarium.spark.session import side_by_side

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Observer = Callable[[str, int, int], None]
"""Is told which guarantee is looked at, how many were before it, and how many there are to judge."""
Found = Mapping[tuple[str, str], Mapping[str, int]]
"""By guarantee and run: how many violations there are of each kind."""
AT_ONCE = 3
"""So many checks that look at few events are asked at a time."""

MANY_ENDS = 200_000
"""More ends of consumers than this are not sent to everybody."""
_RUNS = "run_id string, end bigint, timerless boolean, events bigint, numbered bigint, multiples bigint"
_WITH_VERDICT = {guarantee.name for guarantee in GUARANTEES if guarantee.kinds}
FEW_EVENTS = (Looks.MESSAGES, Looks.SEQUENCES)
"""What proves these violations are events of the messages that were looked at; others need more."""
_FIGURED = {"no-loss", "no-phantom", "latency"}
"""Who asks for one of these gets the figures of each run, too: they need the same tables."""


@dataclass
class Audit:
    """What an audit found. Its tables are there as long as it is not closed."""

    facts: Facts
    parameters: Parameters
    profiles: Mapping[str, Profile]
    logs: Mapping[str, Log]
    """How whole the log of each run is."""
    judgements: Sequence[Judgement]
    """One for each run and guarantee that was asked for and has a verdict, in the order of the guarantees."""
    figures: Sequence[Figures]
    violations: DataFrame
    """The columns of `tables.VIOLATIONS`."""
    closer: Closer
    cut: str | None = None
    """Why not everything was judged, if something cut the audit short."""
    release: Callable[[], None] = lambda: None

    @cached_property
    def messages(self) -> DataFrame:
        """The columns of `tables.MESSAGES`."""
        return messages(self.facts)

    @cached_property
    def latency(self) -> DataFrame:
        """The columns of `tables.LATENCY`."""
        return latency(self.closer.facts)

    def events_of(self, guarantee: str) -> DataFrame:
        """Events among which are all of any violation of a guarantee: as few as are at hand."""
        (check,) = (each for each in CHECKS if each.guarantee == guarantee)
        facts = self.closer.facts_for(check.looks) if check.looks in FEW_EVENTS else None
        return (facts or self.facts).events

    def close(self) -> None:
        """Let go of what was kept for the tables."""
        self.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def audit(
    events: DataFrame,
    parameters: Parameters,
    *,
    only: Collection[str] | None = None,
    observe: Observer | None = None,
    lacking: Missing | None = None,
    scratch: Path | None = None,
    gapless: bool = False,
    known: Mapping[str, Profile] | None = None,
    size: int | None = None,
    screen: bool | None = None,
) -> Audit:
    """Judge all guarantees, or only some, in every run of a table of events (the schema's columns).

    `lacking`: what is in quarantine. `scratch`: a folder that all of Spark's machines can write to.
    `gapless`: it is known that no recorder's numbers have a gap. `known`: the profiles of the runs, if they
    were looked at before. `size`: the bytes of the files that are read.
    `screen`: whether what is plain is sorted out first; if it is not said, that is done where it pays.
    """
    asked = chosen(only)
    with translated():
        normal = normalised(events)
        found = profiles(normal) if known is None else known
    count = sum(each.events for each in found.values())
    holding = Workshop(events.sparkSession, scratch, count, size)
    try:
        facts = replace(facts_of(normal, parameters, found), gapless=gapless)
        small = count < WORTH_A_PROGRAM
        closer = Closer(facts, holding.keep, False if small and screen is None else screen, holding.suiting)
        return _Auditor(facts, closer, found, holding).audit(asked, observe, lacking or Missing())
    except BaseException:
        holding.release()
        raise


def chosen(only: Collection[str] | None) -> list[Check]:
    for name in only or ():
        if name not in NAMES:
            raise UsageError("ANG012", f"there is no guarantee {name!r}", possible=did_you_mean(name, NAMES))
    return [check for check in CHECKS if not only or check.guarantee in only]


def facts_of(normal: DataFrame, parameters: Parameters, found: Mapping[str, Profile]) -> Facts:
    """The facts, with what the profiles say about them."""
    runs = [
        (
            run_id,
            each.end + parameters.clock_skew,
            each.timerless,
            each.events,
            each.numbered,
            each.multiples,
        )
        for run_id, each in found.items()
    ]
    known = normal.sparkSession.createDataFrame(runs, _RUNS)
    return Facts(
        normal,
        parameters,
        paired=any(each.receives and each.processes for each in found.values()),
        absent=frozenset(name for name in FIELDS if not any(getattr(each, name) for each in found.values())),
        many_ends=sum(each.closings for each in found.values()) > MANY_ENDS,
        runs=known,
        clocks_differ=any(each.clock_domains > 1 for each in found.values()),
    )


@dataclass
class _Telling:
    """Tells an observer which guarantees are looked at."""

    observe: Observer | None
    of: int
    told: list[str] = field(default_factory=list)

    def begun(self, *checks: Check) -> None:
        """Say, once, that checks are being asked."""
        for name in (check.guarantee for check in checks):
            if self.observe and name not in self.told:
                self.observe(name, len(self.told), self.of)
                self.told.append(name)


@dataclass
class _Auditor:
    """One audit: what is known, and what has been found so far."""

    facts: Facts
    closer: Closer
    profiles: Mapping[str, Profile]
    kept: Workshop
    outcomes: dict[str, dict[str, Outcome]] = field(default_factory=dict)
    """By guarantee and run."""
    written: dict[str, Path] = field(default_factory=dict)
    """Where the violations of each guarantee are."""

    def audit(self, chosen: Sequence[Check], observe: Observer | None, lacking: Missing) -> Audit:
        for name in ("controls", "takers"):
            vars(self.facts)[name] = self.kept.keep(getattr(self.facts, name))
        cut = self._judge_all(chosen, observe)
        names = [check.guarantee for check in chosen]
        figured = not cut and _FIGURED & set(names)
        with translated(), side_by_side(2) as start:
            counts = start(self._counts)
            told = start(self._figures if figured else list)
        logs = self._logs(counts.result(), lacking)
        judgements = self._judgements(names, counts.result(), logs, cut)
        return Audit(
            self.facts,
            self.facts.parameters,
            self.profiles,
            logs,
            judgements,
            told.result(),
            self._violations([name for name in names if name in self.written]),
            self.closer,
            cut,
            self.kept.release,
        )

    # --- checks -----------------------------------------------------------------------------------

    def _judge_all(self, chosen: Sequence[Check], observe: Observer | None) -> str | None:
        """Ask all checks; what cut it short, if something did.

        Gaps in the log come first, asked for or not: without them nothing can be said to hold. Then come
        those for which some of the events are enough, and at last those that look at all of them.
        """
        log = [check for check in CHECKS if check.guarantee == COMPLETE_LOG]
        others = [check for check in chosen if check.guarantee != COMPLETE_LOG]
        of_all = [check for check in others if check.looks is Looks.EVENTS]
        of_some = [check for check in others if check.looks is not Looks.EVENTS]
        tell = _Telling(observe, len(log) + len(others))
        try:
            for checks in (log, of_some, of_all):
                with translated():
                    self._judge_some(checks, tell)
        except KeyboardInterrupt as problem:
            return cut_of(problem)
        return None

    def _judge_some(self, checks: Sequence[Check], tell: _Telling) -> None:
        """Ask checks: one by one if they look at many events, else side by side."""
        tell.begun(*checks[:1])
        able = {check: runs for check in checks if (runs := self._able(check))}
        tell.begun(*(check for check in checks if check not in able))
        self._look({check.looks for check in able})
        sizes = {check: self._size(check.looks) for check in able}
        few = [check for check, size in sizes.items() if size < WORTH_A_PROGRAM]
        many = [[check] for check in able if check not in few]
        for group in filter(None, (*many, few)):
            with self.kept.suiting(max(sizes[check] for check in group)):
                self._ask({check: able[check] for check in group}, tell)

    def _ask(self, checks: Mapping[Check, Sequence[str]], tell: _Telling) -> None:
        """Ask checks side by side, each about the runs that it can judge."""
        with side_by_side(AT_ONCE) as start:
            for check, runs in checks.items():
                tell.begun(check)
                start(self._judge, check, runs)

    def _look(self, looks: Collection[Looks]) -> None:
        """Find out, side by side, which events must be seen for each kind of look."""
        if not set(looks) - {Looks.EVENTS}:
            return
        with self.kept.suiting(self.kept.events):
            messages = self.closer.sorted_messages
        with self.kept.suiting(self.kept.events, sorted_rows=messages), side_by_side(len(looks)) as start:
            for each in looks:
                start(self.closer.facts_for, each)

    def _size(self, looks: Looks) -> int:
        """How many events a check has to look at."""
        seen = (self.closer.facts_for(looks), self.closer.counted(looks))
        return max(self.kept.events if each.size is None else each.size for each in seen if each)

    def _able(self, check: Check) -> list[str]:
        """The runs that a check can judge; why it cannot judge the others is noted."""
        lacks = {run: check.lacks(each, self.facts.parameters) for run, each in self.profiles.items()}
        self.outcomes[check.guarantee] = {run: Outcome(reason=why) for run, why in lacks.items() if why}
        return [run for run, reason in lacks.items() if reason is None]

    def _judge(self, check: Check, runs: Sequence[str]) -> None:
        """Write down the violations of a guarantee, and note how much was judged."""
        found, counted = self.closer.facts_for(check.looks), self.closer.counted(check.looks)
        if check.guarantee in _WITH_VERDICT and found:
            path = self.kept.folder / check.guarantee
            self._of(check.violations(found), runs).write.parquet(path.as_uri())
            self.written[check.guarantee] = path
        rows = self._of(check.judged(counted), runs).collect()
        noted = {row["run_id"]: Outcome(row["judged"], row["unjudged"], reason=row["reason"]) for row in rows}
        self.outcomes[check.guarantee] |= dict.fromkeys(runs, Outcome()) | noted

    def _of(self, table: DataFrame, runs: Sequence[str]) -> DataFrame:
        """The rows of some runs."""
        from pyspark.sql import functions as f

        if len(runs) == len(self.profiles):
            return table
        chosen = table.sparkSession.createDataFrame([(run,) for run in runs], "run_id string")
        return table.join(f.broadcast(chosen), "run_id", "left_semi")

    # --- what came of them ------------------------------------------------------------------------

    def _violations(self, names: Sequence[str]) -> DataFrame:
        spark = self.facts.events.sparkSession
        if not names:
            return spark.createDataFrame([], tables.VIOLATIONS)
        paths = [self.written[name].as_uri() for name in names]
        return spark.read.schema(tables.VIOLATIONS).parquet(*paths)

    def _counts(self) -> Found:
        """How many violations of each kind each guarantee has in each run."""
        counts = self._violations(list(self.written)).groupBy("guarantee", "run_id", "kind").count()
        found: dict[tuple[str, str], dict[str, int]] = {}
        for row in counts.collect():
            found.setdefault((row["guarantee"], row["run_id"]), {})[row["kind"]] = row["count"]
        return found

    def _logs(self, counts: Found, lacking: Missing) -> dict[str, Log]:
        gaps = {run: sum(counts.get((COMPLETE_LOG, run), {}).values()) for run in self.profiles}
        return logs_of(self.profiles, gaps, lacking)

    def _judgements(
        self, names: Sequence[str], counts: Found, logs: Mapping[str, Log], cut: str | None
    ) -> list[Judgement]:
        asked = [each for each in GUARANTEES if each.name in names and each.kinds]
        return [
            judgement(run, guarantee, self._outcome(run, guarantee, counts, cut), log)
            for run, log in logs.items()
            for guarantee in asked
        ]

    def _outcome(self, run: str, guarantee: Guarantee, counts: Found, cut: str | None) -> Outcome:
        outcome = self.outcomes.get(guarantee.name, {}).get(run, Outcome(reason=cut))
        kinds = counts.get((guarantee.name, run), {})
        proved = sum(kinds.get(kind, 0) for kind in guarantee.proved)
        return replace(outcome, violations=sum(kinds.values()), proved=proved)

    def _figures(self) -> list[Figures]:
        rows = figures(self.closer.facts).orderBy("run_id").collect()
        return [Figures(**row.asDict()) for row in rows]
