"""The parts of a table: many small ones become one, whatever happens meanwhile, and large ones stay."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from angarium.history.live import parts
from angarium.history.live.parts import MANY, parts_of, put_together


def made(table: Path, name: str, text: str) -> None:
    (table / name).mkdir(parents=True)
    (table / name / "rows").write_text(text, "utf-8")


def written(some: Sequence[Path], path: Path) -> None:
    path.mkdir(exist_ok=True)
    (path / "rows").write_text("".join((each / "rows").read_text("utf-8") for each in some), "utf-8")


def names(table: Path) -> list[str]:
    return [part.path.name for part in parts_of(table)]


def rows(table: Path) -> str:
    return "".join((part.path / "rows").read_text("utf-8") for part in parts_of(table))


def test_many_small_parts_become_one_and_the_last_batch_stays(tmp_path: Path) -> None:
    for number in range(MANY + 1):
        made(tmp_path, f"batch={number}", f"{number} ")
    whole = rows(tmp_path)
    put_together(tmp_path, MANY - 1, written)
    assert len(names(tmp_path)) == MANY + 1
    put_together(tmp_path, MANY, written)
    assert names(tmp_path) == [f"batch=0-{MANY - 1}", f"batch={MANY}"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names(tmp_path)
    assert rows(tmp_path) == whole


def test_a_table_that_grows_has_few_parts(tmp_path: Path) -> None:
    for number in range(10 * MANY):
        made(tmp_path, f"batch={number}", f"{number} ")
        put_together(tmp_path, number, written)
        assert len(list(tmp_path.iterdir())) <= MANY + 1
    assert rows(tmp_path) == "".join(f"{number} " for number in range(10 * MANY))


def test_large_parts_are_not_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "SMALL", 10)
    made(tmp_path, "batch=0", "large enough")
    for number in range(1, MANY + 2):
        made(tmp_path, f"batch={number}", "1")
    put_together(tmp_path, MANY + 1, written)
    assert names(tmp_path) == ["batch=0", f"batch=1-{MANY}", f"batch={MANY + 1}"]


def test_what_was_put_together_counts_even_if_the_old_parts_are_still_there(tmp_path: Path) -> None:
    for number in range(MANY + 1):
        made(tmp_path, f"batch={number}", f"{number} ")
    whole = rows(tmp_path)

    def killed(some: Sequence[Path], path: Path) -> None:
        written(some[:3], path)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        put_together(tmp_path, MANY, killed)
    assert rows(tmp_path) == whole
    written([part.path for part in parts_of(tmp_path)[:MANY]], tmp_path / f"batch=0-{MANY - 1}")
    assert rows(tmp_path) == whole and len(names(tmp_path)) == 2
