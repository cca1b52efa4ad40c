"""The table of one broker, calculated while the mesh waits for it.

All tables of all brokers take too long here: while they are calculated no heartbeat is sent, and neighbours
would take this broker for dead. Its own table needs one run of Dijkstra's algorithm from the broker itself.
Of equally cheap ways the one whose next broker comes first in the file is taken, as in all other tables: the
first brokers of the cheapest ways to a destination are those of the cheapest ways to the brokers before it,
and since every cost is at least 1, these are settled earlier.
"""

from __future__ import annotations

from heapq import heappop, heappush

from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.routing.graph import graph_of

Row = dict[str, str]
"""The next broker by destination; who cannot be reached is not there."""


def calculated(mesh: Mesh, broker: str, failures: Failures) -> Row:
    """The table of a broker when something has failed."""
    graph = graph_of(mesh)
    rows, targets, costs = graph.rows.tolist(), graph.targets.tolist(), graph.costs_under(failures).tolist()
    start = graph.number(broker)
    distance, first = {start: 0}, {start: -1}
    ahead, settled = [(0, start)], set()
    while ahead:
        near, here = heappop(ahead)
        if here in settled:
            continue
        settled.add(here)
        for hop in range(rows[here], rows[here + 1]):
            there, far = targets[hop], near + costs[hop]
            over = there if here == start else first[here]
            if not costs[hop] or (there in distance and (distance[there], first[there]) <= (far, over)):
                continue
            distance[there], first[there] = far, over
            heappush(ahead, (far, there))
    del first[start]
    return {graph.names[to]: graph.names[over] for to, over in first.items()}
