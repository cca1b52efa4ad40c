"""Packets through 32 brokers while three links fail: ours against the same model in SimPy.

SimPy's model is written as one writes such models: a process for each source and for each link, a store for
each queue. Both get the same packets, failures and tables, and must count the same fates.

`uv run --group benchmark python -m benchmarks.packets` prints both speeds.
"""

from __future__ import annotations

import importlib.util
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from angarium.mesh.mesh import Failures
from angarium.mesh.packets import packets_core as core
from angarium.mesh.packets.clock import SECOND
from angarium.mesh.packets.control import PCRT
from angarium.mesh.packets.experiment import Experiment
from angarium.mesh.packets.happenings import Happening
from angarium.mesh.packets.network import delay, rate, sending_time
from angarium.mesh.packets.running import planned, simulate
from angarium.mesh.packets.traffic import Flow
from benchmarks.measure import in_turns, middle
from benchmarks.meshes import random_mesh

BROKERS, FLOWS, SEED = 32, 64, 1
LONG, SHORT = 200, 8
"""Seconds that are simulated: by ours, and by both to compare what they count."""
PROMISE = 300_000
"""Packet events a second on one core."""
EVENTS = 1_000_000


def experiment(seconds: int) -> Experiment:
    """Sixty-four sources that send at random; at 1, 2 and 3 s a link fails."""
    mesh = random_mesh(BROKERS)
    links = tuple(replace(link, latency=2.0, rate=300.0, capacity=20) for link in mesh.links)
    names = [broker.name for broker in mesh.brokers]
    choice = random.Random(SEED)
    flows = [Flow(*choice.sample(names, 2), 100.0, 1000, "poisson") for _ in range(FLOWS)]
    cables = [mesh.cables[place] for place in (0, 5, 9)]
    cuts = [
        Happening(time * SECOND, Failures(cables=frozenset({cable}))) for time, cable in enumerate(cables, 1)
    ]
    return Experiment(replace(mesh, links=links), tuple(flows), tuple(cuts), seconds * SECOND, SEED)


def events_per_cpu_second() -> float:
    """Ours, with the tables, and without compiling and the drawing of the traffic."""
    asked = experiment(LONG)
    assert len(asked.traffic.sent) > EVENTS
    simulate(experiment(1), PCRT)
    begin = time.process_time()
    run = simulate(asked, PCRT)
    return run.events / (time.process_time() - begin)


def simpy_present() -> bool:
    return importlib.util.find_spec("simpy") is not None


def simpy_events_per_cpu_second() -> float:
    """The same events in SimPy; all packets must fare as with us."""
    asked = experiment(SHORT)
    ours = simulate(asked, PCRT)
    model = _InSimPy(asked)
    begin = time.process_time()
    model.env.run(until=asked.duration)
    seconds = time.process_time() - begin
    fates = Counter({fate: ours.count(fate) for fate in set(ours.fate.tolist()) - {core.UNDER_WAY}})
    assert model.fates == fates, (model.fates, fates)
    assert min(fates[core.AT_DEAD_LINK], fates[core.AT_FULL_QUEUE]) > 0
    return ours.events / seconds


class _InSimPy:
    """The simulation with SimPy's words."""

    def __init__(self, asked: Experiment) -> None:
        import simpy

        plan, network = planned(asked, PCRT), asked.network
        self.env: Any = simpy.Environment()
        self.fates: Counter[int] = Counter()
        self._asked, self._network, self._plan = asked, network, plan
        self._row = list(plan.rows[: len(network.names)])
        self._queues = [simpy.Store(self.env) for _ in network.links]
        self._busy, self._failed = [False] * len(network.links), [False] * len(network.links)
        traffic = asked.traffic
        for number, flow in enumerate(asked.flows):
            self.env.process(self._source(flow, traffic.sent[traffic.flow == number].tolist()))
        for link in range(len(network.links)):
            self.env.process(self._link(link))
        self.env.process(self._changes())

    def _changes(self) -> Iterator[Any]:
        """What fails, and which broker gets which table; what has failed stays so here."""
        cuts = [(each.time, 0, each.what.cables, 0) for each in self._asked.happenings]
        switches = [(when, 1, broker, row) for when, broker, row in self._plan.switches]
        for when, kind, what, row in sorted([*cuts, *switches], key=lambda each: each[:2]):
            yield self.env.timeout(when - self.env.now)
            if kind:
                self._row[what] = self._plan.rows[row]
            else:
                self._cut(what)

    def _cut(self, cables: frozenset[str]) -> None:
        for number, link in enumerate(self._network.links):
            if link.fails_as in cables:
                self._failed[number] = True
                self.fates[core.AT_DEAD_LINK] += len(self._queues[number].items)
                self._queues[number].items.clear()

    def _source(self, flow: Flow, times: list[int]) -> Iterator[Any]:
        for when in times:
            yield self.env.timeout(when - self.env.now)
            self._forward(flow, self._network.number[flow.origin], 0)

    def _forward(self, flow: Flow, at: int, hops: int) -> None:
        to = self._network.number[flow.destination]
        if at == to:
            self.fates[core.ARRIVED] += 1
            return
        link = self._row[at][self._asked.destinations.index(to)]
        if hops >= self._asked.hop_limit:
            self.fates[core.TOO_FAR] += 1
        elif self._failed[link]:
            self.fates[core.AT_DEAD_LINK] += 1
        elif self._busy[link] and len(self._queues[link].items) >= self._network.links[link].capacity:
            self.fates[core.AT_FULL_QUEUE] += 1
        else:
            self._busy[link] = True
            self._queues[link].put((flow, hops + 1))

    def _link(self, number: int) -> Iterator[Any]:
        link, queue = self._network.links[number], self._queues[number]
        while True:
            flow, hops = yield queue.get()
            yield self.env.timeout(sending_time(flow.size, rate(link)))
            self._busy[number] = bool(queue.items)
            self.env.process(self._crossing(number, flow, hops))

    def _crossing(self, number: int, flow: Flow, hops: int) -> Iterator[Any]:
        if not self._failed[number]:
            yield self.env.timeout(delay(self._network.links[number]))
        if self._failed[number]:
            self.fates[core.ON_THE_WAY] += 1
        else:
            self._forward(flow, self._network.ends[number][1], hops)


def main() -> None:
    ours, theirs = in_turns(3, events_per_cpu_second, simpy_events_per_cpu_second)
    ratio = middle(ours) / middle(theirs)
    print(f"ours   {middle(ours):>12,.0f} packet events a CPU second")
    print(f"SimPy  {middle(theirs):>12,.0f}   ratio {ratio:.0f}")


if __name__ == "__main__":
    main()
