"""Files as rows: whatever is wrong with a file is a row, too."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")

from pyarrow import parquet  # noqa: E402

from angarium.history.intake.reasons import BROKEN_FILE, CUT_FILE, EMPTY_FILE, NOT_UTF8  # noqa: E402
from angarium.history.live.arrivals import line_numbers, new_files, rows_of  # noqa: E402

REQUIRED = '"recorder": "r", "time_unix_nano": 5, "op_type": "observe", "phase": "ok"'
LINE = f"{{{REQUIRED}}}\n".encode()


def opened(file: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """The rows of a file, and what is wrong with others, or with the file."""
    rows, reasons = list[dict[str, Any]](), list[str]()
    for batch, refused in rows_of(file):
        reasons += [each.reason for _, each in refused]
        wrong = {place for place, _ in refused}
        if batch is not None:
            rows += [batch.row(place) for place in range(batch.count) if place not in wrong]
    return rows, reasons


def test_blank_lines_are_left_out_and_the_others_keep_their_numbers(tmp_path: Path) -> None:
    file = tmp_path / "a b%.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + LINE + b"\n  \n" + LINE.replace(b"5", b"6").strip())
    rows, reasons = opened(file)
    assert [row["time_unix_nano"] for row in rows] == [5, 6] and reasons == []
    assert {place: number for place, (number, _) in line_numbers(file, {0, 1}).items()} == {0: 1, 1: 4}


def test_a_line_that_is_no_text_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b'{"a": "\xff"}\n' + LINE)
    rows, reasons = opened(file)
    assert reasons == [NOT_UTF8] and len(rows) == 1
    assert line_numbers(file, {0})[0] == (1, '{"a": "\ufffd"}')


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.parquet", "missing.jsonl"])
def test_a_broken_file_is_one_row_with_a_reason(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    if not name.startswith("missing"):
        file.write_bytes(b"PAR1 is no file of Parquet, nor a packed one")
    assert opened(file) == ([], [CUT_FILE if name == "a.parquet" else BROKEN_FILE])


def test_of_a_packed_file_whose_checksum_is_wrong_nothing_is_believed(tmp_path: Path) -> None:
    file, whole = tmp_path / "a.jsonl.gz", gzip.compress(LINE)
    file.write_bytes(whole[:-8] + b"oops" + whole[-4:])
    assert opened(file) == ([], [BROKEN_FILE])


def test_an_empty_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").touch()
    assert opened(tmp_path / "a.jsonl") == ([], [EMPTY_FILE])


def test_what_is_before_the_cut_is_read(tmp_path: Path) -> None:
    file, whole = tmp_path / "a.jsonl.gz", gzip.compress(LINE * 7_000)
    file.write_bytes(whole[:-9])
    rows, reasons = opened(file)
    assert len(rows) >= 6_000 and reasons == [CUT_FILE]


def test_rows_of_parquet_have_the_types_of_the_schema(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    table = pa.table(
        {
            "time_unix_nano": pa.array([5_000], pa.timestamp("us")),
            "seq": pa.array([7], pa.int16()),
            "message_id": pa.array([8]),
            "isr": pa.array([["b1"]]),
            "stranger": pa.array(["?"]),
        }
    )
    parquet.write_table(table, file)
    row = {"time_unix_nano": 5_000_000, "seq": 7, "message_id": "8", "isr": ["b1"]}
    assert opened(file) == ([row], [])


def test_a_column_that_is_none_of_the_schema_s_type_is_told(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"seq": ["seven"]}), file)
    assert opened(file) == ([], [CUT_FILE])


def test_files_come_by_their_age_each_once_and_none_that_is_not_ready(tmp_path: Path) -> None:
    for age, name in enumerate(
        ("b.jsonl", "below/a.parquet", "c.ndjson.gz", "_d.jsonl", ".e.jsonl", "f.txt")
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
        os.utime(path, (age, age))
    names = [path.relative_to(tmp_path).as_posix() for path in new_files(tmp_path, ())]
    assert names == ["b.jsonl", "below/a.parquet", "c.ndjson.gz"]
    assert [path.name for path in new_files(tmp_path, {str(tmp_path / "b.jsonl")})] == [
        "a.parquet",
        "c.ndjson.gz",
    ]
