"""The chances of missing a bound, by simulation: sets of failures are drawn, and latencies.

Runs are divided over the numbers of failures. If just k things are down with the chance w, the limits of what
happens then count w times: so the most runs belong where w is large, but not in proportion, since also rare
classes must be known a little. In proportion to the root of w, the limits of rare events together are
narrowest. Runs come in units of at most `UNIT`, which threads and machines draw as they come.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import sqrt

from angarium.core.control import reason
from angarium.mesh.chances.drawing import (
    CORE,
    IS_AWAY,
    IS_LATE,
    IS_LOST,
    MAY_BE_EARLIER,
    Drawing,
    Drawn,
    Unit,
    drawing_of,
)
from angarium.mesh.chances.intervals import Chance, Class, together
from angarium.mesh.chances.latency import Latencies, Missing, Observer
from angarium.mesh.chances.risks import MOST_AT_ONCE, Strata
from angarium.mesh.mesh import Mesh

UNIT = 1 << 14
REST = 1e-9
"""What more failures than are drawn may weigh."""
LEAST = 200
"""Runs that every number of failures gets."""

Done = dict[int, Drawn]
"""By number of failures."""


def allotted(strata: Strata, runs: int) -> list[int]:
    """How many runs each number of failures gets."""
    most = min(strata.enough(REST), MOST_AT_ONCE)
    roots = [sqrt(weight) for weight in strata.weights[: most + 1]]
    return [max(LEAST, round(runs * root / sum(roots))) for root in roots]


def units(allotment: Sequence[int]) -> Iterator[Unit]:
    """All runs in units: the first of every number of failures come first, so that all are known a little."""
    number = 0
    for first in range(0, max(allotment), UNIT):
        for failures, runs in enumerate(allotment):
            if runs > first:
                yield Unit(number, failures, min(UNIT, runs - first))
                number += 1


def simulated(
    mesh: Mesh,
    *,
    topics: Sequence[str] = (),
    runs: int = 1_000_000,
    confidence: float = 0.95,
    seed: int = 0,
    threads: int | None = None,
    observe: Observer | None = None,
    timeout: float | None = None,
) -> Latencies:
    """Limits between which each chance is with the confidence that is asked for."""
    begin = time.monotonic()
    drawing, done, cut, made = drawing_of(mesh, topics, seed), Done(), None, 0
    allotment = allotted(drawing.strata, runs)
    try:
        for each in _drawn(drawing, units(allotment), threads or os.cpu_count() or 1):
            put(done, [each])
            made += each.runs
            if observe:
                observe(f"{made:,} of {sum(allotment):,} runs")
            if timeout is not None and time.monotonic() - begin > timeout and made < sum(allotment):
                cut = f"time limit of {timeout:g} s"
                break
    except KeyboardInterrupt as problem:
        cut = reason(problem)
    seconds = time.monotonic() - begin
    return summed(mesh, drawing, done, confidence, seconds=seconds, engine="local", cut=cut)


def _drawn(drawing: Drawing, asked: Iterator[Unit], threads: int) -> Iterator[Drawn]:
    """Units as they are drawn, one for every thread at a time."""
    CORE.library  # noqa: B018 - compiled once, before the threads begin
    with ThreadPoolExecutor(threads) as pool:
        while some := [unit for _, unit in zip(range(threads), asked, strict=False)]:
            yield from pool.map(drawing.draw, some)


def put(done: Done, more: Iterable[Drawn]) -> None:
    """Add what came of more units."""
    for each in more:
        if each.failures in done:
            done[each.failures].add(each)
        else:
            done[each.failures] = each


def summed(
    mesh: Mesh,
    drawing: Drawing,
    done: Mapping[int, Drawn],
    confidence: float,
    *,
    seconds: float,
    engine: str,
    cut: str | None,
) -> Latencies:
    """What all units say together."""
    strata, most = drawing.strata, max(done, default=0)
    rest = strata.beyond(most) + sum(strata.weights[size] for size in range(most + 1) if size not in done)
    places = range(len(drawing.ways.questions))
    return Latencies(
        mesh,
        tuple(_missing(drawing, place, done, rest, confidence) for place in places),
        risks=len(drawing.risks),
        healthy=strata.healthy,
        failures=most,
        rest=rest,
        sets=sum(each.sets for each in done.values()),
        seconds=seconds,
        engine=engine,
        runs=sum(each.runs for each in done.values()),
        confidence=confidence,
        seed=drawing.seed,
        cut=cut,
    )


def _missing(
    drawing: Drawing, place: int, done: Mapping[int, Drawn], rest: float, confidence: float
) -> Missing:
    def chance(*kinds: int) -> Chance:
        classes = [
            Class(
                drawing.strata.weights[size],
                each.runs,
                int(each.tallies[place, list(kinds)].sum()),
                certain=bool(each.certain[place]) or (size == 0 and IS_LATE not in kinds),
            )
            for size, each in sorted(done.items())
        ]
        return together(classes, rest, confidence)

    away, lost, late = chance(IS_AWAY), chance(IS_LOST), chance(IS_LATE)
    missed = chance(IS_AWAY, IS_LOST, IS_LATE)
    is_limit = late.value > 0 and any(each.tallies[place, MAY_BE_EARLIER] for each in done.values())
    if is_limit:
        late = replace(late, value=late.high, low=0.0)
        missed = replace(missed, value=missed.high, low=chance(IS_AWAY, IS_LOST).low)
    return Missing(drawing.ways.questions[place], away, lost, late, missed, is_limit)
