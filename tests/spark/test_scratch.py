"""Folders of a process that was killed are removed by the next one; those of living ones are left alone."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from angarium.spark.scratch import LOCK, new_scratch
from tests.processes import ending

PROGRAM = """
import sys, time
from pathlib import Path
from angarium.spark.scratch import new_scratch
folder = new_scratch("audit", Path(sys.argv[1]))
(folder / "table").mkdir()
(folder / "table" / "part").write_text("rows")
print(folder, flush=True)
time.sleep(600)
"""


@contextmanager
def other(place: Path) -> Iterator[Path]:
    """A folder that another process has made, which is killed at the end of the block."""
    with ending([sys.executable, "-c", PROGRAM, str(place)]) as process:
        assert process.stdout
        yield Path(process.stdout.readline().strip())


def test_what_a_killed_process_left_is_removed_and_what_a_living_one_has_stays(tmp_path: Path) -> None:
    with other(tmp_path) as used:
        with other(tmp_path) as left:
            assert (left / "table" / "part").exists() and (used / "table" / "part").exists()
        own = new_scratch("history", tmp_path)
        assert sorted(tmp_path.iterdir()) == sorted([used, own])
        assert (used / "table" / "part").exists()


def test_a_process_does_not_remove_its_own(tmp_path: Path) -> None:
    folders = [new_scratch(kind, tmp_path) for kind in ("audit", "history", "audit")]
    assert sorted(tmp_path.iterdir()) == sorted(folders)
    assert [folder.name.split("-")[1] for folder in folders] == ["audit", "history", "audit"]


def test_what_has_no_lock_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "angarium-notes").mkdir()
    (tmp_path / "other" / LOCK).mkdir(parents=True)
    new_scratch("audit", tmp_path)
    assert (tmp_path / "angarium-notes").exists() and (tmp_path / "other").exists()


def test_locks_of_folders_that_are_gone_are_let_go(tmp_path: Path) -> None:
    def descriptors() -> int:
        return len(os.listdir("/proc/self/fd"))

    shutil.rmtree(new_scratch("audit", tmp_path))
    before = descriptors()
    for _ in range(5):
        shutil.rmtree(new_scratch("audit", tmp_path))
    assert descriptors() == before
