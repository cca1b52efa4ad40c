"""How claims have fared over the runs, and what looks wrong about it.

A search that suddenly finds fewer states, though nobody has asked for less, may have become blind: a guard
too strong, a fault that is no longer tried. So a state space that has shrunk while the claim is the same is
told.
"""

from __future__ import annotations

from collections.abc import Sequence

from angarium.report.job import ClaimResult, JobResult
from angarium.report.job_trend import Trend, TrendPoint


def trends_of(jobs: Sequence[JobResult]) -> list[Trend]:
    """The trend of every claim of some jobs (the newest first)."""
    names = dict.fromkeys(each.name for job in jobs for each in job.claims)
    return [Trend(name, _points(name, jobs)) for name in names]


def _points(name: str, jobs: Sequence[JobResult]) -> list[TrendPoint]:
    found = [(job, each) for job in reversed(jobs) for each in job.claims if each.name == name]
    return [TrendPoint(job.run_id, each.verdict, states_of(each)) for job, each in found]


def states_of(claim: ClaimResult) -> int | None:
    """How many states a complete search has found."""
    states = claim.record.get("states")
    whole = claim.record.get("complete") and claim.record.get("cut") is None
    return states if isinstance(states, int) and whole else None


def shrunk(claim: ClaimResult, before: Sequence[JobResult]) -> str | None:
    """What is strange about a claim's state space, compared with the last run that had all of it."""
    states = states_of(claim)
    if states is None:
        return None
    for job in before:
        for each in job.claims:
            earlier = states_of(each)
            if each.name == claim.name and each.about == claim.about and earlier is not None:
                return _told(claim, each, states, earlier) if states < earlier else None
    return None


def _told(now: ClaimResult, then: ClaimResult, states: int, earlier: int) -> str:
    same = now.record.get("model_hash") == then.record.get("model_hash")
    why = "though its model is the same" if same else "since its model was changed"
    return f"{earlier - states:,} of {earlier:,} states are gone {why}: is less tried than before?"
