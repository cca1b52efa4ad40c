"""The graph of a search on Spark: Parquet files, and the same in memory where it fits.

In memory, states are numbered by level, then owner, then as they came, so that the initial states are the
first; on disk their ids say owner and number. An owner's states of a level have numbers that follow on each
other, so to translate an id is to find the level that its number falls into.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from angarium.checker.backend.layout import Words
from angarium.checker.explore.graph import Graph, instances
from angarium.checker.explore.spark.job import Job
from angarium.checker.explore.spark.levels import EDGES, NODES, NUMBER_BITS, Levels, Part
from angarium.checker.ir.transition import Cells
from angarium.spark.session import Place

BYTES_AN_EDGE, BYTES_A_STATE = 56, 64
"""What it takes to gather an edge, and a state beside its words."""


@dataclass(frozen=True)
class Stored:
    """A complete graph on disk."""

    job: Job
    depth: int
    """How many levels have states."""
    states: int
    transitions: int
    room: int
    """How many bytes of it may be brought into memory."""
    place: Place
    """Where Spark is."""
    closing: ExitStack = field(default_factory=ExitStack)
    """What is to be done when nobody needs the files any more."""

    def close(self) -> None:
        """Remove what is not kept."""
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.closing.close()

    @property
    def fits(self) -> bool:
        """Whether it can be gathered."""
        return self.bytes <= self.room

    @property
    def scratch(self) -> str:
        """Where tables can be kept for a while."""
        return str(self.job.folder / "judging")

    def cells(self, id_: int) -> Cells:
        """A state by its id."""
        owner, number = id_ >> NUMBER_BITS, id_ & ((1 << NUMBER_BITS) - 1)
        firsts, _ = self._places
        level = int(np.searchsorted(firsts[:, owner], number, side="right")) - 1
        words = Levels(self.job.folder).part(level, owner).states[number - int(firsts[level, owner])]
        return self.job.code.layout.unpack([int(word) for word in words])

    @property
    def bytes(self) -> int:
        """What it would take in memory, while it is gathered."""
        edges = self.transitions + self.states
        return edges * BYTES_AN_EDGE + self.states * (BYTES_A_STATE + 8 * self.job.code.words)

    @property
    def nodes(self) -> str:
        """Where Spark finds the states."""
        return f"{self.job.folder}/level-*/part-*/{NODES}"

    @property
    def edges(self) -> str:
        """Where Spark finds the steps."""
        return f"{self.job.folder}/level-*/part-*/{EDGES}"

    def gathered(self) -> Graph:
        """The graph in memory."""
        nodes = pa.concat_tables([pq.read_table(part.folder / NODES) for part in self._parts if part.count])
        edges = pa.concat_tables([pq.read_table(path) for path in self._edge_files])
        sources, targets = (self._numbers(_column(edges, name)) for name in ("source", "target"))
        labels = _column(edges, "label")
        stutter = instances(self.job.system.actions)
        order = np.argsort(sources * (stutter + 1) + labels, kind="stable")
        rows = np.zeros(self.states + 1, np.uint64)
        np.cumsum(np.bincount(sources, minlength=self.states), out=rows[1:])
        wish = self.job.wish
        return Graph(
            system=self.job.system,
            rows=rows,
            targets=targets[order].astype(np.uint32),
            labels=labels[order].astype(np.uint32),
            atoms=_column(nodes, "atoms").view(np.uint64),
            initial=sum(part.count for part in self._parts[: self.job.owners]),
            cells=_Cells(self.job, _words(nodes)),
            events=_column(edges, "event")[order].view(np.uint64) if wish and wish.events else _NO_EVENTS,
        )

    @cached_property
    def _parts(self) -> list[Part]:
        """All parts of levels that have states, level by level."""
        levels = Levels(self.job.folder)
        return [levels.part(level, owner) for level in range(self.depth) for owner in range(self.job.owners)]

    @property
    def _edge_files(self) -> list[Path]:
        return sorted(self.job.folder.glob(f"level-*/part-*/{EDGES}"))

    def _numbers(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers in memory of states by their ids."""
        firsts, bases = self._places
        owners, numbers = ids >> NUMBER_BITS, ids & ((1 << NUMBER_BITS) - 1)
        result = np.empty(len(ids), np.int64)
        for owner in range(self.job.owners):
            own = owners == owner
            level = np.searchsorted(firsts[:, owner], numbers[own], side="right") - 1
            result[own] = numbers[own] - firsts[level, owner] + bases[level, owner]
        return result

    @cached_property
    def _places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Of each level and owner: the first state's number at its owner, and in memory."""
        shape = (self.depth, self.job.owners)
        firsts = np.array([part.first for part in self._parts], np.int64).reshape(shape)
        counts = np.array([part.count for part in self._parts], np.int64)
        bases = np.concatenate([[0], np.cumsum(counts)[:-1]]).reshape(shape)
        return firsts, bases


_NO_EVENTS = np.zeros(0, np.uint64)


@dataclass(frozen=True)
class _Cells:
    """The states of some numbers, as cells."""

    job: Job
    states: Words

    def __call__(self, numbers: Sequence[int]) -> list[Cells]:
        layout = self.job.code.layout
        return [layout.unpack([int(word) for word in self.states[number]]) for number in numbers]


def _column(table: pa.Table, name: str) -> NDArray[Any]:
    return np.asarray(table[name].to_numpy())


def _words(nodes: pa.Table) -> Words:
    names = [name for name in nodes.column_names if name.startswith("w")]
    return np.stack([_column(nodes, name) for name in names], axis=1).view(np.uint64)
