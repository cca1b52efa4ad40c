"""Loop-free alternates: another next broker, chosen beforehand, that does not send a packet back.

RFC 5286. Broker S sends to D by way of E. When the link to E is dead, S may hand the packet to another
neighbour N at once, and nobody else need know of the failure, if N does not send it back through S:

    cost(N, D) < cost(N, S) + cost(S, D)        (inequality 1: no cheapest way from N to D goes by way of S)

So N's way avoids the link from S to E. It avoids the broker E as well if

    cost(N, D) < cost(N, E) + cost(E, D)        (inequality 3)

Of several such neighbours the one with the cheapest way is taken, of equally cheap ones the first in the
file. A second link to E, of another cable, is an alternate too, with E as the neighbour.

Not every pair has one: in a ring of four or more, most have none. `mesh.schemes.remote` reaches further.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from angarium.mesh.mesh import Mesh
from angarium.mesh.routing.graph import NONE, Ints
from angarium.mesh.schemes.ways import FAR, Costs, Ways, ways

Which = NDArray[np.bool_]


def alternates(mesh: Mesh, *, around_broker: bool = False) -> Ints:
    """The alternate next broker by broker and destination; -1 if there is none.

    It avoids the link to the next broker; if asked, the next broker as well.
    """
    return alternates_of(ways(mesh), around_broker=around_broker)


def alternates_of(found: Ways, *, around_broker: bool = False) -> Ints:
    """The same for ways that are known."""
    rows = [_of_broker(found, broker, around_broker) for broker in range(found.graph.brokers)]
    return np.array(rows, np.int32).reshape(len(rows), len(rows))


def _of_broker(found: Ways, broker: int, around_broker: bool) -> Ints:
    """A row: of the neighbours that may be taken, the one with the cheapest way."""
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


def _avoiding_next(found: Ways, broker: int, neighbours: Ints) -> Which:
    """Inequality 3, by neighbour and destination, for the next broker of each destination."""
    costs, after = found.costs, np.maximum(found.next[broker], 0)
    beyond = costs[neighbours][:, after] + costs[after, np.arange(len(after))]
    allowed: Which = np.less(costs[neighbours], beyond)
    return allowed
