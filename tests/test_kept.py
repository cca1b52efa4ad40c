"""Folders that are kept between runs do not grow for ever."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from angarium import kept
from angarium.kept import DAY, MARK, OLDEST


def file(path: Path, *, days: float = 0, size: int = 1) -> Path:
    """A file of that size that was last used so many days ago."""
    path.write_bytes(b"x" * size)
    then = time.time() - days * DAY
    os.utime(path, (then, then))
    return path


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {MARK}


def test_what_was_not_used_for_long_goes(tmp_path: Path) -> None:
    for days in (0, 59, 61, 400):
        file(tmp_path / str(days), days=days)

    kept.prune(tmp_path)

    assert names(tmp_path) == {"0", "59"}


def test_what_is_too_much_goes_the_longest_unused_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "LARGEST", 100)
    for days in (3, 1, 4, 2):
        file(tmp_path / str(days), days=days, size=40)

    kept.prune(tmp_path)

    assert names(tmp_path) == {"1", "2"}


def test_a_folder_is_pruned_once_a_day(tmp_path: Path) -> None:
    kept.prune(tmp_path)
    file(tmp_path / "old", days=100)
    kept.prune(tmp_path)
    assert names(tmp_path) == {"old"}

    file(tmp_path / MARK, days=1.1)
    kept.prune(tmp_path)
    assert names(tmp_path) == set()


@pytest.mark.parametrize(("days", "noted"), [(0.5, False), (2, True), (-5, True)])
def test_the_day_of_use_is_noted(tmp_path: Path, days: float, noted: bool) -> None:
    path = file(tmp_path / "file", days=days)
    before = path.stat().st_mtime

    kept.note_use(path)

    assert (path.stat().st_mtime != before) is noted
    assert not noted or abs(path.stat().st_mtime - time.time()) < OLDEST


def test_folders_inside_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.utime(tmp_path / "folder", (0, 0))

    kept.prune(tmp_path)

    assert names(tmp_path) == {"folder"}


def test_what_another_run_has_removed_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = file(tmp_path / "gone", days=100)
    file(tmp_path / "old", days=100)
    listed = [*tmp_path.iterdir(), tmp_path / "never"]
    gone.unlink()
    monkeypatch.setattr(Path, "iterdir", lambda _self: iter(listed))

    kept.prune(tmp_path)
    monkeypatch.undo()

    assert names(tmp_path) == set()


def test_a_folder_or_file_that_is_not_there_is_no_error(tmp_path: Path) -> None:
    kept.prune(tmp_path / "nowhere")
    kept.note_use(tmp_path / "nowhere")

    assert names(tmp_path) == set()


def test_a_folder_that_may_not_be_written_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: Path) -> None:
        raise PermissionError

    file(tmp_path / "old", days=100)
    monkeypatch.setattr(Path, "unlink", refuse)

    kept.prune(tmp_path)

    assert names(tmp_path) == {"old"}
