"""Reports and stories as the JSON record of the command line's contract.

The record has everything that a verdict needs to defend itself: the model's hash, its parameters, what was
covered and by which engine. Parameters are typed: numbers as numbers, booleans as booleans, members of an
enumeration as strings. A story holds whole states, with the program counters that tables leave out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from angarium import __version__
from angarium.core.records import Record as Record
from angarium.core.records import write
from angarium.core.result import (
    SCHEMA,
    CheckVerdict,
    GuaranteeVerdict,
    Parameters,
    Report,
    Result,
)

_BOOLEANS = {"true": True, "false": False}


def result_record(result: Result[GuaranteeVerdict]) -> Record:
    """The record of a result: its fields, with what wrote it and in which version of the form."""
    return {"angarium": __version__, "schema": SCHEMA, **write(result)}


def envelope(
    kind: str,
    subject: str,
    parameters: Parameters,
    more: Mapping[str, Any],
    verdicts: Sequence[Record] = (),
) -> Record:
    """The record of a verb: what every verb has, and what this one adds."""
    begin = {"angarium": __version__, "schema": SCHEMA, "kind": kind, "subject": subject}
    return {**begin, "parameters": typed_values(parameters), **more, "verdicts": list(verdicts)}


def report_record(report: Report, kind: str = "check") -> Record:
    """What a check found."""
    more = _engine(report) | _coverage(report)
    verdicts = [verdict_record(each) for each in report.verdicts]
    return envelope(kind, report.subject, report.parameters, more, verdicts)


def _engine(report: Report) -> Record:
    because = {"engine_because": report.engine_because} if report.engine_because else {}
    return {
        "model_hash": report.model_hash,
        "engine": report.engine,
        **because,
        "threads": report.threads,
        "symmetry": report.symmetry,
    }


def _coverage(report: Report) -> Record:
    coverage = report.coverage
    return {
        "complete": coverage.complete,
        "cut": coverage.cut,
        "states": coverage.states,
        "transitions": coverage.transitions,
        "depth": coverage.depth,
        "never_happened": None if report.never_happened is None else list(report.never_happened),
        "frontier": coverage.frontier,
        "seconds": round(coverage.seconds, 3),
        "cpu_seconds": round(coverage.cpu_seconds, 3),
        "bytes": coverage.bytes,
        "bytes_per_state": round(coverage.bytes / max(coverage.states, 1), 2),
    }


def cut_text(record: Mapping[str, Any]) -> str:
    """Why a record's work was cut, in words; empty if it was not."""
    return record.get("cut") or ""


def verdict_record(verdict: CheckVerdict) -> Record:
    """One guarantee with its verdict and its story."""
    return {
        "guarantee": verdict.guarantee,
        "kind": verdict.kind,
        "verdict": verdict.verdict.value,
        "fairness": verdict.fairness,
        "description": verdict.description,
        "vacuous": verdict.vacuous,
        **({"untold": verdict.untold} if verdict.untold else {}),
        "remedies": [typed_values(each) for each in verdict.remedies],
        "story": write(verdict.story),
    }


def typed_values(parameters: Parameters) -> Record:
    """Parameters as JSON has them, where a verb still gives them as texts."""
    return {name: _typed(value) if isinstance(value, str) else value for name, value in parameters.items()}


def _typed(text: str) -> int | bool | str:
    """A parameter's value from its text: names of members cannot look like numbers or booleans."""
    if re.fullmatch(r"-?\d+", text, re.ASCII):
        return int(text)
    return _BOOLEANS.get(text, text)
