"""`angarium check`: verdicts, exit codes, and the record."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from tests.app.cli.running import AT_LEAST_ONCE, SMALL, record, run


def test_all_hold() -> None:
    result = run("check", *SMALL, "--set", "rule=poorer", "--quiet")
    assert result.exit_code == 0
    assert "Searched all 181 states: 420 transitions, 9 levels deep." in result.stdout
    assert "set       queues=2, apps=2, rule=poorer" in result.stdout
    assert "holds     sequential-safety          When nothing more can happen" in result.stdout
    assert "holds     eventually-balanced" in result.stdout
    assert result.stderr == ""


def test_something_is_violated_and_its_story_can_be_replayed() -> None:
    result = run("check", AT_LEAST_ONCE)
    assert result.exit_code == 1
    assert "no-duplicates violated: it breaks in 6 steps, and in no fewer." in result.stdout
    command = result.stdout.splitlines()[-1].strip()
    again = run(*shlex.split(command)[1:])
    assert again.exit_code == 0
    assert again.stdout.rstrip() in result.stdout


def test_the_report_fits_80_columns_but_for_the_command_to_copy() -> None:
    lines = run("check", AT_LEAST_ONCE).stdout.splitlines()
    assert max(len(line) for line in lines if not line.startswith("  angarium replay")) <= 80


def test_program_counters_are_for_machines() -> None:
    assert "pc" not in run("check", AT_LEAST_ONCE).stdout
    story = story_of(record("check", AT_LEAST_ONCE))
    assert story["initial"]["consumer"]["pc"].endswith("receive link")


@pytest.mark.parametrize(
    ("way", "sign"),
    [
        ("mermaid", "sequenceDiagram"),
        ("itf", '"format": "ITF"'),
        ("pytest", "import angarium"),
        ("table", "what happens"),
    ],
)
def test_stories_are_shown_as_asked(way: str, sign: str) -> None:
    assert sign in run("check", AT_LEAST_ONCE, "--story", way).stdout


def test_no_story_still_has_its_address() -> None:
    output = run("check", AT_LEAST_ONCE, "--story", "none").stdout
    assert "what happens" not in output
    assert "angarium replay examples/at_least_once.py@" in output


def test_only_some_guarantees() -> None:
    verdicts = record("check", AT_LEAST_ONCE, "--only", "no-loss")["verdicts"]
    assert [each["guarantee"] for each in verdicts] == ["stays-in-range", "no-loss"]
    assert run("check", AT_LEAST_ONCE, "--only", "no-loss").exit_code == 0


def test_a_witness_is_shown_behind_what_is_violated() -> None:
    result = run("check", "examples/exactly_once_effect.py")
    assert result.exit_code == 0
    assert "completion holds: it is reached in 8 steps" in result.stdout


# --- the record -----------------------------------------------------------------------------


def story_of(answer: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(each["story"] for each in answer["verdicts"] if each["story"])
    return found


def test_the_record_keeps_the_contract() -> None:
    answer = record("check", *SMALL, "--set", "stops=yes", "--threads", "1")
    assert answer["angarium"]
    assert (answer["kind"], answer["subject"], answer["engine"]) == ("check", "rabbitmq-sac", "local")
    assert answer["parameters"] == {
        "queues": 2,
        "apps": 2,
        "restarts": 0,
        "mode": "sequential",
        "stops": True,
        "rule": "always",
        "stats": False,
        "release_limit": 15,
    }
    counts = {key: answer[key] for key in ("complete", "states", "transitions", "depth", "frontier")}
    assert counts == {
        "complete": True,
        "states": 181,
        "transitions": 428,
        "depth": 9,
        "frontier": 0,
    }
    assert (answer["cut"], answer["threads"], answer["symmetry"]) == (None, 1, False)
    assert answer["seconds"] >= 0
    assert answer["bytes"] == pytest.approx(181 * answer["bytes_per_state"], rel=0.01)
    assert len(answer["model_hash"]) == 12
    assert list(answer)[-1] == "verdicts"
    assert answer["verdicts"][0] == {
        "guarantee": "stays-in-range",
        "kind": "range",
        "verdict": "holds",
        "reason": None,
        "untold": None,
        "fairness": "none",
        "description": "every value, index and divisor is one that it can be",
        "story": None,
        "vacuous": None,
        "remedies": [],
    }


def test_a_story_is_data() -> None:
    story = story_of(record("check", AT_LEAST_ONCE))
    assert story["address"].startswith("examples/at_least_once.py@")
    assert story["guarantee"] == "no-duplicates"
    assert story["initial"]["delivered"] == {"m1": 0, "m2": 0}
    last = story["steps"][-1]
    assert (last["action"], last["actor"]) == ("consumer_receive_link", "consumer")
    assert {"where": "delivered[m1]", "before": 1, "after": 2} in last["changes"]
    assert last["exchanges"] == [{"channel": "link", "value": "m1", "sender": None, "receiver": "consumer"}]


def test_engines_and_symmetry_say_the_same() -> None:
    local = record("check", *SMALL, "--no-remedies", "--threads", "1")
    slow = record("check", *SMALL, "--no-remedies", "--engine", "reference")
    same = ("states", "transitions", "depth", "verdicts", "parameters", "model_hash")
    assert {key: local[key] for key in same} == {key: slow[key] for key in same}
    assert (slow["engine"], slow["threads"]) == ("reference", 1)
    symmetric = record("check", *SMALL, "--symmetry", "--only", "type-ok", "--only", "sequential-safety")
    assert (symmetric["states"], symmetric["symmetry"]) == (52, True)
    assert [v["verdict"] for v in symmetric["verdicts"]] == [v["verdict"] for v in local["verdicts"][:3]]


# --- mutants --------------------------------------------------------------------------------


def test_mutants_are_shown_with_what_noticed_them() -> None:
    result = run("check", "examples/competing_consumers.py", "--mutate", "--quiet")
    assert result.exit_code == 0
    assert "acknowledge never happens" in result.stdout
    assert result.stderr == ""


def test_mutants_as_a_record() -> None:
    result = run("check", "examples/competing_consumers.py", "--mutate", "--quiet", "--json")
    answer = json.loads(result.stdout)
    assert answer["kind"] == "check"
    row = next(r for r in answer["mutants"]["rows"] if r["description"] == "acknowledge never happens")
    assert row["verdict"] == "noticed"
    assert "no-loss" in row["noticed"]
