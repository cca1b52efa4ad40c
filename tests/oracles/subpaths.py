"""Fewer walks to look at: those that are part of others say nothing new.

The thesis (5.3, 5.4) checks the paths of its topics one after the other and marks as verified every sub-
path of a path that arrives, and the same sub-paths reversed. That is unsound in two ways:

- A reversed path need not be the path back: with several cheapest paths, there and back may differ; and
  an entry of a table may be wrong in one direction only.
- A sub-path that ends before the destination is a path to another destination, for which the tables have
  other entries.

What holds for any table: where a message goes depends on where it is and on its destination, so a walk from
any broker on the path *to the same destination* is the rest of that way. If tables are *closed* (for every
broker on the path, the entry for it is that for the destination), then every sub-path in the direction of
the path is one. Tables of shortest paths with our tie-break are closed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from angarium.mesh.routing.graph import NONE
from angarium.mesh.routing.tables import Tables
from angarium.mesh.routing.walk import Walk, walk

Pair = tuple[str, str]


def thesis_filter(
    tables: Tables, pairs: Iterable[Pair], *, reverse: bool = True, longest_first: bool = False
) -> list[Pair]:
    """The pairs whose walks the thesis would look at. Not sound: it is here to be compared with."""
    walks = {pair: walk(tables, *pair) for pair in dict.fromkeys(pairs)}
    ordered = sorted(walks, key=lambda pair: -len(walks[pair].links)) if longest_first else list(walks)
    marked: set[Pair] = set()
    chosen = []
    for pair in ordered:
        if pair not in marked:
            chosen.append(pair)
            parts = set(_parts(walks[pair]))
            marked |= parts | ({(b, a) for a, b in parts} if reverse else set())
    return chosen


def sound_filter(tables: Tables, pairs: Iterable[Pair], *, closed: bool = False) -> list[Pair]:
    """Pairs whose walks say of all the given pairs whether they arrive; `closed` says that the tables are."""
    walks = {pair: walk(tables, *pair) for pair in dict.fromkeys(pairs)}
    told: set[Pair] = set()
    chosen = []
    for pair in sorted(walks, key=lambda pair: -len(walks[pair].links)):
        if pair not in told:
            chosen.append(pair)
            told |= set(
                _parts(walks[pair]) if closed and walks[pair].arrives else _rests(walks[pair], pair[1])
            )
    return chosen


def _parts(found: Walk) -> Iterator[Pair]:
    """Every broker on a path with every later one."""
    for number, source in enumerate(found.brokers):
        yield from ((source, later) for later in found.brokers[number + 1 :])


def _rests(found: Walk, destination: str) -> Iterator[Pair]:
    """Every broker on a path, to the same destination: it ends as the whole does."""
    return ((source, destination) for source in found.brokers)


def is_closed(tables: Tables) -> bool:
    """Whether every sub-path of a path is the path between its ends, for all paths that do not go round."""
    count = tables.graph.brokers
    sources = np.arange(count)[:, None]
    at, first = tables.next, tables.next
    destinations = np.broadcast_to(np.arange(count), (count, count))
    for _ in range(count):
        going = (at != NONE) & (at != destinations) & (at != sources)
        if not going.any():
            return True
        if (going & (tables.next[sources, at] != first)).any():
            return False
        at = np.where(going, tables.next[at, destinations], NONE)
    return True
