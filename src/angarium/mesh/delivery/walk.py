"""Every path that copies of one message go.

What becomes of a copy depends on its state, and on nothing else: the broker where it is, its name, which
links it does not take because of the one that it came over, the hops that it has made and whom it has left,
these two as far as they can still matter (see `memory`). States and the crossings between them are a graph.
Copies are the walks in it from the state of the message as it is published: states are few even where ways
are many.

States are found in the order of the latency over the quickest path to them, then of its hops, then of the
file. So the first state of a broker has its quickest path.

A broker gives what stays within it to each of its parts once, however its parts are linked (exchanges bound
to one another may even be bound in a ring). So a copy that enters a broker is handed round there first, and
the copies made by that leave the broker but are not handed round again: a bit in their state says so.

Where links compete for a copy, all of them are crossed here, and each crossing says for which group: what
that comes to is a question for `choices`.

A name may grow with every round. Where it is longer than any pattern, the same state with a name that only
has more in front has the same future; it is taken for the earlier state, which closes the round.
"""

from __future__ import annotations

from collections.abc import Set
from heapq import heappop, heappush
from typing import NamedTuple

from angarium.core.errors import MeshError
from angarium.mesh.delivery.choices import NANOSECONDS
from angarium.mesh.delivery.legs import UNLIMITED, Leg, Names, Network, Onward
from angarium.mesh.delivery.memory import Memory

CROSSINGS = 2_000_000
"""How many crossings of states by links are looked at before we give up."""
FEW = 5_000
"""Up to here it costs less to look at crossings than to find out which are alike."""


class State(NamedTuple):
    """All that the future of a copy depends on."""

    broker: int
    barred: int
    """Links out of the broker that it does not take, as bits."""
    name: int
    hops: int
    left: int
    """Whom it has left, as bits."""


class Refusal(NamedTuple):
    """A link that a copy would cross, had it made fewer hops."""

    state: int
    onward: Onward


