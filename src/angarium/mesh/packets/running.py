"""Simulating: the brokers first, since they do not depend on packets; then every packet, in native code.

The brokers of pcrt and rrl are the nodes that `angarium mesh node` runs (`nodes`); routers are modelled
(`routers`).

What brokers do is a pure function of the mesh, of what happens, of the timers and the seed. It does not
depend on packets: messages between brokers go before them. A broker that dies forgets everything; one that
comes back begins with the tables of the healthy mesh, and takes its links for alive.

What a broker does with packets to each destination is a row of numbers that the simulation looks up. An entry
is the link that a packet takes, with the mark that it gets. Marks are layers: only Resilient Routing Layers
have more than one, so a row has a part for each mark that a packet can come with. Tables are those of
`routing.tables.shortest` for what a broker knows to be dead. PCRT's own, which are calculated beforehand, are
the same: `recovery` verifies just that.

The native code is left now and then, to show how far it is and to see whether there is still time. What is
cut short says so, and what it counts is true of the time that it came to.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from angarium.core.control import Control, Cut
from angarium.core.errors import MeshError
from angarium.mesh.mesh import NOTHING, Failures
from angarium.mesh.packets import nodes
from angarium.mesh.packets import packets_core as core
from angarium.mesh.packets.experiment import Experiment, Run, changes_of
from angarium.mesh.packets.links import (
    NEVER,
    Happening,
    Network,
    delay,
    from_milliseconds,
    in_words,
    patience,
    rate,
    weather,
)
from angarium.mesh.packets.packets_core import LINK_BITS, NOWHERE
from angarium.mesh.packets.routers import (
    Adjacency,
    Agenda,
    Calculated,
    Flooding,
    Forwarding,
    Listening,
    Statement,
)
from angarium.mesh.packets.timeline import (
    LEARNS,
    NOTICES,
    RRL,
    News,
    Scheme,
    Timeline,
)
from angarium.mesh.recovery.tables import Colours
from angarium.mesh.routing.graph import NONE, Ints
from angarium.mesh.routing.tables import shortest
from angarium.mesh.schemes.alternates import alternates
from angarium.mesh.schemes.layers import WHOLE_MESH, layers
from angarium.native.calls import Native


def timeline(
    network: Network,
    happenings: Sequence[Happening],
    scheme: Scheme,
    prepared: Colours,
    *,
    seed: int,
    end: int,
) -> Timeline:
    """Who notices, learns and switches, up to an end."""
    if not scheme.routers:
        colours = None if scheme.leads_around else prepared
        return nodes.timeline(network, happenings, scheme.timers, colours, seed=seed, end=end)
    plane = _Plane(network, happenings, scheme, seed, end)
    plane.agenda.run()
    return Timeline(tuple(plane.news), tuple(plane.forwarding.switches))


class _Plane:
    """Routers, and what they say to each other."""

    def __init__(
        self, network: Network, happenings: Sequence[Happening], scheme: Scheme, seed: int, end: int
    ) -> None:
        self.agenda, self.news, self._network = Agenda(end), list[News](), network
        skies = weather(network.only_links, happenings)
        self._listening = Listening(self.agenda, network, skies, scheme.timers, seed, self._decided)
        self._mending = Adjacency(self._listening)
        self.forwarding = Forwarding(self._listening, scheme.leads_around)
        self._flooding = Flooding(self._listening, self._learnt)
        self._deciding = Calculated(self._flooding, self._listening, self.forwarding)
        self._listening.begin(self._mending)
        for each in happenings:
            for name in each.what.brokers:
                do = self._comes_back if each.heals else self._dies
                self.agenda.at(each.time, partial(do, network.number[name]))

    def _decided(self, broker: int, link: int, dead: bool) -> None:
        self._note(broker, NOTICES, [(link, dead)])
        self._flooding.state(broker, link, dead)
        self.forwarding.look(broker)
        self._deciding.news(broker)

    def _learnt(self, broker: int, statements: Sequence[Statement]) -> None:
        self._note(broker, LEARNS, [(each.link, each.dead) for each in statements])
        self._deciding.news(broker)

    def _note(self, broker: int, how: str, links: Iterable[tuple[int, bool]]) -> None:
        name, now = self._network.names[broker], self.agenda.now
        self.news += [News(now, name, how, self._network.links[link].name, dead) for link, dead in links]

    def _dies(self, broker: int) -> None:
        self._listening.die(broker)
        for link in self._network.incoming[broker]:
            self._mending.forget(link)
        self._flooding.die(broker)
        self._deciding.die(broker)

    def _comes_back(self, broker: int) -> None:
        self._listening.comes_back(broker)
        self.forwarding.use(broker, NOTHING)
        self._flooding.comes_back(broker)


MOST_MARKS = 256
Around = frozenset[str]


class Lookup(Protocol):
    """How the brokers of a scheme forward."""

    marks: int

    def row(self, broker: int, known: Failures, around: Around) -> list[int]:
        """The entries of a broker, by mark and destination."""
        ...


def forwarding_of(scheme: Scheme, network: Network, destinations: Sequence[int]) -> Lookup:
    """How brokers forward to some destinations."""
    if scheme.name == RRL.name:
        return InLayers(network, destinations)
    return Rerouted(network, destinations)


class _Links:
    """Finds links between brokers."""

    def __init__(self, network: Network) -> None:
        self._graph, self._numbers = network.graph, network.number_of_link

    def entry(self, broker: int, after: int, dead: Failures, mark: int = 0) -> int:
        """The link to the next broker that lives, for all that is known; NOWHERE if there is none."""
        hop = self._graph.hop_between.get((broker, after))
        link = None if hop is None else self._graph.link(hop, dead)
        return NOWHERE if link is None else self._numbers[link.name] | mark << LINK_BITS


class Rerouted:
    """By the shortest paths, with alternates around what is dead beside the broker but not yet for all."""

    marks = 1

    def __init__(self, network: Network, destinations: Sequence[int]) -> None:
        self._network, self._destinations, self._links = network, list(destinations), _Links(network)
        self._next: Callable[[Failures], Ints] = cache(self._calculated)
        self._alternates: Callable[[Failures], Ints] = cache(self._spared)

    def _calculated(self, known: Failures) -> Ints:
        return shortest(self._network.graph, known)[:, self._destinations].copy()

    def _spared(self, known: Failures) -> Ints:
        mesh = self._network.mesh
        left = replace(mesh, links=tuple(link for link in mesh.links if link.fails_as not in known.cables))
        return alternates(left)[:, self._destinations].copy()

    def row(self, broker: int, known: Failures, around: Around) -> list[int]:
        dead = Failures(known.brokers, known.cables | around)
        entries = [self._links.entry(broker, int(after), dead) for after in self._next(known)[broker]]
        if not around:
            return entries
        spare = self._alternates(known)[broker].tolist()
        return [
            self._links.entry(broker, other, dead) if entry == NOWHERE else entry
            for entry, other in zip(entries, spare, strict=True)
        ]


class InLayers:
    """By layers: a packet whose link is dead is sent on in a layer that does not need it, once."""

    def __init__(self, network: Network, destinations: Sequence[int]) -> None:
        self._layers, self._links = layers(network.mesh), _Links(network)
        self._destinations = list(destinations)
        self.marks = len(self._layers) + 1
        if self.marks > MOST_MARKS:
            raise MeshError(
                "ANG125",
                f"resilient routing layers: {self.marks:,} of them",
                possible=f"up to {MOST_MARKS} in a simulation",
                remedy="simulate another scheme, or a part of the mesh",
            )
        self._next = [self._layers.table(layer)[:, self._destinations].copy() for layer in range(self.marks)]

    def row(self, broker: int, known: Failures, around: Around) -> list[int]:
        dead = Failures(known.brokers, known.cables | around)
        marked = [
            self._links.entry(broker, int(after), dead, layer)
            for layer in range(1, self.marks)
            for after in self._next[layer][broker]
        ]
        return [self._unmarked(broker, column, dead) for column in range(len(self._destinations))] + marked

    def _unmarked(self, broker: int, column: int, dead: Failures) -> int:
        after = int(self._next[WHOLE_MESH][broker, column])
        if after == NONE:
            return NOWHERE
        entry = self._links.entry(broker, after, dead)
        if entry != NOWHERE:
            return entry
        layer = self._layers.detour(broker, after, self._destinations[column])
        if layer is None:
            return NOWHERE
        return self._links.entry(broker, int(self._next[layer][broker, column]), dead, layer)


HEALTHY = (NOTHING, Around())
"""What brokers know when a simulation begins."""


CORE = Native(core, ("simulate",))
SLICE = 1_000_000
"""Events between two looks at the clock."""
Words = NDArray[np.uint64]


def simulate(experiment: Experiment, scheme: Scheme, control: Control | None = None) -> Run:
    """What becomes of the packets of an experiment in a scheme; cut short when the clock says so."""
    control = control or Control()
    begun = time.perf_counter()
    plan = planned(experiment, scheme)
    memory = _Memory(experiment, plan)
    with control.stopping():
        while CORE.call("simulate", memory.run, SLICE):
            share = int(memory.run[core.NOW]) / max(experiment.duration, 1)
            control.report(f"{scheme.name}: {share:.0%} of {in_words(experiment.duration)} simulated")
            if control.is_over():
                break
    return memory.result(scheme, plan.timeline, control.cut, time.perf_counter() - begun)


class Plan:
    """What brokers do, with their tables as rows."""

    def __init__(self, experiment: Experiment, scheme: Scheme, timeline: Timeline) -> None:
        network = experiment.network
        forwarding = forwarding_of(scheme, network, experiment.destinations)
        brokers = range(len(network.names))
        self.timeline = timeline
        self.marks = forwarding.marks
        self.rows = [forwarding.row(broker, *HEALTHY) for broker in brokers]
        self.switches: list[tuple[int, int, int]] = []
        """When which broker gets which row."""
        known = {(broker, *HEALTHY): broker for broker in brokers}
        for each in timeline.switches:
            key = network.number[each.broker], each.known, each.around
            if key not in known:
                known[key] = len(self.rows)
                self.rows.append(forwarding.row(*key))
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

    def result(self, scheme: Scheme, found: Timeline, cut: Cut | None, seconds: float) -> Run:
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
