"""A story's test is Python, well laid out, and passes as long as the story happens."""

from __future__ import annotations

import subprocess
from dataclasses import replace

import pytest

import angarium
from angarium.checker.explore.addresses import parse_address
from angarium.checker.explore.stories import replay, tell
from angarium.checker.export.pytest_replay import render
from angarium.checker.ir.syntax import Const
from angarium.checker.ir.transition import TransitionSystem
from angarium.core.errors import AddressError
from angarium.core.result import Story
from tests.lassos import BREAKS, FLICKERS, lamp
from tests.needs import NEEDS, program
from tests.zoo import counter, handoff

STORY = tell(counter(), [(0,), (1,), (2,), (3,)], "small", subject="zoo/counter.py:Counter")


def run(source: str, system: TransitionSystem, monkeypatch: pytest.MonkeyPatch) -> None:
    def found_again(address: str) -> Story:
        parts = parse_address(address)
        return replay(system, parts.path, parts.cycle)

    monkeypatch.setattr(angarium, "replay", found_again, raising=False)
    names: dict[str, object] = {}
    exec(source, names)
    (test,) = (value for name, value in names.items() if name.startswith("test_"))
    assert callable(test)
    test()


def test_the_test_passes_while_the_story_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    run(render(STORY), counter(), monkeypatch)


def test_the_test_fails_once_the_story_does_not_happen(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssertionError):
        run(render(STORY), replace(counter(), guarantees=()), monkeypatch)


def test_the_name_says_what_is_tested() -> None:
    assert "def test_zoo_counter_py_counter_small() -> None:" in render(STORY)


@pytest.mark.parametrize(
    "summary",
    ["plain", 'says "no"', "it's", 'it\'s "both"', "back\\slash and\nline", "é → ✓", "'\"'"],
)
def test_any_summary_is_quoted_rightly(summary: str) -> None:
    source = render(replace(STORY, summary=summary))
    (line,) = (line for line in source.splitlines() if "story.summary" in line)
    assert eval(line.removeprefix("    assert ").removesuffix(" in story.summary")) == summary
    assert formatted(source) == source


def test_a_story_without_steps_is_well_laid_out() -> None:
    source = render(replay(handoff(), (0,)))
    assert formatted(source) == source


def test_a_story_without_a_summary_is_only_asserted_to_happen() -> None:
    source = render(replace(STORY, summary=""))
    assert "summary" not in source
    assert formatted(source) == source


@pytest.mark.parametrize("story", [FLICKERS, BREAKS])
def test_a_run_without_end_must_repeat_itself(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    source = render(story)
    assert f"assert story.cycle == {story.cycle}" in source
    assert formatted(source) == source
    run(source, lamp(), monkeypatch)


def test_the_test_fails_once_the_run_does_not_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    down, on, broken = lamp().actions
    stronger = replace(on, body=(*on.body[:-1], replace(on.body[-1], value=Const(2))))  # type: ignore[arg-type]
    with pytest.raises(AddressError, match="does not come back"):
        run(render(FLICKERS), replace(lamp(), actions=(down, stronger, broken)), monkeypatch)


def formatted(source: str) -> str:
    if not (ruff := program("ruff")):
        pytest.skip(NEEDS["lint"].reason)
    command = [ruff, "format", "--line-length", "100", "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout
