"""Folders that are kept between runs do not grow for ever, and nobody else's files are believed."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from angarium.core import cache as kept
from angarium.core.cache import DAY, MARK, OLDEST, is_own, is_sealed, make_own, place, seal


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


# --- whose it is --------------------------------------------------------------------------------


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user who keeps nothing yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "angarium"


def sealed(name: str, content: bytes) -> bytes:
    found = seal(name, content)
    assert found
    return found


def rights(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_seal_is_of_one_name_and_one_content(cache: Path) -> None:
    found = sealed("name", b"content")

    assert is_sealed("name", b"content", found)
    assert not is_sealed("other", b"content", found)
    assert not is_sealed("name", b"changed", found)
    assert not is_sealed("namec", b"ontent", found)
    assert not is_sealed("name", b"content", b"")


def test_a_seal_of_another_user_is_none_of_ours(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = sealed("name", b"content")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    theirs = sealed("name", b"content")

    assert theirs != ours
    assert not is_sealed("name", b"content", ours)


def test_the_key_and_its_folder_are_for_nobody_else(cache: Path) -> None:
    previous = os.umask(0)
    try:
        sealed("name", b"content")
    finally:
        os.umask(previous)

    assert (rights(cache), rights(cache / "key")) == (0o700, 0o600)
    assert [path.name for path in cache.iterdir()] == ["key"]


@pytest.mark.parametrize("damage", ["short", "readable", "link", "folder"])
def test_a_key_that_others_may_know_is_not_used(cache: Path, damage: str) -> None:
    before = sealed("name", b"content")
    key = cache / "key"
    if damage == "short":
        key.write_bytes(b"x")
    elif damage == "readable":
        key.chmod(0o644)
    elif damage == "link":
        key.rename(cache / "elsewhere")
        key.symlink_to(cache / "elsewhere")
    else:
        key.unlink()
        key.mkdir()

    after = seal("name", b"content")

    assert after != before
    assert (after is None) is (damage == "folder")


def test_without_a_home_there_is_no_seal_and_nothing_is_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))

    assert seal("name", b"content") is None
    assert not is_sealed("name", b"content", b"")


def test_a_folder_of_an_earlier_version_is_closed_to_others(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    folder.chmod(0o777)

    make_own(folder)

    assert (is_own(folder), rights(folder)) == (True, 0o700)


def test_a_folder_of_somebody_else_or_a_link_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    with pytest.raises(PermissionError):
        make_own(tmp_path / "link")

    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(PermissionError, match="somebody else's"):
        make_own(tmp_path / "folder")


def test_many_runs_that_begin_at_once_have_one_key(cache: Path) -> None:
    with ThreadPoolExecutor(8) as runs:
        seals = set(runs.map(lambda _: seal("name", b"content"), range(64)))

    assert seals == {sealed("name", b"content")}
    assert place() == cache
