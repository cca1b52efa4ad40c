"""`angarium record`: its verbs, what it says, and bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from angarium.app.cli.record import VERBS
from angarium.core.errors import HistoryError
from angarium.history.recorders import nats_link, rabbitmq_link
from angarium.history.recorders.recording import Account, Plan
from angarium.history.recorders.writer import Rotation, Writer
from tests.app.cli.running import record, run


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(verb: str) -> None:
    assert f"angarium record {verb}" in run("record", verb, "--help").stdout


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Plan, dict[str, object]]]:
    """What recorders are asked for; they say at once that they have recorded it."""
    asked: list[tuple[str, Plan, dict[str, object]]] = []

    def recorder(url: str, plan: Plan, **others: object) -> Account:
        asked.append((url, plan, others))
        return Account(events=1234, files=2, nameless=5, losses=1)

    monkeypatch.setattr(rabbitmq_link, "record_rabbitmq", recorder)
    monkeypatch.setattr(nats_link, "record_nats", recorder)
    return asked


def test_options_make_a_plan(plans: list[tuple[str, Plan, dict[str, object]]], tmp_path: Path) -> None:
    options = "--format parquet --run night --rotate-events 7 --rotate-every 5s --for 2h --events 9".split()
    done = run("record", "rabbitmq", "amqp://h", "--out", str(tmp_path), "--queues", "a*", *options)

    ((url, plan, others),) = plans
    assert (done.exit_code, url, others["queues"]) == (0, "amqp://h", ("a*",))
    assert plan == Plan(tmp_path, "night", "parquet", Rotation(events=7, seconds=5.0), 9, 7200.0)


def test_a_history_is_named_after_its_folder(
    plans: list[tuple[str, Plan, dict[str, object]]], tmp_path: Path
) -> None:
    run("record", "nats", "--out", str(tmp_path / "monday"), "--stream", "S", "--stream", "T")

    ((url, plan, others),) = plans
    assert (url, plan.run, others["streams"]) == ("nats://localhost:4222", "monday", ("S", "T"))


def test_it_says_what_was_recorded_what_was_missed_and_what_to_do(
    plans: list[tuple[str, Plan, dict[str, object]]], tmp_path: Path
) -> None:
    said = run("record", "rabbitmq", "--out", str(tmp_path)).stdout

    assert f"Recorded 1,234 events in 2 files of {tmp_path}." in said
    assert "lost 1 times" in said and "without message_id" in said
    assert f"angarium audit {tmp_path}" in said
    assert record("record", "rabbitmq", "--out", str(tmp_path))["nameless"] == 5


@pytest.mark.parametrize(
    "words", [("--for", "soon"), ("--rotate-every", "0"), ("--rotate-events", "0"), ("--format", "csv")]
)
def test_impossible_options_are_refused(words: tuple[str, str], tmp_path: Path) -> None:
    done = run("record", "rabbitmq", "--out", str(tmp_path), *words)

    assert done.exit_code == 2 and words[0] in done.stderr


def test_without_a_folder_nothing_is_recorded() -> None:
    assert "--out" in run("record", "rabbitmq").stderr


def test_a_broker_that_is_not_there_is_one_error(tmp_path: Path) -> None:
    done = run("record", "rabbitmq", "amqp://localhost:1", "--out", str(tmp_path / "new"), "--json")

    assert done.exit_code == 2
    assert json.loads(done.stdout)["error"]["code"] == "ANG133"
    assert not (tmp_path / "new").exists(), "nothing is left of it"


def test_two_recorders_of_one_broker_in_one_folder_are_refused(tmp_path: Path) -> None:
    from angarium.history.recorders.recording import Recording

    recording = Recording(Plan(tmp_path, "run"), stopped=lambda: True, tell=lambda _: None)
    recording.writer("r", "rabbitmq")
    with pytest.raises(HistoryError, match="already recording"):
        recording.writer("r", "rabbitmq")
    recording.close()


def test_what_died_is_finished(tmp_path: Path) -> None:
    dead = Writer(tmp_path, "r", {"run_id": "run"})
    dead.write("control", "kill", "ok")
    dead.abandon()

    assert "finished" in run("record", "recover", str(tmp_path)).stdout
    assert "nothing is left" in run("record", "recover", str(tmp_path)).stdout
    assert (tmp_path / "r-000001.jsonl").exists()
