"""The figures of every walk as a file: CSV for people and spreadsheets, Parquet for everything large.

One row a walk: its number, how it ended, how many steps it took, and a column for each figure, `releases` or
`releases(q1)`; empty (in Parquet null) where there is no figure. A file is written whole or not at all:
beside its place first, then renamed to it.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from angarium.errors import UsageError
from angarium.simulate.results import End, Sample

ROWS = 1 << 14
"""Rows that stand in memory as text at once."""
ENDS = [end.name.lower() for end in End]


def write(path: Path, sample: Sample) -> None:
    """Write the figures; the ending of the file's name says in which form."""
    form = _write_parquet if path.suffix == ".parquet" else _write_csv
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        _replace(path, beside, lambda: form(beside, sample))
    except OSError as problem:
        raise UsageError(
            "ANG014",
            f"cannot write {path}: {problem.strerror or problem}",
            possible="a file in a folder that exists, that you may write to, and that has room",
            remedy="give another file",
        ) from None


def _replace(path: Path, beside: Path, fill: Callable[[], None]) -> None:
    if path.is_dir():
        raise IsADirectoryError(0, "it is a folder")
    try:
        fill()
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def names(sample: Sample) -> list[str]:
    """The names of all columns."""
    figures = (f"{name}({arguments})" if arguments else name for name, arguments in sample.columns)
    return ["walk", "end", "steps", *figures]


def _write_csv(path: Path, sample: Sample) -> None:
    with path.open("x", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names(sample))
        for start in range(0, len(sample.ends), ROWS):
            writer.writerows(_rows(sample, slice(start, start + ROWS)))


def _rows(sample: Sample, part: slice) -> Iterable[list[Any]]:
    values = sample.values[part].astype(object)
    values[~sample.known[part]] = None
    columns = zip(sample.ends[part].tolist(), sample.steps[part].tolist(), values.tolist(), strict=True)
    for number, (end, steps, figures) in enumerate(columns, sample.first + part.start):
        yield [number, ENDS[end], steps, *figures]


def _write_parquet(path: Path, sample: Sample) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise UsageError(
            "ANG014",
            f"cannot write Parquet ({path.name.removeprefix('.')}): pyarrow is not installed",
            possible="without it, a file whose name ends in .csv",
            remedy="install it with Angarium's extra: pip install 'angarium[spark]'",
        ) from None
    walks = np.arange(sample.first, sample.first + len(sample.ends), dtype=np.int64)
    ends = pa.DictionaryArray.from_arrays(pa.array(sample.ends.astype(np.int8)), pa.array(ENDS))
    figures = [
        pa.array(sample.values[:, column], mask=~sample.known[:, column])
        for column in range(len(sample.columns))
    ]
    columns = [pa.array(walks), ends, pa.array(sample.steps), *figures]
    pq.write_table(pa.Table.from_arrays(columns, names=names(sample)), path)
