"""The native engine: the search loop and the kernel as machine code, on as many threads as asked
for.

Python's part is to prepare memory, to let the table grow, and to watch. All native code runs in
threads of a pool, without the interpreter's lock; the calling thread waits in short turns, tells
the observer how far the search is, and reacts to limits and to the keyboard by raising a flag
that the native loop looks at before each block. Levels of few states are expanded by one thread.
"""

from __future__ import annotations

import ctypes
import inspect
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise

import numpy as np

from angarium.compile.backend.jit import Library, build
from angarium.compile.backend.kernel import Kernel, compile_system
from angarium.compile.backend.layout import Words
from angarium.compile.backend.lowlevel import constants_in, translate
from angarium.explore import core
from angarium.explore.engine import INTERRUPTED, Limits, Observer, Outcome, Progress
from angarium.explore.interpret import initial_states
from angarium.explore.native_memory import WORD, Own, Store, address, physical_memory
from angarium.explore.native_runs import run_to
from angarium.model.transition import TransitionSystem
from angarium.verdict import Coverage

__all__ = ["NativeEngine", "compile_system"]

TURN = 0.1
"""Seconds between two looks at a running search."""
LOAD, LAST_LOAD = 0.7, 0.9
"""How full the table may be before it grows, and where there is no room to grow."""
SHARE_OF_MEMORY = 0.85
"""The part of the machine's memory that a search without a limit takes at most."""
HASTY = 1 << 18
"""Slots up to which a table grows by more than doubling."""
WORTH_SHARING = 4096
"""States of a level that several threads expand."""
_NO_LIMITS = Limits()


class NativeEngine:
    """Explores in native code."""

    name = "local"

    def __init__(self, *, _capacity: int = 1 << 16, _block: int | None = None) -> None:
        self._capacity, self._block = _capacity, _block

    def search(
        self,
        system: TransitionSystem,
        *,
        limits: Limits = _NO_LIMITS,
        threads: int = 1,
        symmetry: bool = False,
        observe: Observer | None = None,
    ) -> Outcome:
        """Explore until nothing is new, every guarantee is hit, or a limit is met."""
        watch = _Watch(limits, observe)
        kernel = compile_system(system, symmetry=symmetry)
        block = self._block or max(1, min(64, 8192 // max(1, kernel.fan_out)))
        search = _Search(kernel, watch, threads, block, self._capacity)
        try:
            search.explore()
            return search.outcome()
        finally:
            search.end()


# --- native functions -----------------------------------------------------------------


@cache
def core_library(word_count: int, symmetric: bool, together: bool) -> Library:
    """The search loop for states of so many words."""
    constants = {
        **constants_in(vars(core)),
        "WORDS": word_count,
        "WIDE": int(word_count > 1),
        "SYMMETRIC": int(symmetric),
    }
    names = ("expand", "end_level", "enter", "move", "trace")
    exported = {name: {**constants, "TOGETHER": 0} for name in names}
    if together:
        shared = {**constants, "TOGETHER": 1}
        exported |= {f"{name}.together": shared for name in ("expand", "enter", "move")}
    return build(translate(inspect.getsource(core), exported), exported)


class _Core:
    """The native functions, as Python calls them."""

    def __init__(self, kernel: Kernel, threads: int) -> None:
        symmetric = kernel.symmetry is not None
        self._library = core_library(kernel.layout.words, symmetric, threads > 1)

    def call(self, name: str, *arguments: int) -> int:
        """Call a function on words."""
        prototype = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_uint64] * len(arguments))
        return int(prototype(self._library.addresses[name])(*arguments))


# --- watching -------------------------------------------------------------------------


