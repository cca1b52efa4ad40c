"""Over which way each copy comes, the quickest first.

Copies are the walks in the graph of states (see `walk`), which are many or without end. Only a few are told,
and finding them costs little: what leads to a state among the few quickest walks passes every state before
it among the few quickest to that one. So no state is left more often than walks are told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from typing import NamedTuple

from angarium.mesh.delivery.choices import NANOSECONDS
from angarium.mesh.delivery.walk import Walk

MOST_TOLD = 8
"""Copies of one name at one broker."""


class Coming(NamedTuple):
    """A copy that gets into a state."""

    latency: float
    hops: int
    links: tuple[int, ...]
    state: int


def each_copy(walk: Walk, took: Callable[[tuple[int, ...]], float]) -> Iterator[Coming]:
    """The quickest copies in each state, as they get there; `took` is the time that links take."""
    waiting = [Coming(walk.latency[0], 0, (), 0)]
    left: Counter[int] = Counter()
    while waiting:
        copy = heappop(waiting)
        if left[copy.state] == MOST_TOLD:
            continue
        left[copy.state] += 1
        yield copy
        for after, over in zip(walk.next[copy.state], walk.labels[copy.state], strict=True):
            latency = round(copy.latency + took(over), NANOSECONDS)
            heappush(waiting, Coming(latency, copy.hops + len(over), (*copy.links, *over), after))
