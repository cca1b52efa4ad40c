"""Runs of a project file to show, made of real answers."""

from __future__ import annotations

import json
from pathlib import Path

import angarium
from angarium.app.report.job import AS_EXPECTED, UNEXPECTED, ClaimResult, JobResult
from angarium.app.report.record import result_record
from angarium.core.records import write

MODEL = "at_least_once.py"
HOSTILE = "<img src=x onerror=alert(1)>"


def claim(name: str, guarantee: str, expect: str, *, cached: bool = False) -> ClaimResult:
    """One guarantee of the example that breaks one."""
    report = angarium.check(f"examples/{MODEL}", only=[guarantee])
    verdict = report.worst.value
    outcome = AS_EXPECTED if verdict == expect else UNEXPECTED
    record = json.loads(json.dumps(result_record(report)))
    about = f"{MODEL}: {guarantee} {HOSTILE}"
    return ClaimResult(name, "check", about, expect, verdict, outcome, 0.5, record, cached=cached)


def save(out: Path, run_id: str, *claims: ClaimResult) -> JobResult:
    """Keep a run as `angarium run` does, without its tables."""
    job = JobResult("shop", run_id, "2026-11-16T18:30:00Z", 1.5, "local[2]", "0.1.0", claims, ("later",))
    folder = out / "runs"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{run_id}.json").write_text(json.dumps(write(job)), encoding="utf-8")
    return job
