"""What a claim leaves open, in sentences: the part of an answer that is most easily overlooked.

A claim that failed, a search that was cut, a guarantee that stays unknown, events that were not judged: each
with its reason. Guarantees that are unknown for the same reason stand together.
"""

from __future__ import annotations

from collections.abc import Iterator

from angarium.app.report.job import AS_EXPECTED, FAILED, UNDECIDED, ClaimResult, JobResult
from angarium.app.report.layout import amount
from angarium.checker.walks.results import Simulation, SweepResult
from angarium.core.result import CheckVerdict, GuaranteeVerdict, Result, Verdict
from angarium.history.result import AuditResult
from angarium.settings.kafka.results import SettingsResult

_UNREADABLE = "its answer is in a form that this version cannot read: run it again"
_WALKS = "walks can break a guarantee, but never show that it holds"


def outcome_of(job: JobResult) -> str:
    """The outcome of all claims; a run that was cut is not as expected, whatever the rest would have been."""
    return UNDECIDED if job.cut and job.outcome == AS_EXPECTED else job.outcome


def left_open(claim: ClaimResult) -> list[str]:
    """Every reason once; nothing if all was looked at, to the end, and is known."""
    return list(dict.fromkeys(_open(claim)))


def _open(claim: ClaimResult) -> Iterator[str]:
    result = claim.result
    if claim.outcome == FAILED:
        yield f"there is no answer: {claim.problem or 'it failed'}"
    elif claim.problem:
        yield claim.problem
    if result is not None:
        if result.extent.cut:
            yield f"it was cut: {result.extent.cut}"
        yield from _bound(claim) if claim.bounded else _unknown(result)
    elif claim.record:
        yield _UNREADABLE
    if isinstance(result, AuditResult):
        yield from _events(result)
    if isinstance(result, SettingsResult) and result.ignored:
        yield f"settings that the models do not have: {', '.join(result.ignored)}"


def _bound(claim: ClaimResult) -> Iterator[str]:
    """Of a statistic, whose note has the reason; for the guarantees of its model nobody has asked."""
    if claim.verdict == "unknown":
        yield "whether the statistic keeps to its bound stays unknown"


def _unknown(result: Result[GuaranteeVerdict]) -> Iterator[str]:
    """Guarantees of which nothing is known, put together by the reason."""
    by_reason: dict[str, dict[str, None]] = {}
    for verdict in result.verdicts:
        if verdict.verdict is Verdict.UNKNOWN:
            why = "; ".join(verdict.reasons) or _otherwise(result)
            by_reason.setdefault(why, {})[verdict.guarantee] = None
        elif isinstance(verdict, CheckVerdict) and verdict.untold:
            yield f"{verdict.guarantee} has no story: {verdict.untold}"
    for why, names in by_reason.items():
        stay = "stay" if len(names) > 1 else "stays"
        yield f"{', '.join(names)} {stay} unknown{f': {why}' if why else ''}"


def _otherwise(result: Result[GuaranteeVerdict]) -> str:
    if isinstance(result, Simulation | SweepResult):
        return _WALKS
    return f"it was cut ({result.extent.cut})" if result.extent.cut else ""


def _events(result: AuditResult) -> Iterator[str]:
    """Rows that do not fit, and what was not judged."""
    if result.quarantined:
        yield f"{result.quarantined:,} of {amount(result.read, 'event')} are in quarantine"
    for verdict in result.verdicts:
        if verdict.unjudged:
            found = f"{verdict.unjudged:,} of {verdict.judged + verdict.unjudged:,}"
            yield f"{verdict.guarantee} in run {verdict.run_id}: {found} were not judged"
