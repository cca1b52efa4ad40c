"""A job as text for a terminal: the table of verdicts, what is not as expected, where the results are.

How a claim fared in the runs of a project file: a verdict and a number of states for each run.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from angarium.app.report.job import (
    AS_EXPECTED,
    FAILED,
    UNDECIDED,
    UNEXPECTED,
    ClaimResult,
    JobResult,
    Trend,
    TrendPoint,
)
from angarium.app.report.layout import amount, entry, paint, paragraphs, printable, wrapped
from angarium.core.result import Verdict

SIGNS = {AS_EXPECTED: "ok", UNEXPECTED: "NOT", UNDECIDED: "?", FAILED: "failed"}
"""What stands before a claim: whether it turned out as the project file says."""
_COLOURS = {AS_EXPECTED: "holds", UNEXPECTED: "violated", UNDECIDED: "unknown", FAILED: "violated"}
_SIGN, _VERDICT, _TIME = 6, 8, 9
_LEFT = _SIGN + _VERDICT + _TIME + 4


def render(job: JobResult, *, out: Path | None, width: int = 80, colourful: bool = False) -> str:
    """Everything that a run ends with."""
    return paragraphs(
        [
            _title(job, colourful),
            _table(job, width, colourful),
            *(_told(each, width, colourful) for each in job.claims if _wants_words(each)),
            _end(job, width),
            [] if out is None else _where(job, out),
        ]
    )


def line(claim: ClaimResult, number: int, of: int) -> str:
    """What is said when a claim has its answer."""
    sign = SIGNS[claim.outcome]
    took = "known already" if claim.cached else f"{claim.seconds:.1f} s"
    return f"[{number}/{of}] {sign:<{_SIGN}} {claim.verdict:<{_VERDICT}} {printable(claim.name)} ({took})"


def _title(job: JobResult, colourful: bool) -> list[str]:
    return [paint(f"{printable(job.project)}: {amount(len(job.claims), 'claim')}", "title", colourful)]


def _table(job: JobResult, width: int, colourful: bool) -> list[str]:
    head = f"{'':<{_SIGN}}  {'verdict':<{_VERDICT}}  {'time':>{_TIME}}  claim"
    rows = [line for each in job.claims for line in _row(each, width, colourful)]
    return [head, "-" * width, *rows]


def _row(claim: ClaimResult, width: int, colourful: bool) -> list[str]:
    took = "known" if claim.cached else f"{claim.seconds:.1f} s"
    label = f"{SIGNS[claim.outcome]:<{_SIGN}}  {claim.verdict:<{_VERDICT}}  {took:>{_TIME}}"
    first, *rest = entry(label, printable(claim.name), left=_LEFT, width=width)
    return [first.replace(label, paint(label, _COLOURS[claim.outcome], colourful), 1), *rest]


def _wants_words(claim: ClaimResult) -> bool:
    """Whether more is to be said than the table does."""
    return claim.outcome != AS_EXPECTED or bool(claim.news)


def _told(claim: ClaimResult, width: int, colourful: bool) -> list[str]:
    """What is to be said about one claim: why it is not as expected, and what is strange."""
    wanted = "" if claim.outcome == AS_EXPECTED else f": {claim.verdict}, expected was {claim.expect}"
    lines = [paint(f"{printable(claim.name)}{wanted}", "title", colourful), f"  {printable(claim.about)}"]
    for text in (*([claim.problem] if claim.problem else []), *claim.notes, *summaries(claim)):
        lines += [line for part in text.splitlines() for line in wrapped(part, width, "  ")]
    return lines


def summaries(claim: ClaimResult) -> list[str]:
    """Of each guarantee that is violated, though it should hold, what its story shows."""
    if claim.outcome != UNEXPECTED or claim.verdict != "violated" or claim.result is None:
        return []
    violated = (each for each in claim.result.verdicts if each.verdict is Verdict.VIOLATED)
    return [f"{each.guarantee}: {each.summary}" for each in violated]


def _end(job: JobResult, width: int) -> list[str]:
    fit = sum(each.outcome == AS_EXPECTED for each in job.claims)
    known = sum(each.cached for each in job.claims)
    again = f" ({known} known from earlier runs)" if known else ""
    where = "" if known == len(job.claims) else f", in {job.seconds:.1f} s on Spark at {job.master}"
    lines = [f"{fit} of {len(job.claims)} as expected{again}{where}."]
    if job.cut:
        lines += wrapped(f"It was cut: {job.cut}. Not looked at: {', '.join(job.unchecked)}.", width)
    elif job.unchecked:
        lines += wrapped(f"Left out: {', '.join(job.unchecked)}.", width)
    return lines


def _where(job: JobResult, out: Path) -> list[str]:
    return [f"Report   {out / job.report}", f"Results  {out}"]


def render_trends(trends: Sequence[Trend], width: int = 80) -> str:
    """Each claim over the runs: the verdicts, and how many states there were."""
    return paragraphs([_trend(each, width) for each in trends])


def _trend(trend: Trend, width: int) -> list[str]:
    lines = [printable(trend.claim)]
    before: TrendPoint | None = None
    for point in trend.runs:
        states = "" if point.states is None else f"{amount(point.states, 'state')}{_change(before, point)}"
        lines.append(f"  {point.run_id}  {point.verdict:<{_VERDICT}}  {states}".rstrip()[:width])
        before = point if point.states is not None else before
    return lines


def _change(before: TrendPoint | None, now: TrendPoint) -> str:
    """How many states are more or fewer; fewer are strange, unless something else is asked."""
    more = (now.states or 0) - (before.states or 0) if before else 0
    if before is None or not more:
        return ""
    if before.about != now.about:
        return f" ({more:+,}: something else is asked)"
    return f" ({more:+,})" if more > 0 else f" ({more:+,}: is less tried?)"
