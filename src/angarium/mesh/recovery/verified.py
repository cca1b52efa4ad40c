"""Recovery tables are verified before anybody relies on them: every colour, every pair of living brokers.

    delivered   a message arrives, unless the failures leave no path at all
    loop-free   no message goes round, also where there is no path
    shortest    no path is cheaper than the one that is taken; where one is, as after an override, it shows,
                but it breaks no guarantee

How the tables were calculated does not count: the paths through them are walked, their costs are compared
over every living hop, and that proves all three at once (`verified_core` says why).

What an operator has overridden is verified as any other entry.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from angarium.core.control import Control, Cut, cut_of
from angarium.mesh.mesh import Failures
from angarium.mesh.recovery import verified_core as core
from angarium.mesh.recovery.overrides import Override as Override
from angarium.mesh.recovery.overrides import overridden as overridden
from angarium.mesh.recovery.tables import HEALTHY, Recovery
from angarium.mesh.routing import sweep_core
from angarium.mesh.routing.graph import Graph
from angarium.mesh.routing.sweep import changes_of
from angarium.mesh.routing.tables import Addresses, Routed, addresses, threads_for
from angarium.native.calls import Native

CORE = Native(core, ("check",))
_FIRSTS = [core.FIRST_LOST, core.FIRST_LOOPING, core.FIRST_LONGER]
Counts = NDArray[np.int64]
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ColourCheck:
    """What becomes of the messages between living brokers in one colour, in ordered pairs."""

    colour: int
    failures: Failures
    delivered: int
    cut_off: int
    """Dropped, and the failures leave no path."""
    lost: int
    """Dropped, although there is a path."""
    looping: int
    """Going round for ever."""
    longer: int
    """Delivered over a path that is not the cheapest."""
    extra: int
    """What the worst of these paths costs more than the cheapest."""
    first_lost: Pair | None
    """By source and then by destination."""
    first_looping: Pair | None
    first_longer: Pair | None

    @property
    def holds(self) -> bool:
        return not self.lost and not self.looping

    @property
    def first(self) -> Pair | None:
        """A pair that shows it, if it does not hold."""
        return self.first_lost or self.first_looping


@dataclass(frozen=True)
class Verification:
    """The verdicts of all colours."""

    recovery: Recovery
    tallies: Counts
    """By colour, the first being 1, as `verified_core` counts."""
    cut: Cut | None = None
    """What cut it short, if something did: then these are not all destinations, and nothing is proved."""

    def __len__(self) -> int:
        return len(self.tallies)

    def __getitem__(self, colour: int) -> ColourCheck:
        return _checked(self.recovery, colour, self.tallies[colour - HEALTHY])

    def __iter__(self) -> Iterator[ColourCheck]:
        return map(self.__getitem__, self.recovery.colours)

    @property
    def holds(self) -> bool:
        """Whether everything is delivered that can be, and nothing goes round."""
        return self.cut is None and not self.lost and not self.looping

    @property
    def pairs(self) -> int:
        """Ordered pairs of living brokers in all colours."""
        return int(self.tallies[:, : core.LONGER].sum())

    @property
    def delivered(self) -> int:
        return self._sum(core.DELIVERED)

    @property
    def cut_off(self) -> int:
        return self._sum(core.CUT)

    @property
    def lost(self) -> int:
        return self._sum(core.LOST)

    @property
    def looping(self) -> int:
        return self._sum(core.LOOPING)

    @property
    def longer(self) -> int:
        return self._sum(core.LONGER)

    def _sum(self, what: int) -> int:
        return int(self.tallies[:, what].sum())

    def violations(self) -> Iterator[ColourCheck]:
        """The colours in which something is lost or goes round."""
        return self._where(core.LOST, core.LOOPING)

    def detours(self) -> Iterator[ColourCheck]:
        """The colours in which some path is not the cheapest."""
        return self._where(core.LONGER)

    def _where(self, *what: int) -> Iterator[ColourCheck]:
        found = np.flatnonzero(self.tallies[:, what].any(axis=1))
        return (self[colour] for colour in (found + HEALTHY).tolist())


def _checked(recovery: Recovery, colour: int, tally: Counts) -> ColourCheck:
    names = recovery.graph.names
    delivered, cut_off, lost, looping, longer, extra, *firsts = tally.tolist()

    def pair(number: int) -> Pair | None:
        known = number < len(names) ** 2
        return (names[number // len(names)], names[number % len(names)]) if known else None

    first_lost, first_looping, first_longer = map(pair, firsts)
    return ColourCheck(
        colour,
        recovery.colours[colour],
        delivered=delivered,
        cut_off=cut_off,
        lost=lost,
        looping=looping,
        longer=longer,
        extra=extra,
        first_lost=first_lost,
        first_looping=first_looping,
        first_longer=first_longer,
    )


def verified(recovery: Recovery, control: Control | None = None) -> Verification:
    """Walk all tables of all colours."""
    check = _Check(recovery, control or Control())
    tallies = check.run(threads_for(recovery.graph, None))
    return Verification(recovery, tallies, check.control.cut)


class _Check:
    """The destinations of a recovery, which threads take one by one."""

    def __init__(self, recovery: Recovery, control: Control) -> None:
        self.control = control
        self._graph, self._colours = recovery.graph, len(recovery.colours)
        self._routed = Routed(recovery.graph, recovery.graph.costs)
        self._changes = changes_of(recovery.graph, recovery.failures)
        found = recovery.exceptions
        by_destination = np.ascontiguousarray(recovery.healthy.T)
        self._tables = addresses(by_destination, found.rows, found.destinations, found.brokers, found.next)
        self._destinations, self._done = count(), count(1)

    def run(self, threads: int) -> Counts:
        CORE.library  # noqa: B018 - compiled once, before the threads begin
        with ThreadPoolExecutor(threads) as pool:
            working = [pool.submit(self._work, number == 0) for number in range(threads)]
            try:
                wait(working)
            except KeyboardInterrupt as problem:
                self.control.cut = cut_of(problem)
        return _together(np.array([each.result() for each in working]))

    def _work(self, reports: bool) -> Counts:
        """What one thread does; one of them reports how far all are."""
        column = _column(self._graph)
        tallies = np.zeros((self._colours, core.TALLY), np.int64)
        tallies[:, _FIRSTS] = sweep_core.FAR
        given = (self._routed.words, column.words, self._changes.words, self._colours, self._tables.words)
        while (to := next(self._destinations)) < self._graph.brokers and not self.control.is_over():
            CORE.call("check", *given, to, tallies)
            done = next(self._done)
            if reports:
                self.control.report("destinations verified", done, self._graph.brokers)
        return tallies


def _column(graph: Graph) -> Addresses:
    """Memory for one thread, as `verified_core` lists it."""

    def numbers() -> NDArray[np.int32]:
        return np.zeros(graph.brokers, np.int32)

    def lengths() -> NDArray[np.uint64]:
        return np.zeros(graph.brokers, np.uint64)

    def flags() -> NDArray[np.uint8]:
        return np.zeros(graph.brokers, np.uint8)

    return addresses(
        *(graph.costs.copy(), numbers(), lengths(), flags(), flags(), numbers(), flags()),
        *(numbers(), lengths(), flags(), numbers(), numbers(), numbers(), lengths(), 0),
    )


def _together(tallies: Counts) -> Counts:
    """What the threads have found."""
    found: Counts = tallies.sum(axis=0)
    found[:, core.EXTRA] = tallies[:, :, core.EXTRA].max(axis=0)
    found[:, _FIRSTS] = tallies[:, :, _FIRSTS].min(axis=0)
    return found
