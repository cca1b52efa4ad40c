"""The blocks of a graph: parts that no single vertex cuts.

A way that visits no vertex twice and leaves a block at some vertex never comes back into it, because that
vertex is the only door. So of all that such a way has visited, only what lies in the present block can matter
to it. The search is the classical one by depth and lowest vertex reached, on a stack of its own, since meshes
may be longer than Python's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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
