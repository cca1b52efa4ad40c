"""The native engine: the search loop and the kernel as machine code, on as many threads as asked
for.

Python's part is to prepare memory, to let the table grow, and to watch. All native code runs in
threads of a pool, without the interpreter's lock; the calling thread waits in short turns, tells
the observer how far the search is, and reacts to limits and to the keyboard by raising a flag
that the native loop looks at before each block. Levels of few states are expanded by one thread.
Where the graph is wished for, the loop is another one, which also writes down the steps (`link`).
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np

from angarium.checker.backend.kernel import Kernel, compile_system
from angarium.checker.backend.layout import Layout, Words
from angarium.checker.explore import core, link_core
from angarium.checker.explore.engine import Observer, Outcome, Progress
from angarium.checker.explore.graph import Graph, Wish
from angarium.checker.explore.interpret import initial_states
from angarium.checker.explore.labelled import compile_labelled
from angarium.checker.explore.native_memory import Ledger, Own, Store, address, block_of
from angarium.checker.explore.native_runs import run_to
from angarium.checker.explore.native_watch import Watch
from angarium.checker.ir.transition import STAYS_IN_RANGE, Cells, TransitionSystem
from angarium.core.control import Cut, CutError, Limits, cut_of
from angarium.core.result import Coverage
from angarium.native.functions import compile_functions
from angarium.native.jit import Library
from angarium.native.lowlevel import constants_in

__all__ = ["NativeEngine", "compile_system"]

LOAD, LAST_LOAD = 0.7, 0.9
"""How full the table may be before it grows, and where there is no room to grow."""
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
        graph: Wish | None = None,
    ) -> Outcome:
        """Explore until nothing is new, every guarantee is hit, or a limit is met."""
        assert not (graph and symmetry), "the graph is one of states, not of representatives"
        watch = Watch(limits, observe)
        kernel = compile_labelled(system, graph) if graph else compile_system(system, symmetry=symmetry)
        block = self._block or block_of(kernel)
        store = Store(kernel, Layout(system.variables), block, self._capacity)
        if graph:
            store.keep(Ledger(system, graph, scattered=threads > 1))
        search = _Search(system, kernel, store, watch, threads, block)
        try:
            search.explore()
            return search.outcome()
        finally:
            search.end()


# --- native functions -----------------------------------------------------------------


@cache
def core_library(word_count: int, stride: int, symmetric: bool, together: bool) -> Library:
    """The search loop for states of so many words, and successors of so many."""
    labelled = stride > word_count
    constants = {
        **constants_in(vars(core)),
        **constants_in(vars(link_core)),
        "WORDS": word_count,
        "STRIDE": stride,
        "WIDE": int(word_count > 1 or labelled),
        "SYMMETRIC": int(symmetric),
        "LABELLED": int(labelled),
        "EVENTFUL": int(stride > word_count + 1),
        "SCATTERED": int(together),
    }
    shared = ("link", "enter") if labelled else ("expand", "enter", "move")
    alone = (*shared, "end_level", "trace", *(("gather", "gather_words") if labelled else ()))
    exported = {name: {**constants, "TOGETHER": 0} for name in alone}
    if together:
        exported |= {f"{name}.together": {**constants, "TOGETHER": 1} for name in shared}
    return compile_functions((core, link_core) if labelled else (core,), exported)


class _Search:
    """One search."""

    def __init__(
        self,
        system: TransitionSystem,
        kernel: Kernel,
        store: Store,
        watch: Watch,
        threads: int,
        block: int,
    ) -> None:
        self.system, self.kernel, self.store = system, kernel, store
        self.watch, self.threads = watch, threads
        self.pool = ThreadPoolExecutor(threads)
        symmetric = kernel.symmetry is not None
        self.core = core_library(store.words, kernel.layout.words, symmetric, threads > 1)
        self.loop = "expand" if store.ledger is None else "link"
        self.shared = address(self.store.shared)
        self.own = [Own(kernel, block) for _ in range(threads)]
        self.slack = threads * block * max(1, kernel.fan_out)
        self.cut: Cut | None = None
        self.graph_cut: Cut | None = None
        self._over = False
        self._halting = ExitStack()
        self.initial = store.layout.pack_all(initial_states(system))
        goal = sum(1 << bit for bit in kernel.bits.values())
        self.store.shared[core.GOAL] = goal
        self.store.shared[core.WORTH_SHARING] = WORTH_SHARING if threads > 1 else 2**63

    # --- searching --------------------------------------------------------------------

    def explore(self) -> None:
        """Search until there is no more to find, or until told to stop."""
        try:
            self._explore()
        except KeyboardInterrupt as problem:
            self._cut(cut_of(problem))
            self._wait_for_threads()
        self._over = True
        self._go_on()

    def _wait_for_threads(self) -> None:
        """An interrupt may have come anywhere, also between the start of a thread and our knowing of it."""
        self.stop()
        self.pool.shutdown()
        self.pool = ThreadPoolExecutor(1)

    def _explore(self) -> None:
        """Expand level after level."""
        distinct = dict.fromkeys(map(tuple, self.kernel.canonical(self.initial).tolist()))
        self.store.begin(np.array(list(distinct), np.uint64))
        self._grow(1)
        together = False
        while self.cut is None and self.store.states:
            reason = self._expand(together)
            if reason == core.FULL:
                try:
                    self._make_room()
                except MemoryError:
                    self._cut(self.watch.no_memory)
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
        name, own = (f"{self.loop}.together", self.own) if together else (self.loop, self.own[:1])
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

    def _cut(self, reason: Cut) -> None:
        self.cut = self.cut or reason
        self.stop()

    def stop(self) -> None:
        """Tell the native loop to come back, and the kernel if it is in a long loop."""
        self.store.shared[core.STOP] = 1
        self._halting.enter_context(self.kernel.library.halting())()

    def _go_on(self) -> None:
        """What comes behind the search may call them again."""
        self.store.shared[core.STOP] = 0
        self._halting.close()

    def end(self) -> None:
        """Let no thread go on when the memory is given back."""
        self.stop()
        self.pool.shutdown()
        self._halting.close()

    # --- growing ----------------------------------------------------------------------

    def _make_room(self) -> None:
        """The native loop wants no more states before there is room, or may not have more."""
        reason = self.cut or self.watch.too_many(self.store)
        if reason is None and self._ends_ledger():
            return
        reason = reason or self.watch.no_room(self.store)
        if reason:
            self._cut(reason)
        elif len(self.store.table) < HASTY and self.watch.may_grow(self.store, 4):
            self._grow(4)
        else:
            self._grow(2)

    def _ends_ledger(self) -> bool:
        """Whether steps are no longer written down from now on."""
        ledger = self.store.ledger
        if ledger is None:
            return False
        reason = self.watch.no_room_for_steps(self.store)
        if reason is None and not self.store.failed:
            return False
        self.graph_cut = reason
        self.store.drop_ledger()
        self._limit()
        return True

    def _grow(self, factor: int) -> None:
        """Move all states to a table that is so many times greater, or greater still."""
        capacity = len(self.store.table) * factor
        while self._fill(capacity) <= self.store.states:
            capacity *= 2
        self.store.use_table(capacity)
        old = self.store.old_table
        if factor > 1 and self.loop == "expand" and self.store.words == 1:
            self._share_out("move", len(old), address(old))
        else:
            self._share_out("enter", self.store.states)
        self.store.drop_old_table()
        self._limit()

    def _share_out(self, name: str, count: int, *arguments: int) -> None:
        """Run a function over a range, a part in each thread."""
        alone = self.threads == 1 or count < WORTH_SHARING
        parts = [(0, count)] if alone else self._parts(0, count)
        calls = [(self.shared, *arguments, *part) for part in parts]
        self._run(name if alone else f"{name}.together", calls)

    def _parts(self, start: int, end: int) -> list[tuple[int, int]]:
        """A range in as many parts as there are threads."""
        ends = [start + (end - start) * part // self.threads for part in range(self.threads + 1)]
        return list(pairwise(ends))

    def _fill(self, capacity: int, load: float = LOAD) -> int:
        """At how many states a table is full: threads add what they hold, and a slot stays free."""
        return min(int(capacity * load), capacity - self.slack - 1)

    def _limit(self) -> None:
        """At how many states the native loop comes back."""
        table, most = len(self.store.table), self.watch.limits.max_states
        load = LOAD if self.watch.may_grow(self.store, 2) else LAST_LOAD
        limit = min(self._fill(table, load), self.watch.room(self.store))
        self.store.limit(limit if most is None else min(limit, most + 1), self.watch.most_bytes, self.slack)

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
            store.expanding,
        )

    def outcome(self) -> Outcome:
        """What was covered, and a run for each guarantee that was hit."""
        if self.watch.observe:
            self.watch.observe(self.progress())
        names = (*(each.name for each in self.system.guarantees), STAYS_IN_RANGE)
        hits = {name: self.store.first_hit(self.kernel.bits[name]) for name in names}
        runs = {name: self._run_to(number) for name, number in hits.items() if number is not None}
        coverage = self.coverage()
        if not coverage.complete or self.store.failed:
            return Outcome(coverage, runs)
        graph = self._graph()
        coverage = replace(coverage, seconds=self.watch.seconds, cpu_seconds=self.watch.cpu_seconds)
        return Outcome(coverage, runs, graph, self.graph_cut, None if graph else self.visited)

    def _run_to(self, number: int) -> Sequence[Cells]:
        """A shortest run to a state; none if somebody does not wait for it."""
        try:
            return run_to(self.kernel, self.store, self._trace, number, self.initial)
        except KeyboardInterrupt as problem:
            self.graph_cut = cut_of(problem)
            self._wait_for_threads()
            self._go_on()
            return ()

    def visited(self) -> Words:
        """All states, packed, in the order in which they were found."""
        count, words = self.store.states, self.store.words
        return np.asarray(self.store.log[: count * words]).reshape(count, words)

    def _graph(self) -> Graph | None:
        """The graph of a complete search in which nothing failed, if it is wished for and there is room."""
        if self.store.ledger is None:
            return None
        self.store.drop_table()
        try:
            return self.store.ledger.graph(self.store, len(self.initial), self._gather)
        except (KeyboardInterrupt, CutError) as problem:
            # Memory that a thread still writes to must not be given back.
            self.pool.shutdown()
            self.graph_cut = cut_of(problem) if isinstance(problem, KeyboardInterrupt) else problem.cut
            return None

    def _gather(self, name: str, arguments: Sequence[int], start: int, end: int) -> None:
        """Bring the entries of some states into order, a part in each thread."""
        late = self.watch.time_is_up()
        if late:
            raise CutError(late)
        self._run(name, [(*arguments, *part) for part in self._parts(start, end)])

    def _trace(self, level: int, number: int, path: Words) -> None:
        own = address(self.own[0].fields)
        self._run("trace", [(self.shared, own, level, number, address(path))])

    def coverage(self) -> Coverage:
        return self.watch.coverage(self.progress(), self.cut)
