"""The visited states of one owner, where they are: in files that the processes of a machine map into memory.

An owner's tasks run in whichever of a machine's processes is free, so its table belongs to none of them: it
is a file, mapped by each that needs it. Its form is that of `explore.core`: for states of one word a table of
the states themselves, for wider ones, and where states are numbered, a table that refers to a log.

It is no more than a copy of what the levels on disk say, and can be thrown away at any time. A note beside
it says up to which level it is complete; there is none while somebody changes it. Who finds no note, or one
that is ahead, builds the table anew; who finds one that is behind (another machine did some rounds) adds the
levels that are missing. A lock lets one attempt at a time in.
"""

from __future__ import annotations

import fcntl
import json
import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from angarium.checker.backend.layout import Words
from angarium.checker.explore import core
from angarium.checker.explore.native_memory import (
    WORD,
    Array,
    address,
    physical_memory,
    release,
    reserve_most,
)
from angarium.checker.explore.spark.job import Job
from angarium.checker.explore.spark.levels import Levels, write_json
from angarium.core import files

LOAD = 0.6
"""How full a table may be."""
SMALLEST_BITS = 14
CHUNK = 1 << 13
"""How many records are looked up together."""


@contextmanager
def visited(job: Job, owner: int, level: int) -> Iterator[Visited]:
    """The visited states of an owner up to and including a level; nobody else has them meanwhile."""
    if not any(name == job.name for name, _ in _known):
        _known.clear()
    known = _known.setdefault((job.name, owner), Visited(job, owner))
    with known.locked():
        known.bring_to(level)
        yield known


