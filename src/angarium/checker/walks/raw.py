"""The figures of every walk as a file: CSV or Parquet.

One row a walk: its number, how it ended, how many steps it took, and a column for each figure, `releases` or
`releases(q1)`; empty (in Parquet null) where there is no figure.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from angarium.checker.walks.results import End, Sample
from angarium.checker.walks.row_files import write_rows

if TYPE_CHECKING:
    import pyarrow as pa

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
