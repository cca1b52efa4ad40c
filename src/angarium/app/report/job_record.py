"""A job as the JSON record of the command line's contract: each claim is a verdict."""

from __future__ import annotations

from angarium.app.report.job import ClaimResult, JobResult, Record
from angarium.app.report.record import envelope

_KEPT = ("kind", "about", "expect", "verdict", "outcome", "seconds", "cached", "problem")


def run_record(job: JobResult) -> Record:
    """What `angarium run` found; a claim's own record is under `record`."""
    more = {
        "run_id": job.run_id,
        "began": job.began,
        "engine": "spark",
        "master": job.master,
        "complete": job.cut is None,
        "cut": job.cut,
        "seconds": job.seconds,
        "outcome": job.outcome,
        "unchecked": list(job.unchecked),
    }
    return envelope("run", job.project, {}, more, [_claim(each) for each in job.claims])


def _claim(claim: ClaimResult) -> Record:
    kept = {name: getattr(claim, name) for name in _KEPT}
    return {"guarantee": claim.name, **kept, "notes": list(claim.notes), "record": claim.record}
