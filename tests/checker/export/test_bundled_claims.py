"""What is claimed of the runs of bundled systems: other checkers give the verdicts that we expect."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.checker.explore.interpret import initial_states
from angarium.checker.export.promela import promela
from angarium.checker.export.smv import smv
from angarium.checker.ir.transition import TransitionSystem
from angarium.systems.registry import Scenario, System, load, systems
from tests.nusmv import needs_nusmv, run_nusmv
from tests.scenarios import case, telling
from tests.spin import needs_spin, run_ltl

pytestmark = pytest.mark.slow

MOST_STATES = {"spin": 3_000, "nusmv": 400}
"""Larger scenarios take longer to compile, or to search, than a test should."""
HAS_ITS_OWN_PEER = ("recovery",)
"""Shortest ways in all colours, written out: translators are busy for minutes."""


def claims_something(system: System) -> bool:
    return any(function.role in ("ltl", "eventually") for function in system.decl.functions)


def scenarios(checker: str) -> list[object]:
    return [
        case(system, scenario)
        for system in systems().values()
        if claims_something(system) and system.name not in HAS_ITS_OWN_PEER
        for scenario in telling([each for each in system.scenarios if each.states < MOST_STATES[checker]])
    ]


def claims(model: TransitionSystem) -> list[str]:
    return [each.name for each in model.temporal if each.logic == "ltl"]


def expected(model: TransitionSystem, scenario: Scenario) -> dict[str, bool]:
    """What is broken by no run; a guarantee that claims nothing is not."""
    return {name: scenario.verdicts[name] != "violated" for name in claims(model)}


@pytest.mark.sample(3)
@needs_spin
@pytest.mark.parametrize(("system", "scenario"), scenarios("spin"))
def test_spin(system: System, scenario: Scenario, tmp_path: Path) -> None:
    model = load(system.name, scenario.parameters)
    text = promela(model, initial_states(model))

    found = {name: run_ltl(text, name, tmp_path) for name in claims(model)}

    assert found == expected(model, scenario)


@needs_nusmv
@pytest.mark.parametrize(("system", "scenario"), scenarios("nusmv"))
def test_nusmv(system: System, scenario: Scenario, tmp_path: Path) -> None:
    model = load(system.name, scenario.parameters)
    initial = initial_states(model)

    found = {name: run_nusmv(smv(model, initial, only=[name]), tmp_path) for name in claims(model)}

    assert found == {name: [holds] for name, holds in expected(model, scenario).items()}
