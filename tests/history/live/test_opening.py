"""Files as rows: whatever is wrong with a file is a row, too."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")

from pyarrow import parquet  # noqa: E402

from angarium.history import schema  # noqa: E402
from angarium.history.live.opening import _opened  # noqa: E402
from angarium.history.readers.quarantine import BROKEN_FILE, CUT_FILE, EMPTY_FILE, NOT_UTF8  # noqa: E402


def opened(*files: Path) -> list[dict[str, Any]]:
    """The rows of files, without what is null."""
    paths = pa.RecordBatch.from_pydict({"path": [f"file:{file}" for file in files]})
    rows = [row for batch in _opened([paths]) for row in batch.to_pylist()]
    return [{name: value for name, value in row.items() if value is not None} for row in rows]


def test_lines_have_numbers_and_blank_ones_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "a b%.jsonl"
    file.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n\n  \n{"b": 2}')
    address = str(tmp_path / "a%20b%25.jsonl")
    assert opened(file) == [
        {"file": address, "line": 1, "raw": '{"a": 1}'},
        {"file": address, "line": 4, "raw": '{"b": 2}'},
    ]


def test_a_line_that_is_no_text_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b'{"a": "\xff"}\n{"b": 2}\n')
    wrong, good = opened(file)
    assert (wrong["reason"], wrong["raw"], wrong["line"]) == (NOT_UTF8, '{"a": "\ufffd"}', 1)
    assert good["raw"] == '{"b": 2}' and "reason" not in good


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.parquet", "missing.jsonl"])
def test_a_broken_file_is_one_row_with_a_reason(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    if not name.startswith("missing"):
        file.write_bytes(b"PAR1 is no file of Parquet, nor a packed one")
    reason = CUT_FILE if name == "a.parquet" else BROKEN_FILE
    assert [row["reason"] for row in opened(file)] == [reason]


def test_of_a_packed_file_whose_checksum_is_wrong_nothing_is_believed(tmp_path: Path) -> None:
    file, whole = tmp_path / "a.jsonl.gz", gzip.compress(b'{"a": 1}\n')
    file.write_bytes(whole[:-8] + b"oops" + whole[-4:])
    assert [row["reason"] for row in opened(file)] == [BROKEN_FILE]


def test_an_empty_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").touch()
    assert [row["reason"] for row in opened(tmp_path / "a.jsonl")] == [EMPTY_FILE]


def test_what_is_before_the_cut_is_read(tmp_path: Path) -> None:
    file, whole = tmp_path / "a.jsonl.gz", gzip.compress(b'{"a": 1}\n' * 70_000)
    file.write_bytes(whole[:-9])
    *rows, last = opened(file)
    assert len(rows) >= 60_000 and {row["raw"] for row in rows} == {'{"a": 1}'}
    assert last["reason"] == CUT_FILE and last["line"] == len(rows)


def test_rows_of_parquet_have_the_types_of_the_schema(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    table = pa.table(
        {
            "time_unix_nano": pa.array([5_000], pa.timestamp("us")),
            "seq": pa.array([7], pa.int16()),
            "isr": pa.array([["b1"]]),
            "stranger": pa.array(["?"]),
        }
    )
    parquet.write_table(table, file)
    row = {"time_unix_nano": 5_000_000, "seq": 7, "isr": ["b1"]}
    assert opened(file) == [{"file": str(file), "line": 1} | row]


def test_all_columns_of_the_schema_are_there() -> None:
    assert set(schema.NAMES) < {name.split()[0].strip("`") for name in _columns()}


def _columns() -> list[str]:
    from angarium.history.live.opening import ROWS

    return ROWS.split(", ")
