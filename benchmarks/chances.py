"""Chances: how many sums of latencies are drawn in a second, and how many packets pass heartbeats' queues.

Four exponential times make a sum here; the same loop in plain Python draws some hundred thousand a second.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np

from angarium.mesh.distributions import Part
from angarium.mesh.probability import queue_core
from angarium.mesh.probability.heartbeats import CORE as QUEUE
from angarium.mesh.probability.heartbeats import HOUR, Traffic
from angarium.mesh.probability.sampling import CORE, late_of
from benchmarks.common.row import Row

PARTS = (Part("exponential", 2.0),) * 4
ROOM = 15.0
LATE = 0.05914
"""The chance that such a sum is longer, by Erlang's distribution."""

INTERVAL = 10_000_000
"""Nanoseconds between two heartbeats."""


@dataclass(frozen=True, slots=True)
class Size:
    sums: int
    plain: int
    """Sums that plain Python draws."""
    seconds: int
    """That are simulated of the queue."""


FULL = Size(sums=4_000_000, plain=100_000, seconds=3_600)
TINY = Size(sums=1_000, plain=1_000, seconds=1)


def rows(size: Size) -> Iterator[Row]:
    native, plain = sums_per_second(size.sums), plain_sums_per_second(size.plain)
    yield Row("sums a second of four exponential times", f"{native:,.0f}")
    yield Row("the same / plain Python", f"{native / plain:.0f} x")
    yield Row("packets a second past a queue with heartbeats", f"{packets_per_second(size.seconds):,.0f}")


def sums_per_second(sums: int) -> float:
    """On one thread, in compiled code."""
    CORE.library  # noqa: B018 - compiled before the clock starts
    begin = time.perf_counter()
    late = late_of(PARTS, ROOM, sums, seed=1, stream=0)
    seconds = time.perf_counter() - begin
    _check(late, sums)
    return sums / seconds


def plain_sums_per_second(sums: int) -> float:
    """The same in plain Python."""
    dice, begin = random.Random(1), time.perf_counter()
    late = sum(sum(dice.expovariate(0.5) for _ in PARTS) > ROOM for _ in range(sums))
    seconds = time.perf_counter() - begin
    _check(late, sums)
    return sums / seconds


def _check(late: int, sums: int) -> None:
    """No further from the chance than five standard errors."""
    assert abs(late / sums - LATE) < 5 * sqrt(LATE * (1 - LATE) / sums)


def packets_per_second(simulated: int) -> float:
    """Packets and heartbeats through the queue of a busy link."""
    QUEUE.library  # noqa: B018 - compiled before the clock starts
    words = np.zeros(queue_core.SIZE, np.uint64)
    asked = (1, 0, *Traffic(0.9).words, INTERVAL, 1, 0)
    words[: len(asked)] = asked
    begin = time.perf_counter()
    QUEUE.call("run", words, simulated * HOUR // 3_600)
    return int(words[queue_core.PACKETS] + words[queue_core.SENT]) / (time.perf_counter() - begin)
