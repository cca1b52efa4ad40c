"""The parts that a mesh falls into when something fails: in each, every broker reaches every other.

Whether a failure cuts anything off is known without looking at parts: exceptions of living brokers say so.
A part is found by two searches from one of its brokers, along the links and against them: what both find is
the part. Where links lead both ways, as nearly always, the first search alone would do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from angarium.core.control import Control
from angarium.mesh.mesh import Failures
from angarium.mesh.recovery.colours import HEALTHY
from angarium.mesh.recovery.exceptions import Exceptions, all_exceptions
from angarium.mesh.routing.graph import NONE, Graph
from angarium.mesh.routing.tables import shortest

Labels = NDArray[np.int16]
"""Of each broker: the number of its part; -1 if it is dead."""


def parts_under(graph: Graph, failures: Failures) -> Labels:
    """The parts of the living brokers, numbered by their first ones."""
    changed = graph.changes(failures)
    alive = [hop for hop in range(graph.hops) if changed.get(hop, 1)]
    onwards: list[list[int]] = [[] for _ in range(graph.brokers)]
    back: list[list[int]] = [[] for _ in range(graph.brokers)]
    sources, targets = graph.sources.tolist(), graph.targets.tolist()
    for hop in alive:
        onwards[sources[hop]].append(targets[hop])
        back[targets[hop]].append(sources[hop])
    dead = set(graph.dead_brokers(failures))
    return _numbered(onwards, back, dead)


def _numbered(onwards: list[list[int]], back: list[list[int]], dead: set[int]) -> Labels:
    labels = np.full(len(onwards), NONE, np.int16)
    number = 0
    for broker in range(len(onwards)):
        if broker not in dead and labels[broker] == NONE:
            part = reached(onwards, broker) & reached(back, broker)
            labels[list(part)] = number
            number += 1
    return labels


def reached(onwards: Sequence[Sequence[int]], start: int) -> set[int]:
    """Everything that can be come to."""
    found, waiting = {start}, [start]
    while waiting:
        for after in onwards[waiting.pop()]:
            if after not in found:
                found.add(after)
                waiting.append(after)
    return found


def cutting(graph: Graph, failures: Sequence[Failures], known: Exceptions | None = None) -> dict[int, int]:
    """The failures that leave living brokers without a way that they had, by their places: how many pairs.

    What is known are the calculated exceptions of these failures; without them they are calculated.
    """
    found = all_exceptions(graph, failures, Control()) if known is None else known
    gone = found.next == NONE
    colours, ends = found.colours[gone].astype(np.int64), (found.brokers[gone], found.destinations[gone])
    dead = [
        colour * graph.brokers + broker
        for colour, each in enumerate(failures, start=HEALTHY + 1)
        for broker in graph.dead_brokers(each)
    ]
    living = ~np.logical_or(*(np.isin(colours * graph.brokers + end, dead) for end in ends))
    counts = np.bincount(colours[living])
    return {colour - HEALTHY - 1: int(counts[colour]) for colour in np.flatnonzero(counts).tolist()}


def pairs_cut_off(graph: Graph, failures: Failures) -> Iterator[tuple[str, str]]:
    """The pairs of living brokers that failures leave without a way that they had."""
    gone = (shortest(graph, failures) == NONE) & (shortest(graph) != NONE)
    for source, destination in np.argwhere(gone).tolist():
        pair = graph.names[source], graph.names[destination]
        if not failures.brokers.intersection(pair):
            yield pair
