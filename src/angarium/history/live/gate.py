"""The gate through which all rows of a stream come: it marks those that are late, and those that come again.

The watermark is the latest time of all events so far, less the lateness. Findings up to it have been told; an
event before it comes too late to be judged. It is not lost: it is marked, and goes to quarantine.

A recorder that ships a file again, or a line twice, must not make a broker look as if it had delivered twice.
So the gate remembers a digest of every row until the watermark has passed the row's time; from then on a
repetition is late anyway. That makes the memory exact, and as small as the lateness allows.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from angarium.history.intake.batch import NULL, Batch
from angarium.history.kernel.hashing import hashes
from angarium.history.kernel.interning import Numbers
from angarium.history.parameters import SECOND

LATE = "late: the watermark has passed its time"
AHEAD = 3600 * SECOND
"""A row whose time is so far in the future does not move the watermark: its clock is wrong."""
_IDENTITY = (
    "run_id", "recorder", "seq", "time_unix_nano", "op_type", "op_name", "phase", "message_id", "attempt",
    "destination", "partition_id", "offset", "consumer_id", "delivery_tag", "settle", "credit",
)  # fmt: skip
"""Rows that are the same in these columns are the same row, whatever the file's format."""
Digests = NDArray[np.uint64]
_SEED = 0xD16E57
_ODD = np.uint64(0xD6E8FEB86659FD93)


@dataclass
class Gate:
    """What is known of the rows that have come."""

    lateness: int
    watermark: int = 0
    digests: Digests = field(default_factory=lambda: np.zeros(0, np.uint64))
    """Of all rows from the watermark on, in order; `times` are theirs."""
    times: Numbers = field(default_factory=lambda: np.zeros(0, np.int64))
    newest: int = 0
    """The latest time so far that may be true."""

    def marks(self, batch: Batch) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which rows are late, and which are there twice; the others are remembered."""
        if not batch.count:
            return np.zeros(0, np.bool_), np.zeros(0, np.bool_)
        at, own = batch.numbers["time_unix_nano"], digests_of(batch)
        late = at < self.watermark
        again = ~late & (self._repeats(own) | _is_in(own, self.digests))
        self._note(at[~late & ~again], own[~late & ~again])
        return late, again

    @staticmethod
    def _repeats(own: Digests) -> NDArray[np.bool_]:
        """Which rows have the digest of one before them."""
        found = np.ones(len(own), np.bool_)
        found[np.unique(own, return_index=True)[1]] = False
        return found

    def _note(self, at: Numbers, own: Digests) -> None:
        order = np.argsort(own)
        places = np.searchsorted(self.digests, own[order])
        self.digests = np.insert(self.digests, places, own[order])
        self.times = np.insert(self.times, places, at[order])
        sane = at[at <= time.time_ns() + AHEAD]
        self.newest = max(self.newest, int(sane.max(initial=0)))

    def passed(self) -> int:
        """The batch is over: the watermark goes on, and what is behind it is forgotten."""
        self.watermark = max(self.watermark, self.newest - self.lateness)
        kept = self.times >= self.watermark
        self.digests, self.times = self.digests[kept], self.times[kept]
        return self.watermark


def _is_in(own: Digests, known: Digests) -> NDArray[np.bool_]:
    if not len(known):
        return np.zeros(len(own), np.bool_)
    places = np.minimum(np.searchsorted(known, own), len(known) - 1)
    found: NDArray[np.bool_] = known[places] == own
    return found


def digests_of(batch: Batch) -> Digests:
    """A hash of each row's identity; a column that is not there is one without values."""
    found = np.zeros(batch.count, np.uint64)
    for place, name in enumerate(_IDENTITY, 1):
        if name in batch.names:
            column = batch.names[name]
            found += _mixed(hashes(column.values, _SEED)[column.codes], place, column.codes >= 0)
        elif name in batch.numbers:
            numbers = batch.numbers[name]
            found += _mixed(numbers.view(np.uint64), place, numbers != NULL)
    return found


def _mixed(values: Digests, place: int, there: NDArray[np.bool_]) -> Digests:
    """Words that depend on all bits of words, and on the place of their column; 0 where there is nothing."""
    mixed = (values + np.uint64(place)) * _ODD
    mixed ^= mixed >> np.uint64(32)
    mixed *= _ODD
    mixed ^= mixed >> np.uint64(29)
    return np.where(there, mixed * np.uint64(2 * place + 1), np.uint64(0))
