"""What is known of a mesh, as the JSON record of the command line's contract: a verdict for each guarantee
and each size of failures, with everything that was found."""

from __future__ import annotations

from collections.abc import Iterable

from angarium.app.report.mesh_open import remark_records
from angarium.app.report.mesh_text import told_topic
from angarium.app.report.record import Record, envelope
from angarium.core.result import Verdict
from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.remarks import sentence
from angarium.mesh.verify.budget import Size
from angarium.mesh.verify.demands import Demand
from angarium.mesh.verify.findings import GUARANTEES, Finding, Judgement, Verification

MOST_REASONS = 3


def mesh_record(verification: Verification, failures: str) -> Record:
    """What `angarium mesh verify` found."""
    mesh, looked = verification.mesh, verification.looked
    more: Record = {
        "engine": looked.engine,
        "complete": looked.cut is None,
        "cut": looked.cut,
        "seconds": round(looked.seconds, 3),
        "brokers": len(mesh.brokers),
        "links": len(mesh.cables),
        "probed": verification.probed,
        "classes": looked.classes,
        "demands": looked.demands,
        "failures": {str(size): count for size, count in looked.failures.items()},
        "out_of_service": looked.out_of_service,
        "moved": looked.moved,
        "failovers": [_failover(verification.asked, each) for each in verification.failovers],
        "remarks": remark_records(mesh),
    }
    asked = verification.asked
    verdicts = [each for judgement in verification.judgements for each in _verdicts(asked, judgement)]
    return envelope("mesh verify", mesh.name, {"failures": failures}, more, verdicts)


def _verdicts(mesh: Mesh, judgement: Judgement) -> Iterable[Record]:
    for size, verdict in judgement.verdicts.items():
        yield {
            "guarantee": judgement.guarantee,
            "failures": str(size),
            "verdict": verdict.value,
            "description": GUARANTEES[judgement.guarantee],
            "note": judgement.note,
            "because_of": list(judgement.because_of) if verdict is Verdict.UNKNOWN else [],
            "reason": _reason(mesh, judgement) if verdict is Verdict.UNKNOWN else "",
            "story": None,
            "findings": [_finding(mesh, each) for each in judgement.findings if _belongs(each, size)],
        }


def _reason(mesh: Mesh, judgement: Judgement) -> str:
    """What of the files' gaps makes a verdict unknown, the first in words."""
    entries = [sentence(mesh.remarks[number - 1]) for number in judgement.because_of]
    more = f"; and {len(entries) - MOST_REASONS:,} more" if len(entries) > MOST_REASONS else ""
    return f"left out: {'; '.join(entries[:MOST_REASONS])}{more}" if entries else ""


def _belongs(finding: Finding, size: Size) -> bool:
    return finding.size == size


def _finding(mesh: Mesh, finding: Finding) -> Record:
    return {
        "what": finding.what,
        "dead": failures_record(finding.failures),
        "way": list(finding.way),
        "round": list(finding.round),
        "copies": finding.copies,
        "demands": [demand_record(mesh, each) for each in finding.need.demands] if finding.need else [],
    }


def _failover(mesh: Mesh, finding: Finding) -> Record:
    """What arrives only because links that stood by take over."""
    return {**_finding(mesh, finding), "takes_ms": finding.takes}


def failures_record(failures: Failures) -> Record:
    """What is dead."""
    return {"brokers": sorted(failures.brokers), "links": sorted(failures.cables)}


def demand_record(mesh: Mesh, demand: Demand) -> Record:
    """Who wants what."""
    return {
        "publisher": demand.publisher,
        "subscriber": demand.subscriber,
        "topic": told_topic(mesh, demand),
    }
