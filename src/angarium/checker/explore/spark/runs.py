"""Shortest runs to a state, found again in the levels on disk.

A state is kept with the owner of its parent, not with the parent itself: that is two bytes instead of eight,
and enough. Only that owner's part of the level before is expanded once more, to see which of its states leads
there; and so on back to an initial state.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from angarium.checker.backend.kernel import Kernel, compile_system
from angarium.checker.backend.layout import Words
from angarium.checker.explore.engine import Cells
from angarium.checker.explore.native_runs import readable
from angarium.checker.explore.spark.job import Job
from angarium.checker.explore.spark.levels import Levels

CHUNK = 1 << 12


def run_to(job: Job, level: int, owner: int, position: int, initial: Words) -> list[Cells]:
    """The states of a shortest run from an initial state to a state of a level."""
    kernel = compile_system(job.system, symmetry=job.symmetry)
    back = list(_back(kernel, Levels(job.folder), level, owner, position))
    return readable(kernel, kernel.layout, back[::-1], initial)


def _back(kernel: Kernel, levels: Levels, level: int, owner: int, position: int) -> Iterator[Words]:
    part = levels.part(level, owner)
    target = part.states[position]
    yield target
    while level > 0:
        level, owner = level - 1, int(part.parents[position])
        part = levels.part(level, owner)
        states = part.states
        position = _parent(kernel, states, target)
        target = states[position]
        yield target


def _parent(kernel: Kernel, states: Words, target: Words) -> int:
    """The position of a state that has the target as a successor."""
    for start in range(0, len(states), CHUNK):
        expansion = kernel.successors(states[start : start + CHUNK])
        found = np.flatnonzero((kernel.canonical(expansion.successors) == target).all(axis=1))
        if len(found):
            return start + int(np.searchsorted(expansion.ends, found[0], side="right"))
    raise AssertionError("a state's parent is among those of its owner")
