"""The same simulation in plain Python: objects for links and packets, a function for each thing that happens.

It is slow and obvious, and every packet of the native code must fare as it does here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from heapq import heappop, heappush
from itertools import count

from angarium.mesh.mesh import Broker, Link
from angarium.mesh.packets import packets_core as core
from angarium.mesh.packets.experiment import Experiment, Flow
from angarium.mesh.packets.links import Happening, delay, from_milliseconds, patience, rate, sending_time
from angarium.mesh.packets.running import planned
from angarium.mesh.packets.timeline import Scheme

FAILS, SWITCHES, GOES_ON, IS_SENT = range(4)
"""What comes first at the same time."""


@dataclass(slots=True)
class Packet:
    """A packet, and what has become of it."""

    flow: Flow
    sent: int
    fate: int = core.UNDER_WAY
    done: int = 0
    hops: int = 0
    mark: int = 0


@dataclass(slots=True)
class Line:
    """A link with its queue."""

    link: Link
    patience: int
    reasons: int = 0
    """For how many reasons it is down."""
    failed: int = 0
    """How often it has failed."""
    sending: bool = False
    queue: deque[tuple[int, Packet]] = field(default_factory=deque)
    """With the time at which each packet began to wait."""
    awaited: int | None = None


@dataclass(slots=True)
class Node:
    """A broker with its table."""

    broker: Broker
    row: list[int]
    dead: bool = False
    died: int = 0


class Reference:
    """One run."""

    def __init__(self, experiment: Experiment, scheme: Scheme) -> None:
        network, plan = experiment.network, planned(experiment, scheme)
        self._experiment, self._network, self._rows = experiment, network, plan.rows
        self.lines = [Line(link, patience(link, experiment.buffering)) for link in network.links]
        self.nodes = [
            Node(broker, row) for broker, row in zip(experiment.mesh.brokers, plan.rows, strict=False)
        ]
        self.now = self.events = 0
        self.used: dict[int, int] = {}
        self._order = count()
        self._todo: list[tuple[int, int, int, Callable[[], None]]] = []
        for number, each in enumerate(experiment.happenings):
            self._at(each.time, partial(self._happen, number, each), FAILS)
        for time, broker, row in plan.switches:
            self._at(time, partial(self._switch, broker, row), SWITCHES)
        traffic = experiment.traffic
        self.packets = [
            Packet(traffic.flows[flow], sent)
            for sent, flow in zip(traffic.sent.tolist(), traffic.flow.tolist(), strict=True)
        ]
        for packet in self.packets:
            self._at(packet.sent, partial(self._enter, packet, network.number[packet.flow.origin]), IS_SENT)

    def run(self) -> Reference:
        """Let everything happen before the end."""
        while self._todo and self._todo[0][0] < self._experiment.duration:
            self.now, rank, _, do = heappop(self._todo)
            self.events += rank in (GOES_ON, IS_SENT)
            do()
        return self

    def _at(self, time: int, do: Callable[[], None], rank: int = GOES_ON) -> None:
        heappush(self._todo, (time, rank, next(self._order), do))

    def _end(self, packet: Packet, fate: int) -> None:
        assert packet.fate == core.UNDER_WAY
        packet.fate, packet.done = fate, self.now

    # --- packets ------------------------------------------------------------------------------

    def _enter(self, packet: Packet, at: int) -> None:
        node = self.nodes[at]
        if node.dead:
            self._end(packet, core.IN_DEAD_BROKER)
        elif node.broker.latency:
            ready = partial(self._ready, packet, at, node.died)
            self._at(self.now + from_milliseconds(node.broker.latency), ready)
        else:
            self._forward(packet, at)

    def _ready(self, packet: Packet, at: int, died: int) -> None:
        if self.nodes[at].died != died:
            self._end(packet, core.IN_DEAD_BROKER)
        else:
            self._forward(packet, at)

    def _forward(self, packet: Packet, at: int) -> None:
        to = self._network.number[packet.flow.destination]
        if at == to:
            self._end(packet, core.ARRIVED)
            return
        columns = self._experiment.destinations
        entry = self.nodes[at].row[packet.mark * len(columns) + columns.index(to)]
        if entry == core.NOWHERE:
            self._end(packet, core.NO_ROUTE)
        elif packet.hops >= self._experiment.hop_limit:
            self._end(packet, core.TOO_FAR)
        else:
            packet.mark = entry >> core.LINK_BITS
            self._hand_over(packet, self.lines[entry & core.LINK_MASK])

    def _hand_over(self, packet: Packet, line: Line) -> None:
        if line.reasons and not line.patience:
            self._end(packet, core.AT_DEAD_LINK)
        elif not line.reasons and not line.sending:
            self._begin(packet, line)
        elif line.link.capacity is not None and len(line.queue) >= line.link.capacity:
            self._end(packet, core.AT_FULL_QUEUE)
        else:
            line.queue.append((self.now, packet))

    def _begin(self, packet: Packet, line: Line) -> None:
        if line.awaited is not None:
            self.used.setdefault(line.awaited, self.now)
            line.awaited = None
        packet.hops += 1
        if rate(line.link):
            line.sending = True
            takes = sending_time(packet.flow.size, rate(line.link))
            self._at(self.now + takes, partial(self._leave, packet, line, line.failed))
        else:
            self._at(self.now + delay(line.link), partial(self._land, packet, line, line.failed))

    def _leave(self, packet: Packet, line: Line, failed: int) -> None:
        if line.failed != failed:
            self._end(packet, core.ON_THE_WAY)
            return
        line.sending = False
        self._at(self.now + delay(line.link), partial(self._land, packet, line, failed))
        self._go_on(line)

    def _land(self, packet: Packet, line: Line, failed: int) -> None:
        if line.failed != failed:
            self._end(packet, core.ON_THE_WAY)
        else:
            self._enter(packet, self._network.number[line.link.target])

    def _go_on(self, line: Line) -> None:
        while line.queue and not line.sending:
            self._begin(line.queue.popleft()[1], line)

    # --- changes ------------------------------------------------------------------------------

    def _switch(self, broker: int, row: int) -> None:
        self.nodes[broker].row = self._rows[row]

    def _happen(self, number: int, each: Happening) -> None:
        for node in self.nodes:
            if node.broker.name in each.what.brokers:
                node.dead = not each.heals
                node.died += node.dead
        for line in self.lines:
            ends = {line.link.source, line.link.target}
            for _ in range(len(each.what.brokers & ends) + (line.link.fails_as in each.what.cables)):
                if each.heals:
                    self._heal(line, number)
                else:
                    self._cut(line, line.link.source in each.what.brokers)

    def _cut(self, line: Line, source_died: bool) -> None:
        line.reasons += 1
        if line.reasons == 1:
            line.failed += 1
            line.sending = False
        if source_died or not line.patience:
            for _, packet in line.queue:
                self._end(packet, core.IN_DEAD_BROKER if source_died else core.AT_DEAD_LINK)
            line.queue.clear()

    def _heal(self, line: Line, number: int) -> None:
        line.reasons -= 1
        if line.reasons:
            return
        line.awaited = number
        while line.queue and self.now - line.queue[0][0] > line.patience:
            self._end(line.queue.popleft()[1], core.AT_DEAD_LINK)
        self._go_on(line)
