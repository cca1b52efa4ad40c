"""Loop-free alternates, near and remote: another next broker, chosen beforehand, that sends no packet back.

RFC 5286. Broker S sends to D by way of E. When the link to E is dead, S may hand the packet to another
neighbour N at once, and nobody else need know of the failure, if N does not send it back through S:

    cost(N, D) < cost(N, S) + cost(S, D)        (inequality 1: no cheapest path from N to D goes by way of S)

So N's path avoids the link from S to E. It avoids the broker E as well if

    cost(N, D) < cost(N, E) + cost(E, D)        (inequality 3)

Of several such neighbours the one with the cheapest path is taken, of equally cheap ones the first in the
file. A second link to E, of another cable, is an alternate too, with E as the neighbour.

Not every pair has one: in a ring of four or more, most have none. Remote ones reach further.

To a remote alternate a packet is carried in a tunnel; from there it finds its path.

RFC 7490. The link from S to E is dead, and no neighbour of S is an alternate. The *P-space* of a broker are
those that it reaches without the link, whichever of equally cheap paths is taken; the *extended* P-space of S
are the P-spaces of all its other neighbours together, since S can choose whom it hands a packet to. The
*Q-space* of E are those who reach E without the link. A broker in both is a repair: S tunnels the packet to
it, and from there the usual tables lead to E, and to everything that S would have sent to E, without the
link.

Of several repairs the nearest to S is taken, of equally near ones the first in the file.

Where every link costs 1, every link that is no bridge has an extended repair. For let k be the length of a
shortest cycle through the link, and number its brokers from S away from E: S is 0, E is k - 1. Broker i has k
- 1 - i hops to E without the link and at least i + 1 with it, so it is in the Q-space if i > k/2 - 1. Broker
1 has i - 1 hops to it without the link and at least k + 1 - i with it, so it is in the extended P-space if i
< k/2 + 1. There is always a whole number between. In the P-space of S itself it is only if i < k/2: then
there may be none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from angarium.mesh.mesh import Mesh
from angarium.mesh.routing.graph import NONE, Ints
from angarium.mesh.schemes.graphs import FAR, Costs, Distances, distances

Which = NDArray[np.bool_]


def alternates(mesh: Mesh, *, around_broker: bool = False) -> Ints:
    """The alternate next broker by broker and destination; -1 if there is none.

    It avoids the link to the next broker; if asked, the next broker as well.
    """
    return alternates_of(distances(mesh), around_broker=around_broker)


def alternates_of(found: Distances, *, around_broker: bool = False) -> Ints:
    """The same for paths that are known."""
    rows = [_of_broker(found, broker, around_broker) for broker in range(found.graph.brokers)]
    return np.array(rows, np.int32).reshape(len(rows), len(rows))


def _of_broker(found: Distances, broker: int, around_broker: bool) -> Ints:
    """A row: of the neighbours that may be taken, the one with the cheapest path."""
    graph = found.graph
    hops = slice(*graph.rows[broker : broker + 2].tolist())
    neighbours = graph.targets[hops]
    if not len(neighbours):
        return np.full(graph.brokers, NONE, np.int32)
    is_next = neighbours[:, np.newaxis] == found.next[broker]
    link_costs = np.where(is_next, found.fallback[hops][:, np.newaxis], graph.costs[hops][:, np.newaxis])
    allowed = (link_costs > 0) & loop_free(found.costs, broker, neighbours)
    if around_broker:
        allowed &= ~is_next & _avoiding_next(found, broker, neighbours)
    totals = np.where(allowed, link_costs + found.costs[neighbours], FAR)
    best = neighbours[totals.argmin(axis=0)]
    return np.where(allowed.any(axis=0) & (found.next[broker] != NONE), best, NONE).astype(np.int32)


def loop_free(costs: Costs, broker: int, neighbours: Ints) -> Which:
    """Inequality 1, by neighbour and destination."""
    there = costs[neighbours]
    back = costs[neighbours, broker][:, np.newaxis] + costs[broker]
    allowed: Which = np.less(there, np.minimum(back, FAR))
    return allowed


def _avoiding_next(found: Distances, broker: int, neighbours: Ints) -> Which:
    """Inequality 3, by neighbour and destination, for the next broker of each destination."""
    costs, after = found.costs, np.maximum(found.next[broker], 0)
    beyond = costs[neighbours][:, after] + costs[after, np.arange(len(after))]
    allowed: Which = np.less(costs[neighbours], beyond)
    return allowed


@dataclass(frozen=True, slots=True)
class Remote:
    """Whom packets are tunnelled to when a hop is dead, by hop; -1 if there is none."""

    first: Ints
    """The neighbour that the tunnel begins with."""
    repair: Ints
    """The broker at which it ends."""


def remote(mesh: Mesh, *, extended: bool = True) -> Remote:
    """The repair of every hop, in the extended P-space or in that of the broker itself."""
    return remotes_of(distances(mesh))[extended]


def remotes_of(found: Distances) -> tuple[Remote, Remote]:
    """The same for paths that are known: in the P-space itself, and in the extended one."""
    chosen = [_chosen(found, hop) for hop in range(found.graph.hops)]
    near, extended = np.array(chosen, np.int32).reshape(-1, 2, 2).transpose(1, 2, 0).copy()
    return Remote(*near), Remote(*extended)


Tunnel = tuple[int, int]
"""Its first broker, and its last."""


def _chosen(found: Distances, hop: int) -> tuple[Tunnel, Tunnel]:
    """The tunnels to the nearest repairs of a hop: in the P-space itself, and in the extended one."""
    graph, source = found.graph, int(found.graph.sources[hop])
    others = [n for n in range(*graph.rows[source : source + 2].tolist()) if n != hop]
    if not others:
        return (NONE, NONE), (NONE, NONE)
    neighbours = graph.targets[others]
    repairs = p_space(found, neighbours, hop) & q_space(found, hop)
    repairs[:, source] = False
    is_first = neighbours[:, np.newaxis] == found.next[source]
    itself = p_space(found, graph.sources[[hop]], hop)
    totals = graph.costs[others][:, np.newaxis] + found.costs[neighbours]
    return _nearest(neighbours, repairs & is_first & itself, totals), _nearest(neighbours, repairs, totals)


def _nearest(neighbours: Ints, repairs: Which, totals: Costs) -> Tunnel:
    """The cheapest tunnel, if there is one; repairs and what tunnels cost are by neighbour and broker."""
    if not repairs.any():
        return NONE, NONE
    costs = np.where(repairs, totals, FAR)
    repair = int(costs.min(axis=0).argmin())
    return int(neighbours[costs[:, repair].argmin()]), repair


def p_space(found: Distances, brokers: Ints, hop: int) -> Which:
    """By broker: whom it reaches by cheapest paths none of which uses the link of a hop, either way."""
    graph, costs = found.graph, found.costs
    source, target = int(graph.sources[hop]), int(graph.targets[hop])
    over = (costs[brokers, source] + graph.costs[hop])[:, np.newaxis] + costs[target]
    back = graph.hop_between.get((target, source))
    if back is not None:
        over = np.minimum(over, (costs[brokers, target] + graph.costs[back])[:, np.newaxis] + costs[source])
    inside: Which = np.less(costs[brokers], np.minimum(over, FAR))
    return inside


def q_space(found: Distances, hop: int) -> Which:
    """Who reaches the end of a hop by cheapest paths none of which uses its link."""
    graph, costs = found.graph, found.costs
    source, target = int(graph.sources[hop]), int(graph.targets[hop])
    inside: Which = np.less(costs[:, target], np.minimum(costs[:, source] + graph.costs[hop], FAR))
    return inside
