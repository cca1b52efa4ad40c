"""Packets through 32 brokers while three links fail: ours against the same model in SimPy.

Both get the same packets, failures and tables, and must count the same fates.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from angarium.mesh.mesh import Failures
from angarium.mesh.packets import packets_core as core
from angarium.mesh.packets.experiment import Experiment, Flow
from angarium.mesh.packets.links import SECOND, Happening
from angarium.mesh.packets.running import simulate
from angarium.mesh.packets.timeline import PCRT
from benchmarks.common.measure import in_turns, middle
from benchmarks.common.row import Row
from benchmarks.inputs.nets import random_mesh

BROKERS, FLOWS, SEED = 32, 64, 1
CUTS = (0, 5, 9)
"""Links that fail, after 1, 2 and 3 s: an experiment must be longer."""
PROMISE = 300_000
"""Packet events a second on one core."""


@dataclass(frozen=True, slots=True)
class Size:
    seconds: int
    """That are simulated by ours."""
    compared: int
    """That are simulated by both, to compare what they count."""
    repeats: int


FULL = Size(seconds=200, compared=8, repeats=3)
TINY = Size(seconds=4, compared=4, repeats=1)


def rows(size: Size) -> Iterator[Row]:
    what, promise = "packet events a CPU second", f"{PROMISE:,}"
    speed = middle([events_per_cpu_second(size) for _ in range(size.repeats)])
    yield Row(what, f"{speed / 1e6:.1f} M", promise, speed >= PROMISE)
    ours, theirs = in_turns(
        size.repeats, lambda: events_per_cpu_second(size), lambda: simpy_events_per_cpu_second(size)
    )
    figure = f"{middle(ours) / 1e6:.1f} M / {middle(theirs) / 1e6:.2f} M"
    yield Row("the same / SimPy's", f"{figure} = {middle(ours) / middle(theirs):.0f} x")


def experiment(seconds: int) -> Experiment:
    """Sixty-four sources that send at random while links fail."""
    mesh = random_mesh(BROKERS)
    links = tuple(replace(link, latency=2.0, rate=300.0, capacity=20) for link in mesh.links)
    names = [broker.name for broker in mesh.brokers]
    choice = random.Random(SEED)
    flows = [Flow(*choice.sample(names, 2), 100.0, 1000, "poisson") for _ in range(FLOWS)]
    failures = [Failures(cables=frozenset({mesh.cables[place]})) for place in CUTS]
    cuts = [Happening(moment * SECOND, failed) for moment, failed in enumerate(failures, 1)]
    return Experiment(replace(mesh, links=links), tuple(flows), tuple(cuts), seconds * SECOND, SEED)


def events_per_cpu_second(size: Size) -> float:
    """Ours, with the tables, and without compiling and the drawing of the traffic."""
    asked = experiment(size.seconds)
    assert len(asked.traffic.sent) > 5_000 * size.seconds
    simulate(experiment(len(CUTS) + 1), PCRT)
    begin = time.process_time()
    run = simulate(asked, PCRT)
    return run.events / (time.process_time() - begin)


def simpy_events_per_cpu_second(size: Size) -> float:
    """The same events in SimPy; all packets must fare as with us."""
    from benchmarks.peers.simpy_packets import InSimPy

    asked = experiment(size.compared)
    ours, model = simulate(asked, PCRT), InSimPy(asked)
    begin = time.process_time()
    model.env.run(until=asked.duration)
    seconds = time.process_time() - begin
    fates = Counter({fate: ours.count(fate) for fate in set(ours.fate.tolist()) - {core.UNDER_WAY}})
    assert model.fates == fates, (model.fates, fates)
    assert min(fates[core.AT_DEAD_LINK], fates[core.AT_FULL_QUEUE]) > 0
    return ours.events / seconds
