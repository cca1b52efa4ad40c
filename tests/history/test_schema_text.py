"""The reference of the event schema says all that the contract says."""

from __future__ import annotations

from angarium.history import schema
from angarium.history.schema_text import schema_table


def test_every_column_has_a_row_with_its_meaning() -> None:
    rows = [line for line in schema_table().splitlines() if line.startswith(("| `", "| **`"))]
    assert len(rows) == len(schema.COLUMNS)
    for column, row in zip(schema.COLUMNS, rows, strict=True):
        assert f"`{column.name}`" in row and column.meaning in row and row.count(" | ") == 3
        assert row.startswith("| **") == column.required
        assert (f"`{column.otel}`" in row) == bool(column.otel)