@dataclass
class _Watch:
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
        timeout = self.limits.timeout
        left = TURN if timeout is None else timeout - self.seconds
        return min(TURN, left) if left > 0 else TURN

    def time_is_up(self) -> str | None:
        timeout = self.limits.timeout
        if timeout is None or self.seconds < timeout:
            return None
        return f"time limit of {timeout:g} s"

    def no_room(self, store: Store) -> str | None:
        """Which limit the states found so far exceed."""
        most, room = self.limits.max_states, self.limits.max_bytes
        if most is not None and store.states > most:
            return f"limit of {most:,} states"
        if store.states < self.room(store) and self.may_grow(store, 2):
            return None
        return "the machine's memory is full" if room is None else f"limit of {room:,} bytes"

    @property
    def most_bytes(self) -> int:
        """What the table and the log may take together."""
        most = self.limits.max_bytes
        return int(WORD * physical_memory() * SHARE_OF_MEMORY) if most is None else most

    def room(self, store: Store) -> int:
        """How many states the bytes allow beside the present table."""
        left = self.most_bytes - WORD * len(store.table)
        return min(store.most, max(0, left // (WORD * store.words)))

    def may_grow(self, store: Store, factor: int) -> bool:
        """Whether the bytes allow a greater table, beside the present one while states move."""
        return store.bytes + WORD * len(store.table) * factor <= self.most_bytes


class _Search:
    """One search."""

    def __init__(
        self,
        kernel: Kernel,
        watch: _Watch,
        threads: int,
        block: int,
        capacity: int,
    ) -> None:
        self.kernel, self.watch, self.threads = kernel, watch, threads
        self.pool = ThreadPoolExecutor(threads)
        self.core = _Core(kernel, threads)
        self.store = Store(kernel, block, capacity)
        self.shared = address(self.store.shared)
        self.own = [Own(kernel, block) for _ in range(threads)]
        self.slack = threads * block * max(1, kernel.fan_out)
        self.cut: str | None = None
        self._over = False
        self.initial = kernel.layout.pack_all(initial_states(kernel.system))
        goal = sum(1 << bit for bit in kernel.bits.values())
        self.store.shared[core.GOAL] = goal
        self.store.shared[core.WORTH_SHARING] = WORTH_SHARING if threads > 1 else 2**63

    # --- searching --------------------------------------------------------------------

    def explore(self) -> None:
        """Search until there is no more to find, or until told to stop."""
        try:
            self._explore()
        except KeyboardInterrupt:
            self._cut(INTERRUPTED)
            # It may have come anywhere, also between the start of a thread and our knowing of it.
            self.pool.shutdown()
            self.pool = ThreadPoolExecutor(1)
        self._over = True
        self.store.shared[core.STOP] = 0

    def _explore(self) -> None:
        """Expand level after level."""
        distinct = dict.fromkeys(map(tuple, self.kernel.canonical(self.initial).tolist()))
        self.store.begin(np.array(list(distinct), np.uint64))
        self._grow(1)
        together = False
        while self.cut is None and self.store.states:
            reason = self._expand(together)
            if reason == core.FULL:
                self._make_room()
            elif together:
                ended = self.core.call("end_level", self.shared)
                if ended == core.FINISHED + 1:
                    return
                together = ended == core.SHARE + 1
            elif reason == core.SHARE:
                together = True
            else:
                return

    def _expand(self, together: bool) -> int:
        """Run the native loop; why it came back."""
        name, own = ("expand.together", self.own) if together else ("expand", self.own[:1])
        reasons = self._run(name, [(self.shared, address(each.fields)) for each in own])
        return core.FULL if core.FULL in reasons else reasons[0]

    def _run(self, name: str, calls: Sequence[Sequence[int]]) -> list[int]:
        """Call a native function, each time in a thread, and watch until all are back."""
        running = [self.pool.submit(self.core.call, name, *arguments) for arguments in calls]
        while wait(running, timeout=self.watch.turn).not_done:
            self._look()
        return [each.result() for each in running]

    def _look(self) -> None:
        """What the calling thread does while others search."""
        late = None if self._over else self.watch.time_is_up()
        if late:
            self._cut(late)
        if self.watch.observe:
            self.watch.observe(self.progress())

    def _cut(self, reason: str) -> None:
        self.cut = self.cut or reason
        self.stop()

    def stop(self) -> None:
        """Tell the native loop to come back."""
        self.store.shared[core.STOP] = 1

    def end(self) -> None:
        """Let no thread go on when the memory is given back."""
        self.stop()
        self.pool.shutdown()

    # --- growing ----------------------------------------------------------------------

    def _make_room(self) -> None:
        """The native loop wants no more states before there is room, or may not have more."""
        reason = self.cut or self.watch.no_room(self.store)
        if reason:
            self._cut(reason)
        elif len(self.store.table) < HASTY and self.watch.may_grow(self.store, 4):
            self._grow(4)
        else:
            self._grow(2)

    def _grow(self, factor: int) -> None:
        """Move all states to a table that is so many times greater, or greater still."""
        capacity = len(self.store.table) * factor
        while self._fill(capacity) <= self.store.states:
            capacity *= 2
        self.store.use_table(capacity)
        old = self.store.old_table
        if factor > 1 and self.store.words == 1:
            self._share_out("move", len(old), address(old))
        else:
            self._share_out("enter", self.store.states)
        self.store.drop_old_table()
        self._limit()

    def _share_out(self, name: str, count: int, *arguments: int) -> None:
        """Run a function over a range, a part in each thread."""
        if self.threads == 1 or count < WORTH_SHARING:
            self._run(name, [(self.shared, *arguments, 0, count)])
            return
        ends = [count * part // self.threads for part in range(self.threads + 1)]
        parts = [(self.shared, *arguments, start, end) for start, end in pairwise(ends)]
        self._run(f"{name}.together", parts)

    def _fill(self, capacity: int, load: float = LOAD) -> int:
        """At how many states a table is full: threads add what they hold, and a slot stays free."""
        return min(int(capacity * load), capacity - self.slack - 1)

    def _limit(self) -> None:
        """At how many states the native loop comes back."""
        table, most = len(self.store.table), self.watch.limits.max_states
        load = LOAD if self.watch.may_grow(self.store, 2) else LAST_LOAD
        limit = min(self._fill(table, load), self.watch.room(self.store))
        self.store.shared[core.LIMIT] = limit if most is None else min(limit, most + 1)

    # --- the answer -------------------------------------------------------------------

    def progress(self) -> Progress:
        store = self.store
        transitions = sum(each.transitions for each in self.own)
        return Progress(
            store.states,
            transitions,
            store.depth,
            store.frontier,
            store.bytes,
            self.watch.seconds,
            store.level_sizes,
        )

    def outcome(self) -> Outcome:
        """What was covered, and a run for each guarantee that was hit."""
        if self.watch.observe:
            self.watch.observe(self.progress())
        hits = {name: self.store.first_hit(bit) for name, bit in self.kernel.bits.items()}
        runs = {
            name: run_to(self.kernel, self.store, self._trace, number, self.initial)
            for name, number in hits.items()
            if number is not None
        }
        return Outcome(self.coverage(), runs)

    def _trace(self, level: int, number: int, path: Words) -> None:
        own = address(self.own[0].fields)
        self._run("trace", [(self.shared, own, level, number, address(path))])

    def coverage(self) -> Coverage:
        progress, store = self.progress(), self.store
        return Coverage(
            complete=self.cut is None and store.frontier == 0,
            states=progress.states,
            transitions=progress.transitions,
            depth=progress.depth,
            seconds=self.watch.seconds,
            cpu_seconds=self.watch.cpu_seconds,
            bytes=progress.bytes,
            cut=self.cut,
            frontier=progress.frontier,
        )
