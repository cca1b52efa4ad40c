"""Every bundled system, every example and every model in a document means what Python makes of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from angarium.systems.registry import Scenario, System, systems
from tests.meaning.compare import compare
from tests.scenarios import case

ROOT = Path(__file__).parents[2]
SCENARIOS = [(system, scenario) for system in systems().values() for scenario in system.scenarios]
FEW, MOST = 165, 6_000
"""States that are few enough for the default run, and for Python at all."""
STEPS = 40_000
BEGINNING = 2_000
"""Steps of the beginning of a larger scenario: more takes Python minutes. The rest is left out."""


def _is_small(scenario: Scenario) -> bool:
    return scenario.states <= MOST and scenario.transitions <= STEPS


SMALL = [case(*each, only_thorough=each[1].states > FEW) for each in SCENARIOS if _is_small(each[1])]
LARGE = [case(*each) for each in SCENARIOS if not _is_small(each[1])]
_MODEL = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)


@pytest.mark.sample(9)
@pytest.mark.parametrize(("system", "scenario"), SMALL)
def test_a_bundled_system_means_what_python_makes_of_it(system: System, scenario: Scenario) -> None:
    text = system.file.read_text(encoding="utf-8")
    found = compare(text, scenario.parameters, path=system.file, most=2 * MOST)

    assert found.differences == ()
    assert (found.states, found.transitions) == (scenario.states, scenario.transitions)


@pytest.mark.thorough
@pytest.mark.parametrize(("system", "scenario"), LARGE)
def test_the_beginning_of_a_large_system_means_what_python_makes_of_it(
    system: System, scenario: Scenario
) -> None:
    text = system.file.read_text(encoding="utf-8")
    found = compare(text, scenario.parameters, path=system.file, most=STEPS, first=BEGINNING)

    assert found.differences == ()
    assert found.transitions > BEGINNING


def test_every_bundled_system_is_compared_to_its_last_state_in_some_scenario() -> None:
    assert {system.name for system, scenario in SCENARIOS if _is_small(scenario)} == systems().keys()


def _examples() -> list[Path]:
    files = sorted((ROOT / "examples").glob("*.py"))
    return [file for file in files if "(Model)" in file.read_text(encoding="utf-8")]


PARAMETERS = {"retry_storm": {"messages": 2, "prefetch": 1}}
"""Smaller ones, where the defaults have many states."""


@pytest.mark.parametrize("file", _examples(), ids=lambda file: file.stem)
def test_an_example_means_what_python_makes_of_it(file: Path) -> None:
    found = compare(file.read_text(encoding="utf-8"), PARAMETERS.get(file.stem), path=file)

    assert found.differences == ()


def _in_documents() -> list[object]:
    """The models of documents that are not examples as well."""
    examples = {file.read_text(encoding="utf-8").strip() for file in (ROOT / "examples").glob("*.py")}
    found = []
    for document in sorted((ROOT / "docs").rglob("*.md")):
        for text in _MODEL.findall(document.read_text(encoding="utf-8")):
            if "(Model)" in text and text.strip() not in examples:
                found.append(pytest.param(text, id=document.stem))
    return found


@pytest.mark.parametrize("text", _in_documents())
def test_a_model_in_a_document_means_what_python_makes_of_it(text: str) -> None:
    assert compare(text).differences == ()
