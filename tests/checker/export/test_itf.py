"""A story's trace is in the Informal Trace Format."""

from __future__ import annotations

import json
from dataclasses import replace

from angarium.checker.explore.stories import replay
from angarium.checker.export.itf import render
from angarium.checker.ir.labels import Fields
from tests.lassos import BREAKS, FLICKERS
from tests.zoo import counter, menagerie


def test_a_trace_has_one_state_for_each_of_the_story() -> None:
    trace = json.loads(render(replay(counter(), (0, 0, 0))))
    assert trace["#meta"]["format"] == "ITF"
    assert trace["#meta"]["description"] == "two: two is reached"
    assert trace["vars"] == ["n"]
    assert [state["n"] for state in trace["states"]] == [0, 1, 2]
    assert [state["#meta"]["index"] for state in trace["states"]] == [0, 1, 2]
    assert trace["states"][2]["#meta"]["action"] == "tick"


def test_every_kind_of_value_has_its_form() -> None:
    story = replay(menagerie(), (0,))
    message = Fields(id=2, owner="q1")
    state = {**story.initial, "line": [message], "members": ("q1", "q2")}
    (written,) = json.loads(render(replace(story, initial=state)))["states"]
    none = {"tag": "None", "value": {"#tup": []}}
    assert written == {
        "#meta": {"index": 0, "action": "init"},
        "flags": {"#map": [["q1", False], ["q2", False]]},
        "line": [{"id": 2, "owner": "q1"}],
        "members": {"#set": ["q1", "q2"]},
        "last": none,
        "owner": none,
        "table": {"#map": [["1", {"id": 1, "owner": none}], ["2", {"id": 1, "owner": none}]]},
        "colour": "red",
    }


def test_a_run_without_end_says_where_its_loop_begins() -> None:
    trace = json.loads(render(FLICKERS))
    assert [state["n"] for state in trace["states"]] == [2, 1, 0, 1]
    assert trace["loop"] == 2
    assert trace["#meta"]["closed-by"] == {"action": "down", "arguments": {}, "fault": False}


def test_a_run_that_stands_still_repeats_its_last_state() -> None:
    trace = json.loads(render(BREAKS))
    assert [state["n"] for state in trace["states"]] == [1, 0, 3]
    assert trace["loop"] == 2
    assert "closed-by" not in trace["#meta"]


def test_a_run_that_ends_has_no_loop() -> None:
    assert "loop" not in json.loads(render(replay(counter(), (0, 0))))
