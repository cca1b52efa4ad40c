"""Verdicts and stories as JSON."""

from __future__ import annotations

import json

from angarium.app.report.record import story_record, verdict_record
from angarium.checker.explore.stories import replay
from angarium.core.result import CheckVerdict, Verdict
from tests.lassos import BREAKS, FLICKERS
from tests.zoo import counter


def test_a_story_says_which_steps_are_repeated() -> None:
    record = json.loads(json.dumps(story_record(FLICKERS)))
    assert record["cycle"] == 2
    assert record["address"].endswith(":2.0.0~0.0")
    assert [step["action"] for step in record["steps"]] == ["down", "down", "on", "down"]
    assert story_record(BREAKS)["cycle"] == len(BREAKS.steps)
    assert story_record(replay(counter(), (0, 0)))["cycle"] is None


def test_a_verdict_says_under_which_fairness_and_why_it_may_say_nothing() -> None:
    empty = CheckVerdict(
        "g", "ltl", Verdict.UNKNOWN, fairness="weak by process", vacuous="nothing is ever sent"
    )
    assert verdict_record(empty) == {
        "guarantee": "g",
        "kind": "ltl",
        "verdict": "unknown",
        "fairness": "weak by process",
        "description": "",
        "vacuous": "nothing is ever sent",
        "remedies": [],
        "story": None,
    }


def test_remedies_are_typed_as_parameters_are() -> None:
    verdict = CheckVerdict(
        "g", "invariant", Verdict.VIOLATED, remedies=({"queue": "disk"}, {"crashes": "0"}, {"sync": "true"})
    )
    assert verdict_record(verdict)["remedies"] == [{"queue": "disk"}, {"crashes": 0}, {"sync": True}]
