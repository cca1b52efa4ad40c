"""Sets of states of a graph: what leads into a set, what can stay in one, and the shortest path there.

A set is an array of bools, one a state. These are the three operators of CTL from which all others are made:
`some_next` is EX, `some_until` is EU (backward search), `some_always` is EG (the states of a set are taken
out of it while they have no step back into it, by counting down). The work is done by `fixpoint_core`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from angarium.checker.logic import fixpoint_core
from angarium.native.calls import Native

States = NDArray[np.bool_]
"""A set of states."""
_FIRST = np.uint64(2**64 - 1)
_CORE = Native(fixpoint_core, ("reverse", "reach_back", "stay", "walk"))


@dataclass(frozen=True)
class Path:
    """A path through a graph."""

    start: int
    entries: tuple[int, ...]
    """The steps' numbers among all steps."""
    end: int


@dataclass(frozen=True)
class Adjacency:
    """Steps between states: those of a whole graph, or some of them."""

    rows: NDArray[np.uint64]
    targets: NDArray[np.uint32]

    @property
    def states(self) -> int:
        return len(self.rows) - 1

    @cached_property
    def backwards(self) -> Adjacency:
        """The same steps, from where they lead to where they come from."""
        back = np.zeros(self.states + 2, np.uint64)
        sources = np.empty(len(self.targets), np.uint32)
        _CORE.call("reverse", self.states, self.rows, self.targets, back, sources)
        return Adjacency(back[: self.states + 1], sources)

    def some_next(self, goal: States) -> States:
        """From where a step leads into the goal."""
        back, found = self.backwards, np.zeros(self.states, np.bool_)
        found[back.targets[np.repeat(goal, np.diff(back.rows).astype(np.int64))]] = True
        return found

    def some_until(self, inside: States, goal: States) -> States:
        """From where there is a path to the goal, inside a set until it is there."""
        back, reached = self.backwards, goal.copy()
        queue = np.empty(self.states, np.uint32)
        _CORE.call("reach_back", self.states, back.rows, back.targets, inside, reached, queue)
        return reached

    def some_always(self, inside: States) -> States:
        """From where there is a path without end inside a set."""
        back, left = self.backwards, inside.copy()
        exits, queue = (np.empty(self.states, np.uint32) for _ in range(2))
        steps = (self.rows, self.targets, back.rows, back.targets)
        _CORE.call("stay", self.states, *steps, left, exits, queue)
        return left

    def path(self, starts: NDArray[np.integer], inside: States, goal: States) -> Path | None:
        """A shortest path from one of some states to the goal, through states of a set, if there is one."""
        came, queue = np.zeros(self.states, np.uint64), np.empty(self.states, np.uint32)
        queue[: len(starts)] = starts
        came[starts] = _FIRST
        steps = (self.rows, self.targets, inside, goal)
        end = _CORE.call("walk", *steps, came, queue, len(starts))
        if end == fixpoint_core.NOWHERE:
            return None
        entries = tuple(self._path_back(came, end))[::-1]
        return Path(self.source(entries[0]) if entries else end, entries, end)

    def _path_back(self, came: NDArray[np.uint64], state: int) -> Iterator[int]:
        while came[state] != _FIRST:
            entry = int(came[state]) - 1
            yield entry
            state = self.source(entry)

    def source(self, entry: int) -> int:
        """The state that has a step."""
        return int(np.searchsorted(self.rows, np.uint64(entry), side="right")) - 1

    def follow(self, state: int, choices: Iterable[int]) -> Iterator[int]:
        """The numbers of the steps that are taken from a state on."""
        for choice in choices:
            entry = int(self.rows[state]) + choice
            yield entry
            state = int(self.targets[entry])

    def choices(self, entries: Iterable[int]) -> tuple[int, ...]:
        """Which of its state's steps each step is."""
        return tuple(entry - int(self.rows[self.source(entry)]) for entry in entries)
