"""Parquet: other types, files of different columns together, and files that are no Parquet."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from angarium.history.intake import reasons as why
from tests.history.readers.inputs import EVENT, faults, plain, read, unknown

TIME = EVENT["time_unix_nano"]
BASE = {name: [EVENT[name]] * 2 for name in ("recorder", "time_unix_nano", "op_type", "phase", "destination")}


def write(path: Path, columns: dict[str, Any], **types: Any) -> None:  # noqa: ANN401
    import pyarrow as pa
    from pyarrow import parquet

    arrays = {name: pa.array(values, types.get(name)) for name, values in columns.items()}
    parquet.write_table(pa.table(arrays), path, use_deprecated_int96_timestamps="int96" in path.name)


def test_other_types_are_cast_and_what_is_lost_is_told(tmp_path: Path) -> None:
    import pyarrow as pa

    second = datetime(2026, 11, 15, 5, 2, 34, 775540, tzinfo=UTC)
    numbers = {"seq": [1, 2], "attempt": [1, 2**40], "redelivered": [1, 0], "delivery_tag": [5, 2**64 - 1]}
    write(tmp_path / "numbers.parquet", BASE | numbers, delivery_tag=pa.uint64())
    floats = {"seq": [1.0, float("nan")], "offset": [7.0, 7.5], "ack_wait_s": [0.5, 2.0]}
    write(tmp_path / "floats.parquet", BASE | floats)
    texts = {"seq": ["1", "two"], "partitions": ["0;1", "[]"], "message_id": [b"a", b"b"]}
    write(tmp_path / "texts.parquet", BASE | texts)
    nested = {
        "partitions": [[0, 1], None],
        "isr": [{"a": 1}, None],
        "arguments": [[("x-single-active-consumer", True)], None],
    }
    write(tmp_path / "nested.parquet", BASE | nested, arguments=pa.map_(pa.string(), pa.bool_()))
    for name, unit in {"micros": "us", "nanos": "ns", "int96": "ns"}.items():
        times = {"time_unix_nano": [second, second]}
        write(tmp_path / f"{name}.parquet", BASE | times, time_unix_nano=pa.timestamp(unit, tz="UTC"))
    local = {"time_unix_nano": [second.replace(tzinfo=None), datetime(9999, 1, 1)]}
    write(tmp_path / "local.parquet", BASE | local, time_unix_nano=pa.timestamp("us"))
    found = read(tmp_path)
    assert faults(found) == [
        ("floats.parquet", None, why.WRONG_TYPE, "offset", "7.5"),
        ("local.parquet", None, why.WRONG_TYPE, "time_unix_nano", "9999-01-01 00:00:00"),
        ("nested.parquet", None, why.WRONG_TYPE, "isr", '{"a":1}'),
        ("numbers.parquet", None, why.WRONG_TYPE, "attempt", str(2**40)),
        ("texts.parquet", None, why.WRONG_TYPE, "seq", "two"),
    ]
    base = {name: values[0] for name, values in BASE.items()}
    micros = base | {"time_unix_nano": TIME // 1000 * 1000}
    assert sorted(plain(found), key=lambda row: str(row["run_id"])) == [
        base | {"run_id": "floats", "seq": 1, "offset": 7, "ack_wait_ms": 500},
        micros | {"run_id": "int96"},
        micros | {"run_id": "int96"},
        micros | {"run_id": "local"},
        micros | {"run_id": "micros"},
        micros | {"run_id": "micros"},
        micros | {"run_id": "nanos"},
        micros | {"run_id": "nanos"},
        base | {"run_id": "nested"},
        base | {"run_id": "numbers", "seq": 1, "attempt": 1, "redelivered": True, "delivery_tag": 5},
        base | {"run_id": "texts", "seq": 1, "partitions": ["0", "1"], "message_id": "a"},
    ]


def test_files_that_cannot_be_read_are_one_row_each(tmp_path: Path) -> None:
    import pyarrow as pa

    write(tmp_path / "good.parquet", BASE | {"colour": ["red", "blue"]})
    whole = (tmp_path / "good.parquet").read_bytes()
    (tmp_path / "half.parquet").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "headless").write_bytes(whole)
    (tmp_path / "empty.parquet").write_bytes(b"")
    write(tmp_path / "times.parquet", BASE | {"seq": [1, 2]}, seq=pa.duration("s"))
    write(tmp_path / "money.parquet", BASE | {"seq": [Decimal("1.00"), Decimal("2.50")]})
    found = read(tmp_path)
    assert [(name, reason, field) for name, _, reason, field, _ in faults(found)] == [
        ("empty.parquet", why.BROKEN_FILE, None),
        ("half.parquet", why.BROKEN_FILE, None),
        ("money.parquet", why.WRONG_TYPE, "seq"),
        ("times.parquet", why.BAD_COLUMN, "seq"),
    ]
    assert (found.counts().accepted, unknown(found)) == (5, ("colour",))
