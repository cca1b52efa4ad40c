"""Every path that copies of one message go.

What becomes of a copy depends on its state, and on nothing else: the broker where it is, its name, which
links it does not take because of the one that it came over, the hops that it has made and whom it has left,
these two as far as they can still matter. States and the crossings between them are a graph.
Copies are the walks in it from the state of the message as it is published: states are few even where paths
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

What of a copy's past can still matter to it.

Copies that differ only in what no longer matters have the same future, and are counted together. Of the hops
made, only as many matter as the largest limit that lies ahead. Of the history, only who a link ahead, within
the hops that are left, would shun. And if every link shuns who was left, then copies go only paths without
repetition, and only what was left in the present block matters: see `blocks`.

All of this is calculated for the whole mesh with nothing dead and no filter: then what cannot matter there
cannot matter in any part of it either.

The blocks of a graph: parts that no single vertex cuts.

A path that visits no vertex twice and leaves a block at some vertex never comes back into it, because that
vertex is the only door. So of all that such a path has visited, only what lies in the present block can
matter to it. The search is the classical one by depth and lowest vertex reached, on a stack of its own, since
meshes may be longer than Python's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from heapq import heappop, heappush
from typing import NamedTuple

from angarium.core.errors import MeshError
from angarium.mesh.delivery.choices import NANOSECONDS
from angarium.mesh.delivery.legs import UNLIMITED, Leg, Names, Network, Onward

Edge = tuple[int, int]


def blocks_of(vertices: int, edges: Iterable[Edge]) -> dict[Edge, int]:
    """For each edge, both ways round, the vertices of its block as bits."""
    neighbours: list[list[int]] = [[] for _ in range(vertices)]
    for one, other in {(min(edge), max(edge)) for edge in edges if edge[0] != edge[1]}:
        neighbours[one].append(other)
        neighbours[other].append(one)
    blocks: dict[Edge, int] = {}
    depth = [-1] * vertices
    for root in range(vertices):
        if depth[root] < 0:
            _search(root, neighbours, depth, blocks)
    return blocks


def _search(root: int, neighbours: list[list[int]], depth: list[int], blocks: dict[Edge, int]) -> None:
    lowest = list(depth)
    depth[root] = lowest[root] = 0
    open_edges: list[Edge] = []
    path: list[tuple[int, int, Iterator[int]]] = [(root, -1, iter(neighbours[root]))]
    while path:
        vertex, parent, rest = path[-1]
        for other in rest:
            if depth[other] < 0:
                depth[other] = lowest[other] = depth[vertex] + 1
                open_edges.append((vertex, other))
                path.append((other, vertex, iter(neighbours[other])))
                break
            if other != parent and depth[other] < depth[vertex]:
                open_edges.append((vertex, other))
                lowest[vertex] = min(lowest[vertex], depth[other])
        else:
            path.pop()
            if parent >= 0:
                lowest[parent] = min(lowest[parent], lowest[vertex])
                if lowest[vertex] >= depth[parent]:
                    _close((parent, vertex), open_edges, blocks)


def _close(door: Edge, open_edges: list[Edge], blocks: dict[Edge, int]) -> None:
    """All edges opened since `door` are one block."""
    cut = len(open_edges) - 1 - open_edges[::-1].index(door)
    block = open_edges[cut:]
    del open_edges[cut:]
    members = 0
    for one, other in block:
        members |= 1 << one | 1 << other
    for one, other in block:
        blocks[one, other] = blocks[other, one] = members


LAYERS = 64
"""Limits up to here are looked at hop by hop; above, who lies ahead is who lies ahead at any distance."""
EVERYTHING = -1
WALLS = 500_000
"""How many answers about walls are kept from one message to the next."""


class Memory:
    """How much to remember, by broker, hops and link."""

    def __init__(self, network: Network) -> None:
        self.limits = _limits(network)
        """Of each link, the limit that can bite."""
        self.hops = _ahead(network, lambda leg: self._finite(leg), max)
        """Of each broker, how many hops are worth counting."""
        self.kept = _kept(network)
        """Of each link, whom a copy that crosses it need not forget."""
        self.ahead = self._layers(network)
        """By hops made, or at any number of hops: of each broker, whom links ahead would shun."""
        self.layered = len(self.ahead) > 1
        self._honest = network.honest
        self._identity = network.identity
        self._beside = _beside(network)
        self._walls: dict[tuple[int, int], int] = {}

    def carried(self, leg: Leg, hops: int, left: int, exact: bool) -> tuple[int, int]:
        """The hops made and the brokers left that a copy must remember behind a link.

        With `exact`, no more of these than needed, which takes longer.
        """
        kept = self.kept[leg.number]
        hops = min(hops + leg.step, self.hops[leg.target])
        left = (left | leg.notes) & kept & self.ahead[hops if self.layered else 0][leg.target]
        if exact and left and self._honest:
            left = self._walled(leg.target, left, kept)
        return hops, left

    def _walled(self, broker: int, left: int, block: int) -> int:
        """Of whom a copy has left, those that it could still meet, where every link avoids them.

        A copy goes on only among brokers that it has not left. What it has left, and what no link leads to
        from these, is behind a wall: it does not matter any more.
        """
        known = self._walls.get((broker, left))
        if known is None:
            if len(self._walls) >= WALLS:
                self._walls.clear()
            known = self._walls[broker, left] = self._flooded(1 << self._identity[broker], left, block)
        return known

    def _flooded(self, rest: int, left: int, block: int) -> int:
        beside, unseen, wall = self._beside, block & ~left & ~rest, 0
        while rest and wall != left:
            near = beside[rest.bit_length() - 1]
            rest ^= 1 << rest.bit_length() - 1
            wall |= near & left
            rest |= near & unseen
            unseen &= ~near
        return wall

    def _finite(self, leg: Leg) -> int:
        limit = self.limits[leg.number]
        return 0 if limit == UNLIMITED else limit

    def _layers(self, network: Network) -> list[list[int]]:
        most = max(self.hops, default=0)
        if most > LAYERS or not any(leg.shuns for leg in network.legs):
            return [_ahead(network, lambda leg: leg.shuns, int.__or__)]
        layers: list[list[int]] = []
        for hops in range(most, -1, -1):
            layers.append(self._layer(network, hops, layers[-1] if layers else None))
        return layers[::-1]

    def _layer(self, network: Network, hops: int, above: list[int] | None) -> list[int]:
        """Whom links ahead of a copy that has made so many hops would shun."""

        def crossed_next(leg: Leg) -> int:
            if hops >= self.limits[leg.number]:
                return 0
            return leg.shuns | (above[leg.target] if above and leg.step else 0)

        def stays_in_layer(leg: Leg) -> bool:
            return hops < self.limits[leg.number] and not (above and leg.step)

        return _ahead(network, crossed_next, int.__or__, stays_in_layer)


def _limits(network: Network) -> list[int]:
    """The limits of all links. Where no copy comes twice to one identity, a limit beyond the mesh is none.

    Twice as many as there are identities: two brokers that share one may hand a copy to each other once.
    """
    endless = 2 * network.identities if network.honest else UNLIMITED
    return [UNLIMITED if leg.limit > endless else leg.limit for leg in network.legs]


def _ahead(
    network: Network,
    of: Callable[[Leg], int],
    joined: Callable[[int, int], int],
    followed: Callable[[Leg], bool] = lambda leg: True,
) -> list[int]:
    """Of each broker, what its links say, joined with what is said wherever they lead."""
    values = [0] * len(network.out)
    before: list[list[int]] = [[] for _ in network.out]
    for source, legs in enumerate(network.out):
        for leg in legs:
            values[source] = joined(values[source], of(leg))
            if followed(leg):
                before[leg.target].append(source)
    changed = [broker for broker, value in enumerate(values) if value]
    while changed:
        broker = changed.pop()
        for source in before[broker]:
            value = joined(values[source], values[broker])
            if value != values[source]:
                values[source] = value
                changed.append(source)
    return values


def _kept(network: Network) -> list[int]:
    if not network.honest:
        return [EVERYTHING] * len(network.legs)
    identity = network.identity
    ends = [(identity[network.number[leg.link.source]], identity[leg.target]) for leg in network.legs]
    blocks = blocks_of(network.identities, ends)
    return [blocks.get(edge, EVERYTHING) for edge in ends]


def _beside(network: Network) -> list[int]:
    """Of each identity, those that links lead to from it, as bits."""
    found = [0] * network.identities
    for leg in network.legs:
        found[network.identity[network.number[leg.link.source]]] |= 1 << network.identity[leg.target]
    return found


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
        reached = self._reach(after, latency, self.hops[number] + leg.step, number, leg.path)
        if after.name != name:
            self.grown.add((number, reached))
        self.next[number].append(reached)
        self.labels[number].append(leg.path)
        self.groups[number].append(leg.group)

    def _hand_round(self, number: int) -> None:
        """Give the copy to every part of the broker once."""
        entered = self.states[number]
        inner, inside = self._network.inner[entered.broker], self._network.inside[entered.broker]
        if not inner or entered.barred & inside:
            return
        seen = {entered.name}
        parts: list[tuple[int, int, tuple[int, ...], float]] = [(entered.name, entered.barred, (), 0.0)]
        for name, barred, path, took in parts:
            for leg, behind, _ in self._names.onward(entered.broker, name):
                if not leg.inner or behind in seen or not self._stays(entered, barred, leg):
                    continue
                seen.add(behind)
                parts.append((behind, barred | leg.bars, (*path, leg.number), took + leg.latency))
        for name, barred, path, took in parts[1:]:
            state = entered._replace(name=name, barred=barred | inner | inside)
            latency = round(self.latency[number] + took, NANOSECONDS)
            self.next[number].append(self._reach(state, latency, self.hops[number], number, path))
            self.labels[number].append(path)
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

    def path(self, number: int) -> tuple[int, ...]:
        """The links on the quickest path to a state."""
        backward: list[tuple[int, ...]] = []
        while number >= 0:
            backward.append(self.over[number])
            number = self.before[number]
        return tuple(link for over in reversed(backward) for link in over)
