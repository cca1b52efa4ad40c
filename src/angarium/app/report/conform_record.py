"""What came of driving a real queue, as the JSON record of the command line's contract.

Values are texts, as they would be written in Python. `complete` is whether all sequences that were asked for
were made; `weak` is why they say little, if they do; `unsteady` is whether the same calls were answered in
several ways. `hanging` has the calls up to one that had not answered when the run was cut. `held` is how much
was in each relation, at most. A story has the calls of a short sequence that breaks the rule, what was
`allowed` instead of the last answer, and whether it happens `again` with the same calls (null if there was
no time to see).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from angarium.app.report.record import Record, envelope
from angarium.contracts.monitor.drive import Driven
from angarium.contracts.monitor.real_values import in_order, shown
from angarium.contracts.monitor.rules import Rule
from angarium.contracts.monitor.shortest import Broken, ShownCall
from angarium.core.errors import Place
from angarium.core.result import Verdict


def conform_record(subject: str, driven: Driven) -> Record:
    """The whole report."""
    about, plan, log = driven.specification, driven.plan, driven.log
    more: Record = {
        "contract": {"name": about.name, "description": about.description},
        "examples": plan.examples,
        "steps": plan.steps,
        "seed": plan.seed,
        "complete": driven.cut is None,
        "cut": driven.cut,
        "hanging": [_told(each) for each in driven.hanging],
        "weak": list(driven.weak),
        "unsteady": log.unsteady,
        "sequences": log.sequences,
        "calls": {each.name: _calls(each.name, driven) for each in about.contracts},
        "held": {each.name: log.held[each.name] for each in about.state if each.arguments},
        "seconds": round(driven.seconds, 3),
    }
    return envelope("conform", subject, {}, more, [_verdict(*each) for each in driven.verdicts])


def _calls(operation: str, driven: Driven) -> Record:
    answers = driven.log.answers
    return {
        "made": driven.log.calls[operation],
        "true": answers[operation, True],
        "false": answers[operation, False],
    }


def _verdict(rule: Rule, verdict: Verdict, broken: Broken | None) -> Record:
    return {
        "guarantee": f"{rule.operation}: {rule.text}",
        "kind": rule.text.partition(" ")[0],
        "verdict": verdict.value,
        "operation": rule.operation,
        "description": rule.text,
        "place": _place(rule.place),
        "story": _story(broken) if broken else None,
    }


def _place(place: Place) -> Record:
    return {"file": place.file, "line": place.line, "column": place.column}


def _story(broken: Broken) -> Record:
    return {
        "calls": [_told(each) for each in broken.story],
        "allowed": [shown(each) for each in broken.violation.allowed],
        "again": broken.again,
    }


def _told(told: ShownCall) -> Record:
    call = told.call
    return {
        "operation": call.operation,
        "arguments": {name: shown(value) for name, value in call.arguments},
        "answer": None if call.raised is not None else shown(call.answer),
        "raised": None if call.raised is None else repr(call.raised),
        "state": {name: _value(value) for name, value in told.state.items()},
    }


def _value(value: Any) -> str | list[str] | dict[str, str]:  # noqa: ANN401 (whatever a symbol holds)
    if isinstance(value, Mapping):
        return {shown(key): shown(each) for key, each in value.items()}
    if isinstance(value, set):
        return [shown(each) for each in in_order(value)]
    return shown(value)
