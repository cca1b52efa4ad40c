"""Verdicts and stories as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass

from angarium.app.report.record import result_record
from angarium.checker.explore.stories import replay
from angarium.core.control import Cut, CutBy
from angarium.core.records import read, write
from angarium.core.result import SCHEMA, CheckVerdict, Extent, GuaranteeVerdict, Result, Verdict
from tests.lassos import BREAKS, FLICKERS
from tests.zoo import counter


def test_a_story_says_which_steps_are_repeated() -> None:
    record = json.loads(json.dumps(write(FLICKERS)))
    assert record["cycle"] == 2
    assert record["address"].endswith(":2.0.0~0.0")
    assert [step["action"] for step in record["steps"]] == ["down", "down", "on", "down"]
    assert write(BREAKS)["cycle"] == len(BREAKS.steps)
    assert write(replay(counter(), (0, 0)))["cycle"] is None


@dataclass(frozen=True, kw_only=True)
class Counted(Result[GuaranteeVerdict]):
    """A result with something of its own."""

    messages: int


def test_the_record_of_any_result_is_made_of_its_type() -> None:
    known = GuaranteeVerdict(guarantee="no-loss", verdict=Verdict.UNKNOWN, reason="cut")
    cut = Extent(complete=False, cut=Cut(CutBy.TIME, "time limit of 1 s"))
    result = Counted(kind="count", subject="queue", messages=3, extent=cut, verdicts=(known,))

    record = json.loads(json.dumps(result_record(result)))

    assert list(record)[:5] == ["angarium", "schema", "form", "kind", "subject"]
    assert list(record)[-1] == "verdicts"
    assert (record["schema"], record["messages"]) == (SCHEMA, 3)
    assert (record["cut"], record["cut_by"]) == ("time limit of 1 s", "time")
    assert read(Counted, record) == result


def test_a_verdict_says_under_which_fairness_and_why_it_may_say_nothing() -> None:
    empty = CheckVerdict(
        guarantee="g",
        kind="ltl",
        verdict=Verdict.UNKNOWN,
        fairness="weak by process",
        vacuous="nothing is ever sent",
    )
    assert write(empty) == {
        "guarantee": "g",
        "kind": "ltl",
        "verdict": "unknown",
        "fairness": "weak by process",
        "description": "",
        "reason": None,
        "vacuous": "nothing is ever sent",
        "untold": None,
        "remedies": [],
        "story": None,
    }


def test_remedies_are_typed_as_parameters_are() -> None:
    verdict = CheckVerdict(
        guarantee="g",
        kind="invariant",
        verdict=Verdict.VIOLATED,
        remedies=({"queue": "disk"}, {"crashes": 0}, {"sync": True}),
    )
    assert write(verdict)["remedies"] == [{"queue": "disk"}, {"crashes": 0}, {"sync": True}]
