"""Shortest runs to a state, found again in the log.

The search keeps no parents. The log is ordered by levels, so a state's predecessor is found by
expanding the level before once more and looking for the state among the successors; and so on
back to an initial state. Every state was first found on the shortest way, so the run is a
shortest one.

With symmetry the log holds representatives. The run of representatives is then followed forwards
by real steps: from an initial state, and from each state any real successor that has the next
representative. There always is one, because renaming a state renames its steps.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence

import numpy as np

from angarium.compile.kernel import Kernel
from angarium.compile.layout import Words
from angarium.explore.engine import Cells
from angarium.explore.native_memory import Store

Find = Callable[[int, int, Words], int]
"""The number of a state in a range of the log that has the given one as a successor."""


def run_to(kernel: Kernel, store: Store, find: Find, number: int, initial: Words) -> list[Cells]:
    """The states of a shortest run from an initial state to the state of that number in the log."""
    path = _back(store, find, number)
    run = [store.state(each) for each in path]
    if kernel.symmetry:
        run = _realise(kernel, run, initial)
    return [kernel.layout.unpack([int(word) for word in state]) for state in run]


def _back(store: Store, find: Find, number: int) -> list[int]:
    starts = store.level_starts
    path = [number]
    for level in range(bisect_right(starts, number) - 1, 0, -1):
        path.append(find(starts[level - 1], starts[level], store.state(path[-1])))
    return path[::-1]


def _realise(kernel: Kernel, run: Sequence[Words], initial: Words) -> list[Words]:
    candidates, real = initial, []
    for representative in run:
        same = (kernel.canonical(candidates) == representative).all(axis=1)
        real.append(candidates[int(np.argmax(same))])
        candidates = kernel.successors(real[-1][None, :]).successors
    return real
