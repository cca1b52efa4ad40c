"""CTL as a textbook says it: sets of states in plain Python, and fairness by trying all sets of states.

A run is in the end among the states that it visits again and again. Among such states, all steps between
them may be taken again and again: so there is a fair run among some states if these, with all steps between
them, are strongly connected and starve no class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from angarium.checker.explore.graph import Graph
from angarium.checker.ir.formula import (
    Atom,
    Conjunction,
    Disjunction,
    Fairness,
    Formula,
    Implies,
    Negation,
    Quantified,
    Truth,
)
from tests.checker.logic.graphs import FILE, HAND_1, HAND_2, POSITIONS, TICK, WORK_1, WORK_2

States = frozenset[int]

OWED: Mapping[Literal["all", "process", "action", "instance"], tuple[frozenset[int], ...]] = {
    "all": (frozenset({TICK, WORK_1, WORK_2, HAND_1, HAND_2, FILE}),),
    "process": (
        frozenset({TICK}),
        frozenset({WORK_1, HAND_1}),
        frozenset({WORK_2, HAND_2}),
        frozenset({HAND_1, HAND_2, FILE}),
    ),
    "action": tuple(map(frozenset, ({TICK}, {WORK_1, WORK_2}, {HAND_1, HAND_2}, {FILE}))),
    "instance": tuple(frozenset({label}) for label in (TICK, WORK_1, WORK_2, HAND_1, HAND_2, FILE)),
}
"""The classes of steps of the test graphs: for each way to group them, the labels of each class."""


@dataclass(frozen=True)
class Textbook:
    """Knows where formulas are true, slowly."""

    graph: Graph
    demand: Fairness | None = None

    @property
    def everything(self) -> States:
        return frozenset(range(self.graph.states))

    def steps(self, state: int) -> list[tuple[int, int]]:
        """Labels and targets."""
        start, end = self.graph.rows[state : state + 2].tolist()
        return list(
            zip(self.graph.labels[start:end].tolist(), self.graph.targets[start:end].tolist(), strict=True)
        )

    def next(self, state: int) -> States:
        return frozenset(target for _, target in self.steps(state))

    # --- formulas ---------------------------------------------------------------------------------

    def states(self, formula: Formula) -> States:
        """Where a formula is true."""
        match formula:
            case Truth(value):
                return self.everything if value else frozenset()
            case Atom():
                bit = POSITIONS[formula]
                return frozenset(s for s in self.everything if int(self.graph.atoms[s]) >> bit & 1)
            case Negation(operand):
                return self.everything - self.states(operand)
            case Conjunction(parts):
                return self.everything.intersection(*map(self.states, parts))
            case Disjunction(parts):
                return frozenset[int]().union(*map(self.states, parts))
            case Implies(left, right):
                return (self.everything - self.states(left)) | self.states(right)
            case Quantified("E", op, operands):
                return self.some(op, [self.states(each) for each in operands])
            case Quantified("A", op, operands):
                return self.all(op, [self.states(each) for each in operands])
        raise AssertionError(formula)

    def some(self, op: str, sets: list[States]) -> States:
        first, last = sets[0], sets[-1]
        fair = self.fair(self.everything)
        match op:
            case "X":
                return frozenset(s for s in self.everything if self.next(s) & first & fair)
            case "F":
                return self.until(self.everything, first & fair)
            case "G":
                return self.fair(first)
            case "U":
                return self.until(first, last & fair)
            case "W":
                return self.until(first, last & fair) | self.fair(first)
            case "R":
                return self.until(last, first & last & fair) | self.fair(last)
        raise AssertionError(op)

    def all(self, op: str, sets: list[States]) -> States:
        """All runs, if no run does the opposite."""
        first, last = (self.everything - sets[0], self.everything - sets[-1])
        match op:
            case "X" | "F" | "G":
                return self.everything - self.some({"X": "X", "F": "G", "G": "F"}[op], [first])
            case "U":
                return self.everything - self.some("R", [first, last])
            case "R":
                return self.everything - self.some("U", [first, last])
            case "W":
                return self.everything - self.some("U", [last, first & last])
        raise AssertionError(op)

    def until(self, inside: States, goal: States) -> States:
        return self.least(lambda known: goal | frozenset(s for s in inside if self.next(s) & known))

    def least(self, function: Callable[[States], States]) -> States:
        known = frozenset[int]()
        while (following := function(known)) != known:
            known = following
        return known

    # --- fairness ---------------------------------------------------------------------------------

    def fair(self, inside: States) -> States:
        """From where there is a fair run inside a set."""
        ends = frozenset(state for part in self.parts(inside) for state in part)
        return self.until(inside, ends)

    def parts(self, inside: States) -> Iterator[States]:
        """The sets of states among which a fair run can stay, all of them again and again."""
        for count in range(1, len(inside) + 1):
            for chosen in combinations(sorted(inside), count):
                part = frozenset(chosen)
                if self.is_connected(part) and self.is_fair(part):
                    yield part

    def is_connected(self, part: States) -> bool:
        """Whether each state leads to each, by one step or more, among themselves."""
        return all(part <= self.behind(state, part) for state in part)

    def behind(self, state: int, part: States) -> States:
        """The states of a set that one of them leads to, by steps inside it."""
        return self.least(lambda known: frozenset(t for s in {state, *known} for t in self.next(s) & part))

    def is_fair(self, part: States) -> bool:
        """Whether no class starves among states if all steps between them are taken again and again."""
        if self.demand is None:
            return True
        taken = {label for s in part for label, target in self.steps(s) if target in part and target != s}
        possible = [{label for label, target in self.steps(s) if target != s} for s in part]
        together = all if self.demand.strength == "weak" else any
        return all(
            group & taken or not together(group & labels for labels in possible)
            for group in OWED[self.demand.per]
        )
