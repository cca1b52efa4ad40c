"""A search on a card, level after level: what this machine does while the card works.

A launch takes as many states of the level as there is room for all that they could lead to. So no thread of
the card ever finds the log full, no work is lost when the search grows, and every state below `Store.head`
is expanded whole. Only a search that is stopped leaves a launch in the middle; its states count as not
expanded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from angarium.checker.backend.layout import Words
from angarium.checker.explore import core
from angarium.checker.explore.engine import Outcome, Progress
from angarium.checker.explore.gpu import card_core
from angarium.checker.explore.gpu.cards import Card
from angarium.checker.explore.gpu.memory import SMALLEST_TABLE, Room, Store
from angarium.checker.explore.gpu.program import Program
from angarium.checker.explore.interpret import initial_states
from angarium.checker.explore.native_memory import WORD
from angarium.checker.explore.native_runs import run_to
from angarium.checker.explore.native_watch import Watch
from angarium.checker.explore.never import MOST_STATES
from angarium.checker.ir.transition import STAYS_IN_RANGE, Cells
from angarium.core.control import Cut, CutBy, CutError, cut_by_memory, cut_by_states, cut_of
from angarium.core.result import Coverage

MOST_AT_ONCE = 1 << 24
"""States of a launch, so that somebody hears of the search now and then."""
WORTH_A_LAUNCH = 1 << 14
"""States: where there is room for fewer, the search rather grows."""
LEAST_AT_ONCE = 256
"""States of a launch near a limit of states."""
HASTY = 1 << 30
"""Slots up to which a table grows by more than doubling."""
FIRST_SHARE = 1 / 64
"""The part of the memory that the first table takes at most."""
SHARE = 0.92
"""The part of the free memory that a search takes: others use the card too."""


def room_of(card: Card, most: int | None) -> int:
    """Bytes that a search may take: of the memory that nobody else has, and at most so many."""
    free = int(card.free_memory * SHARE)
    return free if most is None else min(most, free)


class CardSearch:
    """One search."""

    def __init__(self, card: Card, program: Program, watch: Watch, capacity: int | None = None) -> None:
        self.card, self.program, self.watch = card, program, watch
        self.initial = program.layout.pack_all(initial_states(program.system))
        self.cut: Cut | None = None
        self.untold: Cut | None = None
        """Why runs are not looked for."""
        room = room_of(card, watch.limits.max_bytes)
        self.store = Store(card, program, Room(room, program.layout.words))
        self._goal = sum(1 << bit for bit in program.bits.values())
        self._first_capacity = capacity

    # --- searching --------------------------------------------------------------------

    def explore(self) -> None:
        """Search until there is no more to find, or until told to stop."""
        try:
            self._begin()
            while self.cut is None and self._expand_level():
                pass
        except MemoryError:
            self._cut(self.no_memory)
        except CutError as full:
            self._cut(full.cut)
        except KeyboardInterrupt as problem:
            self._cut(cut_of(problem))
        self._rest()

    def _begin(self) -> None:
        distinct = dict.fromkeys(map(tuple, self.program.canonical(self.initial).tolist()))
        wanted = self._first_capacity or int(self.store.room.bytes * FIRST_SHARE / WORD)
        slots = max(SMALLEST_TABLE, 1 << (max(1, wanted).bit_length() - 1))
        while not self.store.may_have(slots) or self.store.room.states(slots, 0) < len(distinct):
            if not self.store.may_have(slots):
                raise MemoryError
            slots *= 2
        self.store.use(slots)
        self.store.begin(np.array(list(distinct), np.uint64))
        self._enter_all()

    def _expand_level(self) -> bool:
        """Expand all states of a level; whether there is another one."""
        store = self.store
        while store.head < store.level_end:
            count = self._count()
            if count == 0:
                return False
            end = store.within_reach(store.head, store.head + count)
            self.launch("expand_states", store.head, end)
            if self.cut:
                return False
            store.head = end
        store.starts.append(store.level_end)
        store.set(core.LEVEL_END, store.states)
        if self.program.wish is None and int(store.fields[core.HITS]) == self._goal:
            return False
        return store.head < store.states

    def _count(self) -> int:
        """How many states are expanded next; none if the search is cut."""
        store, most = self.store, self.watch.limits.max_states
        if most is not None and store.states > most:
            self._cut(cut_by_states(most))
            return 0
        left = min(store.level_end - store.head, MOST_AT_ONCE)
        if most is not None:
            left = min(left, max(LEAST_AT_ONCE, most + 1 - store.states))
        while self._room() < min(left, WORTH_A_LAUNCH) and self._grow():
            pass
        count = min(left, self._room())
        if count == 0:
            self._cut(self.no_memory)
        return count

    def _room(self) -> int:
        """For how many states there is room, whatever they lead to."""
        return (self.store.capacity - self.store.states) // max(1, self.program.fan_out)

    def _grow(self) -> bool:
        """Make a larger log and table, if there is memory for them, or keep the log elsewhere."""
        store = self.store
        if store.spill:
            return self._make_room()
        for factor in (4, 2) if store.slots < HASTY else (2,):
            if store.may_have(store.slots * factor):
                store.use(store.slots * factor)
                self._enter_all()
                return True
        if not store.may_spill or not store.begin_spilling():
            return False
        self._enter_all()
        return self._room() > 0

    def _make_room(self) -> bool:
        """Empty the card's part of a log that lies elsewhere; whether that is of use."""
        before = self._room()
        self.store.make_room()
        return self._room() > before

    def _enter_all(self) -> None:
        """Put all states of the log into an empty table."""
        start = 0
        while start < self.store.states:
            end = self.store.within_reach(start, self.store.states)
            self.launch("enter_states", start, end)
            start = end

    # --- launches ---------------------------------------------------------------------

    def launch(self, name: str, start: int, end: int, *arguments: int) -> None:
        """Start a function for a range of states, and watch until it has ended."""
        self.card.start(name, min(end - start, self.store.threads), self.store.shared, start, end, *arguments)
        while not self.card.is_done(self.watch.turn):
            self._look()
        self.store.refresh()
        self._look()

    def _look(self) -> None:
        """What this machine does while the card works."""
        late = self.watch.time_is_up()
        if late:
            self._cut(late)
        if self.watch.observe:
            self.watch.observe(self.progress())

    def _cut(self, why: Cut) -> None:
        if self.cut is None:
            self.cut = why
            self._stop(1)

    def _stop(self, wanted: int) -> None:
        """Tell all threads to come back, or that they may go on."""
        self.store.set(core.STOP, wanted)
        self.card.halt(wanted)

    def _rest(self) -> None:
        """Wait for what is still running, and let what comes behind use the card."""
        while not self.card.is_done(self.watch.turn):
            pass
        self.store.refresh()
        if int(self.store.fields[core.STOP]):
            self._stop(0)

    def break_off(self) -> None:
        """End what is running."""
        self._stop(1)
        self._rest()

    def close(self) -> None:
        """Give back what is not the card's."""
        if self.store.spill:
            self.store.spill.close()

    @property
    def no_memory(self) -> Cut:
        most = self.watch.limits.max_bytes
        if most is None or most > self.store.room.bytes:
            return Cut(CutBy.FULL, f"the memory of {self.card.name} is full")
        return cut_by_memory(most)

    # --- the answer -------------------------------------------------------------------

    def progress(self) -> Progress:
        store = self.store
        sizes = [int(size) for size in np.diff(store.level_starts)]
        return Progress(
            store.states,
            store.transitions,
            store.depth,
            store.states - store.head,
            store.bytes,
            self.watch.seconds,
            sizes,
            store.level_end - store.starts[-1],
        )

    def outcome(self) -> Outcome:
        """What was covered, and a run for each guarantee that was hit."""
        if self.watch.observe:
            self.watch.observe(self.progress())
        names = (*(each.name for each in self.program.system.guarantees), STAYS_IN_RANGE)
        hits = {name: self.store.first_hit(self.program.bits[name]) for name in names}
        runs = {name: self._run_to(number) for name, number in hits.items() if number is not None}
        return Outcome(self.coverage(), runs, None, self.untold, visited=self._visited())

    def coverage(self) -> Coverage:
        return self.watch.coverage(self.progress(), self.cut)

    def _run_to(self, number: int) -> Sequence[Cells]:
        """A shortest run to a state; none if somebody does not wait for it."""
        if self.untold:
            return ()
        try:
            return run_to(self.program.kernel, self.store, self._trace, number, self.initial)
        except KeyboardInterrupt as problem:
            self.untold = cut_of(problem)
            self.break_off()
            return ()

    def _trace(self, level: int, number: int, path: Words) -> None:
        """Go back from a state of a level to an initial one."""
        starts = self.store.starts
        path[level] = number
        wanted = self.card.allocate(self.store.row)
        try:
            for each in reversed(range(level)):
                self.card.write(wanted, np.ascontiguousarray(self.store.state(int(path[each + 1]))))
                path[each] = self._parent(starts[each], starts[each + 1], wanted)
        finally:
            self.card.free(wanted)

    def _parent(self, start: int, end: int, wanted: int) -> int:
        """Some state of a range that has a step to the one that lies there."""
        self.store.set(card_core.PARENT, card_core.NOTHING)
        while start < end and int(self.store.fields[card_core.PARENT]) == card_core.NOTHING:
            reached = self.store.within_reach(start, end)
            count = min(reached - start, self.store.threads)
            self.card.start("find_parent", count, self.store.shared, start, reached, wanted)
            while not self.card.is_done(self.watch.turn):
                pass
            self.store.refresh()
            start = reached
        parent = int(self.store.fields[card_core.PARENT])
        assert parent != card_core.NOTHING, "a state has no predecessor in the level before its own"
        return parent

    def _visited(self) -> Callable[[], Words] | None:
        """All states, if somebody may look at them again."""
        store = self.store
        if self.cut or store.head < store.states or store.failed or store.states > MOST_STATES:
            return None
        states = store.read(0, store.states)
        return lambda: states
