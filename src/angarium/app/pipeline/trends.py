"""How claims have fared over the runs, and what looks wrong about it.

A search that suddenly finds fewer states, though nobody has asked for less, may have become blind: a guard
too strong, a fault that is no longer tried. So a state space that has shrunk while the claim is the same is
told, and told again while its inputs stay as they are: a run that only repeats an answer explains nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from angarium.app.report.job import ClaimResult, JobResult, Trend, TrendPoint
from angarium.core.result import Report
from angarium.settings.kafka.results import SettingsResult


def trends_of(jobs: Sequence[JobResult]) -> list[Trend]:
    """The trend of every claim of some jobs (the newest first)."""
    names = dict.fromkeys(each.name for job in jobs for each in job.claims)
    return [Trend(name, _points(name, jobs)) for name in names]


def _points(name: str, jobs: Sequence[JobResult]) -> list[TrendPoint]:
    found = [(job, each) for job in reversed(jobs) for each in job.claims if each.name == name]
    return [TrendPoint(job.run_id, each.verdict, states_of(each), each.about) for job, each in found]


def states_of(claim: ClaimResult) -> int | None:
    """How many states a complete search has found."""
    found = claim.result if claim.kind == "check" else None
    if not isinstance(found, Report | SettingsResult) or found.extent.cut or not found.extent.complete:
        return None
    return found.extent.states


def shrunk(claim: ClaimResult, before: Sequence[JobResult]) -> str | None:
    """What is strange about a claim's state space, compared with the last run that had another one."""
    states = states_of(claim)
    if states is None:
        return None
    for each in _same_question(claim, before):
        earlier = states_of(each)
        if earlier is not None and (each.key, earlier) != (claim.key, states):
            return _told(claim, each, states, earlier) if states < earlier else None
    return None


def _same_question(claim: ClaimResult, before: Sequence[JobResult]) -> Iterator[ClaimResult]:
    """The answers of earlier runs, the newest first, to what the claim asks now."""
    asked = (claim.name, claim.about)
    return (each for job in before for each in job.claims if (each.name, each.about) == asked)


def _told(now: ClaimResult, then: ClaimResult, states: int, earlier: int) -> str:
    gone = f"{earlier - states:,} of {earlier:,} states are gone"
    return f"{gone} {_since(now, then)}: is less tried than before?"


def _since(now: ClaimResult, then: ClaimResult) -> str:
    """What has changed. Checks of settings have no model of their own, but parameters that say it all."""
    after, before = now.result, then.result
    if isinstance(after, Report) and isinstance(before, Report):
        same = after.model_hash == before.model_hash
        return "though its model is the same" if same else "since its model was changed"
    same = bool(after and before and after.parameters == before.parameters)
    return "though its settings are the same" if same else "since its settings were changed"
