"""The explored graph: every state by its number, and the steps between them, as compressed adjacency.

What is claimed of whole runs is decided on this. States are numbered in breadth-first order, the initial
states first. The steps of state s are the entries `rows[s]` to `rows[s + 1]` of `targets` and `labels`, in
the order in which a story's address counts them. A label is the number of an action instance: actions as
declared, each parameter from its lowest value, the first one outermost. Where nothing more can happen there
is one entry: the state itself, with the label `stutter`, so that every state has a successor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import prod
from typing import TYPE_CHECKING, Protocol

from angarium.checker.ir.syntax import Expr
from angarium.checker.ir.transition import Action, Cells, Parameter, TransitionSystem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from angarium.spark.place import Place


@dataclass(frozen=True, slots=True)
class Wish:
    """What the graph must tell of states and steps."""

    conditions: tuple[Expr, ...] = ()
    """Whether each is true in a state is a bit of `Graph.atoms`. At most 63, with the system's guarantees."""
    events: Mapping[str, Expr] = field(default_factory=dict)
    """By the name of an action: a number from 1, computed from its arguments in the state before the step. It
    must have a value wherever the guards in front of the step's first write are true. The steps of other
    actions have the event 0: they are internal."""


class GraphOnDisk(Protocol):
    """A graph that may not fit into memory: tables that Spark reads."""

    @property
    def place(self) -> Place:
        """Where Spark is."""

    @property
    def nodes(self) -> str:
        """Where it finds the states."""

    @property
    def edges(self) -> str:
        """Where it finds the steps."""

    @property
    def scratch(self) -> str:
        """Where tables can be kept for a while."""

    @property
    def room(self) -> int:
        """How many bytes of it may be brought into memory."""

    def cells(self, id_: int) -> Cells:
        """A state by its id."""

    def close(self) -> None:
        """Remove what is not kept."""


@dataclass(frozen=True)
class Graph:
    """A transition system, explored to the last state."""

    system: TransitionSystem
    rows: NDArray[np.uint64]
    """Where each state's steps begin, and where the last one's end."""
    targets: NDArray[np.uint32]
    labels: NDArray[np.uint32]
    atoms: NDArray[np.uint64]
    """For each state, bit i: the i-th of the conditions that were asked for is true."""
    initial: int
    """How many initial states there are; they are the first."""
    cells: Callable[[Sequence[int]], list[Cells]]
    """The states of some numbers, as cells."""
    events: NDArray[np.uint64]
    """For each step, what can be seen of it from outside: the wish's numbers; 0 for standing still.
    Empty if no events were asked for."""

    @property
    def states(self) -> int:
        return len(self.atoms)

    @property
    def stutter(self) -> int:
        """The label of standing still: one behind the last instance."""
        return instances(self.system.actions)


def instances(actions: Sequence[Action]) -> int:
    """How many action instances there are."""
    return sum(map(variants, actions))


def variants(action: Action) -> int:
    """How many combinations of arguments an action has."""
    return prod(each.type.high - each.type.low + 1 for each in action.parameters)


def first_labels(actions: Sequence[Action]) -> dict[str, int]:
    """The label of each action's first instance."""
    before = accumulate(map(variants, actions), initial=0)
    return {action.name: first for action, first in zip(actions, before, strict=False)}


def combination(parameters: Sequence[Parameter], arguments: Sequence[int]) -> int:
    """The number of some arguments among all combinations: the last one changes fastest."""
    number = 0
    for each, argument in zip(parameters, arguments, strict=True):
        number = number * (each.type.high - each.type.low + 1) + argument - each.type.low
    return number
