"""`angarium check overlay --mesh`: a mesh explored like any model."""

from __future__ import annotations

import shlex
from pathlib import Path

from tests.app.cli.running import record, run

MESHES = Path(__file__).parents[3] / "examples" / "meshes"
SIX, FAULT = str(MESHES / "six-brokers.yaml"), str(MESHES / "six-brokers-fault.yaml")


def test_a_mesh_is_explored_under_every_failure_within_the_budget() -> None:
    result = run("check", "overlay", "--mesh", SIX, "--set", "link_failures=1", "--quiet")

    assert result.exit_code == 1
    assert "violated  reachability" in result.stdout
    assert "holds     loop-free" in result.stdout
    assert "faults    fail_link" in result.stdout


def test_the_story_of_a_mesh_can_be_replayed_with_the_command_that_is_shown() -> None:
    result = run("check", "overlay", "--mesh", FAULT, "--only", "loop-free", "--quiet")
    command = result.stdout.splitlines()[-1].strip()

    again = run(*shlex.split(command)[1:])

    assert again.exit_code == 0
    steps = [line for line in result.stdout.splitlines() if "from_b" in line and "at: " in line]
    assert steps
    assert [line for line in again.stdout.splitlines() if "from_b" in line] == steps


def test_the_record_names_the_mesh_as_its_subject() -> None:
    found = record("check", "overlay", "--mesh", SIX)

    assert found["subject"] == f"overlay:{SIX}"
    assert found["complete"]


def test_other_verbs_take_the_same_subject() -> None:
    listed = run("systems", f"overlay:{SIX}")
    exported = run("export", f"overlay:{SIX}", "--to", "promela")

    assert "link_failures" in listed.stdout
    assert "active proctype" in exported.stdout


def test_a_mesh_of_another_system_is_refused() -> None:
    result = run("check", "nsq", "--mesh", SIX)

    assert result.exit_code == 2
    assert "--mesh is for meshes; nsq is another system" in result.stderr


def test_a_mesh_file_that_is_not_there_is_refused() -> None:
    result = run("check", "overlay", "--mesh", "nowhere.yaml")

    assert result.exit_code == 2
    assert "there is no file nowhere.yaml" in result.stderr
