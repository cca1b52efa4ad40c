"""Jobs to report on: real records of every kind of claim, made once."""

from __future__ import annotations

from functools import cache
from typing import Any

from angarium.app.report.job import AS_EXPECTED, FAILED, UNDECIDED, UNEXPECTED, ClaimResult, JobResult
from angarium.app.report.record import read_result
from angarium.app.report.story_text import restored_story
from angarium.core.result import Story
from tests.app.cli.running import AT_LEAST_ONCE, SMALL, record

Record = dict[str, Any]
RING = "examples/meshes/ring-with-duct.yaml"
_WORDS = {
    "queue": ("check", AT_LEAST_ONCE),
    "mutants": ("check", AT_LEAST_ONCE, "--mutate"),
    "balancing": ("check", *SMALL, "--only", "eventually-all-subscribed"),
    "settings": (
        *("check", "kafka", "--set", "acks=1", "--set", "replication.factor=3"),
        *("--faults", "one-crash", "--only", "no-loss"),
    ),
    "mesh": ("mesh", "verify", "examples/meshes/six-brokers.yaml"),
    "tables": ("mesh", "recover", RING, "--override", "b1->b3=b5@1"),
    "ring": ("prove", "examples/proofs/overwriting_ring.py"),
    "walks": ("simulate", *SMALL, "--runs", "50"),
    "sweep": ("simulate", "rabbitmq-sac", "--sweep", "apps=2,3", "--runs", "20", "--engine", "local"),
    "shop": ("audit", "examples/histories/shop.jsonl", "--engine", "local"),
}
_KINDS = {
    "mesh": "mesh",
    "tables": "recover",
    "ring": "prove",
    "walks": "simulate",
    "sweep": "simulate",
    "shop": "audit",
}
_WORST = ("violated", "unknown", "holds")


@cache
def answer(name: str) -> Record:
    """The record of one claim; nobody changes it."""
    return record(*_WORDS[name])


def story(name: str, guarantee: str) -> Record:
    """The story of a guarantee in an answer."""
    found: Record = next(each for each in answer(name)["verdicts"] if each["guarantee"] == guarantee)["story"]
    return found


def told(name: str, guarantee: str) -> Story:
    """The same as it is shown: it is read back."""
    verdicts = read_result(answer(name)).verdicts
    found = next(each.story for each in verdicts if each.guarantee == guarantee)
    assert found
    return restored_story(found)


def claim(name: str, expect: str = "holds", **more: Any) -> ClaimResult:  # noqa: ANN401 (any of its fields)
    """A claim with a real answer."""
    found = answer(name)
    verdicts = {each["verdict"] for each in found["verdicts"]}
    verdict = next((each for each in _WORST if each in verdicts), "unknown")
    outcome = AS_EXPECTED if verdict == expect else UNDECIDED if verdict == "unknown" else UNEXPECTED
    given = {"name": name, "about": f"what {name} says", "seconds": 1.5, **more}
    fixed = {"expect": expect, "verdict": verdict, "outcome": outcome, "record": found}
    return ClaimResult(kind=_KINDS.get(name, "check"), **{**fixed, **given})


def broken(name: str = "broken", problem: str = "no such system: nsk") -> ClaimResult:
    """A claim without an answer."""
    return ClaimResult(name, "check", "nsk", "holds", "unknown", FAILED, 0.1, problem=problem)


def job(*claims: ClaimResult, **more: Any) -> JobResult:  # noqa: ANN401 (any of its fields)
    """A run of these claims."""
    began = {"run_id": "20261116-183000-1f3a", "began": "2026-11-16T18:30:00Z", "seconds": 83.2}
    given = {"project": "shop messaging", **began, "master": "local[2]", "version": "0.1.0", **more}
    return JobResult(claims=claims, **given)


def everything() -> JobResult:
    """A claim of every kind."""
    names = ("queue", "mutants", "balancing", "settings", "mesh", "tables", "ring", "walks", "sweep", "shop")
    return job(*map(claim, names), broken(), unchecked=("nightly",))
