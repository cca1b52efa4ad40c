"""The audit: which checks can judge which runs, what they find, and the verdicts.

A check is asked about those runs that have what it needs, and if there is none, no job is run. What all of
them need, deliveries and messages with what became of them, is computed once and kept, in memory as far as
there is room and on disk for the rest. What a check finds is written down at once, and all else is read from
there: a plan that has been carried out is not carried out again.

Ctrl-C ends an audit early. What was judged until then stands, and the rest is unknown.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from angarium.errors import UsageError, did_you_mean
from angarium.explore.engine import INTERRUPTED
from angarium.history import tables
from angarium.history.checks.check import Check
from angarium.history.checks.facts import Facts, normalised
from angarium.history.checks.latency import latency
from angarium.history.checks.messages import figures, messages
from angarium.history.checks.registry import CHECKS
from angarium.history.guarantees import GUARANTEES, NAMES
from angarium.history.parameters import Parameters
from angarium.history.profile import FIELDS, Profile, profiles
from angarium.history.results import Figures, Judgement
from angarium.history.summary import Outcome, judgement, log_of
from angarium.spark.failures import is_sparks, translated
from angarium.spark.lineage import kept

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Observer = Callable[[str, int, int], None]
"""Is told which guarantee is looked at, how many were judged before, and how many there are to judge."""

EVENTS_A_TASK = 1_000_000
"""So many events are sorted at a time: a task then needs little memory, however long the history is."""
WORTH_A_PROGRAM = 200_000
"""Spark's programs take longer to compile than fewer events take to be looked at."""
INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
_SHARED = ("controls", "holdings", "lives", "subscribers")
"""The facts that many checks ask for, each made from those before it."""
MANY_ENDS = 200_000
"""More ends of consumers than this are not sent to everybody."""
_PARTITIONS = "spark.sql.shuffle.partitions"
COMPLETE_LOG = "complete-log"
_WITH_VERDICT = {guarantee.name for guarantee in GUARANTEES if guarantee.kinds}
_FIGURED = {"no-loss", "no-phantom", "latency"}
"""Who asks for one of these gets the figures of each run, too: they need the same tables."""


@dataclass
class Audit:
    """What an audit found. Its tables are there as long as it is not closed."""

    facts: Facts
    parameters: Parameters
    profiles: Mapping[str, Profile]
    judgements: Sequence[Judgement]
    """One for each run and guarantee that was asked for and has a verdict, in the order of the guarantees."""
    figures: Sequence[Figures]
    violations: DataFrame
    """The columns of `tables.VIOLATIONS`."""
    messages: DataFrame
    """The columns of `tables.MESSAGES`."""
    latency: DataFrame
    """The columns of `tables.LATENCY`."""
    cut: str | None = None
    """Why not everything was judged, if something cut the audit short."""
    release: Callable[[], None] = lambda: None

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
    quarantined: Mapping[str | None, int] | None = None,
    scratch: Path | None = None,
) -> Audit:
    """Judge all guarantees, or only some, in every run of a table of events (the schema's columns).

    `quarantined`: how many rows of each run are in quarantine, those that repeat others aside; None stands
    for rows whose run is not known. `scratch`: a folder that all of Spark's machines can write to.
    """
    asked = chosen(only)
    with translated():
        normal = normalised(events)
        found = profiles(normal)
    holding = _Kept(events.sparkSession, scratch, sum(each.events for each in found.values()))
    try:
        return _Auditor(facts_of(normal, parameters, found), found, holding).audit(
            asked, observe, quarantined or {}
        )
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
        )
        for run_id, each in found.items()
    ]
    known = normal.sparkSession.createDataFrame(runs, "run_id string, end bigint, timerless boolean")
    return Facts(
        normal,
        parameters,
        paired=any(each.receives and each.processes for each in found.values()),
        absent=frozenset(name for name in FIELDS if not any(getattr(each, name) for each in found.values())),
        many_ends=sum(each.closings for each in found.values()) > MANY_ENDS,
        runs=known,
    )


