"""An audit as the JSON record of the command line's contract: a verdict for each run and guarantee."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from angarium.app.report.record import Record, envelope
from angarium.history.auditing import Conducted
from angarium.history.automaton.against import Life
from angarium.history.guarantees import GUARANTEES
from angarium.history.sequence import mermaid
from angarium.history.stories import HistoryStory
from angarium.history.told import Told

_PROMISES = {guarantee.name: guarantee.promise for guarantee in GUARANTEES}


def audit_record(found: Conducted, parameters: Mapping[str, Any]) -> Record:
    """What `angarium audit` found."""
    told = found.told
    counts = told.counts
    more: Record = {
        "files": list(told.files),
        "read": counts.read,
        "accepted": counts.accepted,
        "quarantined": counts.quarantined,
        "quarantine": dict(counts.reasons),
        "seconds": round(told.seconds, 3),
        "figures": [asdict(each) for each in told.figures],
        "latency_nanoseconds": [asdict(each) for each in told.times],
        "remarks": list(told.remarks),
        "lives": [_life(each) for each in found.comparison.lives] if found.comparison else None,
    }
    record = envelope("audit", ", ".join(told.runs), {}, more, _verdicts(told, found.stories))
    return {**record, "parameters": dict(parameters)}


def _life(life: Life) -> Record:
    return {**asdict(life), "verdict": life.verdict.value}


def _story(story: HistoryStory) -> Record:
    return {**asdict(story), "mermaid": mermaid(story)}


def _verdicts(told: Told, stories: Sequence[HistoryStory]) -> list[Record]:
    told_of = {(story.run_id, story.guarantee): _story(story) for story in stories}
    return [
        {
            "run_id": each.run_id,
            "guarantee": each.guarantee,
            "verdict": each.verdict.value,
            "description": _PROMISES.get(each.guarantee, "each message's life is one that the model has"),
            "judged": each.judged,
            "unjudged": each.unjudged,
            "violations": each.violations,
            "note": each.reason,
            "story": told_of.get((each.run_id, each.guarantee)),
        }
        for each in told.judgements
    ]
