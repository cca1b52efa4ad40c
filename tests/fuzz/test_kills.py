"""Programs that are ended at any moment: no orphan, nothing half written, and the next run works."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.processes import kill, members, running
from tests.waiting import wait_until

SIMULATE = ("simulate", "rabbitmq-sac", "--runs", "20000", "--raw", "out.csv", "-q")
CHECK = ("check", "rabbitmq-sac", "--set", "queues=3", "--set", "apps=3", "--only", "type-ok", "-q")
AUDIT = ("audit", "histories", "--out", "out", "-q")
RUN = ("run", "project", "--only", "small", "--out", "results", "-q")
PROJECT = (
    '[[claim]]\nname = "small"\ncheck = "rabbitmq-sac"\nset = {queues = 2, apps = 2}\nonly = ["type-ok"]\n'
)
EXPECT = 'expect = "holds"\n'
ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)


def furnished(folder: Path) -> Path:
    """A folder with a history and a project, and one for temporary files."""
    for name in ("histories", "project", "tmp"):
        (folder / name).mkdir()
    history = Path("examples/histories/shop.jsonl").read_text(encoding="utf-8")
    (folder / "histories" / "shop.jsonl").write_text(history, encoding="utf-8")
    (folder / "project" / "angarium.toml").write_text(PROJECT + EXPECT, encoding="utf-8")
    return folder


def program(words: tuple[str, ...]) -> list[str]:
    """A command that Ctrl-C interrupts, also where the shell that runs the tests has that ignored."""
    begin = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    return [sys.executable, "-c", f"{begin}; from angarium.app.cli import main; main()", *words]


def killed(words: tuple[str, ...], folder: Path, seconds: float, how: signal.Signals) -> None:
    """Run a command, and end it after a while; what it leaves is waited away, for Java takes a moment."""
    env = {**os.environ, "TMPDIR": str(folder / "tmp"), "PYTHONPATH": str(Path("src").resolve())}
    shell = ["bash", "-c", 'cd "$0" && exec "$@"', folder, *program(words)]
    with running(shell, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env) as process:
        time.sleep(seconds)
        process.send_signal(how)
        process.wait()
        wait_until("all that it had started ends", lambda: not members(process.pid), 60)
        if how is not signal.SIGKILL:
            wait_until("temporary files go", lambda: not list((folder / "tmp").iterdir()), 60)
        kill(process)


def works(words: tuple[str, ...], folder: Path) -> None:
    """The next run has its answer, and what it writes is whole."""
    done = subprocess.run(program(words), cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1, 3), done.stderr


@pytest.mark.thorough
@pytest.mark.parametrize("how", ENDINGS, ids=lambda each: each.name)
@pytest.mark.parametrize("words", [SIMULATE, CHECK, AUDIT, RUN], ids=lambda each: each[0])
def test_a_program_can_be_ended_at_any_moment(
    words: tuple[str, ...], how: signal.Signals, tmp_path: Path
) -> None:
    folder, longest = furnished(tmp_path), 20.0 if words in (AUDIT, RUN) else 2.0
    for _ in range(1 if words in (AUDIT, RUN) else 3):
        killed(words, folder, random.uniform(0.1, longest), how)
        for table in folder.glob("*.csv"):
            assert table.read_text(encoding="utf-8").endswith("\n")
    works(words, folder)
