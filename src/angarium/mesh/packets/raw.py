"""What became of every packet, as a file: CSV or Parquet.

One row a packet and scheme, with the times in nanoseconds. `done` is when it arrived or got lost; what is
under way at the end has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from angarium.checker.walks.row_files import write_rows
from angarium.mesh.packets import packets_core as core
from angarium.mesh.packets.experiment import FATES, Run

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS = ("scheme", "packet", "from", "to", "sent_ns", "fate", "done_ns", "hops")
ROWS = 1 << 14
"""Rows that stand in memory as Python's numbers at once."""


def write(path: Path, runs: Sequence[Run]) -> None:
    """Write the packets of all runs; the ending of the file's name says in which form."""
    write_rows(path, COLUMNS, _rows(runs), lambda: _table(runs))


def _rows(runs: Sequence[Run]) -> Iterator[tuple[Any, ...]]:
    for run in runs:
        for start in range(0, len(run.sent), ROWS):
            yield from _some_rows(run, start)


def _some_rows(run: Run, start: int) -> Iterator[tuple[Any, ...]]:
    part, flows = slice(start, start + ROWS), run.experiment.flows
    columns = (run.sent, run.flow, run.fate, run.done, run.hops)
    packets = zip(*(column[part].tolist() for column in columns), strict=True)
    for number, (sent, flow, fate, done, hops) in enumerate(packets, start):
        ends = flows[flow].origin, flows[flow].destination
        ended = None if fate == core.UNDER_WAY else done
        yield (run.scheme.name, number, *ends, sent, FATES[fate], ended, hops)


def _table(runs: Sequence[Run]) -> pa.Table:
    import pyarrow as pa

    return pa.concat_tables([_table_of(run) for run in runs]).unify_dictionaries()


def _table_of(run: Run) -> pa.Table:
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
