"""The simulation of packets in SimPy, written as one writes such models.

There is a process for each source and for each link, and a store for each queue.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import simpy

from angarium.mesh.packets import packets_core as core
from angarium.mesh.packets.experiment import Experiment, Flow
from angarium.mesh.packets.links import delay, rate, sending_time
from angarium.mesh.packets.running import planned
from angarium.mesh.packets.timeline import PCRT


class InSimPy:
    """The simulation in SimPy's words; `fates` says what became of the packets."""

    def __init__(self, asked: Experiment) -> None:
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
