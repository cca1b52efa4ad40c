"""In which states of a graph a CTL formula is true, by fixpoints.

For each formula the set of its states is computed from those of its parts. *Some run* is done directly.
*All runs* is its opposite: all runs do something if not some run does the opposite. The opposite of `p W q`
has no letter in formulas; here it is M: `p M q` is true where q is true up to and including a moment at
which p is.

With fairness, runs are fair ones. Only EG changes: a run inside a set must come to a part of it in which it
can be fair for ever. EX and EU stay as they are, because every finite run can be continued by a fair one:
go to a strongly connected part that cannot be left and take all its steps again and again; what is possible
there then happens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import and_, or_
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from angarium.checker.explore.graph import Graph
from angarium.checker.ir.formula import (
    Atom,
    Conjunction,
    Disjunction,
    Fairness,
    Formula,
    Implies,
    Negation,
    Over,
    Quantified,
    Truth,
)
from angarium.checker.logic.fairness import classes
from angarium.checker.logic.fixpoint import Adjacency, States
from angarium.checker.logic.lasso import lasso
from angarium.checker.logic.product import Components, components_within

Op = Literal["X", "F", "G", "U", "W", "R", "M"]
OPPOSITE: dict[Op, Op] = {"X": "X", "F": "G", "G": "F", "U": "R", "R": "U", "W": "M"}
"""What some run does with the opposites of the operands if not all runs do this."""


@dataclass(frozen=True, slots=True)
class Lasso:
    """A run without end."""

    start: int
    entries: tuple[int, ...]
    """The steps' numbers among all steps."""
    cycle: int
    """How many come before those that are repeated; if it is all of them, the run then stands still."""


@dataclass(frozen=True)
class Judge:
    """Knows in which states of a graph formulas are true."""

    graph: Graph
    demands: tuple[Fairness, ...]
    positions: Mapping[Atom, int]
    """The bit of each atom."""
    _known: dict[Formula, States] = field(default_factory=dict)

    @cached_property
    def steps(self) -> Adjacency:
        return Adjacency(self.graph.rows, self.graph.targets)

    @cached_property
    def everywhere(self) -> States:
        return np.ones(self.graph.states, np.bool_)

    def holds(self, formula: Formula) -> bool:
        """Whether a formula is true in every initial state."""
        return bool(self.states(formula)[: self.graph.initial].all())

    def states(self, formula: Formula) -> States:
        """Where a formula is true."""
        if formula not in self._known:
            self._known[formula] = self._states(formula)
        return self._known[formula]

    def _states(self, formula: Formula) -> States:
        match formula:
            case Truth(value):
                return self.everywhere & value
            case Atom():
                bit = np.uint64(1 << self.positions[formula])
                return (self.graph.atoms & bit).astype(np.bool_)
            case Negation(operand):
                return ~self.states(operand)
            case Conjunction(inside):
                return reduce(and_, map(self.states, inside), self.everywhere)
            case Disjunction(inside):
                return reduce(or_, map(self.states, inside), ~self.everywhere)
            case Implies(left, right):
                return ~self.states(left) | self.states(right)
            case Quantified("E", op, operands):
                return self.some(op, *map(self.states, operands))
            case Quantified(_, op, operands):
                return ~self.some(OPPOSITE[op], *(~self.states(each) for each in operands))
            case Over():
                raise TypeError(f"{formula.op} without A or E is no CTL")

    def some(self, op: Op, first: States, second: States | None = None) -> States:
        """From where some run does something with sets of states."""
        until, other = self.steps.some_until, first if second is None else second
        match op:
            case "X":
                return self.steps.some_next(first)
            case "F":
                return until(self.everywhere, first)
            case "G":
                return self.some_always(first)
            case "U":
                return until(first, other)
            case "W":
                return until(first, other) | self.some_always(first)
            case "R":
                return until(other, first & other) | self.some_always(other)
            case "M":
                return until(other, first & other)

    def some_always(self, inside: States) -> States:
        """From where some fair run stays inside a set."""
        if not self.demands:
            return self.steps.some_always(inside)
        return self.steps.some_until(inside, self._fair_components(inside).fair)

    def lasso(self, starts: NDArray[np.intp], inside: States) -> Lasso:
        """A short fair run inside a set from one of some states, from which there is one."""
        components = self._fair_components(inside)
        path = self.steps.path(starts, inside, components.fair)
        assert path is not None, "no fair run stays inside the set"
        run = lasso(components, np.array([path.end], np.uint32))
        entries = (*path.entries, *self.steps.follow(path.end, run.choices))
        return Lasso(path.start, entries, len(path.entries) + (run.cycle or 0))

    def _fair_components(self, inside: States) -> Components:
        return components_within(self.graph, classes(self.graph.system, self.demands), inside)
