"""Files of Parquet with a damaged footer, which has no checksum: an error says so, or what is read is all."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from angarium.history.intake.footers import footer
from angarium.history.intake.parquet import DamagedError, Table
from tests.effort import is_thorough

ROWS = {"seq": [1, 2, None], "message_id": ["a", None, "c"], "client_id": [None, None, None]}
OTHERS = 16 if is_thorough() else 1
"""How many other values each byte gets."""


def test_a_column_without_a_value_is_left_out(tmp_path: Path) -> None:
    assert read(written(tmp_path)) == expected(ROWS)


def test_no_damage_of_a_footer_ends_the_process_or_hides_a_column(tmp_path: Path) -> None:
    path = written(tmp_path)
    whole, columns = expected(ROWS), footer(path)
    outcomes = set()
    for content in damaged(path.read_bytes()):
        path.write_bytes(content)
        try:
            found, same = read(path), footer(path) == columns
        except (DamagedError, OSError, ValueError, NotImplementedError) as problem:
            outcomes.add(type(problem).__name__)
            continue
        assert found == whole or not same
        outcomes.add("read")
    assert {"read", "DamagedError"} <= outcomes


def written(folder: Path) -> Path:
    path = folder / "events.parquet"
    table = pa.table({name: pa.array(values, TYPES[name]) for name, values in ROWS.items()})
    parquet.write_table(table, path, compression="none", store_schema=False, write_page_checksum=True)
    return path


TYPES = {"seq": pa.int64(), "message_id": pa.string(), "client_id": pa.string()}


def read(path: Path) -> dict[str, list[object]]:
    """The columns of a file."""
    rows = [batch.row(place) for batch in Table(path, 0, 0).batches() for place in range(batch.count)]
    return expected({name: [row.get(name) for row in rows] for name in ROWS})


def expected(columns: dict[str, list[object]]) -> dict[str, list[object]]:
    """Those that have a value."""
    return {name: values for name, values in columns.items() if any(each is not None for each in values)}


def damaged(content: bytes) -> Iterator[bytes]:
    """The file with one byte of its footer changed, each in turn."""
    chance = random.Random(0)
    end = len(content) - 8
    for place in range(end - int.from_bytes(content[end : end + 4], "little"), end):
        for _ in range(OTHERS):
            yield content[:place] + bytes([chance.randrange(256)]) + content[place + 1 :]