class Walk:
    """The graph of all states that copies of a message get into."""

    def __init__(self, network: Network, memory: Memory, names: Names, dead: Set[int]) -> None:
        self._network, self._memory, self._names, self._dead = network, memory, names, dead
        self._numbers: dict[State, int] = {}
        self.states: list[State] = []
        self.before: list[int] = []
        """Of each state, the one before it on the quickest path; -1 before the first."""
        self.over: list[tuple[int, ...]] = []
        """Of each state, the links from that one."""
        self.latency: list[float] = []
        self.hops: list[int] = []
        self.order: list[int] = []
        """States, nearest first."""
        self.next: list[list[int]] = []
        """Of each state, those that copies get into from it; twice, where two links lead there."""
        self.labels: list[list[tuple[int, ...]]] = []
        """Of each state, the links that lead to those."""
        self.groups: list[list[int]] = []
        """Of each state, the groups in which these links compete; 0: they do not."""
        self.grown: set[tuple[int, int]] = set()
        """Pairs of states between which a name has grown."""
        self.refused: dict[tuple[int, int], Refusal] = {}
        """By link and the name behind it, the first copy that has made too many hops."""
        self._waiting: list[tuple[float, int, int]] = []
        self._settled: list[bool] = []
        self._crossings = 0

    def go(self, origin: int, name: int) -> None:
        """Find every state of what is published at a broker under a name."""
        self._reach(State(origin, 0, name, 0, 0), self._network.mesh.brokers[origin].latency, 0, -1, ())
        while self._waiting:
            _, _, number = heappop(self._waiting)
            if not self._settled[number]:
                self._settled[number] = True
                self.order.append(number)
                self._hand_round(number)
                self._hand_on(number)

    def _reach(self, state: State, latency: float, hops: int, before: int, over: tuple[int, ...]) -> int:
        number = self._numbers.get(state)
        if number is None:
            number = self._numbers[state] = len(self.states)
            self.states.append(state)
            self.before.append(before)
            self.over.append(over)
            self.latency.append(latency)
            self.hops.append(hops)
            self._settled.append(False)
            self.next.append([])
            self.labels.append([])
            self.groups.append([])
            heappush(self._waiting, (latency, hops, number))
        elif (latency, hops) < (self.latency[number], self.hops[number]):
            self.before[number], self.over[number] = before, over
            self.latency[number], self.hops[number] = latency, hops
            heappush(self._waiting, (latency, hops, number))
        return number

    def _hand_on(self, number: int) -> None:
        """Cross every link to another broker that lets the copy through."""
        broker, barred, name, hops, left = self.states[number]
        limits, dead = self._memory.limits, self._dead
        for onward in self._names.onward(broker, name):
            leg = onward.leg
            if barred & leg.bit or leg.inner or leg.number in dead or left & leg.shuns:
                continue
            if hops < limits[leg.number]:
                self._cross(number, onward, hops, left)
            else:
                self.refused.setdefault((leg.number, onward.name), Refusal(number, onward))
        self._count(len(self.next[number]))

    def _cross(self, number: int, onward: Onward, hops: int, left: int) -> None:
        leg, name, long = onward
        hops, left = self._memory.carried(leg, hops, left, exact=self._crossings > FEW)
        after = State(leg.target, leg.bars, name, hops, left)
        if long:
            after = self._folded(after, number)
        latency = round(self.latency[number] + leg.latency, NANOSECONDS)
        reached = self._reach(after, latency, self.hops[number] + leg.step, number, leg.way)
        if after.name != name:
            self.grown.add((number, reached))
        self.next[number].append(reached)
        self.labels[number].append(leg.way)
        self.groups[number].append(leg.group)

    def _hand_round(self, number: int) -> None:
        """Give the copy to every part of the broker once."""
        entered = self.states[number]
        inner, inside = self._network.inner[entered.broker], self._network.inside[entered.broker]
        if not inner or entered.barred & inside:
            return
        seen = {entered.name}
        parts: list[tuple[int, int, tuple[int, ...], float]] = [(entered.name, entered.barred, (), 0.0)]
        for name, barred, way, took in parts:
            for leg, behind, _ in self._names.onward(entered.broker, name):
                if not leg.inner or behind in seen or not self._stays(entered, barred, leg):
                    continue
                seen.add(behind)
                parts.append((behind, barred | leg.bars, (*way, leg.number), took + leg.latency))
        for name, barred, way, took in parts[1:]:
            state = entered._replace(name=name, barred=barred | inner | inside)
            latency = round(self.latency[number] + took, NANOSECONDS)
            self.next[number].append(self._reach(state, latency, self.hops[number], number, way))
            self.labels[number].append(way)
            self.groups[number].append(0)
        self._count(len(parts))

    def _stays(self, entered: State, barred: int, leg: Leg) -> bool:
        """Whether the rules of a link within the broker let the copy through."""
        if barred & leg.bit or leg.number in self._dead or entered.left & leg.shuns:
            return False
        return entered.hops < self._memory.limits[leg.number]

    def _folded(self, state: State, before: int) -> State:
        """The earlier state on the same way that has the same future, if the name has only grown since."""
        while before >= 0:
            earlier = self.states[before]
            if earlier._replace(name=state.name) == state and self._names.extends(state.name, earlier.name):
                return earlier
            before = self.before[before]
        return state

    def _count(self, crossings: int) -> None:
        self._crossings += crossings
        if self._crossings > CROSSINGS:
            raise self._too_many()

    def _too_many(self) -> MeshError:
        network = self._network
        limits = [leg.limit for leg in network.legs if leg.limit != UNLIMITED]
        return MeshError(
            "ANG125",
            f"copies of one message make more than {CROSSINGS:,} different crossings in {network.mesh.name}",
            possible=f"the largest hop limit is {max(limits)}" if limits else "no link has a hop limit",
            remedy="set a smaller hop limit: in a dense mesh few hops suffice, each more multiplies copies",
        )

    def way(self, number: int) -> tuple[int, ...]:
        """The links on the quickest path to a state."""
        backward: list[tuple[int, ...]] = []
        while number >= 0:
            backward.append(self.over[number])
            number = self.before[number]
        return tuple(link for over in reversed(backward) for link in over)
