"""What an owner sends of a level: the successors of its states, sorted by their owners."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from angarium.checker.backend.kernel import FAILURE_BIT
from angarium.checker.backend.layout import Words
from angarium.checker.explore import core
from angarium.checker.explore.graph import instances
from angarium.checker.explore.native_memory import Own, address
from angarium.checker.explore.spark import exchange_core as fields
from angarium.checker.explore.spark.job import Code, Job

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
