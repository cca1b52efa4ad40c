"""Who listens decides no exit code, and nobody who listens is made to obey."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from tests.app.cli.running import AT_LEAST_ONCE, PROGRAM, SMALL
from tests.processes import running

HOLDS, VIOLATED = (0, ("check", *SMALL, "--only", "type-ok")), (1, ("check", AT_LEAST_ONCE))


def in_shell(words: tuple[str, ...], rest: str, **env: str) -> subprocess.CompletedProcess[str]:
    """A command with redirections as a shell makes them."""
    return subprocess.run(
        ["bash", "-c", f'"$@" {rest}', "bash", *PROGRAM, *words],
        capture_output=True, text=True, check=False, env={**os.environ, **env}, stdin=subprocess.DEVNULL,
    )  # fmt: skip


@pytest.mark.parametrize("json_too", [(), ("--json",)], ids=["text", "json"])
@pytest.mark.parametrize("rest", ["2>&-", ">&-", ">&- 2>&- <&-", "2>/dev/full"])
def test_who_does_not_listen_changes_no_exit_code(rest: str, json_too: tuple[str, ...]) -> None:
    code, words = HOLDS if json_too else VIOLATED
    done = in_shell((*words, *json_too), rest)
    assert (done.returncode, done.stderr) == (code, "")


def test_an_answer_that_a_full_disk_does_not_take_is_no_success() -> None:
    for code, words in ((2, HOLDS[1]), (1, VIOLATED[1]), (2, ("--help",)), (2, ("systems", "--json"))):
        done = in_shell(words, ">/dev/full")
        assert done.returncode == code, words
        assert len(done.stderr.splitlines()) <= 2 and "No space left on device" in done.stderr


def test_letters_that_the_output_has_not_are_escapes(tmp_path: Path) -> None:
    model = tmp_path / "grüße.py"
    model.write_text(Path(AT_LEAST_ONCE).read_text(encoding="utf-8"), encoding="utf-8")
    text = in_shell(("check", str(model)), "", PYTHONIOENCODING="ascii")
    record = in_shell(("check", str(model), "--json"), "", PYTHONIOENCODING="ascii")
    assert (text.returncode, record.returncode) == (1, 1)
    assert "gr\\xfc\\xdfe.py" in text.stdout
    assert str(model) in json.dumps(json.loads(record.stdout), ensure_ascii=False)


EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e"
MODEL = f'''"""Title {EVIL}"""
from angarium import *


class Evil(Model):
    """Does {EVIL} things."""

    n = integer(0, 3)

    @action
    def tick(self) -> None:
        """Says {EVIL}."""
        require(self.n < 3)
        self.n = self.n + 1

    @invariant
    def small(self) -> bool:
        """Stays {EVIL} small."""
        return self.n < 2
'''


def on_terminal(*words: str) -> str:
    """What a command sends to a terminal."""
    ours, its = pty.openpty()
    try:
        with running([*PROGRAM, *words], stdout=its, stderr=its) as process:  # type: ignore[arg-type]
            os.close(its)
            heard = b""
            while piece := _read(ours):
                heard += piece
            process.wait()
    finally:
        os.close(ours)
    return heard.decode("utf-8", "replace")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # nobody has its other end any more
        return b""


def test_a_terminal_obeys_nothing_in_names_docstrings_and_excerpts(tmp_path: Path) -> None:
    model, wrong = tmp_path / "evil\x1b[31m.py", tmp_path / "wrong.py"
    model.write_text(MODEL, encoding="utf-8")
    wrong.write_text(MODEL.replace("self.n < 2", f"self.m < 2  # {EVIL}"), encoding="utf-8")
    for words in (("check", str(model)), ("check", str(wrong)), ("check", f"no{EVIL}"), (f"no{EVIL}",)):
        heard = on_terminal(*words)
        obeyed = re.sub(r"\x1b\[(0|1|1;31|32|33)m", "", heard)
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(obeyed), words
        assert "\\x1b" in heard
