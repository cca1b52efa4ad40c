"""What an owner does in a round: expand its newest states, send their successors, take in what others found
for it.

What it sends is an outbox: the successors of its states, sorted by their owners. All are plain functions on
the folder of the search. Spark's tasks call them in their processes; the driver calls them itself for a
level that is not worth a round on Spark.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from angarium.checker.backend.kernel import FAILURE_BIT
from angarium.checker.backend.layout import Words
from angarium.checker.explore import core
from angarium.checker.explore.graph import instances
from angarium.checker.explore.native_memory import Own, address
from angarium.checker.explore.spark import exchange_core as fields
from angarium.checker.explore.spark.job import Code, Job
from angarium.checker.explore.spark.levels import (
    EDGES,
    NODES,
    NUMBER_BITS,
    PLAIN,
    STATES,
    Levels,
    Numbers,
    ids,
    state_table,
    word_columns,
    write_table,
)
from angarium.checker.explore.spark.visited import Visited, visited

DRAWER_WORDS = 1 << 21
"""How many words all drawers have together."""
LATEST_BITS = 18
"""How many of the latest states are remembered, as a power of two."""


@dataclass
class Expanded:
    """What was counted while a level's part was expanded."""

    transitions: int = 0
    hits: dict[int, int] = field(default_factory=dict)
    """For each guarantee's bit, the position of the first state of the part that hits it."""


