"""What a claim leaves open, in sentences: the part of an answer that is most easily overlooked.

A claim that failed, a search that was cut, a guarantee that stays unknown, events that were not judged: each
with its reason. Guarantees that are unknown for the same reason stand together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from angarium.app.report.job import AS_EXPECTED, FAILED, UNDECIDED, ClaimResult, JobResult, Record
from angarium.app.report.layout import amount
from angarium.app.report.record import cut_text

_WALKS = "walks can break a guarantee, but never show that it holds"


def outcome_of(job: JobResult) -> str:
    """The outcome of all claims; a run that was cut is not as expected, whatever the rest would have been."""
    return UNDECIDED if job.cut and job.outcome == AS_EXPECTED else job.outcome


def left_open(claim: ClaimResult) -> list[str]:
    """Every reason once; nothing if all was looked at, to the end, and is known."""
    return list(dict.fromkeys(_open(claim)))


def reasons(verdict: Mapping[str, Any]) -> list[str]:
    """Why a guarantee is not known, or why there is no story."""
    vacuous, untold = verdict.get("vacuous"), verdict.get("untold")
    told = [f"says nothing: {vacuous}"] if vacuous else []
    told += [each for each in (verdict.get("note"), verdict.get("reason")) if each]
    return told + ([f"no story: {untold}"] if untold else [])


def _open(claim: ClaimResult) -> Iterator[str]:
    record = claim.record
    if claim.outcome == FAILED:
        yield f"there is no answer: {claim.problem or 'it failed'}"
    elif claim.problem:
        yield claim.problem
    if cut := cut_text(record):
        yield f"it was cut: {cut}"
    yield from _bound(claim) if claim.bounded else _unknown(record)
    yield from _events(record)
    if record.get("ignored"):
        yield f"settings that the models do not have: {', '.join(map(str, record['ignored']))}"


def _bound(claim: ClaimResult) -> Iterator[str]:
    """Of a statistic, whose note has the reason; for the guarantees of its model nobody has asked."""
    if claim.verdict == "unknown" and claim.record:
        yield "whether the statistic keeps to its bound stays unknown"


def _unknown(record: Record) -> Iterator[str]:
    """Guarantees of which nothing is known, put together by the reason."""
    by_reason: dict[str, dict[str, None]] = {}
    for verdict in record.get("verdicts", ()):
        if verdict["verdict"] == "unknown":
            why = "; ".join(reasons(verdict)) or _otherwise(record)
            by_reason.setdefault(why, {})[verdict["guarantee"]] = None
        elif verdict.get("untold"):
            yield f"{verdict['guarantee']} has no story: {verdict['untold']}"
    for why, names in by_reason.items():
        stay = "stay" if len(names) > 1 else "stays"
        yield f"{', '.join(names)} {stay} unknown{f': {why}' if why else ''}"


def _otherwise(record: Record) -> str:
    if record.get("kind") == "simulate":
        return _WALKS
    return f"it was cut ({cut_text(record)})" if cut_text(record) else ""


def _events(record: Record) -> Iterator[str]:
    """Of an audit: rows that do not fit, and what was not judged."""
    if record.get("quarantined"):
        yield f"{record['quarantined']:,} of {amount(record['read'], 'event')} are in quarantine"
    for verdict in record.get("verdicts", ()):
        if verdict.get("unjudged"):
            found = f"{verdict['unjudged']:,} of {verdict['judged'] + verdict['unjudged']:,}"
            yield f"{verdict['guarantee']} in run {verdict['run_id']}: {found} were not judged"
