"""A search that is cut says `unknown`, exit code 3, with what was covered."""

from __future__ import annotations

import json
import signal

import pytest

from tests.cli.running import LARGE, record, run, start


@pytest.mark.parametrize(
    ("limit", "value", "cut", "advice"),
    [
        ("--max-states", "1000", "limit of 1,000 states", "Raise --max-states"),
        ("--max-memory", "2M", "limit of 2,097,152 bytes", "Raise --max-memory"),
        ("--timeout", "0.3", "time limit of 0.3 s", "Raise --timeout"),
    ],
)
def test_limits(limit: str, value: str, cut: str, advice: str) -> None:
    words = ("check", *LARGE, limit, value, "--only", "type-ok")
    answer = record(*words)
    assert answer["cut"] == cut
    assert not answer["complete"]
    assert answer["states"] > 0
    assert answer["frontier"] > 0
    assert {each["verdict"] for each in answer["verdicts"]} == {"unknown"}
    result = run(*words)
    text = " ".join(result.stdout.split())
    assert result.exit_code == 3
    assert f"cut: {cut}" in text
    assert f"Unknown is not holds: the search was cut. {advice}" in text
    assert "--symmetry makes the search much smaller" in text


def test_what_is_violated_stays_violated_in_a_cut_search() -> None:
    result = run("check", "examples/at_least_once.py", "--max-states", "60", "--engine", "reference")
    assert result.exit_code == 1
    assert "unknown   no-loss" in result.stdout


def test_ctrl_c_gives_what_was_covered() -> None:
    with start("check", *LARGE, "--json", "--threads", "1") as process:
        assert process.stderr and any(" states, " in line for line in process.stderr)
        process.send_signal(signal.SIGINT)
        output, remarks = process.communicate()
    assert process.returncode == 3, remarks
    answer = json.loads(output)
    assert answer["cut"] == "interrupted"
    assert answer["states"] > 1000
    assert {each["verdict"] for each in answer["verdicts"]} == {"unknown"}


def test_progress_goes_to_standard_error_unless_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("angarium.cli.watching.PATIENCE", 0.0)
    words = ("check", *LARGE, "--timeout", "2", "--json")
    loud, quiet = run(*words), run(*words, "--quiet")
    assert "states, " in loud.stderr
    assert "frontier" in loud.stderr
    assert quiet.stderr == ""
    assert json.loads(loud.stdout)["cut"] == json.loads(quiet.stdout)["cut"]
