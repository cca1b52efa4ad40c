"""`angarium init`: a project file with comments, whatever the folder's files are called."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tests.app.cli.running import AT_LEAST_ONCE, run


def test_the_file_explains_its_claims_and_names_the_next_step(tmp_path: Path) -> None:
    folder = tmp_path / "our queue"
    folder.mkdir()
    shutil.copy(AT_LEAST_ONCE, folder)

    done = run("init", str(folder))

    assert done.exit_code == 0
    assert f"angarium run '{folder}'" in done.stdout
    written = (folder / "angarium.toml").read_text(encoding="utf-8")
    assert '#   expect = "violated"' in written and "No run of the model breaks" in written


def test_a_file_whose_name_is_no_utf_8_is_passed_over(tmp_path: Path) -> None:
    shutil.copy(AT_LEAST_ONCE, tmp_path)
    shutil.copy(AT_LEAST_ONCE, os.fsencode(tmp_path) + b"/caf\xe9.py")

    done = run("init", str(tmp_path))

    assert (done.exit_code, done.stderr) == (0, "")
    assert "with 1 claim:" in done.stdout
