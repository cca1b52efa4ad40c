"""Compiled objects are kept, and damaged ones are not believed."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from angarium.compile.backend import cache, jit

IR = "define dso_local i64 @answer() {\n  ret i64 42\n}\n"


@pytest.fixture(autouse=True)
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "angarium" / "kernels"


def answer() -> int:
    library = jit.build(IR, ["answer"])
    return int(ctypes.CFUNCTYPE(ctypes.c_int64)(library.addresses["answer"])())


def refuse(text: str) -> bytes:
    raise AssertionError("compiled although it was kept")


def test_what_was_compiled_is_kept(fresh_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert answer() == 42
    assert len(list(fresh_cache.iterdir())) == 1
    monkeypatch.setattr(jit, "_compile", refuse)
    assert answer() == 42


@pytest.mark.parametrize("damage", [b"", b"short", b"\0" * 4096])
def test_damaged_files_are_rebuilt(fresh_cache: Path, damage: bytes) -> None:
    answer()
    (file,) = fresh_cache.iterdir()
    good = file.read_bytes()
    file.write_bytes(damage)
    assert answer() == 42
    assert file.read_bytes() == good


def test_truncated_and_changed_files_are_rebuilt(fresh_cache: Path) -> None:
    answer()
    (file,) = fresh_cache.iterdir()
    good = file.read_bytes()
    for bad in (good[:-1], good[:-1] + bytes([good[-1] ^ 1]), good + b"x"):
        file.write_bytes(bad)
        assert answer() == 42
        assert file.read_bytes() == good


def test_an_unreadable_entry_counts_as_absent(fresh_cache: Path) -> None:
    answer()
    (file,) = fresh_cache.iterdir()
    file.unlink()
    file.mkdir()
    assert answer() == 42
    assert [path.name for path in fresh_cache.iterdir()] == [file.name]


def test_an_unwritable_directory_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert answer() == 42


def test_the_parts_of_a_key_do_not_run_together() -> None:
    assert cache.key("ab", "c") != cache.key("a", "bc")
