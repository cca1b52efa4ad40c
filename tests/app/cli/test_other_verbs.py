"""`angarium systems`, `replay` and `export`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import angarium
from tests.app.cli.running import AT_LEAST_ONCE, SAC, SMALL, record, run


@pytest.fixture(scope="module")
def address() -> str:
    report = angarium.check(AT_LEAST_ONCE)
    return next(each.story.address for each in report.verdicts if each.story)


# --- systems --------------------------------------------------------------------------------


def test_the_library_is_listed_with_its_sources() -> None:
    result = run("systems")
    assert result.exit_code == 0
    assert SAC in result.stdout
    assert "after Vanlightly" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    systems = record("systems")["systems"]
    assert SAC in [each["name"] for each in systems]


def test_a_system_says_what_can_be_set_and_what_is_judged() -> None:
    lines = run("systems", SAC).stdout.splitlines()
    assert "  queues=3          1 to 20" in lines
    assert "  mode=sequential   sequential or random" in lines
    assert "  whenever nothing more can happen" in lines
    answer = record("systems", SAC)
    assert answer["parameters"]["stops"] is True
    assert answer["possible"]["mode"] == "sequential or random"
    assert {"guarantee", "kind", "description"} == set(answer["guarantees"][0])


def test_so_does_a_model_of_ones_own() -> None:
    output = run("systems", AT_LEAST_ONCE).stdout
    assert "no-duplicates   No message is delivered twice." in output
    assert "after" not in output.splitlines()[1]


def test_a_model_without_parameters(tmp_path: Path) -> None:
    file = tmp_path / "tick.py"
    file.write_text(
        "from angarium import *\nclass Tick(Model):\n    n = integer(0, 1)\n"
        "    @action\n    def tick(self) -> None:\n        self.n = 1\n"
    )
    assert "It has no parameters." in run("systems", str(file)).stdout


# --- replay ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("way", "sign"),
    [("table", "what happens"), ("mermaid", "sequenceDiagram"), ("pytest", "def test_")],
)
def test_a_story_is_shown_again(address: str, way: str, sign: str) -> None:
    result = run("replay", address, "--as", way)
    assert result.exit_code == 0
    assert sign in result.stdout


def test_a_story_as_a_trace_and_as_a_record(address: str) -> None:
    assert json.loads(run("replay", address, "--as", "itf").stdout)["#meta"]["address"] == address
    answer = record("replay", address)
    assert answer == json.loads(run("replay", address, "--as", "json").stdout)
    assert (answer["kind"], answer["subject"]) == ("replay", AT_LEAST_ONCE)
    assert answer["story"]["address"] == address


def test_a_story_as_a_test_passes(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = run("replay", address, "--as", "pytest").stdout
    names: dict[str, object] = {}
    exec(source, names)
    tests = [value for name, value in names.items() if name.startswith("test_")]
    assert len(tests) == 1
    assert callable(tests[0])
    tests[0]()


# --- export ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("target", "sign"), [("promela", "proctype"), ("tla", "MODULE"), ("smv", "VAR")])
def test_systems_are_written_in_other_languages(target: str, sign: str, tmp_path: Path) -> None:
    result = run("export", *SMALL, "--to", target)
    assert result.exit_code == 0
    assert sign in result.stdout
    file = tmp_path / "out"
    assert run("export", *SMALL, "--to", target, "--out", str(file)).stdout == ""
    assert file.read_text() == result.stdout
    assert record("export", *SMALL, "--to", target)["text"] == result.stdout


def test_a_file_is_replaced_whole_with_usual_permissions(tmp_path: Path) -> None:
    file = tmp_path / "sac.tla"
    file.write_text("old")
    answer = record("export", *SMALL, "--to", "tla", "--out", str(file))
    assert answer["file"] == str(file)
    assert "MODULE" in file.read_text()
    assert list(tmp_path.iterdir()) == [file]
    mask = os.umask(0)
    os.umask(mask)
    assert file.stat().st_mode & 0o777 == 0o666 & ~mask


def test_a_file_that_cannot_be_written_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    result = run("export", *SMALL, "--to", "tla", "--out", str(tmp_path / "sac.tla"))
    assert result.exit_code == 2
    assert result.stderr.startswith("error[ANG014]: ")
    assert list(tmp_path.iterdir()) == []
