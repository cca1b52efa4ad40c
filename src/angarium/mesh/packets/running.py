"""Simulating: the brokers first, since they do not depend on packets; then every packet, in native code.

The native code is left now and then, to show how far it is and to see whether there is still time. What is
cut short says so, and what it counts is true of the time that it came to.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from angarium.core.control import TimeIsUp
from angarium.mesh.packets import packets_core as core
from angarium.mesh.packets.clock import NEVER, from_milliseconds, in_words
from angarium.mesh.packets.control import Scheme, timeline
from angarium.mesh.packets.experiment import Experiment, Observer, Run, changes_of
from angarium.mesh.packets.network import delay, patience, rate
from angarium.mesh.packets.rows import HEALTHY, ways_of
from angarium.mesh.packets.timeline import Timeline
from angarium.native.calls import Native

CORE = Native(core, ("simulate",))
SLICE = 1_000_000
"""Events between two looks at the clock."""
Words = NDArray[np.uint64]


def simulate(
    experiment: Experiment, scheme: Scheme, *, observe: Observer = None, deadline: float | None = None
) -> Run:
    """What becomes of the packets of an experiment in a scheme; cut short when the clock says so."""
    begun = time.perf_counter()
    plan = planned(experiment, scheme)
    memory = _Memory(experiment, plan)
    cut = None
    try:
        while CORE.call("simulate", memory.run, SLICE):
            if observe:
                share = int(memory.run[core.NOW]) / max(experiment.duration, 1)
                observe(f"{scheme.name}: {share:.0%} of {in_words(experiment.duration)} simulated")
            if deadline is not None and time.monotonic() > deadline:
                cut = "timeout"
                break
    except KeyboardInterrupt as problem:
        cut = "timeout" if isinstance(problem, TimeIsUp) else "interrupt"
    return memory.result(scheme, plan.timeline, cut, time.perf_counter() - begun)


class Plan:
    """What brokers do, with their tables as rows."""

    def __init__(self, experiment: Experiment, scheme: Scheme, timeline: Timeline) -> None:
        network = experiment.network
        ways = ways_of(scheme, network, experiment.destinations)
        brokers = range(len(network.names))
        self.timeline = timeline
        self.marks = ways.marks
        self.rows = [ways.row(broker, *HEALTHY) for broker in brokers]
        self.switches: list[tuple[int, int, int]] = []
        """When which broker gets which row."""
        known = {(broker, *HEALTHY): broker for broker in brokers}
        for each in timeline.switches:
            key = network.number[each.broker], each.known, each.around
            if key not in known:
                known[key] = len(self.rows)
                self.rows.append(ways.row(*key))
            self.switches.append((each.time, key[0], known[key]))


def planned(experiment: Experiment, scheme: Scheme) -> Plan:
    """What the brokers do in an experiment."""
    found = timeline(
        experiment.network,
        experiment.happenings,
        scheme,
        experiment.prepared,
        seed=experiment.seed,
        end=experiment.duration,
    )
    return Plan(experiment, scheme, found)


class _Memory:
    """The arrays that the native code works on. What is not touched costs nothing."""

    def __init__(self, experiment: Experiment, plan: Plan) -> None:
        self._experiment, traffic = experiment, experiment.traffic
        packets, row_size = len(traffic.sent), plan.marks * len(experiment.destinations)
        switches = [(when, broker, row * row_size) for when, broker, row in plan.switches]
        changes = changes_of(experiment.network, experiment.happenings, switches)
        self._used = np.zeros(max(1, len(experiment.happenings)), np.uint64)
        self._sent, self._flow = traffic.sent, traffic.flow
        self._done, self._fate = np.zeros(packets, np.uint64), np.zeros(packets, np.uint8)
        self._hops = np.zeros(packets, np.uint8)
        self._alive: dict[int, NDArray[np.generic]] = {
            core.LINKS: _links(experiment),
            core.BROKERS: _brokers(experiment, row_size),
            core.FLOWS: _flows(experiment),
            core.ROWS: np.array(plan.rows, np.uint32).reshape(-1),
            core.CHANGED: changes,
            **self._of_packets(packets),
        }
        numbers = {
            core.END: experiment.duration,
            core.TO_SEND: packets,
            core.CHANGES: len(changes),
            core.HOP_LIMIT: experiment.hop_limit,
        }
        self.run: Words = np.zeros(core.RUN, np.uint64)
        for word, array in self._alive.items():
            self.run[word] = array.ctypes.data
        for word, number in numbers.items():
            self.run[word] = number

    def _of_packets(self, packets: int) -> dict[int, NDArray[np.generic]]:
        """What is known of each packet, and the heap, which never has more events than there are packets."""
        return {
            core.HEAP: np.zeros(2 * (packets + 1), np.uint64),
            core.USED: self._used,
            core.SENT: self._sent,
            core.FLOW: self._flow,
            core.DONE: self._done,
            core.FATE: self._fate,
            core.HOPS: self._hops,
            core.MARK: np.zeros(packets, np.uint8),
            core.AT: np.zeros(packets, np.uint32),
            core.EPOCHS: np.zeros(packets, np.uint32),
            core.BEHIND: np.zeros(packets, np.uint32),
        }

    def result(self, scheme: Scheme, found: Timeline, cut: str | None, seconds: float) -> Run:
        """What has become of the packets that were sent."""
        sent = int(self.run[core.SENDING])
        return Run(
            self._experiment,
            scheme,
            found,
            self._sent[:sent],
            self._flow[:sent],
            self._fate[:sent],
            self._done[:sent],
            self._hops[:sent],
            _times(self._used, len(self._experiment.happenings)),
            int(self.run[core.COPIES]),
            int(self.run[core.EVENTS]),
            seconds,
            cut,
            int(self.run[core.NOW]),
        )


def _times(used: Words, count: int) -> tuple[int | None, ...]:
    return tuple(each or None for each in used[:count].tolist())


def _links(experiment: Experiment) -> Words:
    links = experiment.network.links
    found = np.zeros((len(links) + 1, core.LINK), np.uint64)
    for number, (link, (_, target)) in enumerate(zip(links, experiment.network.ends, strict=True)):
        found[number, core.RATE] = rate(link)
        found[number, core.DELAY] = delay(link)
        found[number, core.CAPACITY] = NEVER if link.capacity is None else link.capacity
        found[number, core.TARGET] = target
        found[number, core.PATIENCE] = patience(link, experiment.buffering)
    return found


def _brokers(experiment: Experiment, row_size: int) -> Words:
    brokers = experiment.mesh.brokers
    found = np.zeros((len(brokers), core.BROKER), np.uint64)
    for number, broker in enumerate(brokers):
        found[number, core.LATENCY] = from_milliseconds(broker.latency)
        found[number, core.ROW] = number * row_size
    return found


def _flows(experiment: Experiment) -> Words:
    number, destinations = experiment.network.number, experiment.destinations
    rows: Sequence[tuple[int, ...]] = [
        (
            number[flow.origin],
            number[flow.destination],
            destinations.index(number[flow.destination]),
            flow.size,
            len(destinations),
        )
        for flow in experiment.flows
    ]
    return np.array(rows, np.uint64).reshape(-1, core.FLOW_SIZE)
