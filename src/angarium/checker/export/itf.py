"""A story as a trace in the Informal Trace Format of Apalache, which its tools and Quint's read.

https://apalache-mc.org/docs/adr/015adr-trace.html: arrays are maps, sets are sets, sequences are
lists, records are objects. The format has no null: an absent value is the variant `None`, as
Quint writes it. The action of each state stands in its `#meta`.

Of a run without end, `loop` is the number of the state at which the repeated part begins. That part ends in
the last state, so the state to which the run comes back is not written once more; the step that leads there
stands in the `#meta` of the trace.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from angarium.checker.ir.labels import Fields, Value
from angarium.core.result import State, Step, Story

_NONE = {"tag": "None", "value": {"#tup": []}}


def render(story: Story) -> str:
    """The trace as JSON."""
    return json.dumps(trace(story), indent=2) + "\n"


def trace(story: Story) -> dict[str, Value]:
    """The trace as plain data."""
    states = [_state(0, story.initial, {"action": "init"})]
    for number, step in enumerate(story.steps, 1):
        states.append(_state(number, step.state, _happened(step)))
    written: dict[str, Value] = {
        "#meta": _about(story),
        "params": [],
        "vars": list(story.initial),
        "states": states[:-1] if _comes_back(story) else states,
    }
    return written if story.cycle is None else {**written, "loop": story.cycle}


def _about(story: Story) -> dict[str, Value]:
    closing = {"closed-by": _happened(story.steps[-1])} if _comes_back(story) else {}
    return {
        "format": "ITF",
        "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
        "description": f"{story.guarantee}: {story.summary}",
        "source": story.subject,
        "address": story.address,
        **closing,
    }


def _comes_back(story: Story) -> bool:
    """Whether the last step leads to a state that the run has been in; else it ends, or stands still."""
    return story.cycle is not None and story.cycle < len(story.steps)


def _happened(step: Step) -> dict[str, Value]:
    return {"action": step.action, "arguments": dict(step.arguments), "fault": step.fault}


def _state(number: int, state: State, meta: Mapping[str, Value]) -> dict[str, Value]:
    values = {name: _value(value) for name, value in state.items()}
    return {"#meta": {"index": number, **meta}, **values}


def _value(value: Value) -> Value:
    match value:
        case None:
            return _NONE
        case Fields():
            return {name: _value(item) for name, item in value.items()}
        case dict():
            return {"#map": [[key, _value(item)] for key, item in value.items()]}
        case tuple():
            return {"#set": [_value(item) for item in value]}
        case list():
            return [_value(item) for item in value]
        case _:
            return value
