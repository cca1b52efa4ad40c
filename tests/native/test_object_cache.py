"""Compiled objects are kept, and damaged ones are not believed."""

from __future__ import annotations

import ctypes
import hashlib
from pathlib import Path

import pytest

from angarium.native import jit
from angarium.native import object_cache as cache

IR = "define dso_local i64 @answer() {\n  ret i64 42\n}\n"


@pytest.fixture(autouse=True)
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "angarium" / "kernels"


def answer() -> int:
    library = jit.build(lambda: IR, ["answer"], made_from=IR)
    return int(ctypes.CFUNCTYPE(ctypes.c_int64)(library.addresses["answer"])())


def refuse() -> str:
    raise AssertionError("written although it was kept")


def test_what_was_compiled_is_kept_and_its_text_not_written_again(fresh_cache: Path) -> None:
    assert answer() == 42
    assert len(list(fresh_cache.glob("*.o"))) == 1
    assert jit.build(refuse, ["answer"], made_from=IR).addresses.keys() == {"answer"}


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("_LOADED", "other sources"),
        ("_processor", lambda: ("znver9", "")),
        ("_processor", lambda: (jit.llvm.get_host_cpu_name(), "-avx2")),
        ("LEVEL", 1),
        ("PASSES", jit.PASSES[1:]),
    ],
)
def test_what_determines_an_object_is_in_its_key(
    monkeypatch: pytest.MonkeyPatch, name: str, other: object
) -> None:
    before = jit._key(IR, thorough=False)
    monkeypatch.setattr(jit, name, other)
    assert jit._key(IR, thorough=False) != before


def test_so_are_the_version_of_llvm_what_is_compiled_and_how(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {jit._key(IR, thorough=False), jit._key(IR, thorough=True), jit._key(f"{IR} ", thorough=False)}
    monkeypatch.setattr(jit.llvm, "llvm_version_info", (99, 0, 0))
    assert len(keys | {jit._key(IR, thorough=False)}) == 4


def test_the_level_of_thorough_compilation_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    before = jit._key(IR, thorough=True)
    monkeypatch.setattr(jit, "THOROUGH", 3)
    assert jit._key(IR, thorough=True) != before


def test_editing_a_source_of_the_compiler_changes_its_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in jit.WRITERS:
        folder = tmp_path / package
        folder.mkdir()
        (folder / "module.py").write_text("a = 1")
    monkeypatch.setattr(jit.resources, "files", lambda package: tmp_path / package)
    digests = {jit._writers()}
    for package in jit.WRITERS:
        (tmp_path / package / "module.py").write_text("a = 2")
        digests.add(jit._writers())

    assert len(digests) == 1 + len(jit.WRITERS)


def test_nothing_is_kept_while_the_compiler_is_edited(
    fresh_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jit, "_writers", lambda: "edited")
    assert answer() == 42
    assert not fresh_cache.exists()


@pytest.mark.parametrize("damage", [b"", b"short", b"\0" * 4096])
def test_damaged_files_are_rebuilt(fresh_cache: Path, damage: bytes) -> None:
    answer()
    (file,) = fresh_cache.glob("*.o")
    good = file.read_bytes()
    file.write_bytes(damage)
    assert answer() == 42
    assert file.read_bytes() == good


def test_truncated_and_changed_files_are_rebuilt(fresh_cache: Path) -> None:
    answer()
    (file,) = fresh_cache.glob("*.o")
    good = file.read_bytes()
    for bad in (good[:-1], good[:-1] + bytes([good[-1] ^ 1]), good + b"x"):
        file.write_bytes(bad)
        assert answer() == 42
        assert file.read_bytes() == good


def test_an_object_of_somebody_else_is_not_run(fresh_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One with a digest that anybody can calculate, and one with the seal of another user."""
    answer()
    (file,) = fresh_cache.glob("*.o")
    code = file.read_bytes()[32:]
    monkeypatch.setenv("XDG_CACHE_HOME", str(fresh_cache.parent / "theirs"))
    answer()
    theirs = (fresh_cache.parent / "theirs" / "angarium" / "kernels" / file.name).read_bytes()
    monkeypatch.setenv("XDG_CACHE_HOME", str(fresh_cache.parents[1]))
    for forged in (hashlib.sha256(code).digest() + code, theirs):
        file.write_bytes(forged)
        assert cache.load(file.stem) is None


def test_an_object_under_the_name_of_another_is_not_run(fresh_cache: Path) -> None:
    answer()
    (file,) = fresh_cache.glob("*.o")
    file.rename(file.with_name(f"{'0' * 64}.o"))

    assert cache.load("0" * 64) is None


def test_the_folder_is_for_nobody_else(fresh_cache: Path) -> None:
    answer()

    assert fresh_cache.stat().st_mode & 0o777 == 0o700


def test_an_unreadable_entry_counts_as_absent(fresh_cache: Path) -> None:
    answer()
    (file,) = fresh_cache.glob("*.o")
    file.unlink()
    file.mkdir()
    assert answer() == 42
    assert [path.name for path in fresh_cache.glob("*.o")] == [file.name]


def test_an_unwritable_directory_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert answer() == 42


def test_the_parts_of_a_key_do_not_run_together() -> None:
    assert cache.key("ab", "c") != cache.key("a", "bc")
