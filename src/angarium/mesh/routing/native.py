"""What the compiled functions of `sweep_core` are given: a graph, the memory of a column, and threads."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from angarium.mesh.routing import sweep_core as core
from angarium.mesh.routing.graph import Graph, Ints
from angarium.native.calls import Array, Native

CORE = Native(core, ("sweep", "entries", "walks"), {"sweep.old_tables": {"KEPT": 1}})
"""`sweep` with new tables for every failure, `sweep.old_tables` with the old ones."""
ENOUGH = 64
"""Fewer brokers than this are not worth a second thread."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """Arrays as the compiled functions want them: a list of words, each an address or a number."""

    arrays: tuple[Array | int, ...]
    """They must live as long as the list."""
    words: NDArray[np.uint64]


def addresses(*arrays: Array | int) -> Addresses:
    listed = [each if isinstance(each, int) else int(each.ctypes.data) for each in arrays]
    return Addresses(arrays, np.array(listed, np.uint64))


@dataclass(frozen=True)
class Routed:
    """A graph as the compiled functions see it: with costs, and with given tables if there are any."""

    graph: Graph
    costs: Ints
    given: Ints | None = None
    """The hop by destination and broker."""
    limit: int | None = None
    """Of the hops of a message."""
    words: NDArray[np.uint64] = field(init=False)
    _alive: Addresses = field(init=False)

    def __post_init__(self) -> None:
        graph, (rows, entering) = self.graph, self.graph.back
        found = addresses(
            graph.brokers,
            graph.rows,
            graph.targets,
            graph.sources,
            rows,
            entering,
            self.costs,
            0 if self.given is None else self.given,
            core.NOWHERE if self.limit is None else min(self.limit, core.NOWHERE - 1),
        )
        object.__setattr__(self, "_alive", found)
        object.__setattr__(self, "words", found.words)

    def column(self) -> Addresses:
        """Memory for one thread."""
        brokers, hops = self.graph.brokers, self.graph.hops

        def numbers() -> Ints:
            return np.zeros(brokers, np.int32)

        def lengths(count: int = brokers) -> NDArray[np.uint64]:
            return np.zeros(count, np.uint64)

        sums = lengths((brokers + 1) * core.TALLY)
        sums[core.FIRST] = core.FAR
        state, dead = np.zeros(brokers, np.uint8), np.zeros(brokers, np.uint8)
        return addresses(
            *(self.costs.copy(), lengths(), numbers(), numbers(), state, numbers(), numbers()),
            *(lengths(hops + brokers + 1), numbers(), numbers(), lengths(), numbers(), numbers(), dead, sums),
        )


def threads_for(graph: Graph, threads: int | None) -> int:
    """How many threads are worth it."""
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return 1 if graph.brokers < ENOUGH else max(1, threads or there)


def in_threads(routed: Routed, threads: int, work: Callable[[int, Addresses, Array], None]) -> None:
    """Let threads work, each with its number and its own column; they share who takes which destination."""
    turn = np.zeros(1, np.uint64)
    columns = [routed.column() for _ in range(threads)]
    if threads == 1:
        work(0, columns[0], turn)
        return
    CORE.library  # noqa: B018 - compiled once, before the threads begin
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(work, number, column, turn) for number, column in enumerate(columns)]:
            done.result()
