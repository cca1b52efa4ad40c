"""Scenarios of the bundled systems that tests choose from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from _pytest.mark import ParameterSet

from angarium.systems.registry import Scenario, System, systems


def case(system: System, scenario: Scenario, *, only_thorough: bool = False) -> ParameterSet:
    """A system and one of its scenarios as a case of a test."""
    name = "-".join([system.name, *scenario.parameters.values()])
    return pytest.param(system, scenario, id=name, marks=pytest.mark.thorough if only_thorough else ())


def largest(most_states: int, number: int, names: Iterable[str] = ()) -> list[ParameterSet]:
    """So many scenarios of every system, or of those named: the largest that are small enough."""
    found: list[ParameterSet] = []
    for system in (systems()[name] for name in names or systems()):
        fitting = [each for each in system.scenarios if each.states < most_states]
        chosen = sorted(fitting, key=lambda each: -each.states)[:number]
        found += [case(system, scenario) for scenario in chosen]
    return found


def telling(some: Sequence[Scenario]) -> list[Scenario]:
    """Enough scenarios, larger ones first, to see every guarantee with every verdict that it ever has."""
    chosen: list[Scenario] = []
    seen: set[tuple[str, str]] = set()
    for scenario in sorted(some, key=lambda each: -each.states):
        if not scenario.verdicts.items() <= seen:
            chosen.append(scenario)
            seen |= scenario.verdicts.items()
    return chosen
