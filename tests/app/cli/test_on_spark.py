"""`--engine spark` on the command line."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.app.cli.running import SMALL, record, run, start
from tests.waiting import wait_until

pytestmark = pytest.mark.spark

ON_SPARK = ("--engine", "spark", "--master", "local[2]")


def same(answer: dict[str, object]) -> dict[str, object]:
    """What does not depend on the engine."""
    return {key: answer[key] for key in ("states", "transitions", "depth", "complete", "parameters")}


@pytest.mark.slow
def test_the_record_is_that_of_the_local_engine() -> None:
    local, spark = record("check", *SMALL), record("check", *SMALL, *ON_SPARK)

    assert same(spark) == same(local)
    assert spark["engine"] == "spark"
    assert [each["verdict"] for each in spark["verdicts"]] == [each["verdict"] for each in local["verdicts"]]


def test_where_spark_is_does_not_matter_without_it(tmp_path: Path) -> None:
    for words in (("--master", "local[2]"), ("--memory", "2g"), ("--checkpoint", str(tmp_path))):
        answer = run("check", *SMALL, *words)

        assert answer.exit_code == 2
        assert "add --engine spark" in answer.stderr


def test_a_master_that_is_not_there_is_an_error_in_one_line() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        master = f"spark://127.0.0.1:{free.getsockname()[1]}"
        answer = run("check", *SMALL, "--engine", "spark", "--master", master)

    assert answer.exit_code == 2
    assert answer.stderr.startswith(f"error[ANG072]: nobody answers at Spark's master {master}; possible: ")
    assert answer.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_folder_of_another_search_is_refused(tmp_path: Path) -> None:
    run("check", *SMALL, *ON_SPARK, "--checkpoint", str(tmp_path), "--only", "type-ok")

    answer = run("check", "nsq", *ON_SPARK, "--checkpoint", str(tmp_path))

    assert answer.exit_code == 2
    assert "error[ANG016]" in answer.stderr


@pytest.mark.slow
def test_a_search_whose_driver_is_killed_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed outright, so that nobody tidies up; then the same command again."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    words = ("check", "rabbitmq-sac", "--set", "stops=false", "--only", "type-ok", *ON_SPARK)
    folder = tmp_path / "search"
    with start(*words, "--checkpoint", str(folder)) as process:
        wait_until("level 8 is done", (folder / "level-00008" / "done.json").exists)
        process.kill()
    reached = len(list(folder.glob("level-*/done.json")))

    answer = record(*words, "--checkpoint", str(folder))

    assert 8 < reached < answer["depth"]
    assert (answer["states"], answer["transitions"], answer["complete"]) == (183_202, 817_113, True)


@pytest.mark.slow
def test_a_search_that_is_told_to_end_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with start("check", "rabbitmq-sac", "--set", "queues=4", "--only", "type-ok", *ON_SPARK) as process:
        wait_until("level 8 is there", lambda: [*tmp_path.glob("angarium-search-*/levels/level-00008")])
        process.terminate()
        process.communicate()

    assert process.returncode == 3
    assert list(tmp_path.glob("angarium-*")) == []


def test_simulate_refuses_a_master_that_it_would_not_use() -> None:
    answer = run("simulate", *SMALL, "--master", "spark://127.0.0.1:1")

    assert answer.exit_code == 2
    assert "add --engine spark" in answer.stderr
