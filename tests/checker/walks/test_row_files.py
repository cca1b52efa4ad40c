"""The figures of every walk as a file."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from angarium.checker.walks import row_files
from angarium.checker.walks.native_walks import walk
from angarium.checker.walks.plan import Plan
from angarium.checker.walks.results import Sample
from angarium.core.errors import UsageError
from tests.checker.walks.observed import sac

SMALL = Sample(
    first=5,
    ends=np.array([0, 1, 2], np.uint8),
    steps=np.array([4, 5, 6], np.int64),
    columns=(("total", ""), ("per queue", "q1, a2")),
    values=np.array([[7, 1], [8, 0], [9, -3]], np.int64),
    known=np.array([[True, True], [True, False], [True, True]]),
)


def test_a_small_table(tmp_path: Path) -> None:
    path = tmp_path / "figures.csv"

    row_files.write(path, SMALL)

    assert path.read_text() == (
        'walk,end,steps,total,"per queue(q1, a2)"\n5,goal,4,7,1\n6,rest,5,8,\n7,limit,6,9,-3\n'
    )
    assert [each.name for each in tmp_path.iterdir()] == ["figures.csv"]


def test_many_rows_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_files, "ROWS", 7)
    sample = walk(sac(2, 2), Plan(), 0, 20).sample

    row_files.write(tmp_path / "figures.csv", sample)

    lines = (tmp_path / "figures.csv").read_text().splitlines()[1:]
    assert [int(line.split(",")[0]) for line in lines] == list(range(20))
    assert [int(line.split(",")[2]) for line in lines] == sample.steps.tolist()


def test_parquet_says_the_same(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    row_files.write(tmp_path / "figures.parquet", SMALL)

    assert pq.read_table(tmp_path / "figures.parquet").to_pylist() == [
        {"walk": 5, "end": "goal", "steps": 4, "total": 7, "per queue(q1, a2)": 1},
        {"walk": 6, "end": "rest", "steps": 5, "total": 8, "per queue(q1, a2)": None},
        {"walk": 7, "end": "limit", "steps": 6, "total": 9, "per queue(q1, a2)": -3},
    ]


def test_without_pyarrow_there_is_no_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(UsageError, match="pyarrow is not installed") as caught:
        row_files.write(tmp_path / "figures.parquet", SMALL)

    assert ".csv" in caught.value.possible
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "figures.csv"
    path.write_text("before")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(row_files, "_some_rows", full)
    with pytest.raises(UsageError, match="No space left"):
        row_files.write(path, SMALL)

    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("place", [".", "missing/figures.csv"])
def test_a_place_that_cannot_be_written_to(tmp_path: Path, place: str) -> None:
    with pytest.raises(UsageError, match="cannot write"):
        row_files.write(tmp_path / place, SMALL)

    assert list(tmp_path.iterdir()) == []
