"""`angarium run`, `init` and `trend`: exit codes, what they say, bad input, and Ctrl-C."""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path

import pytest

from tests.app.cli.running import AT_LEAST_ONCE, run, start
from tests.app.pipeline import answers

SLOW_ONE = "it takes for ever"
PROJECT = f"""\
[[claim]]
name = "nothing is lost"
check = "at_least_once.py"
only = ["no-loss"]

[[claim]]
name = "{SLOW_ONE}"
check = "rabbitmq-sac"
set = {{ queues = 4, apps = 4 }}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(AT_LEAST_ONCE, tmp_path)
    (tmp_path / "angarium.toml").write_text(PROJECT, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("no-such-folder",), "ANG010", "angarium init"),
        (("examples/five-works", "--only", "NSQ"), "ANG012", "there is no claim 'NSQ'"),
        (("examples/five-works", "--out", "README.md"), "ANG144", "it is a file"),
        (("examples/five-works", "--out", "docs"), "ANG144", "files of something else"),
    ],
)
def test_wrong_words_are_explained(words: tuple[str, ...], code: str, says: str) -> None:
    done = run("run", *words)

    assert done.exit_code == 2
    assert f"error[{code}]" in done.stderr and says in done.stderr


def test_a_wrong_claim_is_told_before_anything_runs(folder: Path) -> None:
    wrong = PROJECT.replace("queues = 4", "queus = 4")
    (folder / "angarium.toml").write_text(wrong, encoding="utf-8")

    done = run("run", str(folder))

    assert done.exit_code == 2
    assert f"error[ANG020]: {folder}/angarium.toml:9:1: " in done.stderr
    assert "did you mean queues?" in done.stderr
    assert not (folder / ".angarium").exists()


@pytest.mark.parametrize("name", ["runs", "report.html"])
def test_results_that_cannot_be_written_are_told_all_the_same(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from angarium.app.pipeline.worker import Answer

    answer = Answer(1.0, answers.record("holds"))
    monkeypatch.setattr("angarium.app.pipeline.large.answer_of", lambda *_: answer)
    (tmp_path / "h.jsonl").touch()
    (tmp_path / "angarium.toml").write_text("[[claim]]\naudit = 'h.jsonl'\n", encoding="utf-8")
    (tmp_path / ".angarium").mkdir()
    (tmp_path / ".angarium" / ".angarium-results").touch()
    in_the_way = tmp_path / ".angarium" / name
    in_the_way.mkdir() if name == "report.html" else in_the_way.touch()

    done = run("run", str(tmp_path))

    assert done.exit_code == 2
    assert "ok      holds" in done.stdout and "report.html" not in done.stdout
    assert "error[ANG144]: results cannot be written to" in done.stderr


@pytest.mark.slow
def test_a_run_shows_its_table_and_where_the_report_is(folder: Path) -> None:
    pytest.importorskip("pyspark")
    words = ("run", str(folder), "--only", "nothing is lost", "--master", "local[1]")
    done = run(*words)

    assert done.exit_code == 0, done.stderr
    assert "ok      holds" in done.stdout and "1 of 1 as expected" in done.stdout
    assert f"Left out: {SLOW_ONE}." in done.stdout
    assert "[1/1] ok" in done.stderr
    report = (folder / ".angarium" / "report-only.html").read_text(encoding="utf-8")
    assert "nothing is lost" in report and "<script" not in report

    again = json.loads(run(*words, "--json").stdout)

    assert (again["kind"], again["complete"], again["unchecked"]) == ("run", True, [SLOW_ONE])
    assert [(each["guarantee"], each["cached"]) for each in again["verdicts"]] == [("nothing is lost", True)]
    trend = run("trend", str(folder))
    assert trend.exit_code == 0
    assert trend.stdout.count("holds     114 states") == 2


@pytest.mark.thorough
@pytest.mark.slow
def test_ctrl_c_keeps_what_is_known(folder: Path) -> None:
    pytest.importorskip("pyspark")
    with start("run", str(folder), "--master", "local[2]", "--json") as process:
        assert process.stderr and any("[1/2]" in line for line in process.stderr)
        process.send_signal(signal.SIGINT)
        told, _ = process.communicate()
    record = json.loads(told)

    assert process.returncode == 3
    assert (record["complete"], record["unchecked"]) == (False, [SLOW_ONE])
    assert [each["verdict"] for each in record["verdicts"]] == ["holds"]
    assert "the run was cut" in (folder / ".angarium" / "summary.md").read_text(encoding="utf-8").lower()


def test_a_trend_needs_runs(tmp_path: Path) -> None:
    done = run("trend", str(tmp_path))

    assert done.exit_code == 2 and "error[ANG143]" in done.stderr


def test_init_writes_a_project_file_and_leaves_one_alone(tmp_path: Path) -> None:
    shutil.copy(AT_LEAST_ONCE, tmp_path)

    first, second = run("init", str(tmp_path)), run("init", str(tmp_path))

    assert first.exit_code == 0 and "at_least_once.py: all guarantees of the model" in first.stdout
    assert 'check = "at_least_once.py"' in (tmp_path / "angarium.toml").read_text(encoding="utf-8")
    assert second.exit_code == 2 and "error[ANG014]" in second.stderr
