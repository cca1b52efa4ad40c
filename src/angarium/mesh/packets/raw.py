"""What became of every packet, as a file: CSV for people and spreadsheets, Parquet for everything large.

One row a packet and scheme, with the times in nanoseconds. `done` is when it arrived or got lost; what is
under way at the end has none. A file is written whole or not at all: beside its place first, then renamed
to it.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from angarium.errors import UsageError
from angarium.mesh.packets import packets_core as core
from angarium.mesh.packets.experiment import FATES, Run

COLUMNS = ("scheme", "packet", "from", "to", "sent_ns", "fate", "done_ns", "hops")
ROWS = 1 << 14
"""Rows that stand in memory as text at once."""


def write(path: Path, runs: Sequence[Run]) -> None:
    """Write the packets of all runs; the ending of the file's name says in which form."""
    form = _write_parquet if path.suffix.lower() == ".parquet" else _write_csv
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        form(beside, runs)
        beside.replace(path)
    except OSError as problem:
        raise UsageError(
            "ANG014",
            f"cannot write {path}: {problem.strerror or problem}",
            possible="a file in a folder that exists, that you may write to, and that has room",
            remedy="give another file",
        ) from None
    finally:
        beside.unlink(missing_ok=True)


def _write_csv(path: Path, runs: Sequence[Run]) -> None:
    with path.open("x", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for run in runs:
            for start in range(0, len(run.sent), ROWS):
                writer.writerows(_rows(run, start))


def _rows(run: Run, start: int) -> Iterator[tuple[Any, ...]]:
    part, flows = slice(start, start + ROWS), run.experiment.flows
    columns = (run.sent, run.flow, run.fate, run.done, run.hops)
    packets = zip(*(column[part].tolist() for column in columns), strict=True)
    for number, (sent, flow, fate, done, hops) in enumerate(packets, start):
        ends = flows[flow].origin, flows[flow].destination
        ended = None if fate == core.UNDER_WAY else done
        yield (run.scheme.name, number, *ends, sent, FATES[fate], ended, hops)


def _write_parquet(path: Path, runs: Sequence[Run]) -> None:
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
    pq.write_table(pa.concat_tables([_table(run) for run in runs]).unify_dictionaries(), path)


def _table(run: Run) -> Any:  # noqa: ANN401 - pyarrow has no types
    import pyarrow as pa

    def words(numbers: Any, names: Sequence[str]) -> Any:  # noqa: ANN401
        return pa.DictionaryArray.from_arrays(
            pa.array(numbers.astype(np.int32)), pa.array(names, pa.string())
        )

    packets, flows = np.arange(len(run.sent), dtype=np.int64), run.experiment.flows
    columns = (
        words(np.zeros(len(packets)), [run.scheme.name]),
        pa.array(packets),
        words(run.flow, [flow.origin for flow in flows]),
        words(run.flow, [flow.destination for flow in flows]),
        pa.array(run.sent.astype(np.int64)),
        words(run.fate, list(FATES.values())),
        pa.array(run.done.astype(np.int64), mask=run.fate == core.UNDER_WAY),
        pa.array(run.hops),
    )
    return pa.Table.from_arrays(list(columns), names=list(COLUMNS))
