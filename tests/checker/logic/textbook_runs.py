"""Runs, formulas and fairness for tests of LTL, written down once more without what is tested.

Fairness is taken apart by hand: which labels of `graphs.SYSTEM` each demand puts into one class is a table
here. A graph is *unfolded* into states that remember the step that led to them, so that fairness becomes a
formula and the textbook can decide it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from hypothesis import strategies as st

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
    TimeOp,
    Truth,
    parts,
)
from angarium.checker.ir.syntax import Const
from angarium.checker.logic.decision import Run
from angarium.checker.logic.semantics import true_on_lasso
from tests.checker.logic.graphs import (
    CRASH_1,
    CRASH_2,
    FILE,
    HAND_1,
    HAND_2,
    POSITIONS,
    TICK,
    WORK_1,
    WORK_2,
    P,
    Q,
    R,
)
from tests.checker.logic.textbook_ltl import World

# --- formulas -------------------------------------------------------------------------------------


def always(formula: Formula) -> Formula:
    return Over("G", (formula,))


def eventually(formula: Formula) -> Formula:
    return Over("F", (formula,))


def next_(formula: Formula) -> Formula:
    return Over("X", (formula,))


def two(op: TimeOp, left: Formula, right: Formula) -> Formula:
    return Over(op, (left, right))


def leads_to(left: Formula, right: Formula) -> Formula:
    return always(Implies(left, eventually(right)))


def timed(formula: Formula) -> int:
    """How many operators over time a formula has."""
    return isinstance(formula, Over) + sum(map(timed, parts(formula)))


def formulas(most: int = 4, atoms: Sequence[Atom] = (P, Q, R)) -> st.SearchStrategy[Formula]:
    """Any formula with at most so many operators over time."""
    leaves: st.SearchStrategy[Formula] = st.sampled_from([*atoms, *atoms, Truth(True), Truth(False)])
    return st.recursive(leaves, _around, max_leaves=6).filter(lambda formula: timed(formula) <= most)


def _around(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    several = st.lists(inner, max_size=3).map(tuple)
    one: st.SearchStrategy[TimeOp] = st.sampled_from(["X", "F", "G"])
    both: st.SearchStrategy[TimeOp] = st.sampled_from(["U", "W", "R"])
    return st.one_of(
        inner.map(Negation),
        several.map(Conjunction),
        several.map(Disjunction),
        st.builds(Implies, inner, inner),
        st.builds(lambda op, operand: Over(op, (operand,)), one, inner),
        st.builds(two, both, inner, inner),
    )


# --- runs -----------------------------------------------------------------------------------------


def row(steps: Graph, state: int) -> list[tuple[int, int]]:
    """The steps of a state: labels and targets."""
    part = slice(int(steps.rows[state]), int(steps.rows[state + 1]))
    return [(int(a), int(b)) for a, b in zip(steps.labels[part], steps.targets[part], strict=True)]


def lassos(steps: Graph, longest: int) -> Iterator[Run]:
    """Every run of at most so many steps whose last state it was in before."""

    def go_on(start: int, states: list[int], choices: list[int]) -> Iterator[Run]:
        for earlier, state in enumerate(states[:-1]):
            if state == states[-1]:
                yield Run(start, tuple(choices), earlier)
        if len(choices) < longest:
            for choice, (_, target) in enumerate(row(steps, states[-1])):
                yield from go_on(start, [*states, target], [*choices, choice])

    for start in range(steps.initial):
        yield from go_on(start, [start], [])


def walked(steps: Graph, run: Run) -> tuple[list[int], list[int]]:
    """The states of a run and the labels of its steps, until it repeats itself; checks that it is one."""
    states, labels = [run.start], list[int]()
    assert 0 <= run.start < steps.initial
    for choice in run.choices:
        label, target = row(steps, states[-1])[choice]
        labels.append(label)
        states.append(target)
    assert run.cycle is not None
    if run.cycle == len(run.choices):
        assert row(steps, states[-1]) == [(steps.stutter, states[-1])]
        return states, [*labels, steps.stutter]
    assert states[-1] == states[run.cycle]
    return states[:-1], labels


def _has(mask: int, atom: Atom) -> bool:
    return bool(mask >> POSITIONS[atom] & 1)


def breaks(steps: Graph, formula: Formula, run: Run) -> bool:
    states, _ = walked(steps, run)
    bits = [int(steps.atoms[state]) for state in states]
    letters = [partial(_has, mask) for mask in bits]
    return not true_on_lasso(formula, letters, run.cycle or 0)


# --- fairness, by hand ----------------------------------------------------------------------------

CLASSES: Mapping[Fairness, Sequence[set[int]]] = {
    Fairness("weak", "all"): [{TICK, WORK_1, WORK_2, HAND_1, HAND_2, FILE}],
    Fairness("weak", "all", ("crash", "file")): [{CRASH_1, CRASH_2, FILE}],
    Fairness("weak", "process"): [{TICK}, {WORK_1, HAND_1}, {WORK_2, HAND_2}, {HAND_1, HAND_2, FILE}],
    Fairness("weak", "process", ("worker",)): [{WORK_1, HAND_1}, {WORK_2, HAND_2}],
    Fairness("weak", "process", ("clerk",)): [{HAND_1, HAND_2, FILE}],
    Fairness("weak", "process", ("tick",)): [{TICK}],
    Fairness("weak", "process", ("crash",)): [{CRASH_1}, {CRASH_2}],
    Fairness("weak", "action"): [{TICK}, {WORK_1, WORK_2}, {HAND_1, HAND_2}, {FILE}],
    Fairness("weak", "action", ("work",)): [{WORK_1, WORK_2}],
    Fairness("weak", "action", ("clerk",)): [{HAND_1, HAND_2}, {FILE}],
    Fairness("weak", "action", ("hand", "tick")): [{HAND_1, HAND_2}, {TICK}],
    Fairness("weak", "instance"): [{TICK}, {WORK_1}, {WORK_2}, {HAND_1}, {HAND_2}, {FILE}],
    Fairness("weak", "instance", ("work",)): [{WORK_1}, {WORK_2}],
    Fairness("weak", "instance", ("file",)): [{FILE}],
    Fairness("weak", "instance", ("crash",)): [{CRASH_1}, {CRASH_2}],
}
"""The classes of each demand, which are the same for both strengths."""


def classes_of(asked: Fairness) -> Sequence[set[int]]:
    return CLASSES[replace(asked, strength="weak")]


def demands(*, cost: int = 24, least: int = 0) -> st.SearchStrategy[tuple[Fairness, ...]]:
    """Up to two demands that cost at most so much together."""
    either = [*CLASSES, *(replace(each, strength="strong") for each in CLASSES)]
    cheap = [each for each in either if _cost(each) <= cost]
    several = st.lists(st.sampled_from(cheap), min_size=least, max_size=2).map(tuple)
    return several.map(lambda asked: asked if sum(map(_cost, asked)) <= cost else asked[:1])


def _cost(asked: Fairness) -> int:
    """How much longer a demand makes a formula: once a class if it is weak, twice if it is strong."""
    return len(classes_of(asked)) * (2 if asked.strength == "strong" else 1)


def is_fair(steps: Graph, asked: Sequence[Fairness], run: Run) -> bool:
    """Whether a run is fair, by the words of the definition."""
    states, labels = walked(steps, run)
    assert run.cycle is not None
    possible = [{label for label, target in row(steps, state) if target != state} for state in states]
    following = [*states[1:], states[run.cycle]]
    moved = [one != other for one, other in zip(states, following, strict=True)]
    taken = [{label} if does else set() for label, does in zip(labels, moved, strict=True)]
    return all(
        _happens(steps, each, group, possible[run.cycle :], taken[run.cycle :])
        for each in asked
        for group in classes_of(each)
    )


def _happens(
    steps: Graph, asked: Fairness, group: set[int], possible: list[set[int]], taken: list[set[int]]
) -> bool:
    owed = all if asked.strength == "weak" else any
    return not owed(group & each for each in possible) or any(group & each for each in taken)


def with_fairness(steps: Graph, formula: Formula, asked: Sequence[Fairness]) -> tuple[World, Formula]:
    """An unfolded graph, and the formula that says: if the run is fair, then the formula."""
    nodes = {(state, -1) for state in range(steps.initial)}
    queue, following = list(nodes), dict[int, set[int]]()
    for state, _ in queue:
        fresh = {(target, label if target != state else -1) for label, target in row(steps, state)} - nodes
        nodes |= fresh
        queue += sorted(fresh)
    number = {node: n for n, node in enumerate(queue)}
    for state, label in queue:
        moves = {(target, label if target != state else -1) for label, target in row(steps, state)}
        following[number[state, label]] = {number[each] for each in moves}
    groups = [(each.strength, group) for each in asked for group in classes_of(each)]
    world = World(following, set(range(steps.initial)), _Meaning(steps, queue, groups).true)
    fair = tuple(_fair(n, strength) for n, (strength, _) in enumerate(groups))
    return world, Implies(Conjunction(fair), formula)


def _possible(group: int) -> Atom:
    return Atom(Const(2 * group))


def _taken(group: int) -> Atom:
    return Atom(Const(2 * group + 1))


def _fair(group: int, strength: str) -> Formula:
    often = always(eventually(_taken(group)))
    if strength == "weak":
        return always(eventually(Disjunction((Negation(_possible(group)), _taken(group)))))
    return Implies(always(eventually(_possible(group))), often)


class _Meaning:
    """What atoms mean in the states of an unfolded graph."""

    def __init__(
        self, steps: Graph, nodes: Sequence[tuple[int, int]], groups: Sequence[tuple[str, set[int]]]
    ) -> None:
        self.steps, self.nodes, self.groups = steps, nodes, groups

    def true(self, node: int, atom: Atom) -> bool:
        state, label = self.nodes[node]
        if not isinstance(atom.condition, Const):
            return bool(int(self.steps.atoms[state]) >> POSITIONS[atom] & 1)
        group = self.groups[atom.condition.value // 2][1]
        if atom.condition.value % 2:
            return label in group
        return any(each in group and target != state for each, target in row(self.steps, state))
