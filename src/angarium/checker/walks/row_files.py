"""Rows as a file: CSV for people and spreadsheets, Parquet for everything large.

The ending of the file's name says which.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from angarium.core.errors import UsageError
from angarium.core.extras import demand
from angarium.core.files import replacing

if TYPE_CHECKING:
    import pyarrow as pa

Rows = Iterable[Sequence[Any]]


def write_rows(path: Path, names: Sequence[str], rows: Rows, table: Callable[[], pa.Table]) -> None:
    """Write rows under the names of their columns; the same rows as a table of Arrow are made if need be."""
    if path.suffix.lower() == ".parquet":
        demand("parquet", "without it, a file whose name ends in .csv")
        write_parquet(path, table())
    else:
        write_whole(path, partial(_as_csv, names, rows))


def write_parquet(path: Path, table: pa.Table) -> None:
    """Write a table of Arrow."""
    import pyarrow.parquet as pq

    write_whole(path, partial(pq.write_table, table))


def write_whole(path: Path, fill: Callable[[Path], None]) -> None:
    """Have a file filled beside its place, and put it there."""
    try:
        with replacing(path) as beside:
            fill(beside)
    except OSError as problem:
        raise UsageError(
            "ANG014",
            f"cannot write {path}: {problem.strerror or problem}",
            possible="a file in a folder that exists, that you may write to, and that has room",
            remedy="give another file or folder",
        ) from None


def _as_csv(names: Sequence[str], rows: Rows, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(rows)
