"""What came of a job: the claims of a project file, each with its verdict, as plain data.

A claim's answer is the record that its verb gives with `--json`, so that whoever can read the one can read
the other; whoever shows it takes the result of which it is the record. Beside it stand what was expected, and
pictures.
A job is kept as one JSON file; reading it back gives the same job. As the answer of `angarium run` each claim
is a verdict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from angarium.app.report.record import is_result, read_result
from angarium.core.control import Cut
from angarium.core.records import FLAT, HERE
from angarium.core.records import Record as Record
from angarium.core.result import Extent, GuaranteeVerdict, Result, Verdict

AS_EXPECTED, UNEXPECTED, UNDECIDED, FAILED = "as expected", "unexpected", "undecided", "failed"
OUTCOMES = (UNEXPECTED, FAILED, UNDECIDED, AS_EXPECTED)
"""From the worst on: another verdict, none because of an error, one that is not known, one that fits."""
REPORT, PARTIAL_REPORT = "report.html", "report-only.html"
KINDS = ("check", "mesh", "recover", "prove", "simulate", "audit")


@dataclass(frozen=True)
class ClaimResult:
    """One claim, and what came of it."""

    name: str
    kind: str
    """One of KINDS."""
    about: str
    """What was asked, on one line: "nsq with messages=2: no-loss"."""
    expect: str
    """The verdict that is expected."""
    verdict: str
    """The worst of all that the record has; `unknown` if there is none."""
    outcome: str
    """One of OUTCOMES."""
    seconds: float
    record: Record = field(default_factory=dict)
    """What the verb's `--json` gives; empty if the claim failed."""
    pictures: Mapping[str, str] = field(default_factory=dict)
    """SVG by title: meshes with the failing ways, histograms of statistics."""
    problem: str | None = None
    """Why there is no record, or why the search was cut."""
    notes: Sequence[str] = ()
    """What the reader should know: fewer states than before, a cache entry that was broken."""
    cached: bool = False
    """Whether it is the answer of an earlier run with the same inputs."""
    key: str = ""
    """The hash of all its inputs."""
    bounded: bool = False
    """Whether it is about a statistic, and not about guarantees: then the first note says how it fared."""

    @cached_property
    def result(self) -> Result[GuaranteeVerdict] | None:
        """What the verb answers; None if there is no answer, or none that this version can read."""
        return read_result(self.record) if is_result(self.record) else None

    @property
    def news(self) -> Sequence[str]:
        """The notes, without the one about a bound that is kept: the verdict says that already."""
        return self.notes[1:] if self.bounded and self.outcome == AS_EXPECTED else self.notes


@dataclass(frozen=True, slots=True)
class JobResult:
    """A run of a project file."""

    project: str
    run_id: str
    """Sorts by time: 20261116-183000-1f3a."""
    began: str
    """When, as in 2026-11-16T18:30:00Z."""
    seconds: float
    master: str
    """Where Spark ran."""
    version: str
    claims: tuple[ClaimResult, ...]
    unchecked: tuple[str, ...] = ()
    """Claims that were not looked at: left out by --only, or because somebody pressed Ctrl-C."""
    cut: Cut | None = field(default=None, metadata=FLAT)
    """What ended the run before all claims had an answer, if something did."""
    only: tuple[str, ...] = ()
    """The claims that were asked for, unless all were."""

    @property
    def outcome(self) -> str:
        """The worst outcome of all claims; what was cut is undecided at best."""
        found = {each.outcome for each in self.claims} | ({UNDECIDED} if self.cut else set())
        return next((each for each in OUTCOMES if each in found), UNDECIDED)

    @property
    def verdict(self) -> Verdict:
        """The job as a verdict: does everything turn out as the project file says?"""
        return _VERDICTS[self.outcome]

    @property
    def report(self) -> str:
        """The name of its report: one about some claims does not take the place of the whole project's."""
        return PARTIAL_REPORT if self.only and self.unchecked else REPORT


_VERDICTS = {
    UNEXPECTED: Verdict.VIOLATED,
    FAILED: Verdict.UNKNOWN,
    UNDECIDED: Verdict.UNKNOWN,
    AS_EXPECTED: Verdict.HOLDS,
}


@dataclass(frozen=True, kw_only=True)
class ClaimVerdict(GuaranteeVerdict):
    """The verdict on a claim: `guarantee` is its name, and `record` what its verb answers."""

    kind: str
    about: str
    expect: str
    outcome: str
    seconds: float
    cached: bool
    problem: str | None
    notes: Sequence[str]
    record: Record


@dataclass(frozen=True, kw_only=True)
class RunResult(Result[ClaimVerdict]):
    """What `angarium run` answers: whether all is as the project file says."""

    kind: str = "run"
    engine: str = "spark"
    run_id: str
    began: str
    master: str
    outcome: str
    unchecked: Sequence[str]
    job: JobResult | None = field(default=None, repr=False, compare=False, metadata=HERE)

    @property
    def worst(self) -> Verdict:
        """`holds` if all claims turn out as is expected of them."""
        return _VERDICTS[self.outcome]


def result_of(job: JobResult) -> RunResult:
    """A job as the answer of its verb."""
    return RunResult(
        subject=job.project,
        extent=Extent(complete=job.cut is None, cut=job.cut, seconds=job.seconds),
        run_id=job.run_id,
        began=job.began,
        master=job.master,
        outcome=job.outcome,
        unchecked=job.unchecked,
        verdicts=tuple(map(_verdict, job.claims)),
        job=job,
    )


def _verdict(claim: ClaimResult) -> ClaimVerdict:
    return ClaimVerdict(
        guarantee=claim.name,
        verdict=Verdict(claim.verdict),
        kind=claim.kind,
        about=claim.about,
        expect=claim.expect,
        outcome=claim.outcome,
        seconds=claim.seconds,
        cached=claim.cached,
        problem=claim.problem,
        notes=claim.notes,
        record=claim.record,
    )


# --- over several runs ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """One run."""

    run_id: str
    verdict: str
    states: int | None
    """None if the claim is not about states."""
    about: str = ""
    """What was asked: a claim may keep its name and ask for less."""


@dataclass(frozen=True, slots=True)
class Trend:
    """The runs of a claim, the oldest first."""

    claim: str
    runs: Sequence[TrendPoint]


@dataclass(frozen=True, kw_only=True)
class TrendResult(Result[GuaranteeVerdict]):
    """How the claims of a project fared over its runs."""

    kind: str = "trend"
    engine: str = ""
    runs: Sequence[str]
    """The names of the runs, the oldest first."""
    trends: Sequence[Trend]