class _Kept:
    """What an audit keeps while it is used: a folder, tables in memory, and how finely Spark divides them."""

    def __init__(self, spark: SparkSession, scratch: Path | None, events: int) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="angarium-audit-", dir=scratch))
        self._spark = spark
        self._tables: list[DataFrame] = []
        settings = _settings(spark.sparkContext.defaultParallelism, events)
        self._before = {name: spark.conf.get(name) for name in settings}
        for name, value in settings.items():
            spark.conf.set(name, value)

    def keep(self, table: DataFrame) -> DataFrame:
        """The table, which is computed when it is first asked for, and not again."""
        self._tables.append(table)
        return kept(table)

    def release(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        with _whatever_remains_of_spark():
            for table in self._tables:
                table.unpersist()
            for name, value in self._before.items():
                if value is not None:
                    self._spark.conf.set(name, value)
        self._tables.clear()


def _settings(cores: int, events: int) -> dict[str, str]:
    """How finely Spark divides its work, and whether it writes a program for every plan before it runs it."""
    divided = {_PARTITIONS: str(max(cores, -(-events // EVENTS_A_TASK)))}
    return divided | (INTERPRETED if events < WORTH_A_PROGRAM else {})


@contextmanager
def _whatever_remains_of_spark() -> Iterator[None]:
    """Letting go must not fail because Spark, or the connection to it, is gone already."""
    try:
        yield
    except Exception as problem:
        if not is_sparks(problem):
            raise


@dataclass
class _Auditor:
    """One audit: what is known, and what has been found so far."""

    facts: Facts
    profiles: Mapping[str, Profile]
    kept: _Kept
    outcomes: dict[str, dict[str, Outcome]] = field(default_factory=dict)
    """By guarantee and run."""
    written: dict[str, Path] = field(default_factory=dict)
    """Where the violations of each guarantee are."""

    def audit(
        self, chosen: Sequence[Check], observe: Observer | None, quarantined: Mapping[str | None, int]
    ) -> Audit:
        for name in _SHARED:
            vars(self.facts)[name] = self.kept.keep(getattr(self.facts, name))
        cut = self._judge_all(chosen, observe)
        names = [check.guarantee for check in chosen]
        with translated():
            counts = self._counts()
            judgements = self._judgements(names, counts, quarantined, cut)
            told = [] if cut or not _FIGURED & set(names) else self._figures()
        return Audit(
            self.facts,
            self.facts.parameters,
            self.profiles,
            judgements,
            told,
            self._violations([name for name in names if name in self.written]),
            messages(self.facts),
            latency(self.facts),
            cut,
            self.kept.release,
        )

    # --- checks -----------------------------------------------------------------------------------

    def _judge_all(self, chosen: Sequence[Check], observe: Observer | None) -> str | None:
        """Ask all checks; what cut it short, if something did.

        Gaps in the log come first, asked for or not: without them nothing can be said to hold.
        """
        first = [check for check in CHECKS if check.guarantee == COMPLETE_LOG]
        checks = first + [check for check in chosen if check.guarantee != COMPLETE_LOG]
        try:
            for number, check in enumerate(checks):
                if observe:
                    observe(check.guarantee, number, len(checks))
                with translated():
                    self._judge(check)
        except KeyboardInterrupt:
            return INTERRUPTED
        return None

    def _judge(self, check: Check) -> None:
        lacks = {run: check.lacks(each, self.facts.parameters) for run, each in self.profiles.items()}
        outcomes = {run: Outcome(reason=reason) for run, reason in lacks.items()}
        able = [run for run, reason in lacks.items() if reason is None]
        if able:
            path = self.kept.folder / check.guarantee
            if check.guarantee in _WITH_VERDICT:
                self._of(check.violations(self.facts), able).write.parquet(path.as_uri())
                self.written[check.guarantee] = path
            for row in self._of(check.judged(self.facts), able).collect():
                outcomes[row["run_id"]] = Outcome(row["judged"], row["unjudged"], 0, row["reason"])
        self.outcomes[check.guarantee] = outcomes

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

    def _counts(self) -> dict[tuple[str, str], int]:
        """How many violations each guarantee has in each run."""
        counts = self._violations(list(self.written)).groupBy("guarantee", "run_id").count()
        return {(row["guarantee"], row["run_id"]): row["count"] for row in counts.collect()}

    def _judgements(
        self,
        names: Sequence[str],
        counts: Mapping[tuple[str, str], int],
        quarantined: Mapping[str | None, int],
        cut: str | None,
    ) -> list[Judgement]:
        gaps = {run: counts.get((COMPLETE_LOG, run), 0) for run in self.profiles}
        found = []
        for run in self.profiles:
            log = log_of(run, gaps, quarantined)
            for guarantee in (each for each in GUARANTEES if each.name in names and each.kinds):
                outcome = self.outcomes.get(guarantee.name, {}).get(run, Outcome(reason=cut))
                outcome = replace(outcome, violations=counts.get((guarantee.name, run), 0))
                found.append(judgement(run, guarantee, outcome, log))
        return found

    def _figures(self) -> list[Figures]:
        rows = figures(self.facts).orderBy("run_id").collect()
        return [Figures(**row.asDict()) for row in rows]
