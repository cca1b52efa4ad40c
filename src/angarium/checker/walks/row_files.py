"""Rows as a file, and the figures of every walk in one: CSV for people and spreadsheets, Parquet for
everything large.

The ending of the file's name says which. A walk is a row: its number, how it ended, how many steps it took,
and a column for each figure, `releases` or `releases(q1)`; empty (in Parquet null) where there is no figure.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from angarium.checker.walks.results import End, Sample
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


ROWS = 1 << 14
"""Rows that stand in memory as Python's numbers at once."""
ENDS = [end.name.lower() for end in End]


def write(path: Path, sample: Sample) -> None:
    """Write the figures; the ending of the file's name says in which form."""
    write_rows(path, names(sample), _rows(sample), lambda: _table(sample))


def names(sample: Sample) -> list[str]:
    """The names of all columns."""
    figures = (f"{name}({arguments})" if arguments else name for name, arguments in sample.columns)
    return ["walk", "end", "steps", *figures]


def _rows(sample: Sample) -> Iterator[list[Any]]:
    for start in range(0, len(sample.ends), ROWS):
        yield from _some_rows(sample, slice(start, start + ROWS))


def _some_rows(sample: Sample, part: slice) -> Iterator[list[Any]]:
    values = sample.values[part].astype(object)
    values[~sample.known[part]] = None
    columns = zip(sample.ends[part].tolist(), sample.steps[part].tolist(), values.tolist(), strict=True)
    for number, (end, steps, figures) in enumerate(columns, sample.first + part.start):
        yield [number, ENDS[end], steps, *figures]


def _table(sample: Sample) -> pa.Table:
    import pyarrow as pa

    walks = np.arange(sample.first, sample.first + len(sample.ends), dtype=np.int64)
    ends = pa.DictionaryArray.from_arrays(pa.array(sample.ends.astype(np.int8)), pa.array(ENDS))
    figures = [
        pa.array(sample.values[:, column], mask=~sample.known[:, column])
        for column in range(len(sample.columns))
    ]
    columns = [pa.array(walks), ends, pa.array(sample.steps), *figures]
    return pa.Table.from_arrays(columns, names=names(sample))
