"""`angarium mesh latency`: chances, verdicts, exit codes, records and pictures."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from angarium.app.cli.failures import ExitCode
from tests.app.cli.running import record, run

DESK = "examples/meshes/latency-bounds.yaml"
SOME = ("--runs", "20000", "-q")


def test_it_tells_the_worst_first_within_eighty_columns() -> None:
    result = run("mesh", "latency", DESK, *SOME)

    assert result.exit_code == 0
    rows = [line.split() for line in result.stdout.splitlines() if ", order at" in line or "receipt," in line]
    assert [row[7] for row in rows] == ["order,", "order,", "receipt,"]
    assert [float(row[0]) for row in rows] == sorted((float(row[0]) for row in rows), reverse=True)
    assert "95 % between" in result.stdout
    assert "Simulated: 20," in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_the_exact_answer_is_within_the_simulated_limits() -> None:
    exact, simulated = record("mesh", "latency", DESK, "--exact"), record("mesh", "latency", DESK, *SOME)

    for sure, likely in zip(exact["bounds"], simulated["bounds"], strict=True):
        assert sure["demands"] == likely["demands"]
        assert likely["missed"]["low"] <= sure["missed"]["probability"] <= likely["missed"]["high"]
    assert (exact["runs"], simulated["engine"], simulated["seed"]) == (None, "local", 1)
    assert exact["rest"] == 0
    assert exact["complete"]


@pytest.mark.parametrize(
    ("at_most", "code", "verdicts"),
    [
        ("0.01", ExitCode.HOLDS, {"holds"}),
        ("0.003", ExitCode.VIOLATED, {"holds", "violated"}),
        ("0.0001", ExitCode.VIOLATED, {"violated"}),
    ],
)
def test_what_is_allowed_is_judged(at_most: str, code: ExitCode, verdicts: set[str]) -> None:
    words = ("mesh", "latency", DESK, "--exact", "--at-most", at_most, "-q")

    assert run(*words).exit_code == code
    assert {each["verdict"] for each in record(*words)["verdicts"]} == verdicts


def test_what_is_between_the_limits_is_unknown() -> None:
    result = run("mesh", "latency", DESK, "--topic", "receipt", "--runs", "2000", "--at-most", "0.0011", "-q")

    assert result.exit_code == ExitCode.UNKNOWN
    assert "unknown" in result.stdout


def test_one_topic_can_be_asked_for_and_another_is_refused() -> None:
    answer = record("mesh", "latency", DESK, "--topic", "receipt", *SOME)
    refused = run("mesh", "latency", DESK, "--topic", "recipt")

    assert [each["demands"][0]["topic"] for each in answer["bounds"]] == ["receipt"]
    assert refused.exit_code == 2
    assert "did you mean receipt?" in refused.stderr


def test_a_mesh_without_chances_says_that_nothing_fails() -> None:
    result = run("mesh", "latency", "examples/meshes/six-brokers.yaml", *SOME)

    assert result.exit_code == 0
    assert "Nothing says how often it fails (mtbf, mttr)" in " ".join(result.stdout.split())
    assert "no bound" in " ".join(result.stdout.split())


def test_the_picture_is_svg(tmp_path: Path) -> None:
    picture = tmp_path / "chances.svg"

    result = run("mesh", "latency", DESK, *SOME, "--plot", str(picture), "--at-most", "0.003")

    root = ElementTree.fromstring(picture.read_text())
    assert root.tag.endswith("svg")
    assert "receipt, receipt at shop" in picture.read_text()
    assert "at most" in picture.read_text()
    assert f"wrote {picture}" in result.stderr


def test_a_cut_answer_is_unknown_and_says_so() -> None:
    result = run("mesh", "latency", DESK, "--runs", "100000000", "--timeout", "0.001", "-q")

    assert result.exit_code == ExitCode.UNKNOWN
    assert "Cut short: time limit of 0.001 s." in " ".join(result.stdout.split())


@pytest.mark.parametrize(
    "words", [("--seed", "3"), ("--runs", "5"), ("--engine", "spark"), ("--confidence", "0.9")]
)
def test_an_option_that_would_do_nothing_is_refused(words: tuple[str, str]) -> None:
    result = run("mesh", "latency", DESK, "--exact", *words)

    assert result.exit_code == 2
    assert f"{words[0]} does nothing together with --exact" in result.stderr


@pytest.mark.parametrize(("file", "said"), [("chances.png", "ends in .svg"), ("no/chances.svg", "no folder")])
def test_a_picture_that_cannot_be_written_is_refused_before_anything_is_drawn(file: str, said: str) -> None:
    result = run("mesh", "latency", DESK, "--plot", file)

    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""
