"""Every bundled system, every example and every model in a document means what Python makes of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from angarium.systems.registry import Scenario, System, systems
from tests.meaning.compare import compare
from tests.scenarios import case

ROOT = Path(__file__).parents[2]
WITH_AN_INTRUDER = ("kafka-security", "needham_schroeder")
"""What an intruder can derive has a peer of its own: `tests/systems/kafka_security_peer.py`."""
SMALL = [
    case(system, scenario, only_thorough=scenario.states > 165)
    for name, system in systems().items()
    for scenario in system.scenarios
    if scenario.states < 700 and name not in WITH_AN_INTRUDER
]
_MODEL = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)


@pytest.mark.sample(9)
@pytest.mark.parametrize(("system", "scenario"), SMALL)
def test_a_bundled_system_means_what_python_makes_of_it(system: System, scenario: Scenario) -> None:
    found = compare(system.file.read_text(encoding="utf-8"), scenario.parameters, path=system.file)

    assert found.differences == ()
    assert (found.states, found.transitions) == (scenario.states, scenario.transitions)


def _examples() -> list[Path]:
    files = sorted((ROOT / "examples").glob("*.py"))
    models = [file for file in files if "(Model)" in file.read_text(encoding="utf-8")]
    return [file for file in models if file.stem not in WITH_AN_INTRUDER]


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
