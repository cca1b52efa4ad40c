"""False alarms against detection time, for fixed and adaptive dead intervals on a link with load.

A heartbeat shares the queue of its link with data (`queue_core`), which come in bursts: twice as fast as
the link can take them while a burst lasts, so that the queue fills and heartbeats are dropped with the
data. Without bursts, data come at exponential distances, and even a link that is busy nine tenths of the
time delays a heartbeat by no more than some packets: then nobody raises a false alarm, and only detection
differs.

Each point of a curve is a scheme with one heartbeat interval. It is simulated in `BATCHES` runs that depend
on seed and number alone, the same traffic for all schemes; the spread of the runs gives the confidence
interval.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import log, sqrt
from statistics import fmean, stdev

import numpy as np
from numpy.typing import NDArray

from angarium.checker.walks.statistics import student
from angarium.core.control import Control, Cut
from angarium.mesh.probability import queue_core as core
from angarium.native.calls import Native

CORE = Native(core, ("run",))
BATCHES = 8
NANOSECONDS = 1_000_000
"""Of a millisecond."""
HOUR = 3600 * 10**9
AT_ONCE = 250_000
"""About how many packets a run simulates between two looks at the clock: less than a tenth of a second."""
PEAK = 2.0
"""How many times as fast as the link takes them data come in a burst."""
RARE = -log(0.025)
"""If nothing happens in a time t, it happens less often than RARE / t with 97.5 % confidence."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """A link, and what data it carries besides heartbeats."""

    load: float
    """What share of its time the link would be busy if nothing were dropped."""
    rate: float = 10.0
    """Mbit/s."""
    packet: int = 1000
    """Bytes of a packet of data."""
    heartbeat: int = 64
    """Bytes of a heartbeat."""
    room: int = 100
    """Packets that the queue has room for."""
    burst: float = 200.0
    """Milliseconds that a burst lasts on average; 0: no bursts."""

    def nanoseconds(self, size: int) -> int:
        """How long the link takes for so many bytes."""
        return max(1, round(size * 8000 / self.rate))

    def lasting(self, packets: int, interval: int) -> int:
        """Nanoseconds in which about so many packets come, heartbeats of this interval among them."""
        a_second = 1e9 * self.load / self.nanoseconds(self.packet) + 1e9 / interval
        return max(1, round(1e9 * packets / a_second))

    @property
    def words(self) -> tuple[int, ...]:
        """From DATA to LULL, as the compiled function has them."""
        data, beat = self.nanoseconds(self.packet), self.nanoseconds(self.heartbeat)
        burst = round(self.burst * NANOSECONDS)
        if not burst:
            return data, beat, self.room * data, round(data / self.load), 1, 0
        lull = max(1, round(burst * (PEAK / self.load - 1)))
        return data, beat, self.room * data, round(data / PEAK), burst, lull


@dataclass(frozen=True, slots=True)
class Scheme:
    """How dead intervals come about."""

    name: str
    fixed: int = 0
    """The dead interval, in heartbeat intervals; 0: it follows what is measured."""
    stretch: int = 1
    """Up to how many times as long heartbeat intervals get on a busy link."""


SCHEMES = (
    Scheme("fixed x4", fixed=4),
    Scheme("fixed x16", fixed=16),
    Scheme("adaptive"),
    Scheme("stretched", stretch=4),
)
"""The dead interval of OSPF and the thesis, a longer one, and the rule of `adaptive` in two variants."""


@dataclass(frozen=True, slots=True)
class Point:
    """A scheme with one heartbeat interval on one link."""

    scheme: str
    load: float
    interval: float
    """Milliseconds."""
    hours: float
    alarms: int
    alarms_per_hour: float
    low: float
    high: float
    """The 95 % confidence interval of the alarms per hour."""
    detection: float
    """Milliseconds until a failure at a random moment is noticed, on average."""
    longest: float
    """The longest dead interval that there was, in milliseconds."""
    heartbeats_per_second: float
    lost: float
    """The share of heartbeats that were dropped."""


@dataclass(frozen=True, slots=True)
class Curves:
    """Everything that was simulated, and what cut it short, if something did."""

    points: tuple[Point, ...]
    hours: float
    seed: int
    traffic: Traffic
    packets: int
    seconds: float
    cut: Cut | None = None


def heartbeats(
    loads: Sequence[float],
    intervals: Sequence[float],
    *,
    traffic: Traffic | None = None,
    schemes: Sequence[Scheme] = SCHEMES,
    hours: float = 2.0,
    seed: int = 0,
    control: Control | None = None,
) -> Curves:
    """Simulate every scheme with every interval (ms) under every load, each for so many hours."""
    control, link = control or Control(), traffic or Traffic(0.5)
    wanted = [(load, scheme, interval) for load in loads for scheme in schemes for interval in intervals]
    points: list[Point] = []
    packets = 0
    with control.stopping():
        for number, (load, scheme, interval) in enumerate(wanted):
            control.report(f"points, {packets:,} packets", number, len(wanted))
            runs = _runs(_with_load(link, load), scheme, interval, hours, seed, control)
            if runs is None:
                break
            packets += int(sum(run[core.PACKETS] for run in runs))
            points.append(_point(scheme, load, interval, runs))
    return Curves(tuple(points), hours, seed, link, packets, control.seconds, control.cut)


def _with_load(link: Traffic, load: float) -> Traffic:
    return Traffic(load, link.rate, link.packet, link.heartbeat, link.room, link.burst)


Run = NDArray[np.uint64]


def _runs(
    traffic: Traffic, scheme: Scheme, interval: float, hours: float, seed: int, control: Control
) -> list[Run] | None:
    """All batches of a point, in as many threads as there are cores; None if there was no time for them."""
    length, base = round(hours * HOUR / BATCHES), round(interval * NANOSECONDS)
    runs = [np.zeros(core.SIZE, np.uint64) for _ in range(BATCHES)]
    for number, run in enumerate(runs):
        wanted = (seed, number, *traffic.words, base, scheme.stretch, scheme.fixed * base)
        run[: len(wanted)] = wanted
    CORE.library  # noqa: B018 - compiled once, before the threads begin
    step = traffic.lasting(AT_ONCE, base)
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for end in range(step, length + step, step):
            if control.is_over():
                return None
            list(pool.map(lambda run, end: CORE.call("run", run, end), runs, [min(end, length)] * len(runs)))
    return runs


def _point(scheme: Scheme, load: float, interval: float, runs: Sequence[Run]) -> Point:
    def total(word: int) -> int:
        return sum(int(run[word]) for run in runs)

    hours = total(core.GAPS) / HOUR
    rates = [int(run[core.ALARMS]) / (int(run[core.GAPS]) / HOUR) for run in runs if run[core.GAPS]]
    low, high = _between(rates, hours)
    return Point(
        scheme=scheme.name,
        load=load,
        interval=interval,
        hours=hours,
        alarms=total(core.ALARMS),
        alarms_per_hour=total(core.ALARMS) / hours if hours else 0.0,
        low=low,
        high=high,
        detection=total(core.AREA) / max(total(core.GAPS) // NANOSECONDS, 1) / 1000,
        longest=max(int(run[core.GREATEST]) for run in runs) / NANOSECONDS,
        heartbeats_per_second=total(core.SENT) / max(hours * 3600, 1e-9),
        lost=total(core.LOST) / max(total(core.SENT), 1),
    )


def _between(rates: Sequence[float], hours: float) -> tuple[float, float]:
    """The 95 % confidence interval of a rate, from that of each batch."""
    if not any(rates):
        return 0.0, RARE / hours if hours else float("inf")
    if len(rates) < 2:
        return 0.0, float("inf")
    mean, reach = fmean(rates), student(len(rates) - 1) * stdev(rates) / sqrt(len(rates))
    return max(0.0, mean - reach), mean + reach


def by_curve(points: Sequence[Point]) -> Iterator[tuple[float, str, list[Point]]]:
    """The points of each curve: a load, a scheme, and its points in the order of detection."""
    for load, scheme in dict.fromkeys((each.load, each.scheme) for each in points):
        mine = [each for each in points if (each.load, each.scheme) == (load, scheme)]
        yield load, scheme, sorted(mine, key=lambda each: each.detection)
