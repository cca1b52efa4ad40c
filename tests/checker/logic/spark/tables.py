"""Explored graphs as tables, as a search on Spark writes them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pyspark.sql import SparkSession

from angarium.checker.explore.graph import Graph
from angarium.checker.logic.spark import Frames

STRIDE, FIRST = 3, 5
"""The tables' numbers of states are not those of the graph: state n is 3 n + 5."""


def levels(graph: Graph, starts: Collection[int]) -> NDArray[np.int32]:
    """How far each state is from a start."""
    found = np.full(graph.states, -1, np.int32)
    queue = sorted(starts)
    found[queue] = 0
    for state in queue:
        row = graph.targets[int(graph.rows[state]) : int(graph.rows[state + 1])]
        fresh = np.unique(row[found[row] < 0])
        found[fresh] = found[state] + 1
        queue += fresh.tolist()
    return found


def write(graph: Graph, folder: Path, starts: Collection[int] | None = None) -> None:
    """Write a graph as tables; its initial states are the starts, or if not told the first ones."""
    ids = np.arange(graph.states, dtype=np.int64) * STRIDE + FIRST
    events = graph.events if len(graph.events) else np.zeros(len(graph.targets))
    states = {
        "id": ids,
        "level": levels(graph, range(graph.initial) if starts is None else starts),
        "atoms": graph.atoms.astype(np.int64),
    }
    edges = {
        "source": np.repeat(ids, np.diff(graph.rows).astype(np.int64)),
        "target": ids[graph.targets],
        "label": graph.labels.astype(np.int32),
        "event": events.astype(np.int64),
    }
    for name, columns in {"states": states, "edges": edges}.items():
        (folder / name).mkdir(parents=True)
        pq.write_table(pa.table(columns), folder / name / "part-0.parquet")


def frames(spark: SparkSession, graph: Graph, folder: Path) -> Frames:
    """A graph as tables."""
    write(graph, folder)
    states, edges = (spark.read.parquet(str(folder / name)) for name in ("states", "edges"))
    return Frames(spark, graph.system, states, edges, str(folder / "scratch"))


def number(id_: int) -> int:
    """The number of a state in the graph."""
    return (id_ - FIRST) // STRIDE


def side_by_side(graphs: Sequence[Graph]) -> tuple[Graph, list[int]]:
    """One graph of several, and where the states of each begin in it; the initial ones are not the first."""
    begins = np.cumsum([0, *(graph.states for graph in graphs)])
    entries = np.cumsum([0, *(len(graph.targets) for graph in graphs)])
    rows = [each.rows[:-1] + np.uint64(before) for each, before in zip(graphs, entries, strict=False)]
    targets = [each.targets + np.uint32(begin) for each, begin in zip(graphs, begins, strict=False)]
    whole = replace(
        graphs[0],
        rows=np.concatenate([*rows, entries[-1:].astype(np.uint64)]),
        targets=np.concatenate(targets),
        labels=np.concatenate([each.labels for each in graphs]),
        atoms=np.concatenate([each.atoms for each in graphs]),
        events=np.concatenate([each.events for each in graphs]),
    )
    return whole, begins.tolist()
