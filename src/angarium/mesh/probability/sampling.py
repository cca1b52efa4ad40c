"""How likely a message misses its bound, by simulation: sets of failures are drawn, and latencies.

Runs are divided over the numbers of failures. If just k things are down with the chance w, the limits of what
happens then count w times: so the most runs belong where w is large, but not in proportion, since also rare
classes must be known a little. In proportion to the root of w, the limits of rare events together are
narrowest. Runs come in units of at most `UNIT`, which threads and machines draw as they come.

They are drawn in units that depend on the seed and their own number alone.

In a unit all runs have the same number of failures. Each different set that is drawn is looked at once; where
it makes no difference to a question, its runs are like those without failures. For every path that comes of
it latencies are drawn by compiled functions.

On Spark the same units are drawn wherever there is a core, and the figures are the same.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import islice
from math import floor, sqrt
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from angarium.core.control import Control, Cut
from angarium.mesh.distributions import EXPONENTIAL, NORMAL, UNIFORM, Part
from angarium.mesh.mesh import Mesh
from angarium.mesh.probability import latency_core as core
from angarium.mesh.probability.latency import (
    MOST_AT_ONCE,
    Latencies,
    Missing,
    Risk,
    Sets,
    Strata,
    dead_in,
    risks_of,
    strata_of,
)
from angarium.mesh.probability.limits import Class, Probability, certainly_late, together
from angarium.mesh.probability.paths import ARRIVES, AWAY, LOST, Outcome, Paths, paths_of
from angarium.native.calls import Native
from angarium.spark.jobs import PIECES, Jobs
from angarium.spark.place import Place
from angarium.spark.session import session

CORE = Native(core, ("late",))
NANOSECONDS = 1_000_000
"""Of a millisecond."""
LONGEST = 2.0**62
"""Nanoseconds that no sum of latencies reaches."""
MOST_KEPT = 20_000
"""Sets of failures whose outcomes are remembered."""
WORDS = {UNIFORM: core.IS_UNIFORM, EXPONENTIAL: core.IS_EXPONENTIAL, NORMAL: core.IS_NORMAL}
IS_AWAY, IS_LOST, IS_LATE, MAY_BE_EARLIER = range(4)
"""What is counted of each question; the last: paths on which another copy may have been first."""
_PLACES = {AWAY: IS_AWAY, LOST: IS_LOST}

Tallies = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Unit:
    """Some runs with the same number of failures."""

    number: int
    failures: int
    runs: int


@dataclass(slots=True)
class Drawn:
    """What came of units with the same number of failures."""

    failures: int
    runs: int
    tallies: Tallies
    """By question."""
    certain: NDArray[np.bool_]
    """By question: whether nothing was left to chance."""
    sets: int
    """Different sets of failures in a unit, at most."""

    def add(self, more: Drawn) -> None:
        """What came of more units."""
        self.runs += more.runs
        self.tallies += more.tallies
        self.certain &= more.certain
        self.sets = max(self.sets, more.sets)


@dataclass
class Drawing:
    """Everything that is needed to draw units."""

    paths: Paths
    risks: tuple[Risk, ...]
    strata: Strata
    seed: int
    _changes: dict[tuple[int, ...], dict[int, Outcome]] = field(default_factory=dict)
    _one_at_a_time: Lock = field(default_factory=Lock)
    """Who asks for paths; what is drawn behind them goes on in all threads."""

    def draw(self, unit: Unit) -> Drawn:
        """Draw the sets of a unit, and latencies for all that arrives."""
        random = np.random.Generator(np.random.Philox(key=[self.seed % 2**64, unit.number]))
        sets, counts = different(self.strata.drawn(unit.failures, unit.runs, random), len(self.risks))
        questions = len(self.paths.questions)
        found = Drawn(
            unit.failures,
            unit.runs,
            np.zeros((questions, MAY_BE_EARLIER + 1), np.int64),
            np.full(questions, unit.failures == 0),
            len(sets),
        )
        for stream, ((place, outcome), count) in enumerate(self._jobs(unit, sets, counts).items()):
            found.certain[place] &= self._count(
                found.tallies[place], outcome, place, count, (unit.number << 32) + stream
            )
        return found

    def _jobs(self, unit: Unit, sets: Sets, counts: NDArray[np.int64]) -> dict[tuple[int, Outcome], int]:
        """How many runs of each question have which outcome."""
        jobs = dict.fromkeys(enumerate(self.paths.healthy), unit.runs)
        for numbers, count in zip(sets.tolist(), counts.tolist(), strict=True):
            for place, outcome in self._changed(tuple(numbers)).items():
                jobs[place, self.paths.healthy[place]] -= count
                jobs[place, outcome] = jobs.get((place, outcome), 0) + count
        return {job: count for job, count in jobs.items() if count}

    def _changed(self, numbers: tuple[int, ...]) -> dict[int, Outcome]:
        with self._one_at_a_time:
            if numbers not in self._changes:
                if len(self._changes) >= MOST_KEPT:
                    self._changes.clear()
                self._changes[numbers] = self.paths.changed(dead_in(self.risks, numbers))
            return self._changes[numbers]

    def _count(self, tally: Tallies, outcome: Outcome, place: int, count: int, stream: int) -> bool:
        """Count what becomes of so many messages; whether chance had no part in it."""
        if outcome.kind != ARRIVES:
            tally[_PLACES[outcome.kind]] += count
            return True
        bound = self.paths.questions[place].bound
        tally[MAY_BE_EARLIER] += outcome.is_limit
        always = certainly_late(outcome.constant, outcome.parts, bound)
        if always is not None or bound is None:
            tally[IS_LATE] += count * bool(always)
            return True
        tally[IS_LATE] += late_of(outcome.parts, bound - outcome.constant, count, self.seed, stream)
        return False


def drawing_of(mesh: Mesh, topics: Sequence[str], seed: int) -> Drawing:
    """What is drawn from: the paths of a mesh, and what can fail."""
    risks = risks_of(mesh)
    return Drawing(paths_of(mesh, topics), risks, strata_of(risks), seed)


def different(sets: Sets, risks: int) -> tuple[Sets, NDArray[np.int64]]:
    """The different sets among some, and how many there are of each. One number a set is sorted quicker."""
    size = sets.shape[1]
    if risks**size >= 2**62:
        return np.unique(sets, axis=0, return_counts=True)
    places = risks ** np.arange(size, dtype=np.int64)
    _, first, counts = np.unique(sets @ places, return_index=True, return_counts=True)
    return sets[first], counts


def late_of(parts: Sequence[Part], room: float, count: int, seed: int, stream: int) -> int:
    """How many of so many sums of random times are longer than there is room for."""
    table = np.array([_word(part) for part in parts], np.uint64)
    bound = floor(min(room * NANOSECONDS + 1e-6, LONGEST))
    job = np.zeros(core.SIZE, np.uint64)
    job[: core.TABLE + 1] = [seed % 2**64, stream, count, bound, len(parts), table.ctypes.data]
    return CORE.call("late", job)


def _word(part: Part) -> tuple[int, int, int]:
    first, second = round(part.first * NANOSECONDS), round(part.second * NANOSECONDS)
    return WORDS[part.kind], first, second - first if part.kind == UNIFORM else second


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
    control: Control | None = None,
) -> Latencies:
    """Limits between which each chance is with the confidence that is asked for."""
    control = control or Control()
    drawing, done, made = drawing_of(mesh, topics, seed), Done(), 0
    allotment = allotted(drawing.strata, runs)
    with control.stopping():
        for each in _drawn(drawing, units(allotment), threads or os.cpu_count() or 1):
            put(done, [each])
            made += each.runs
            control.report("runs", made, sum(allotment))
            if made < sum(allotment) and control.is_over():
                break
    return summed(mesh, drawing, done, confidence, seconds=control.seconds, engine="local", cut=control.cut)


def _drawn(drawing: Drawing, waiting: Iterator[Unit], threads: int) -> Iterator[Drawn]:
    """Units as they are drawn, one for every thread at a time."""
    CORE.library  # noqa: B018 - compiled once, before the threads begin
    with ThreadPoolExecutor(threads) as pool:
        while some := [unit for _, unit in zip(range(threads), waiting, strict=False)]:
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
    cut: Cut | None,
) -> Latencies:
    """What all units say together."""
    strata, most = drawing.strata, max(done, default=0)
    rest = strata.beyond(most) + sum(strata.weights[size] for size in range(most + 1) if size not in done)
    places = range(len(drawing.paths.questions))
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
    def chance(*kinds: int) -> Probability:
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
    return Missing(drawing.paths.questions[place], away, lost, late, missed, is_limit)


@dataclass(frozen=True, slots=True)
class Slice:
    """Every so-manieth unit of a simulation, from one on."""

    mesh: Mesh
    topics: tuple[str, ...]
    seed: int
    allotment: tuple[int, ...]
    first: int
    stride: int


def drawn_by_worker(part: Slice) -> list[Drawn]:
    """What a worker does with a slice: what came of its units, by number of failures."""
    drawing, done = drawing_of(part.mesh, part.topics, part.seed), Done()
    for unit in islice(units(part.allotment), part.first, None, part.stride):
        put(done, [drawing.draw(unit)])
    return list(done.values())


def simulated_on_spark(
    mesh: Mesh,
    place: Place,
    *,
    topics: Sequence[str] = (),
    runs: int = 1_000_000,
    confidence: float = 0.95,
    seed: int = 0,
    control: Control | None = None,
) -> Latencies:
    """As `sampling.simulated`, with units that are drawn by Spark's workers."""
    control = control or Control()
    drawing = drawing_of(mesh, topics, seed)
    spark = session(place)
    allotment, done = tuple(allotted(drawing.strata, runs)), Done()
    most = sum(-(-each // UNIT) for each in allotment)
    stride = min(most, spark.sparkContext.defaultParallelism * PIECES)
    parts = [Slice(mesh, tuple(topics), seed, allotment, first, stride) for first in range(stride)]

    def tick() -> None:
        control.report("runs", sum(each.runs for each in done.values()), sum(allotment))

    cut = Jobs(spark, drawn_by_worker, lambda _, found: put(done, found), control, tick).run(parts)
    return summed(mesh, drawing, done, confidence, seconds=control.seconds, engine="spark", cut=cut)
