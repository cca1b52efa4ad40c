"""What must be the same on whatever engine a bundled system is searched."""

from __future__ import annotations

from angarium.checker.explore.engine import Engine
from angarium.checker.explore.native import NativeEngine
from angarium.checker.logic.check import check
from angarium.core.result import Report
from angarium.systems.registry import Scenario, System, load


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
