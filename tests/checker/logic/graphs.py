"""Small explored graphs, by hand and at random, for every test of what is claimed of runs.

The states mean nothing: what is true in them and which steps they have is simply said. The steps are those
of `SYSTEM`, which has an action of each kind: with and without an actor, a rendezvous, a fault.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from hypothesis import strategies as st

from angarium.checker.explore.graph import Graph, instances
from angarium.checker.ir.formula import Atom
from angarium.checker.ir.syntax import Local
from angarium.checker.ir.transition import Action, Lifeline, Message, Parameter, TransitionSystem
from angarium.checker.ir.types import Bool, Index
from tests.zoo import read, system

WORKER = Index("Worker", 2)
_W = (Parameter("w", WORKER),)
_WORKER = Lifeline("worker", (Local("w"),), (WORKER,))
_CLERK = Lifeline("clerk")

SYSTEM: TransitionSystem = system(
    "steps",
    [("p", Bool()), ("q", Bool()), ("r", Bool())],
    [
        Action("tick", (), ()),
        Action("work", _W, (), _WORKER),
        Action("hand", _W, (), _WORKER, (Message("desk", (), (), (), None, _WORKER, _CLERK),)),
        Action("file", (), (), _CLERK),
        Action("crash", _W, (), _WORKER, fault=True),
    ],
)
TICK, WORK_1, WORK_2, HAND_1, HAND_2, FILE, CRASH_1, CRASH_2 = range(instances(SYSTEM.actions))
"""The labels of the steps."""
P, Q, R = ATOMS = tuple(Atom(read(name), name) for name in "pqr")
POSITIONS: Mapping[Atom, int] = {atom: bit for bit, atom in enumerate(ATOMS)}

Steps = Mapping[int, int]
"""The steps of a state: where each label leads."""


def graph(steps: Sequence[Steps], true: Sequence[str], *, initial: int = 1) -> Graph:
    """A graph: for each state its steps and the letters of the atoms that are true there."""
    rows, targets, labels = [0], list[int](), list[int]()
    for state, each in enumerate(steps):
        ordered = sorted(each.items()) or [(instances(SYSTEM.actions), state)]
        labels += [label for label, _ in ordered]
        targets += [target for _, target in ordered]
        rows.append(len(targets))
    masks = [sum(1 << "pqr".index(letter) for letter in letters) for letters in true]
    return Graph(
        SYSTEM,
        np.array(rows, np.uint64),
        np.array(targets, np.uint32),
        np.array(labels, np.uint32),
        np.array(masks, np.uint64),
        initial,
        lambda numbers: [(int(masks[n]) & 1, masks[n] >> 1 & 1, masks[n] >> 2 & 1) for n in numbers],
        np.zeros(0, np.uint64),
    )


def in_order(steps: Sequence[Steps], true: Sequence[str], initial: int) -> Graph:
    """A graph of those states that can be reached, numbered breadth-first."""
    found = dict.fromkeys(range(initial))
    queue = list(found)
    for state in queue:
        fresh = [target for _, target in sorted(steps[state].items()) if target not in found]
        for target in dict.fromkeys(fresh):
            found[target] = None
            queue.append(target)
    number = {state: position for position, state in enumerate(queue)}
    renumbered = [{label: number[target] for label, target in steps[state].items()} for state in queue]
    return graph(renumbered, [true[state] for state in queue], initial=initial)


@st.composite
def graphs(draw: st.DrawFn, *, states: int = 6, letters: str = "pqr", most_steps: int = 3) -> Graph:
    """Any graph of at most so many states; a state with no step stands still."""
    count = draw(st.integers(1, states))
    label = st.integers(0, instances(SYSTEM.actions) - 1)
    row = st.dictionaries(label, st.integers(0, count - 1), max_size=most_steps)
    steps = draw(st.lists(row, min_size=count, max_size=count))
    true = draw(st.lists(st.sets(st.sampled_from(letters)).map("".join), min_size=count, max_size=count))
    return in_order(steps, true, draw(st.integers(1, min(2, count))))


@st.composite
def contests(draw: st.DrawFn) -> Graph:
    """A graph in which two steps are always possible, and others, less often, may lead to p."""
    count = draw(st.integers(2, 4))
    always = {label: st.integers(0, count - 2) for label in (TICK, WORK_1)}
    sometimes = {label: st.integers(count - 2, count - 1) for label in (WORK_2, HAND_1, FILE, CRASH_1)}
    row = st.fixed_dictionaries(always, optional=sometimes)
    steps = draw(st.lists(row, min_size=count, max_size=count))
    true = [draw(st.sampled_from(["", "", "q"])) for _ in range(count - 1)]
    return in_order(steps, [*true, "p"], 1)
