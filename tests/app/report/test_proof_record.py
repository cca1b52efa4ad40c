"""Proofs as the JSON record."""

from __future__ import annotations

import json

from angarium.app.report.record import result_record
from angarium.contracts.prove import CUTS
from tests.app.report.proofs import HOLDS, TEXT, VIOLATED, proved, unknown


def test_the_record_keeps_the_contract() -> None:
    answer = result_record(proved(HOLDS, VIOLATED, seconds=0.12345))

    assert (answer["kind"], answer["subject"], answer["parameters"]) == ("prove", "queue", {})
    assert (answer["engine"], answer["complete"], answer["cut"]) == ("z3", True, None)
    assert answer["seconds"] == 0.123
    assert answer["parts"] == [{"name": "MapQueue", "description": "Keeps messages\nin a map.\n\nIn detail."}]
    assert list(answer)[-1] == "verdicts"
    assert json.loads(json.dumps(answer)) == answer


def test_an_obligation_is_a_guarantee_with_its_verdict() -> None:
    first, second = result_record(proved(HOLDS, VIOLATED, seconds=0.1))["verdicts"]

    assert first == {
        "guarantee": "enqueue keeps represents",
        "kind": "preserved",
        "verdict": "holds",
        "part": "MapQueue",
        "operation": "operate",
        "description": TEXT,
        "place": {"file": "queue.py", "line": 7, "column": 5},
        "reason": None,
        "seconds": 0.01,
        "story": None,
        "counterexample": None,
    }
    assert second["verdict"] == "violated"
    assert second["counterexample"] == {
        "operation": "delete_all",
        "arguments": {"seq": "0"},
        "results": {},
        "sorts": {"Message": ["m0", "m1"], "Number": ["0"]},
        "facts": {"num": {"m0": "0", "m1": "0"}},
        "snapshots": [
            {"name": "before", "symbols": {"contents": ["m0"], "map.pairs": [["0", "m0"]], "full": True}},
            {"name": "after", "symbols": {"contents": [], "map.pairs": [["0", "m0"]], "full": False}},
        ],
    }


def test_a_cut_is_told_from_what_cannot_be_decided() -> None:
    cut, undecided = (
        result_record(proved(HOLDS, unknown(reason), seconds=0.1))
        for reason in (CUTS[KeyboardInterrupt], "no proof was found")
    )

    assert (cut["complete"], cut["cut"]) == (False, CUTS[KeyboardInterrupt])
    assert (undecided["complete"], undecided["cut"]) == (True, None)
    assert undecided["verdicts"][1]["reason"] == "no proof was found"
