"""`angarium check kafka` with settings: which question is asked, the answer's forms, and bad input."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.cli.running import record, run

ONE_CRASH = ("check", "kafka", "--set", "acks=1", "--set", "replication.factor=3", "--faults", "one-crash")
PROPERTIES = ("server", "producer", "consumer")


def test_the_table_and_the_story() -> None:
    result = run(*ONE_CRASH, "--quiet")
    assert result.exit_code == 1
    assert "one broker crashes  violated  violated       violated  holds\n" in result.stdout
    assert "no-loss, when one broker crashes: violated in 5 steps, and in no fewer." in result.stdout
    assert "Mended by: acks=all." in result.stdout
    assert "default in Kafka" in result.stdout
    assert result.stderr == ""


def test_everything_fits_80_columns() -> None:
    assert max(len(line) for line in run(*ONE_CRASH).stdout.splitlines()) <= 80


def test_the_record_has_a_verdict_for_each_guarantee_and_fault() -> None:
    found = record(*ONE_CRASH)
    assert (found["kind"], found["subject"], found["complete"]) == ("check", "kafka", True)
    verdicts = {each["guarantee"]: each["verdict"] for each in found["verdicts"]}
    assert verdicts == {
        "no-loss": "violated",
        "no-duplicates": "violated",
        "order": "violated",
        "availability-for-writes": "holds",
    }
    assert {each["faults"] for each in found["verdicts"]} == {"one-crash"}
    assert found["verdicts"][0]["budget"] == {"broker_crash": 1}
    assert found["parameters"]["acks"] == 1
    assert found["changes"][0]["settings"] == {"acks": "all"}
    assert {"guarantee": "no-loss", "faults": "one-crash"} in found["changes"][0]["mends"]


def test_a_story_can_be_replayed() -> None:
    address = record(*ONE_CRASH, "--only", "no-loss")["verdicts"][0]["story"]["address"]
    again = run("replay", address)
    assert again.exit_code == 0
    assert "crash_broker(b1)" in again.stdout


@pytest.mark.parametrize("faults", ["deposed-leader", "consumer-crash", "new-group-crash", "slow-consumer"])
def test_every_address_can_be_replayed(faults: str) -> None:
    found = record("check", "kafka", "--set", "acks=1", "--set", "replication.factor=3", "--faults", faults)
    addresses = [each["story"]["address"] for each in found["verdicts"] if each["story"]]
    assert addresses
    assert [run("replay", each).exit_code for each in addresses] == [0] * len(addresses)


def test_a_cut_search_says_so_and_offers_nothing_that_it_did_not_see() -> None:
    cut = run(*ONE_CRASH, "--max-states", "1000", "--quiet")
    assert cut.exit_code == 1
    assert "Not everything could be tried" in cut.stdout
    assert "limit of 1,000 states." in cut.stdout
    assert "What would help" not in cut.stdout
    assert record(*ONE_CRASH, "--max-states", "1000")["cut"] == "limit of 1,000 states"


def test_an_operators_own_files() -> None:
    files = [word for name in PROPERTIES for word in ("--config", f"examples/kafka/{name}.properties")]
    result = run("check", "kafka", *files, "--faults", "nothing", "--story", "none")
    assert result.exit_code == 0
    assert "server.properties" in result.stdout
    assert "nothing goes wrong  holds     holds          holds     holds" in result.stdout


def test_without_settings_the_model_of_the_publication_is_checked() -> None:
    found = record("check", "kafka", "--set", "items=1", "--set", "followers=1", "--no-remedies")
    names = {each["guarantee"] for each in found["verdicts"]}
    text = run("check", "kafka", "--set", "items=1", "--set", "followers=1", "--no-remedies").stdout
    assert "angarium check kafka --config server.properties" in text
    assert {"deadlock-free", "acknowledgement", "parallelism", "sequentiality", "fault-tolerance"} <= names


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("kafka", "--set", "ack=1"), "did you mean acks?"),
        (("kafka", "--set", "acks=2"), "acks"),
        (("kafka", "--set", "acks=1", "--set", "enable.idempotence=true"), "enable.idempotence"),
        (("kafka", "--set", "min.insync.replicas=4", "--set", "replication.factor=3"), "min.insync.replicas"),
        (("kafka", "--set", "acks=1", "--faults", "one-crsh"), "did you mean one-crash?"),
        (("kafka", "--set", "acks=1", "--only", "no-los"), "did you mean no-loss?"),
        (("kafka", "--set", "acks=1", "--mutate"), "--mutate cannot be asked of settings"),
        (("kafka", "--set", "acks=1", "--ltl", "[] true"), "--ltl and --ctl cannot be asked of settings"),
        (("nsq", "--config", "server.properties"), "possible with --config: kafka"),
        (("kafka", "--config", "nowhere.properties"), "nowhere.properties"),
    ],
)
def test_what_is_wrong_is_said(words: tuple[str, ...], says: str) -> None:
    result = run("check", *words)
    assert result.exit_code == 2
    assert says in result.stderr


def test_a_slip_in_a_file_is_shown_at_its_line(tmp_path: Path) -> None:
    file = tmp_path / "server.properties"
    file.write_text("# ours\nbroker.id=1\nmin.insync.replica=2\n", encoding="utf-8")
    result = run("check", "kafka", "--config", str(file))
    assert result.exit_code == 2
    assert "server.properties:3:1" in result.stderr
    assert "did you mean min.insync.replicas?" in result.stderr
