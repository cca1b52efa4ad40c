"""Walks are counted, and rounds are found, on graphs of states."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from angarium.mesh.delivery.choices import components, shortest_round, unrolled
from angarium.mesh.delivery.forward import copies

Graph = list[list[int]]
GRAPHS = st.lists(st.lists(st.integers(0, 5), max_size=3), min_size=6, max_size=6)


def reachable(graph: Graph, start: int) -> set[int]:
    """What can be reached with at least one step."""
    found: set[int] = set()
    waiting = [start]
    while waiting:
        fresh = set(graph[waiting.pop()]) - found
        found |= fresh
        waiting += fresh
    return found


def test_two_ways_that_meet_make_two_copies() -> None:
    assert copies([[1, 2], [3], [3], [4, 4], []]) == [1, 1, 1, 2, 4]


def test_a_round_and_all_behind_it_is_endless() -> None:
    assert copies([[1], [2], [1, 3], []]) == [1, None, None, None]


def test_a_round_back_to_the_start_is_endless() -> None:
    assert copies([[1], [0]]) == [None, None]


@given(GRAPHS)
def test_components_are_states_that_reach_each_other(graph: Graph) -> None:
    expected = {
        frozenset(other for other in reachable(graph, state) if state in reachable(graph, other))
        for state in range(6)
        if state in reachable(graph, state)
    }

    found = components(graph, list(range(6)))

    assert {frozenset(each) for each in found} == expected
    assert len(found) == len(expected)


@given(GRAPHS)
def test_the_shortest_round_leads_from_a_state_back_to_it(graph: Graph) -> None:
    labels = [[(state, place) for place in range(len(after))] for state, after in enumerate(graph)]

    for component in components(graph, list(range(6))):
        states, links = shortest_round(graph, labels, component, component[0])

        assert states[0] == component[0]
        assert len(links) == 2 * len(states)
        for state, after in zip(states, states[1:] + states[:1], strict=True):
            assert after in graph[state]


def test_what_the_way_into_a_round_shares_with_it_becomes_part_of_it() -> None:
    assert unrolled((9, 1, 2, 3, 1), (2, 3, 1)) == ((9,), (1, 2, 3))
    assert unrolled((), (1, 2)) == ((), (1, 2))
    assert unrolled((1, 2, 1, 2), (1, 2)) == ((), (1, 2))
