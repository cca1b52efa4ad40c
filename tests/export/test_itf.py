"""A story's trace is in the Informal Trace Format."""

from __future__ import annotations

import json
from dataclasses import replace

from angarium.explore.stories import replay
from angarium.export.itf import render
from angarium.model.values import Fields
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
