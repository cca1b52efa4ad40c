"""Where a run may stand still although something could happen: nobody owes a fault.

A crash or a loss may happen, and need not; the same is true of what an intruder does. So where nothing but
that can happen, a run may also stay as it is for ever. The graph gets one more state for each such state,
with the same conditions, which only follows on itself: standing still is for ever, and no pause before a
fault. A fault that a guarantee's fairness names is owed, and no reason to stand still.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from angarium.checker.explore.engine import Cells
from angarium.checker.explore.graph import Graph, variants

T = TypeVar("T", bound=np.generic)
PIECE = 1 << 22


def with_rests(graph: Graph, owed: Collection[str] = ()) -> Graph:
    """The graph in which runs may stand still where only faults can happen that are not owed."""
    optional = _optional(graph, owed)
    if not _happens(graph, optional):
        return graph
    begins = graph.rows[:-1].astype(np.int64)
    lazy: NDArray[np.bool_] = np.logical_and.reduceat(optional[graph.labels], begins)
    return _extended(graph, lazy) if lazy.any() else graph


def _happens(graph: Graph, optional: NDArray[np.bool_]) -> bool:
    """Whether some step is optional; looked at in pieces, because a graph may fill the memory."""
    starts = range(0, len(graph.labels), PIECE) if optional.any() else ()
    return any(optional[graph.labels[start : start + PIECE]].any() for start in starts)


def _optional(graph: Graph, owed: Collection[str]) -> NDArray[np.bool_]:
    """For each label, whether it is that of a fault, or of an intruder's step, that nobody owes."""
    faults = [action.optional and action.name not in owed for action in graph.system.actions]
    return np.append(np.repeat(faults, [variants(action) for action in graph.system.actions]), False)


def _extended(graph: Graph, lazy: NDArray[np.bool_]) -> Graph:
    states = np.flatnonzero(lazy)
    ends = graph.rows[states + 1].astype(np.int64)
    rests = np.arange(graph.states, graph.states + len(states), dtype=np.uint32)
    rows = graph.rows + np.append(0, np.cumsum(lazy)).astype(np.uint64)
    last = rows[-1] + np.arange(1, len(states) + 1, dtype=np.uint64)

    def with_more(entries: NDArray[T], more: NDArray[np.uint32] | int) -> NDArray[T]:
        """One entry more at the end of each lazy state's, and one for each rest."""
        own = np.broadcast_to(np.asarray(more, entries.dtype), len(states))
        return np.concatenate([np.insert(entries, ends, own), own])

    def cells(numbers: Sequence[int]) -> list[Cells]:
        return graph.cells([int(states[n - graph.states]) if n >= graph.states else n for n in numbers])

    return replace(
        graph,
        rows=np.concatenate([rows, last]),
        targets=with_more(graph.targets, rests),
        labels=with_more(graph.labels, graph.stutter),
        atoms=np.concatenate([graph.atoms, graph.atoms[states]]),
        cells=cells,
        events=with_more(graph.events, 0) if len(graph.events) else graph.events,
    )
