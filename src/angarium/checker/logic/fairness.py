"""Fairness as bits, and rests: what a run owes, and where it may stand still although something could
happen.

The demands of a guarantee make classes of steps (`fair_classes`). Classes are bits of words, 64 to a chunk:
for each label, the classes that its step belongs to. What is owed of a class is in `weak` or `strong`. A
step that changes nothing belongs to no class; that is seen in the graph, where its target is its source. Nor
does standing still, whose label has no bits here.

Nobody owes a fault: a crash or a loss may happen, and need not; the same is true of what an intruder does.
So where nothing but that can happen, a run may also stay as it is for ever. The graph gets one more state
for each such state, a *rest*, with the same conditions, which only follows on itself: standing still is for
ever, and no pause before a fault. A fault that a guarantee's fairness names is owed, and no reason to stand
still.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from angarium.checker.explore.evaluate import evaluate
from angarium.checker.explore.graph import Graph, instances, variants
from angarium.checker.explore.native_memory import halves
from angarium.checker.ir.fair_classes import owed, steps
from angarium.checker.ir.formula import Fairness
from angarium.checker.ir.transition import Cells, TransitionSystem
from angarium.checker.logic import rests_core
from angarium.core.errors import LimitError
from angarium.native.calls import Native

Masks = NDArray[np.uint64]

CHUNK = 64
MOST_CLASSES = 8192


@dataclass(frozen=True)
class Classes:
    """What must happen, as bits: class 64 c + i is bit i of chunk c."""

    members: Masks
    """For each chunk and each label, the classes that the step belongs to."""
    weak: Masks
    """For each chunk, the classes that must happen if they are possible without interruption."""
    strong: Masks
    """For each chunk, the classes that must happen if they are possible again and again."""

    @property
    def chunks(self) -> int:
        return len(self.members)


def classes(system: TransitionSystem, demands: tuple[Fairness, ...]) -> Classes:
    """The classes of all demands together; the same steps are not owed twice.

    A name of an action that these parameters make impossible has no steps, and so no class.
    """
    every = (
        list(steps(system.actions, lambda expr, local: evaluate(system, expr, (), local))) if demands else []
    )
    found = owed(every, demands)
    if len(found.groups) > MOST_CLASSES:
        raise _too_many(len(found.groups))
    label = {(step.action.name, step.arguments): number for number, step in enumerate(every)}
    weak, strong = ([[label[each] for each in g] for g in groups] for groups in (found.weak, found.strong))
    return _packed(instances(system.actions), weak, strong)


def _packed(labels: int, weak: list[list[int]], strong: list[list[int]]) -> Classes:
    chunks = -(-(len(weak) + len(strong)) // CHUNK)
    members = np.zeros((chunks, labels + 1), np.uint64)
    demanded = {"weak": np.zeros(chunks, np.uint64), "strong": np.zeros(chunks, np.uint64)}
    every = [*(("weak", group) for group in weak), *(("strong", group) for group in strong)]
    for number, (strength, group) in enumerate(every):
        chunk, bit = number // CHUNK, np.uint64(1 << number % CHUNK)
        members[chunk, group] |= bit
        demanded[strength][chunk] |= bit
    return Classes(members, **demanded)


def _too_many(count: int) -> LimitError:
    return LimitError(
        "ANG052",
        f"fairness makes {count:,} classes of steps",
        possible=f"at most {MOST_CLASSES:,}",
        remedy="demand it by action or by process, or name the actions that it is about",
    )


PIECE = 1 << 22
_CORE = Native(rests_core, ("find_lazy", "insert"), thorough=True)


def with_rests(graph: Graph, owed: Collection[str] = ()) -> Graph:
    """The graph in which runs may stand still where only faults can happen that are not owed."""
    optional = _optional(graph, owed)
    if not _happens(graph, optional):
        return graph
    lazy = halves(graph.states)
    rows, labels = np.ascontiguousarray(graph.rows, np.uint64), np.ascontiguousarray(graph.labels, np.uint32)
    count = _CORE.call("find_lazy", graph.states, rows, labels, optional.view(np.uint8), lazy)
    return _extended(graph, lazy[:count]) if count else graph


def _happens(graph: Graph, optional: NDArray[np.bool_]) -> bool:
    """Whether some step is optional; looked at in pieces, because a graph may fill the memory."""
    starts = range(0, len(graph.labels), PIECE) if optional.any() else ()
    return any(optional[graph.labels[start : start + PIECE]].any() for start in starts)


def _optional(graph: Graph, owed: Collection[str]) -> NDArray[np.bool_]:
    """For each label, whether it is that of a fault, or of an intruder's step, that nobody owes."""
    faults = [action.optional and action.name not in owed for action in graph.system.actions]
    return np.append(np.repeat(faults, [variants(action) for action in graph.system.actions]), False)


def _extended(graph: Graph, states: NDArray[np.uint32]) -> Graph:
    """One step more at the end of each lazy state's, and one for each rest."""

    def cells(numbers: Sequence[int]) -> list[Cells]:
        return graph.cells([int(states[n - graph.states]) if n >= graph.states else n for n in numbers])

    return replace(
        graph,
        rows=_rows(graph, states),
        targets=_inserted(graph, graph.targets, states, graph.states, 1),
        labels=_inserted(graph, graph.labels, states, graph.stutter, 0),
        atoms=np.concatenate([graph.atoms, graph.atoms[states]]),
        cells=cells,
        events=_without_events(graph, states) if len(graph.events) else graph.events,
    )


def _rows(graph: Graph, states: NDArray[np.uint32]) -> Masks:
    rows = np.zeros(graph.states + 1 + len(states), np.uint64)
    rows[states.astype(np.int64) + 1] = 1
    rows[graph.states + 1 :] = 1
    np.cumsum(rows, out=rows)
    rows[: graph.states + 1] += graph.rows
    rows[graph.states + 1 :] += graph.rows[-1]
    return rows


def _inserted(
    graph: Graph, given: NDArray[np.uint32], states: NDArray[np.uint32], first: int, step: int
) -> NDArray[np.uint32]:
    """What is told of the steps that come in between: a number for each lazy state and its rest."""
    size = len(given) + 2 * len(states)
    made = halves(size)[:size]
    rows, known = np.ascontiguousarray(graph.rows, np.uint64), np.ascontiguousarray(given, np.uint32)
    _CORE.call(
        "insert", len(given), rows, known, np.ascontiguousarray(states), len(states), first, step, made
    )
    return made


def _without_events(graph: Graph, states: NDArray[np.uint32]) -> Masks:
    """Standing still is seen by nobody."""
    ends = graph.rows[states.astype(np.int64) + 1].astype(np.int64)
    return np.concatenate([np.insert(graph.events, ends, 0), np.zeros(len(states), np.uint64)])
