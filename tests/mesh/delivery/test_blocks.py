"""Blocks are what no single vertex cuts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from angarium.mesh.delivery.copy_states import blocks_of

Edges = list[tuple[int, int]]
SIZE = 7
EDGES = st.lists(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)), max_size=12)


def on_rounds_through(edges: Edges, edge: tuple[int, int]) -> set[int]:
    """The vertices of all paths without repetition from one end of an edge to the other."""
    start, end = edge
    found = {start, end}
    paths = [[start]]
    while paths:
        path = paths.pop()
        for one, two in (*edges, *((two, one) for one, two in edges)):
            if one == path[-1] and two == end:
                found |= set(path)
            elif one == path[-1] and two not in path:
                paths.append([*path, two])
    return found


def test_two_triangles_that_share_a_corner_are_two_blocks() -> None:
    blocks = blocks_of(5, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)])

    assert blocks[0, 1] == blocks[2, 0] == blocks[0, 2] == 0b00111
    assert blocks[3, 4] == blocks[2, 3] == 0b11100


def test_a_link_that_everything_must_cross_is_a_block() -> None:
    assert blocks_of(3, [(0, 1), (1, 2)]) == {(0, 1): 3, (1, 0): 3, (1, 2): 6, (2, 1): 6}


def test_a_link_to_itself_is_in_no_block() -> None:
    assert blocks_of(2, [(1, 1)]) == {}


@given(EDGES)
def test_a_block_is_all_rounds_through_an_edge(edges: Edges) -> None:
    edges = sorted({(min(edge), max(edge)) for edge in edges if edge[0] != edge[1]})

    blocks = blocks_of(SIZE, edges)

    assert blocks.keys() == {*edges, *((two, one) for one, two in edges)}
    for edge in edges:
        assert blocks[edge] == sum(1 << vertex for vertex in on_rounds_through(edges, edge))
