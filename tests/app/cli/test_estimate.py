"""`angarium check --estimate`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.cli.running import LARGE, SAC, SMALL, record, run


def test_a_small_check_is_quoted_exactly() -> None:
    result = run("check", *SMALL, "--estimate")
    assert result.exit_code == 0
    assert "states       181          181          181" in result.stdout
    assert "Nothing is estimated" in result.stdout


def test_a_large_one_is_estimated_as_far_as_there_is_time() -> None:
    words = ("check", *LARGE, "--estimate", "--timeout", "3", "--only", "type-ok")
    answer = record(*words)
    assert answer["cut"] == "time limit of 1 s"
    assert not answer["complete"]
    assert answer["verdicts"] == []
    said = answer["estimate"]
    assert not said["exact"]
    assert said["states"]["low"] >= answer["states"] > 0
    assert run(*words, "--quiet").exit_code == 0


def test_the_other_options_of_a_check_are_heeded() -> None:
    words = (
        "check rabbitmq-sac --only type-ok --symmetry --threads 1 --max-states 3000 --timeout 60 --estimate"
    )
    answer = record(*words.split(), "--max-memory", "1G")
    assert (answer["threads"], answer["symmetry"]) == (1, True)
    assert answer["estimate"]["room"] == 2**30
    assert answer["estimate"]["states"]["low"] <= 11_264 <= answer["estimate"]["states"]["high"]


def test_a_card_is_asked_how_fast_it_is_and_how_much_it_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANGARIUM_GPU", "emulated")
    words = "check rabbitmq-sac --only type-ok --max-states 3000 --timeout 60 --estimate --engine gpu".split()
    answer = record(*words, "--max-memory", "1M")
    assert (answer["engine"], answer["estimate"]["room"]) == ("gpu", 2**20)
    assert answer["estimate"]["states"]["low"] <= 366_404 <= answer["estimate"]["states"]["high"]
    text = " ".join(run(*words, "--max-memory", "1M").stdout.split())
    assert "It will not fit into the 1 MiB of the card's memory that a search may take here." in text


@pytest.mark.thorough
def test_it_says_what_it_is_doing_unless_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PATIENCE", "ELSEWHERE"):
        monkeypatch.setattr(f"angarium.app.cli.watching.{name}", 0.0)
    words = ("check", SAC, "--set", "queues=5", "--max-states", "50000", "--timeout", "12", "--estimate")
    loud, quiet = run(*words), run(*words, "--quiet")
    assert "smaller: queues=" in loud.stderr
    assert quiet.stderr == ""


def test_a_checkpoint_is_for_the_check_itself(tmp_path: Path) -> None:
    answer = run("check", *SMALL, "--engine", "spark", "--checkpoint", str(tmp_path), "--estimate")

    assert answer.exit_code == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("check", SAC, "--mutate", "--checkpoint", "here"), "--checkpoint cannot be given with --mutate"),
        (
            ("check", "kafka", "--set", "acks=1", "--checkpoint", "x"),
            "--checkpoint cannot be asked of settings",
        ),
        (("check", SAC, "--estimate", "--mutate"), "--estimate cannot be given with --mutate"),
        (("check", SAC, "--estimate", "--only", "nothing"), "has no guarantee nothing"),
        (("check", "kafka", "--set", "acks=1", "--estimate"), "--estimate cannot be asked of settings"),
        (("check", SAC, "--estimate", "--set", "queues=0"), "queues cannot be '0'"),
    ],
)
def test_what_cannot_be_estimated_is_refused(words: tuple[str, ...], says: str) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert says in result.stderr
