"""Bundled systems that engines are compared on, and what must be the same."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from _pytest.mark import ParameterSet

from angarium.explore.engine import Engine
from angarium.explore.native import NativeEngine
from angarium.logic.check import check
from angarium.systems.registry import Scenario, System, load, systems
from angarium.verdict import Report


def scenarios(most_states: int, number: int, names: Iterable[str] = ()) -> list[ParameterSet]:
    """So many scenarios of every bundled system, or of those named, the largest that are small enough."""
    found: list[ParameterSet] = []
    for system in (systems()[name] for name in names or systems()):
        fitting = [each for each in system.scenarios if each.states <= most_states]
        for scenario in sorted(fitting, key=lambda each: -each.states)[:number]:
            found.append(pytest.param(system, scenario, id=f"{system.name}-{scenario.states}"))
    return found


def facts(report: Report) -> dict[str, object]:
    """What engines must agree on: counts, verdicts, and how long each story is."""
    coverage = report.coverage
    stories = {each.guarantee: each.story for each in report.verdicts}
    return {
        "states": coverage.states,
        "transitions": coverage.transitions,
        "depth": coverage.depth,
        "complete": coverage.complete,
        "verdicts": {each.guarantee: each.verdict.value for each in report.verdicts},
        "stories": {name: story and (len(story.steps), story.cycle) for name, story in stories.items()},
    }


def assert_as_local(engine: Engine, system: System, scenario: Scenario) -> None:
    compiled = load(system.name, scenario.parameters)
    found = facts(check(compiled, engine=engine, subject=system.name))
    assert found == facts(check(compiled, engine=NativeEngine(), subject=system.name))
    assert found["states"] == scenario.states
