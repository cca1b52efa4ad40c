"""The same fixpoints on this machine, on arrays: for steps that are few enough to be brought here.

A job on Spark has its price even for ten steps, and a fixpoint is a job a round. So as soon as what is left
fits here, the rounds that are left are made here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Some = NDArray[np.bool_]

BYTES_OF_STEP, BYTES_OF_WORD = 96, 32
"""What a step needs here, and each word of bits of it."""


def fits(steps: int, words: int, room: int) -> bool:
    """Whether so many steps, with so many words of what they meet, can be brought here."""
    return steps * (BYTES_OF_STEP + BYTES_OF_WORD * words) <= room


@dataclass(frozen=True)
class Steps:
    """Steps between nodes that are known by their places among some names."""

    names: Numbers
    """In ascending order."""
    source: Numbers
    target: Numbers
    """In ascending order."""
    meets: Sequence[Numbers] = ()
    """For each word, the bits that a step meets."""

    @cached_property
    def _rows(self) -> Numbers:
        """Where the steps to each node begin."""
        return np.concatenate([[0], np.cumsum(np.bincount(self.target, minlength=len(self.names)))])

    def into(self, nodes: Numbers) -> Numbers:
        """The places of the steps that lead to some nodes."""
        return entries(self._rows, nodes)

    def where(self, chosen: Some) -> Steps:
        """Some of the steps, among the same nodes."""
        meets = [word[chosen] for word in self.meets]
        return Steps(self.names, self.source[chosen], self.target[chosen], meets)


def numbered(
    source: Numbers, target: Numbers, meets: Sequence[Numbers] = (), more: Sequence[Numbers] = ()
) -> Steps:
    """Steps between names; there may be more names than they have."""
    order = np.argsort(target, kind="stable")
    names = np.unique(np.concatenate([source, target, *more]))
    source, target = (np.searchsorted(names, end[order]) for end in (source, target))
    return Steps(names, source, target, [word[order] for word in meets])


def entries(rows: Numbers, chosen: Numbers) -> Numbers:
    """The places from `rows[n]` to `rows[n + 1]` of each n that is chosen, in the order of these."""
    counts = rows[chosen + 1] - rows[chosen]
    ends = np.cumsum(counts)
    return np.repeat(rows[chosen] - ends + counts, counts) + np.arange(counts.sum())


def places(names: Numbers, wanted: Numbers) -> Numbers:
    """Where names stand among some in ascending order; one behind the last if they do not."""
    found = np.searchsorted(names, wanted)
    inside = names[np.minimum(found, len(names) - 1)] == wanted
    return np.where(inside, found, len(names))


def reach(steps: Steps, goal: Numbers) -> Numbers:
    """How many steps each node is away from a goal; -1 if there is no path."""
    distances = np.full(len(steps.names), -1, np.int64)
    frontier, distance = goal, 0
    while len(frontier):
        distances[frontier] = distance
        found = np.unique(steps.source[steps.into(frontier)])
        frontier, distance = found[distances[found] < 0], distance + 1
    return distances


def going_on(steps: Steps) -> Some:
    """The nodes from which some path without end goes on."""
    left = np.bincount(steps.source, minlength=len(steps.names))
    ended = np.flatnonzero(left == 0)
    while len(ended):
        found, lost = np.unique(steps.source[steps.into(ended)], return_counts=True)
        left[found] -= lost
        ended = found[left[found] == 0]
    return left > 0


def met(steps: Steps, own: Sequence[Numbers]) -> list[Numbers]:
    """For each word and node, the bits of all nodes that it can reach; `own` has its own bits."""
    known = [word.copy() for word in own]
    frontier = np.arange(len(steps.names))
    while len(frontier):
        told = steps.into(frontier)
        source, target = steps.source[told], steps.target[told]
        changed = np.zeros(len(steps.names), np.bool_)
        for word in known:
            old = word[source]
            np.bitwise_or.at(word, source, word[target])
            changed[source[word[source] != old]] = True
        frontier = np.flatnonzero(changed)
    return known


def core(steps: Steps, owes: Sequence[Numbers], idle: Sequence[Numbers]) -> Numbers:
    """The names of the nodes that are left (`frames.core`).

    For each word: `owes` are the bits that each node owes, and `idle` those that it has met by being there.
    """
    while True:
        steps = steps.where(going_on(steps)[steps.target])
        lost = _lost(steps, owes, idle)
        lost_steps = lost[steps.source] | lost[steps.target]
        if not lost_steps.any():
            return steps.names[np.unique(steps.source)]
        steps = steps.where(~lost_steps)


def _lost(steps: Steps, owes: Sequence[Numbers], idle: Sequence[Numbers]) -> Some:
    """The nodes from which something that they owe cannot be met."""
    own = [word.copy() for word in idle]
    for word, bits in zip(own, steps.meets, strict=True):
        np.bitwise_or.at(word, steps.source, bits)
    lost = np.zeros(len(steps.names), np.bool_)
    for due, have in zip(owes, met(steps, own), strict=True):
        lost |= (due & ~have) != 0
    return lost
