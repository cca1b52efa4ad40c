"""Bundled systems on the emulated grid: every guarantee with every verdict, as the local engine gives it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from _pytest.mark import ParameterSet

from angarium.checker.explore.gpu import engine, search
from angarium.checker.explore.gpu.cards import EmulatedGrid
from angarium.checker.explore.gpu.engine import GpuEngine
from angarium.checker.explore.native import NativeEngine
from angarium.checker.logic.check import check
from angarium.core.result import Report
from angarium.systems.registry import Scenario, System, load, systems
from tests.scenarios import case, telling

pytestmark = pytest.mark.slow
SMALL, LARGE = 3_000, 400_000
_SHORTEST = ("range", "invariant", "at_rest", "reaches")
"""The kinds of guarantees whose stories have the same length on every engine."""


def cases() -> Iterator[ParameterSet]:
    """Enough small scenarios for every verdict; with `--thorough` all that are not large."""
    for system in systems().values():
        small = [each for each in system.scenarios if each.states < SMALL]
        default = telling(small)
        for scenario in system.scenarios:
            if scenario.states < LARGE:
                yield case(system, scenario, only_thorough=scenario not in default)


def facts(report: Report) -> dict[str, object]:
    coverage = report.coverage
    return {
        "counts": (coverage.states, coverage.transitions, coverage.depth, coverage.complete, coverage.cut),
        "never": report.never_happened,
        "verdicts": {each.guarantee: (each.verdict, each.vacuous) for each in report.verdicts},
        "stories": {
            each.guarantee: len(each.story.steps) if each.kind in _SHORTEST else each.story.cycle is not None
            for each in report.verdicts
            if each.story
        },
    }


@pytest.mark.parametrize(("system", "scenario"), list(cases()))
def test_as_on_the_local_engine(system: System, scenario: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    """In small launches and small pieces of the graph, from a table that must grow."""
    monkeypatch.setattr(search, "MOST_AT_ONCE", 1009)
    monkeypatch.setattr(engine, "PIECE", 300)
    compiled = load(system.name, scenario.parameters)
    card = GpuEngine(lambda: EmulatedGrid(2), _capacity=64)
    found = check(compiled, engine=card, subject=system.name)
    assert facts(found) == facts(check(compiled, engine=NativeEngine(), subject=system.name))
    assert found.coverage.states == scenario.states
    verdicts = {each.guarantee: each.verdict.value for each in found.verdicts}
    assert {name: verdicts[name] for name in scenario.verdicts} == scenario.verdicts
