"""The program as a whole: help, versions, verbs, and what happens when something goes wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import angarium
from angarium.app.cli.program import VERBS
from angarium.core.control import TimeIsUp
from tests.app.cli.running import AT_LEAST_ONCE, PROGRAM, run


def test_help_lists_every_verb_and_fits_80_columns() -> None:
    result = run("--help")
    assert result.exit_code == 0
    assert all(f"  {verb} " in result.stdout for verb in VERBS)
    assert max(map(len, result.stdout.splitlines())) <= 80


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_examples(verb: str) -> None:
    result = run(verb, "--help")
    assert result.exit_code == 0
    assert f"  angarium {verb} " in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_help_loads_nothing_that_is_slow() -> None:
    source = (
        "import sys\nfrom angarium.app.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "slow = {'llvmlite', 'numpy', 'rich', 'pyspark', 'scipy', 'z3', 'fastapi', 'starlette'}\n"
        "assert not slow & set(sys.modules), slow & set(sys.modules)\n"
        "assert 'angarium.app.cli.check' not in sys.modules\n"
        "assert 'angarium.checker.frontend.build' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", source], check=True, capture_output=True)


def test_version() -> None:
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"angarium {angarium.__version__}\n")


def test_an_unknown_verb_is_a_usage_error_with_the_nearest_one() -> None:
    result = run("chekc")
    assert result.exit_code == 2
    assert "did you mean check?" in result.stderr
    assert result.stdout == ""


def test_an_unknown_option_is_a_usage_error_also_as_a_record() -> None:
    result = run("check", "nsq", "--frobnicate", "--json")
    assert result.exit_code == 2
    assert "--frobnicate" in result.stderr
    answer = json.loads(result.stdout)
    assert answer["kind"] == "check"
    assert answer["error"]["code"] is None
    assert answer["verdicts"] == []


def test_a_reader_that_goes_away_changes_no_exit_code() -> None:
    read, write = os.pipe()
    os.close(read)
    for words, code in ((["--help"], 0), (["check", AT_LEAST_ONCE], 1)):
        done = subprocess.run(
            [*PROGRAM, *words], stdout=write, stderr=subprocess.PIPE, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (code, "")
    os.close(write)


# --- bugs ---------------------------------------------------------------------------------


def broken(*_: object) -> None:
    raise ZeroDivisionError("oh no\nsecond line")


def test_a_bug_says_so_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANGARIUM_DEBUG", raising=False)
    monkeypatch.setattr("angarium.systems.registry.find", broken)
    result = run("check", "rabbitmq-sac")
    assert result.exit_code == 70
    assert len(result.stderr.splitlines()) == 1
    assert "bug in Angarium" in result.stderr
    assert "ZeroDivisionError: oh no" in result.stderr


def test_a_bug_shows_where_it_is_if_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANGARIUM_DEBUG", "1")
    monkeypatch.setattr("angarium.systems.registry.find", broken)
    result = run("check", "rabbitmq-sac", "--json")
    assert result.exit_code == 70
    assert "Traceback" in result.stderr
    assert "ZeroDivisionError" in json.loads(result.stdout)["error"]["message"]


def test_ctrl_c_before_the_search_leaves_everything_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("angarium.systems.registry.find", interrupted)
    result = run("check", "rabbitmq-sac", "--json")
    assert result.exit_code == 3
    assert json.loads(result.stdout)["error"]["message"] == "interrupted"


@pytest.mark.parametrize(
    ("stop", "why"), [(TimeIsUp(5), "time limit of 5 s"), (KeyboardInterrupt(), "interrupted")]
)
def test_what_stops_a_verb_while_a_class_is_made_is_no_bug(
    stop: KeyboardInterrupt, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the timer rings while a module is loaded that only this verb needs."""

    class Field:
        def __set_name__(self, owner: type, name: str) -> None:
            raise stop

    def stopped(*_: object) -> None:
        type("Made", (), {"field": Field()})

    monkeypatch.setattr("angarium.systems.registry.find", stopped)
    result = run("check", "rabbitmq-sac", "--json")
    assert result.exit_code == 3
    assert json.loads(result.stdout)["error"]["message"] == why


def test_nothing_is_written_to_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (("check", "nobody"), ("export", "nobody", "--to", "tla", "--out", "x.tla")):
        assert run(*words).exit_code == 2
    assert list(tmp_path.iterdir()) == []


def threads_wished(words: str, **env: str) -> str:
    """How many threads NumPy may have for matrices, after `main(...)` with these words."""
    source = (
        "import os, sys; sys.argv = ['angarium', '--version']\n"
        "from angarium.app.cli import main\n"
        f"try: main({words})\n"
        "except SystemExit: print(os.environ.get('OPENBLAS_NUM_THREADS'))"
    )
    clean = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    command = [sys.executable, "-c", source]
    done = subprocess.run(command, env={**clean, **env}, capture_output=True, text=True, check=True)
    return done.stdout.split()[-1]


def test_only_a_program_of_its_own_settles_how_its_process_computes() -> None:
    assert threads_wished("") == "1"
    assert threads_wished("", OPENBLAS_NUM_THREADS="2") == "2"
    assert threads_wished("['--version']") == "None"


def test_ctrl_c_while_the_program_is_being_loaded_shows_no_stack(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt\n", encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{Path('src').resolve()}"}

    done = subprocess.run([sys.executable, "-m", "angarium"], env=env, capture_output=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (3, b"", b"")
