"""A short run that is accepted and fair, from the fair components of a product.

First the shortest path from an initial state into a fair component, whichever is reached soonest. If the
nearest cycle from there owes nothing, it is the one. Else follows a walk, always to the nearest thing that
is still owed: a step with a mark, a step of a class, or a node in which a weak class is not possible. When
nothing is owed any more, the walk is closed by the shortest path back into its beginning; how much of the
beginning can be given up without owing something is found out before. A strong class is owed only if it is
possible somewhere on the cycle; so the last look is at the whole cycle, and if the path back made something
possible, the walk goes on.

The automaton's part is then forgotten. What is left may repeat itself earlier than the product does: the
repeated part is made as short as it can be, and begins as early as it can.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from angarium.checker.explore.graph import Graph
from angarium.checker.explore.native_memory import address, halves, reserve
from angarium.checker.logic import product_core as core
from angarium.checker.logic.decision import Run
from angarium.checker.logic.fairness import Classes, Masks
from angarium.checker.logic.product import Components, Nodes, Product
from angarium.checker.logic.semantics import Moment

PATIENCE = 1 << 22
"""How many nodes are looked at to find a short cycle."""
Move = tuple[int, int]
"""A state, and which of its steps is taken."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the product: from a node, by one of its state's steps and one of the automaton's rules."""

    node: int
    choice: int
    rule: int


def lasso(components: Components, starts: Nodes | None = None) -> Run:
    """A short run from an initial state that is accepted and fair.

    Or from other nodes: then what is repeated, if it owes nothing, begins where the component is entered.
    """
    paths = _Paths(components.product)
    prefix, entry = paths.to_component(components.product.initial if starts is None else starts)
    walker = _Walker(components.product, components.classes, paths)
    lead, cycle = walker.nearest_cycle(entry) if starts is None else walker.cycle(entry)
    shift = components.product.shift
    before, again = (
        [(step.node >> shift, step.choice) for step in part] for part in ([*prefix, *lead], cycle)
    )
    return _as_run(components.product.graph, (before or again)[0][0], before, again)


# --- breadth-first paths ---------------------------------------------------------------------------


