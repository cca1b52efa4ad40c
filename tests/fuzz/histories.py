"""The same small history in every format that the process reads itself, and one that Spark reads."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from angarium.history import schema

Row = Mapping[str, Any]
_TYPES = {
    schema.TEXT: pa.string(), schema.TRUTH: pa.bool_(), schema.LONG: pa.int64(), schema.INT: pa.int32(),
    schema.TEXTS: pa.list_(pa.string()),
}  # fmt: skip
_SPANS = {
    "resourceSpans": [{
        "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "shop"}}]},
        "scopeSpans": [{"spans": [{
            "traceId": "1", "spanId": "2", "name": "send orders", "kind": 4,
            "startTimeUnixNano": "1794718584000000000", "endTimeUnixNano": "1794718584001000000",
            "attributes": [
                {"key": "messaging.operation.type", "value": {"stringValue": "send"}},
                {"key": "messaging.destination.name", "value": {"stringValue": "orders"}},
                {"key": "messaging.message.id", "value": {"stringValue": "o-1"}},
            ],
        }]}],
    }],
}  # fmt: skip


def histories(lines: Sequence[bytes]) -> dict[str, bytes]:
    """Files of some events, which are given as JSON lines."""
    rows = [json.loads(line) for line in lines]
    text = b"".join(lines)
    return {
        "events.jsonl": text,
        "events.jsonl.gz": gzip.compress(text, mtime=0),
        "events.csv": _csv(rows).encode(),
        "events.parquet": _parquet(rows),
        "nothing.parquet": _parquet([{}, {}]),
        "otlp.json": json.dumps(_SPANS).encode() + b"\n",
    }


def _csv(rows: Sequence[Row]) -> str:
    names = [name for name in schema.NAMES if any(name in row for row in rows)]
    written = io.StringIO()
    table = csv.DictWriter(written, names, lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return written.getvalue()


def _parquet(rows: Sequence[Row]) -> bytes:
    """Without checksums and not packed: so what is changed in it is read."""
    fields = [pa.field(column.name, _TYPES[column.type]) for column in schema.COLUMNS]
    written = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(rows, pa.schema(fields)), written, compression="none")
    return written.getvalue()
