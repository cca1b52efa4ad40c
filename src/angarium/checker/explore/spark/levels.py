"""The levels of a search on disk: what every round leaves behind, and what the next one begins with.

    search.json                     which search this is
    lock                            held by the driver while it searches
    level-00007/done.json           what was counted up to here: the level is complete
    level-00007/part-0003/states.parquet   new states of owner 3: words w0, w1, ... and `parent`, the owner
                                    of a state that leads to it
    level-00007/part-0003/nodes.parquet    with a graph: id, level, atoms, and the words again
    level-00007/part-0003/edges.parquet    with a graph: source, target, label, event of the steps that lead
                                    to states of owner 3 from the level before

A part is written beside its place and renamed. Whoever comes first wins: another attempt at the same part
reads what it finds there, so a part never changes once it can be seen. `done.json` comes last. So whatever
is killed, what is there is true, and a search goes on behind its last complete level.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from angarium.checker.backend.layout import Words
from angarium.core import files
from angarium.core.errors import SparkError

STATES, NODES, EDGES = "states.parquet", "nodes.parquet", "edges.parquet"
Numbers = NDArray[np.int32]
PLAIN: dict[str, Any] = {"compression": "none", "use_dictionary": False, "write_statistics": False}
"""Packed states are as good as random, and written once: nothing is gained by looking at them."""
NUMBER_BITS = 40
"""A state's id is its owner, and its number among the owner's states in so many bits."""


@dataclass(frozen=True, slots=True)
class Part:
    """The new states of one owner in one level."""

    folder: Path

    @property
    def exists(self) -> bool:
        return self.folder.is_dir()

    @property
    def states(self) -> Words:
        """One row of words a state."""
        table = pq.read_table(self.folder / STATES, memory_map=False)
        return _rows(table.drop_columns(["parent"]))

    @property
    def parents(self) -> Numbers:
        column = pq.read_table(self.folder / STATES, columns=["parent"])["parent"]
        return np.asarray(column.to_numpy(), np.int32)

    @property
    def first(self) -> int:
        """The number of the first state among all of this owner's."""
        return int(self._metadata["first"])

    @property
    def count(self) -> int:
        return int(self._metadata["count"])

    @property
    def attempt(self) -> str:
        return self._metadata["attempt"]

    @property
    def _metadata(self) -> dict[str, str]:
        found = pq.read_schema(self.folder / STATES).metadata
        return {key.decode(): value.decode() for key, value in found.items()}


@dataclass(frozen=True, slots=True)
class Levels:
    """The folder of a search."""

    folder: Path

    def part(self, level: int, owner: int) -> Part:
        return Part(self._level(level) / f"part-{owner:04}")

    def known_part(self, level: int, owner: int) -> Part:
        """A part of a complete level: every owner has one, if only an empty one, or else states are lost."""
        part = self.part(level, owner)
        if not part.exists:
            raise SparkError(
                "ANG075",
                f"a worker does not find a part of the search: {part.folder}",
                possible="every worker must see the folder of the search, by the same path",
                remedy="give --checkpoint a folder that all machines share",
            )
        return part

    def _level(self, level: int) -> Path:
        return self.folder / f"level-{level:05}"

    def finish(self, level: int, counted: Mapping[str, Any]) -> None:
        """Say that a level is complete, and what was counted so far."""
        self._level(level).mkdir(parents=True, exist_ok=True)
        write_json(self._level(level) / "done.json", counted)

    def last(self) -> tuple[int, dict[str, Any]] | None:
        """The last complete level and what was counted, if there is one."""
        done = {int(each.parent.name[6:]): each for each in self.folder.glob("level-*/done.json")}
        return (max(done), json.loads(files.read_text(done[max(done)]))) if done else None

    def drop_behind(self, level: int) -> None:
        """Remove what an unfinished round left."""
        for each in sorted(self.folder.glob("level-*")):
            if int(each.name[6:]) > level:
                shutil.rmtree(each)

    # --- writing ----------------------------------------------------------------------

    @contextmanager
    def writing(self, level: int, owner: int, attempt: str) -> Iterator[Path]:
        """A folder beside a part's place, gone afterwards unless it was taken there."""
        folder = self.part(level, owner).folder.with_name(f".part-{owner:04}-{attempt}")
        folder.mkdir(parents=True)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def take(self, folder: Path, level: int, owner: int) -> bool:
        """Make a folder the part, unless there is one already: then False."""
        place = self.part(level, owner).folder
        try:
            folder.rename(place)
        except OSError:
            if place.is_dir():
                return False
            raise
        return True


def write_table(path: Path, table: pa.Table) -> None:
    """Write a Parquet file, all of it or nothing."""
    with files.replacing(path) as beside:
        pq.write_table(table, beside, **PLAIN)


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    files.write(path, json.dumps(content))


# --- tables -----------------------------------------------------------------------------


def state_table(states: Words, parents: Numbers, first: int, attempt: str) -> pa.Table:
    """States with the owners of their parents."""
    names = {"first": str(first), "count": str(len(states)), "attempt": attempt}
    columns = {**word_columns(states), "parent": pa.array(parents)}
    return pa.table(columns).replace_schema_metadata(names)


def word_columns(states: Words) -> dict[str, pa.Array]:
    """One column for each word of a state; Parquet's readers know signed words best."""
    signed = states.view(np.int64)
    return {f"w{word}": pa.array(signed[:, word]) for word in range(signed.shape[1])}


def _rows(table: pa.Table) -> Words:
    columns = [np.asarray(column.to_numpy(), np.int64) for column in table.columns]
    return np.ascontiguousarray(np.stack(columns, axis=1)).view(np.uint64)


def ids(owner: int, numbers: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """The ids of an owner's states."""
    return numbers.astype(np.int64) + (owner << NUMBER_BITS)
