"""Chances: how many sums of latencies are drawn in a second, and how many packets pass heartbeats' queues.

    uv run python -m benchmarks.chances

Four exponential times make a sum here; the same loop in plain Python draws some hundred thousand a second.
"""

from __future__ import annotations

import random
import time

import numpy as np

from angarium.mesh.chances import queue_core
from angarium.mesh.chances.distributions import Part
from angarium.mesh.chances.drawing import CORE, late_of
from angarium.mesh.chances.heartbeats import CORE as QUEUE
from angarium.mesh.chances.heartbeats import HOUR, Traffic

PARTS = (Part("exponential", 2.0),) * 4
ROOM = 15.0
SUMS, PLAIN_SUMS = 4_000_000, 100_000


def sums_per_second() -> float:
    """On one thread, in compiled code."""
    CORE.library  # noqa: B018 - compiled before the clock starts
    begin = time.perf_counter()
    late = late_of(PARTS, ROOM, SUMS, seed=1, stream=0)
    seconds = time.perf_counter() - begin
    assert abs(late / SUMS - 0.0591) < 0.001
    return SUMS / seconds


def plain_sums_per_second() -> float:
    """The same in plain Python."""
    dice, begin = random.Random(1), time.perf_counter()
    late = sum(sum(dice.expovariate(0.5) for _ in PARTS) > ROOM for _ in range(PLAIN_SUMS))
    seconds = time.perf_counter() - begin
    assert abs(late / PLAIN_SUMS - 0.0591) < 0.005
    return PLAIN_SUMS / seconds


def packets_per_second() -> float:
    """Packets and heartbeats through the queue of a busy link."""
    QUEUE.library  # noqa: B018 - compiled before the clock starts
    words = np.zeros(queue_core.SIZE, np.uint64)
    asked = (1, 0, *Traffic(0.9).words, 10_000_000, 1, 0)
    words[: len(asked)] = asked
    begin = time.perf_counter()
    QUEUE.call("run", words, HOUR)
    return int(words[queue_core.PACKETS] + words[queue_core.SENT]) / (time.perf_counter() - begin)


if __name__ == "__main__":
    native, plain = sums_per_second(), plain_sums_per_second()
    print(f"{native:,.0f} sums/s of four exponential times, {native / plain:.0f} times as many as Python")
    print(f"{packets_per_second():,.0f} packets/s past a queue with heartbeats")
