"""Proofs as the JSON record of the command line's contract: one verdict an obligation."""

from __future__ import annotations

from collections.abc import Sequence

from angarium.app.report.record import Record, envelope
from angarium.contracts.obligations import Counterexample, Judged, Proof
from angarium.contracts.prove import CUTS


def proof_record(subject: str, proofs: Sequence[Proof], seconds: float) -> Record:
    """What became of all obligations; `cut` says why some were not looked at."""
    judged = [(proof.subject, each) for proof in proofs for each in proof.judged]
    cut = next((each.reason for _, each in judged if each.reason in CUTS.values()), None)
    more: Record = {
        "engine": "z3",
        "complete": cut is None,
        "cut": cut,
        "seconds": round(seconds, 3),
        "parts": [{"name": proof.subject, "description": proof.description} for proof in proofs],
    }
    return envelope("prove", subject, {}, more, [_verdict(part, each) for part, each in judged])


def _verdict(part: str, judged: Judged) -> Record:
    obligation, found = judged.obligation, judged.counterexample
    place = obligation.place
    return {
        "guarantee": obligation.name,
        "kind": obligation.kind,
        "verdict": judged.verdict.value,
        "part": part,
        "operation": obligation.operation,
        "description": obligation.text,
        "place": {"file": place.file, "line": place.line, "column": place.column},
        "reason": judged.reason,
        "seconds": round(judged.seconds, 4),
        "story": None,
        "counterexample": _counterexample(found) if found else None,
    }


def _counterexample(found: Counterexample) -> Record:
    return {
        "operation": found.operation,
        "arguments": dict(found.arguments),
        "results": dict(found.results),
        "sorts": {sort: list(names) for sort, names in found.sorts.items()},
        "facts": {name: dict(table) for name, table in found.facts.items()},
        "snapshots": [{"name": each.name, "symbols": dict(each.symbols)} for each in found.snapshots],
    }
