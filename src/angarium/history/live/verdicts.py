"""What a followed history says by now: by the same rules as an audit of the whole.

A batch knows which guarantees of which runs it could judge, and what it found, but not how much it judged:
what is new and what it remembers are judged together, again and again. Until the stream has ended nothing
holds, for everything may still come.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from angarium.core.result import Verdict
from angarium.history.guarantees import COMPLETE_LOG, GUARANTEES, Guarantee
from angarium.history.live.progress import Progress
from angarium.history.live.released import BATCH_ONLY
from angarium.history.results import Judgement
from angarium.history.summary import Outcome, judgement, logs_of
from angarium.history.told import over_runs

GOES_ON = "the stream has not ended"
_ASKED = [each for each in GUARANTEES if each.kinds and each.name not in BATCH_ONLY]


def judgements(progress: Progress) -> list[Judgement]:
    """One for each run and guarantee that a stream judges; `judged` is 1 if something of it could be."""
    gaps = Counter[str]()
    for run_id, guarantee, _, count in progress.found:
        gaps[run_id] += count if guarantee == COMPLETE_LOG else 0
    runs = _runs(progress)
    logs = logs_of(runs, gaps, progress.missing)
    found = [
        judgement(run, each, _outcome(progress, run, each), logs[run]) for run in runs for each in _ASKED
    ]
    return found if progress.ended else list(map(_still_open, found))


def verdict(progress: Progress, guarantee: str | None = None) -> Verdict:
    """What is known of a guarantee over all runs, or of all guarantees."""
    return over_runs([each for each in judgements(progress) if guarantee in (None, each.guarantee)])


def reasons(found: Sequence[Judgement]) -> list[str]:
    """Why something is not known that was judged or may be missing, each reason once."""
    told = (
        each.reason for each in found if each.verdict is Verdict.UNKNOWN and (each.judged or each.doubtful)
    )
    return list(dict.fromkeys(filter(None, told)))


def _runs(progress: Progress) -> list[str]:
    judged = {run for run, _ in progress.judged} | {run for run, *_ in progress.found}
    return sorted(judged | {profile.run_id for profile in progress.profiles})


def _outcome(progress: Progress, run_id: str, guarantee: Guarantee) -> Outcome:
    own = [
        (kind, count) for run, name, kind, count in progress.found if (run, name) == (run_id, guarantee.name)
    ]
    return Outcome(
        judged=int((run_id, guarantee.name) in progress.judged),
        violations=sum(count for _, count in own),
        proved=sum(count for kind, count in own if kind in guarantee.proved),
    )


def _still_open(found: Judgement) -> Judgement:
    holds = found.verdict is Verdict.HOLDS
    return replace(found, verdict=Verdict.UNKNOWN, reason=GOES_ON) if holds else found
