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

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from angarium.checker.backend.kernel import Kernel
from angarium.checker.backend.layout import Layout, Words
from angarium.checker.ir.transition import Cells

Trace = Callable[[int, int, Words], object]
"""Native: given a level and the number of a state in it, fills in each level's state on the path."""


class Log(Protocol):
    """All states, level by level."""

    @property
    def layout(self) -> Layout: ...

    @property
    def level_starts(self) -> NDArray[Any]: ...

    def state(self, number: int) -> Words: ...


def run_to(kernel: Kernel, store: Log, trace: Trace, number: int, initial: Words) -> list[Cells]:
    """The states of a shortest run from an initial state to the state of that number in the log."""
    level = int(np.searchsorted(store.level_starts, number, side="right")) - 1
    path = np.empty(level + 1, np.uint64)
    trace(level, number, path)
    return readable(kernel, store.layout, [store.state(int(each)) for each in path], initial)


def readable(kernel: Kernel, layout: Layout, run: Sequence[Words], initial: Words) -> list[Cells]:
    """The cells of a run's states; with symmetry, of a real run that has these representatives."""
    if kernel.symmetry:
        run = _realise(kernel, run, initial)
    return [layout.unpack([int(word) for word in state]) for state in run]


def _realise(kernel: Kernel, run: Sequence[Words], initial: Words) -> list[Words]:
    candidates, real = initial, []
    for representative in run:
        same = (kernel.canonical(candidates) == representative).all(axis=1)
        assert same.any(), "steps do not commute with renaming: the model's symmetry is broken"
        real.append(candidates[int(np.argmax(same))])
        candidates = kernel.successors(real[-1][None, :]).successors
    return real
