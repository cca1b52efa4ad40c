"""What a native search may take: the clock, the limits, and who wants to know how far it is."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from angarium.checker.explore.engine import Observer, Progress
from angarium.checker.explore.native_memory import WORD, Store, physical_memory
from angarium.core.control import Cut, CutBy, Limits, cut_by_memory, cut_by_states
from angarium.core.result import Coverage

TURN = 0.1
"""Seconds between two looks at a running search."""
SHARE_OF_MEMORY = 0.85
"""The part of the machine's memory that a search without a limit takes at most."""


def cut_by_numbers(most: int) -> Cut:
    """The cut of a graph that has more states than there are numbers for."""
    return Cut(CutBy.STATES, f"more than {most:,} states, too many to number")


def most_bytes() -> int:
    """What a search without a limit may take here."""
    return int(WORD * physical_memory() * SHARE_OF_MEMORY)


@dataclass
class Watch:
    """Limits, the clock, and who wants to know."""

    limits: Limits
    observe: Observer | None
    started: float = field(default_factory=time.perf_counter)
    cpu_started: float = field(default_factory=time.process_time)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.started

    @property
    def cpu_seconds(self) -> float:
        return time.process_time() - self.cpu_started

    @property
    def turn(self) -> float:
        """How long to wait before looking again."""
        left = self.limits.left(self.started)
        return min(TURN, left) if left > 0 else TURN

    def coverage(self, progress: Progress, cut: Cut | None) -> Coverage:
        """What a search covered that has come so far, and what it cost."""
        return Coverage(
            complete=cut is None and progress.frontier == 0,
            states=progress.states,
            transitions=progress.transitions,
            depth=progress.depth,
            seconds=self.seconds,
            cpu_seconds=self.cpu_seconds,
            bytes=progress.bytes,
            cut=cut,
            frontier=progress.frontier,
        )

    def time_is_up(self) -> Cut | None:
        return self.limits.time_is_up(self.started)

    def too_many(self, store: Store) -> Cut | None:
        """Whether there are more states than wanted."""
        most = self.limits.max_states
        return None if most is None or store.states <= most else cut_by_states(most)

    def no_room(self, store: Store) -> Cut | None:
        """Which limit of memory the states found so far exceed."""
        if store.states < self.room(store) and self.may_grow(store, 2):
            return None
        return self.no_memory

    def no_room_for_steps(self, store: Store) -> Cut | None:
        """Why the ledger cannot be kept, if so."""
        assert store.ledger is not None
        if store.states >= store.ledger.most_states:
            return cut_by_numbers(store.ledger.most_states)
        return self.no_memory if store.ledger.is_full else self.no_room(store)

    @property
    def no_memory(self) -> Cut:
        room = self.limits.max_bytes
        return Cut(CutBy.FULL, "the machine's memory is full") if room is None else cut_by_memory(room)

    @property
    def most_bytes(self) -> int:
        """What everything may take together."""
        return most_bytes() if self.limits.max_bytes is None else self.limits.max_bytes

    def room(self, store: Store) -> int:
        """How many states the bytes allow beside the present table and entries."""
        left = self.most_bytes - store.bytes + store.states * store.bytes_per_state
        return min(store.most, max(0, left // store.bytes_per_state))

    def may_grow(self, store: Store, factor: int) -> bool:
        """Whether the bytes allow a greater table, beside the present one while states move."""
        return store.bytes + WORD * len(store.table) * factor <= self.most_bytes
