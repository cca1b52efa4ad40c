"""Rounds that copies go for ever.

A round is a cycle in the graph of states. Cycles that share states are parts of one strongly connected
component; of each, the shortest round through its first state is shown, and how a copy gets into it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

Links = tuple[int, ...]


def components(following: Sequence[Sequence[int]], among: Sequence[int]) -> list[list[int]]:
    """The strongly connected components that have a cycle, of a part of a graph: Kosaraju's two searches."""
    allowed = set(among)
    before: dict[int, list[int]] = {state: [] for state in among}
    for state in among:
        for after in following[state]:
            if after in allowed:
                before[after].append(state)
    free, found = set(among), []
    for state in reversed(finished(following, among)):
        if state in free:
            component = _gathered(before, state, free)
            if len(component) > 1 or state in following[state]:
                found.append(component)
    return found


def finished(following: Sequence[Sequence[int]], among: Sequence[int]) -> list[int]:
    """States in the order in which a search in depth is done with them."""
    free, done = set(among), []
    for root in among:
        path: list[tuple[int, Iterator[int]]] = []
        entered: int | None = root if root in free else None
        while entered is not None or path:
            if entered is not None:
                free.discard(entered)
                path.append((entered, iter(following[entered])))
            entered = next((after for after in path[-1][1] if after in free), None)
            if entered is None:
                done.append(path.pop()[0])
    return done


def _gathered(before: dict[int, list[int]], state: int, free: set[int]) -> list[int]:
    """Free states from which a state can be reached, which are free no more."""
    free.discard(state)
    component = [state]
    for each in component:
        fresh = [earlier for earlier in dict.fromkeys(before[each]) if earlier in free]
        free.difference_update(fresh)
        component += fresh
    return component


def shortest_round(
    following: Sequence[Sequence[int]],
    labels: Sequence[Sequence[Links]],
    component: Sequence[int],
    first: int,
) -> tuple[list[int], Links]:
    """The states, from the first one, and the links of the shortest round within a component."""
    allowed = set(component)
    before: dict[int, tuple[int, Links]] = {}
    waiting = deque([first])
    while first not in before:
        state = waiting.popleft()
        for after, links in zip(following[state], labels[state], strict=True):
            if after in allowed and after not in before:
                before[after] = state, links
                waiting.append(after)
    return _traced(before, first)


def _traced(before: dict[int, tuple[int, Links]], first: int) -> tuple[list[int], Links]:
    states: list[int] = []
    parts: list[Links] = []
    state = first
    while not parts or state != first:
        state, links = before[state]
        states.append(state)
        parts.append(links)
    return states[::-1], tuple(link for links in reversed(parts) for link in links)


def unrolled(before: Links, round_: Links) -> tuple[Links, Links]:
    """The same endless way, with what the way there has in common with the round taken into the round."""
    while before and before[-1] == round_[-1]:
        before, round_ = before[:-1], (round_[-1], *round_[:-1])
    return before, round_
