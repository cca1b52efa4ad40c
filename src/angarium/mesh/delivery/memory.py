"""What of a copy's past can still matter to it.

Copies that differ only in what no longer matters have the same future, and are counted together. Of the hops
made, only as many matter as the largest limit that lies ahead. Of the history, only who a link ahead, within
the hops that are left, would shun. And if every link shuns who was left, then copies go only ways without
repetition, and only what was left in the present block matters: see `blocks`.

All of this is calculated for the whole mesh with nothing dead and no filter: then what cannot matter there
cannot matter in any part of it either.

The blocks of a graph: parts that no single vertex cuts.

A way that visits no vertex twice and leaves a block at some vertex never comes back into it, because that
vertex is the only door. So of all that such a way has visited, only what lies in the present block can matter
to it. The search is the classical one by depth and lowest vertex reached, on a stack of its own, since meshes
may be longer than Python's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from angarium.mesh.delivery.legs import UNLIMITED, Leg, Network

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