class Outbox:
    """Expands states and hands out what is to be sent."""

    def __init__(self, job: Job, states: Words, first_id: int) -> None:
        self._code: Code = job.code
        self._states, self._owners = np.ascontiguousarray(states, np.uint64), job.owners
        self._own = Own(self._code.kernel, self._code.block)
        self._shared = self._code.shared()
        self._shared[core.LOG], self._shared[core.LEVEL_END] = address(self._states), len(states)
        self.atoms = np.zeros(len(states), np.uint64)
        self._reserve(job, first_id)

    def _reserve(self, job: Job, first_id: int) -> None:
        code, owners = self._code, self._owners
        slack = code.block * max(2, code.kernel.fan_out)
        self._capacity = max(2 * slack, DRAWER_WORDS // (owners * code.record))
        self._drawers = np.empty((owners, self._capacity, code.record), np.uint64)
        self._fills = np.zeros(owners, np.uint64)
        self._latest = np.zeros((1 << LATEST_BITS) * (code.words + 1), np.uint64)
        self._box = np.zeros(fields.OUTBOX_SIZE, np.uint64)
        self._box[fields.DRAWERS], self._box[fields.FILLS] = address(self._drawers), address(self._fills)
        self._box[fields.CAPACITY], self._box[fields.MOST] = self._capacity, self._capacity - slack
        self._box[fields.OWNERS] = owners
        self._box[fields.LATEST], self._box[fields.LATEST_SHIFT] = address(self._latest), 64 - LATEST_BITS
        self._box[fields.FIRST_NUMBER], self._box[fields.ATOMS] = first_id, address(self.atoms)
        self._box[fields.REST] = instances(job.system.actions)
        self._box[fields.FIRST_ATOM] = len(job.system.guarantees)
        conditions = job.wish.conditions if job.wish else ()
        self._box[fields.ATOM_MASK] = (1 << len(conditions)) - 1

    def letters(self) -> Iterator[tuple[int, memoryview]]:
        """Pairs of an owner and some records for it, until the whole part is expanded."""
        more = 1
        while more:
            more = self._code.library.call("route", self._shared, self._own.fields, self._box)
            for owner in np.flatnonzero(self._fills):
                yield int(owner), self._drawers[owner, : int(self._fills[owner])].data.cast("B")
            self._fills[:] = 0
            self._box[fields.FULLEST] = 0

    def counted(self) -> Expanded:
        """What was counted; to be asked when all letters are sent."""
        hits, first = int(self._shared[core.HITS]), self._shared[core.FIRST_HITS :]
        found = {bit: int(first[bit]) for bit in range(FAILURE_BIT + 1) if hits >> bit & 1}
        return Expanded(self._own.transitions, found)


Letter = tuple[int, memoryview]
"""Whose successors these are (or whose they are to be), and some records."""


@dataclass
class Note:
    """What an owner says of a round."""

    owner: int
    expanded: int = 0
    """Its states of the level before."""
    transitions: int = 0
    """Steps from these states."""
    hits: dict[int, int] = field(default_factory=dict)
    """For each guarantee's bit, the position of the first of those states that hits it."""
    states: int = 0
    """New states of this level."""
    bytes: int = 0
    """What it keeps in memory and in the level's files."""

    def text(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, text: str) -> Note:
        found = json.loads(text)
        return cls(**{**found, "hits": {int(bit): where for bit, where in found["hits"].items()}})


def expand(job: Job, level: int, owner: int, note: Note) -> Iterator[Letter]:
    """Letters with the successors of an owner's states of a level; what is counted goes to the note."""
    part = Levels(job.folder).known_part(level, owner)
    states, first = part.states, part.first + (owner << NUMBER_BITS)
    outbox = Outbox(job, states, first)
    yield from outbox.letters()
    counted = outbox.counted()
    note.expanded, note.transitions, note.hits = len(states), counted.transitions, counted.hits
    if job.wish:
        _write_nodes(job, level, owner, states, outbox.atoms)


def _write_nodes(job: Job, level: int, owner: int, states: Words, atoms: Words) -> None:
    part = Levels(job.folder).part(level, owner)
    numbers = ids(owner, np.arange(part.first, part.first + len(states)))
    columns = {
        "id": pa.array(numbers),
        "level": pa.array(np.full(len(states), level, np.int32)),
        "atoms": pa.array(atoms.view(np.int64)),
        **word_columns(states),
    }
    write_table(part.folder / NODES, pa.table(columns))


def absorb(job: Job, level: int, owner: int, letters: Iterable[Letter], note: Note) -> None:
    """Find out which of the states that others found are new, and write them down as a part of the level."""
    levels = Levels(job.folder)
    if levels.part(level, owner).exists:
        note.states = levels.part(level, owner).count
        return
    attempt = uuid.uuid4().hex
    with visited(job, owner, level - 1) as known, levels.writing(level, owner, attempt) as folder:
        known.change()
        first = known.states
        parents = _take_in(job, owner, letters, known, folder)
        note.states, note.bytes = known.states - first, known.bytes
        write_table(folder / STATES, state_table(known.newcomers, parents, first, attempt))
        if levels.take(folder, level, owner):
            known.keep(level)
        else:
            note.states = levels.part(level, owner).count


def _take_in(job: Job, owner: int, letters: Iterable[Letter], known: Visited, folder: Path) -> Numbers:
    """Put all letters into the visited states, and their steps into a file; each new state's parent."""
    sources, counts = list[int](), list[int]()
    with ExitStack() as closing:
        edges = job.wish and closing.enter_context(pq.ParquetWriter(folder / EDGES, _EDGES, **PLAIN))
        for source, letter in letters:
            before = known.states
            numbers = known.take(letter)
            sources.append(source)
            counts.append(known.states - before)
            if edges:
                edges.write_table(_edges(job, owner, letter, numbers))
    return np.repeat(np.array(sources, np.int32), counts)


_EDGES = pa.schema(
    [("source", pa.int64()), ("target", pa.int64()), ("label", pa.int32()), ("event", pa.int64())]
)


def _edges(job: Job, owner: int, letter: memoryview, numbers: Words) -> pa.Table:
    """The steps of a letter, between states by their ids."""
    code = job.code
    records = np.frombuffer(letter, np.uint64).reshape(-1, code.record)
    told = records[:, code.words : -1].view(np.int64) if len(records) else records[:, code.words : -1]
    events = told[:, 1] if told.shape[1] > 1 else np.zeros(len(records), np.int64)
    columns = [records[:, -1].astype(np.int64), ids(owner, numbers), told[:, 0].astype(np.int32), events]
    return pa.table([pa.array(np.ascontiguousarray(column)) for column in columns], schema=_EDGES)