class _Paths:
    """Shortest paths through a product, and the memory to find them."""

    def __init__(self, product: Product) -> None:
        self.product = product
        self.queue, self.origin, self.choice, self.by, self.seen = (
            halves(product.nodes + 1) for _ in range(5)
        )
        self.goals = np.frombuffer(reserve(product.nodes // 8 + 1), np.uint8)
        self.fields = np.zeros(core.WAYS, np.uint64)
        arrays = (self.queue, self.origin, self.choice, self.by, self.seen)
        for place, array in zip(
            (core.QUEUE, core.ORIGIN, core.CHOICE, core.BY, core.SEEN), arrays, strict=True
        ):
            self.fields[place] = address(array)
        self.fields[[core.GOALS, core.PATIENCE]] = (address(self.goals), 1)

    def to_component(self, starts: Nodes) -> tuple[list[Step], int]:
        """The shortest path from one of some nodes into a fair component, and where it ends."""
        self._begin(starts)
        return self._path(self.product.call("reach", self.fields, len(starts)), len(starts))

    def to_wanted(
        self, node: int, members: Masks, *, marks: int = 0, classes: int = 0, idle: int = 0
    ) -> tuple[list[Step], int]:
        """The shortest path inside a component to something that is wanted, and where it ends."""
        self._begin(np.array([node], np.uint32))
        return self._path(self.product.call("hop", self.fields, members, marks, classes, idle), 1)

    def to_itself(self, node: int) -> tuple[list[Step], int] | None:
        """A short path inside a component that ends in a node that it came through; None if none is near."""
        self._begin(np.array([node], np.uint32))
        self.fields[[core.LOOP, core.PATIENCE]] = (1, PATIENCE)
        end = self.product.call("hop", self.fields, no_members(self.product), 0, 0, 0)
        self.fields[[core.LOOP, core.PATIENCE]] = (0, 1)
        return None if end == core.NOWHERE else self._path(end, 1)

    def _begin(self, starts: Nodes) -> None:
        self.queue[: len(starts)] = starts
        self.fields[core.STAMP] += np.uint64(1)
        self.seen[starts] = self.fields[core.STAMP]

    def _path(self, end: int, starts: int) -> tuple[list[Step], int]:
        """The path to a place in the queue, of which the first ones are starts."""
        if end == core.NOWHERE:
            raise RuntimeError("a fair component was found, but no path into it or through it")
        place, steps = end, list[Step]()
        while place >= starts:
            origin = int(self.origin[place])
            steps.append(Step(int(self.queue[origin]), int(self.choice[place]), int(self.by[place])))
            place = origin
        return steps[::-1], int(self.queue[end])


# --- inside a fair component ----------------------------------------------------------------------


@dataclass(frozen=True)
class Debt:
    """What a walk still owes: marks, and of each chunk classes to take, or to find not possible."""

    marks: int
    classes: Masks
    idle: Masks

    def __bool__(self) -> bool:
        return bool(self.marks or self.classes.any())


class _Account:
    """What the steps of a walk have seen so far."""

    def __init__(self, product: Product, classes: Classes) -> None:
        self.product, self.classes = product, classes
        self.marks = 0
        self.taken, self.idle, self.ever = np.zeros((3, classes.chunks), np.uint64)

    def visit(self, node: int) -> None:
        """Be at a node."""
        state, graph = node >> self.product.shift, self.product.graph
        labels = [label for label, target in _row(graph, state) if target != state]
        possible = np.bitwise_or.reduce(self.classes.members[:, labels], axis=1)
        self.idle |= ~possible
        self.ever |= possible

    def take(self, step: Step) -> None:
        """Go on from a node."""
        state, graph = step.node >> self.product.shift, self.product.graph
        label, target = _row(graph, state)[step.choice]
        self.marks |= int(self.product.automaton.rules[step.rule, core.MARKS])
        if target != state:
            self.taken |= self.classes.members[:, label]

    @property
    def debt(self) -> Debt:
        weak = self.classes.weak & ~self.taken & ~self.idle
        strong = self.classes.strong & ~self.taken & self.ever
        return Debt(self.product.automaton.marks & ~self.marks, weak | strong, weak)


@dataclass(frozen=True)
class _Walker:
    """Walks through a fair component until nothing is owed."""

    product: Product
    classes: Classes
    paths: _Paths

    def nearest_cycle(self, entry: int) -> tuple[list[Step], list[Step]]:
        """A path from a node of the component to a cycle, and the cycle: the nearest, if it owes nothing."""
        found = self.paths.to_itself(entry)
        if found is not None:
            steps, goal = found
            first = [step.node for step in steps].index(goal)
            if not self._debt(steps[first:], goal):
                return steps[:first], steps[first:]
        return self.cycle(entry)

    def cycle(self, entry: int) -> tuple[list[Step], list[Step]]:
        """A path from a node of the component to a cycle, and the cycle; no path if nothing is owed."""
        steps, node = self._until_nothing_is_owed(entry)
        goals = [*(step.node for step in steps), node][: self._latest_begin(steps, node) + 1]
        while True:
            back, goal = self._path_back(node, goals)
            first = len(goals) - 1 - goals[::-1].index(goal)
            cycle = [*steps[first:], *back]
            debt = self._debt(cycle, goal)
            if not debt:
                return steps[:first], cycle
            more, node = self._towards(debt, node)
            steps += more

    def _until_nothing_is_owed(self, entry: int) -> tuple[list[Step], int]:
        steps, node = list[Step](), entry
        while debt := self._debt(steps, node):
            more, node = self._towards(debt, node)
            steps += more
        return steps, node

    def _debt(self, steps: Sequence[Step], node: int) -> Debt:
        """What is owed behind some steps that end at a node."""
        account = _Account(self.product, self.classes)
        for step in steps:
            account.visit(step.node)
            account.take(step)
        account.visit(node)
        return account.debt

    def _latest_begin(self, steps: Sequence[Step], node: int) -> int:
        """How many of the first steps can be left away so that still nothing is owed."""
        account, begin = _Account(self.product, self.classes), len(steps)
        account.visit(node)
        while account.debt and begin:
            begin -= 1
            account.take(steps[begin])
            account.visit(steps[begin].node)
        return begin

    def _towards(self, debt: Debt, node: int) -> tuple[list[Step], int]:
        """The path to the nearest mark that is owed, or else to the nearest class of one chunk."""
        if debt.marks:
            return self.paths.to_wanted(node, no_members(self.product), marks=debt.marks)
        chunk = int(debt.classes.argmax())
        members = self.classes.members[chunk]
        classes, idle = int(debt.classes[chunk]), int(debt.idle[chunk])
        return self.paths.to_wanted(node, members, classes=classes, idle=idle)

    def _path_back(self, node: int, goals: Sequence[int]) -> tuple[list[Step], int]:
        self.paths.goals[goals] = 1
        found = self.paths.to_wanted(node, no_members(self.product))
        self.paths.goals[goals] = 0
        return found


def no_members(product: Product) -> Masks:
    """A chunk without classes."""
    return np.zeros(product.graph.stutter + 1, np.uint64)


def _row(graph: Graph, state: int) -> list[tuple[int, int]]:
    """The steps of a state: their labels, and where they lead."""
    row = slice(int(graph.rows[state]), int(graph.rows[state + 1]))
    return list(zip(graph.labels[row].tolist(), graph.targets[row].tolist(), strict=True))


# --- the run --------------------------------------------------------------------------------------


def _as_run(graph: Graph, start: int, prefix: Sequence[Move], cycle: Sequence[Move]) -> Run:
    """The run that repeats a cycle behind a prefix, in as few moves as possible."""
    moves = [*prefix, *cycle]
    for position, (state, choice) in enumerate(moves):
        if graph.labels[int(graph.rows[state]) + choice] == graph.stutter:
            return Run(start, tuple(choice for _, choice in moves[:position]), position)
    cycle = _once(cycle)
    shared = 0
    while shared < len(prefix) and prefix[-1 - shared] == cycle[-1 - shared % len(cycle)]:
        shared += 1
    begin = len(prefix) - shared
    return Run(start, tuple(choice for _, choice in moves[: begin + len(cycle)]), begin)


def _once(cycle: Sequence[Move]) -> Sequence[Move]:
    """The shortest part of a cycle that it consists of."""
    lengths = (length for length in range(1, len(cycle) + 1) if len(cycle) % length == 0)
    return next(cycle[:n] for n in lengths if [*cycle[:n]] * (len(cycle) // n) == [*cycle])


def states_of(graph: Graph, run: Run) -> tuple[list[int], int]:
    """The states of a run without end, each moment once, and with which of them the repeated part begins."""
    assert run.cycle is not None
    states = [run.start]
    for choice in run.choices:
        states.append(_row(graph, states[-1])[choice][1])
    return (states, run.cycle) if run.cycle == len(run.choices) else (states[:-1], run.cycle)


def moments_of(graph: Graph, run: Run) -> list[Moment]:
    """What is possible and what happens at each moment of the repeated part of a run."""
    states, cycle = states_of(graph, run)
    return [_moment(graph, state, choice) for state, choice in zip(states, (*run.choices, -1), strict=False)][
        cycle:
    ]


def _moment(graph: Graph, state: int, choice: int) -> Moment:
    row = _row(graph, state)
    label, target = row[choice]
    possible = frozenset(label for label, target in row if target != state)
    return Moment(possible, label if target != state else None)