class Visited:
    """A table of states, shared by the processes of a machine."""

    def __init__(self, job: Job, owner: int) -> None:
        self._code, self._levels, self._owner = job.code, Levels(job.folder), owner
        self._place = job.scratch / f"owner-{owner:04}"
        self._shared = self._code.shared()
        self._hashes = np.empty(CHUNK, np.uint64)
        self._records = np.empty((CHUNK, self._code.record), np.uint64)
        self._bits = 0
        self.states = 0
        """How many there are."""
        self._begun = 0

    # --- the files --------------------------------------------------------------------

    @contextmanager
    def locked(self) -> Iterator[None]:
        self._place.parent.mkdir(parents=True, exist_ok=True)
        with self._file("lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _file(self, what: str) -> Path:
        return self._place.with_name(f"{self._place.name}.{what}")

    def bring_to(self, level: int) -> None:
        """Have exactly the states of the levels up to this one."""
        note = self._note()
        if note is None or note["level"] > level:
            note = {"level": -1, "states": 0, "bits": 0}
        self._open(note["bits"], note["states"])
        if note["level"] < level:
            self.change()
            for each in range(note["level"] + 1, level + 1):
                self._add_level(each)
            self.keep(level)

    def _note(self) -> dict[str, Any] | None:
        try:
            note: dict[str, Any] = json.loads(files.read_text(self._file("json")))
        except FileNotFoundError:
            return None
        return note

    def _open(self, bits: int, states: int) -> None:
        """Map the table as the note says it is; a new, empty one if it says nothing."""
        if bits == 0:
            for old in self._place.parent.glob(f"{self._place.name}.table*"):
                old.unlink()
            self._file("log").unlink(missing_ok=True)
        if not self._is_mapped(bits):
            self._use(bits or SMALLEST_BITS)
        self._number(states)

    def _is_mapped(self, bits: int) -> bool:
        """Whether the table is the one that we have; another process may have made it anew, just as large."""
        return self._bits == bits != 0 and self._number_of_file() == self._mapped

    def _number_of_file(self) -> int:
        return self._file(f"table-{self._bits}").stat().st_ino

    def _use(self, bits: int) -> None:
        self._bits = bits
        self._table = _mapped(self._file(f"table-{bits}"), 1 << bits)
        self._mapped = self._number_of_file()
        self._shared[core.TABLE], self._shared[core.MASK] = address(self._table), (1 << bits) - 1
        self._shared[core.SHIFT] = 64 - bits
        words = (self._most + 1) * self._code.words
        self._log = _mapped(self._file("log"), words) if self._code.wide else _newcomers()
        self._shared[core.LOG] = address(self._log)

    def _number(self, states: int) -> None:
        """Where the next state goes; without a log of all, the newcomers stand alone."""
        self.states = states
        self._shared[core.NEXT] = states if self._code.wide else 0

    @property
    def _most(self) -> int:
        """How many states the table may hold."""
        return int((1 << self._bits) * LOAD)

    @property
    def bytes(self) -> int:
        return WORD * len(self._table) + (WORD * len(self._log) if self._code.wide else 0)

    # --- changing ---------------------------------------------------------------------

    def change(self) -> None:
        """From now on the table is not to be trusted, until `keep` says so."""
        self._file("json").unlink(missing_ok=True)
        self._begun = self.states

    def keep(self, level: int) -> None:
        """The table is complete up to a level."""
        if not self._code.wide:
            release(self._log, self.states - self._begun)
            self._number(self.states)
        self._begun = self.states
        write_json(self._file("json"), {"level": level, "states": self.states, "bits": self._bits})

    def _add_level(self, level: int) -> None:
        states = self._levels.known_part(level, self._owner).states
        for _, records in _chunks(_as_records(states, self._code.record)):
            self._insert(records)
        if not self._code.wide:
            self._forget_newcomers()

    def _forget_newcomers(self) -> None:
        self._shared[core.NEXT] = 0
        self._begun = self.states

    def take(self, letter: memoryview) -> Words:
        """Put the states of some records in; each one's number, where states are numbered."""
        records = np.frombuffer(letter, np.uint64).reshape(-1, self._code.record)
        numbers = np.empty(len(records) if self._code.labelled else 0, np.uint64)
        for start, chunk in _chunks(records):
            self._insert(chunk)
            if self._code.labelled:
                numbers[start : start + len(chunk)] = self._hashes[: len(chunk)]
        return numbers

    def _insert(self, records: Words) -> None:
        count = len(records)
        self._records[:count] = records
        if self.states + count > self._most:
            self._grow(self.states + count)
        before = int(self._shared[core.NEXT])
        self._code.library.call("insert", self._shared, self._records, self._hashes, count)
        self.states += int(self._shared[core.NEXT]) - before

    def _grow(self, needed: int) -> None:
        """Move all states to a greater table."""
        bits, old, old_bits = self._bits, self._table, self._bits
        while needed > int((1 << bits) * LOAD):
            bits += 2 if bits < 20 else 1
        self._use(bits)
        if self._code.wide:
            self._code.library.call("enter", self._shared, 0, self.states)
        else:
            self._code.library.call("move", self._shared, old, 0, len(old))
        self._file(f"table-{old_bits}").unlink()

    @property
    def newcomers(self) -> Words:
        """The states that came in since the last level was complete."""
        first = self._begun if self._code.wide else 0
        count = self.states - self._begun
        words = self._code.words
        return np.array(self._log[first * words : (first + count) * words]).reshape(count, words)


_known: dict[tuple[str, int], Visited] = {}


@cache
def _newcomers() -> Array:
    """Room for the new states of a round, for all owners that this process works for, one after the other."""
    return reserve_most(physical_memory())


def _mapped(path: Path, size: int) -> Array:
    """A file of so many words, mapped; what is not written yet is 0. The disk must have room for it."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        os.posix_fallocate(handle, 0, size * WORD)
        return np.frombuffer(mmap.mmap(handle, size * WORD), np.uint64)
    finally:
        os.close(handle)


def _chunks(records: Words) -> Iterator[tuple[int, Words]]:
    for start in range(0, len(records), CHUNK):
        yield start, records[start : start + CHUNK]


def _as_records(states: Words, size: int) -> Words:
    """States as if they had been sent; what else a record tells does not matter."""
    records = np.zeros((len(states), size), np.uint64)
    records[:, : states.shape[1]] = states
    return records
