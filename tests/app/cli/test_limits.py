"""A search that is cut says `unknown`, exit code 3, with what was covered."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest

from angarium.core.control import TimeIsUp
from tests.app.cli.running import LARGE, SAC, record, run, start


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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_gives_what_was_covered(number: signal.Signals) -> None:
    with start("check", *LARGE, "--json", "--threads", "1") as process:
        assert process.stderr and any(" states, " in line for line in process.stderr)
        process.send_signal(number)
        output, remarks = process.communicate()
    assert process.returncode == 3, remarks
    answer = json.loads(output)
    assert answer["cut"] == "interrupted"
    assert answer["states"] > 1000
    assert {each["verdict"] for each in answer["verdicts"]} == {"unknown"}


def test_progress_goes_to_standard_error_unless_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("angarium.app.cli.watching.PATIENCE", 0.0)
    words = ("check", *LARGE, "--timeout", "2", "--json")
    loud, quiet = run(*words), run(*words, "--quiet")
    assert "states, " in loud.stderr
    assert "frontier" in loud.stderr
    assert quiet.stderr == ""
    assert json.loads(loud.stdout)["cut"] == json.loads(quiet.stdout)["cut"]


@pytest.mark.parametrize("kilobytes", [1_000_000, 4_000_000])
def test_with_few_addresses_less_is_reserved(kilobytes: int) -> None:
    """As behind `ulimit -v`."""
    limited = (
        f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({kilobytes * 1024},) * 2)\n"
        "from angarium.app.cli import main; main()"
    )
    words = ("check", "examples/fair_loss.py", "--json", "--threads", "2")

    done = subprocess.run(
        [sys.executable, "-c", limited, *words], capture_output=True, text=True, check=False
    )

    assert (done.stderr, json.loads(done.stdout)["complete"]) == ("", True)


@pytest.mark.sample(2)
@pytest.mark.parametrize("megabytes", [60, 100, 140, 180, 220, 260, 300])
def test_too_few_addresses_are_told_whatever_fails_for_want_of_them(megabytes: int) -> None:
    """OpenBLAS ended the process with 1 at 100, as if something were violated; at 180, LLVM was not found."""
    shell = f'ulimit -v {megabytes * 1000}; exec "$0" -m angarium check rabbitmq-sac --only type-ok -q'

    done = subprocess.run(["bash", "-c", shell, sys.executable], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (3, ""), done.stderr
    assert done.stderr.startswith("there is not enough memory for this")


def test_what_has_too_little_memory_says_so_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("angarium.checker.explore.native_memory.reserve", full)

    answer = run("check", SAC, "--json")

    assert answer.exit_code == 3
    assert answer.stderr.startswith("there is not enough memory for this")
    assert json.loads(answer.stdout)["verdicts"] == []


def test_a_story_for_which_nobody_waits_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The verdict stays what it is."""

    def tell(*_: object, **__: object) -> None:
        raise TimeIsUp(5)

    monkeypatch.setattr("angarium.checker.logic.check.tell", tell)

    answer = record("check", "examples/at_least_once.py", "--no-remedies")

    broken = [each for each in answer["verdicts"] if each["verdict"] == "violated"]
    assert [each["untold"] for each in broken] == ["its story was not told: time limit of 5 s"]
