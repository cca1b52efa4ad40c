"""Fairness as bits: the classes of steps that the demands of a guarantee make (`model.owed`).

Classes are bits of words, 64 to a chunk: for each label, the classes that its step belongs to. What is owed
of a class is in `weak` or `strong`. A step that changes nothing belongs to no class; that is seen in the
graph, where its target is its source. Nor does standing still, whose label has no bits here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from angarium.checker.explore.graph import instances
from angarium.checker.explore.interpret import evaluate
from angarium.checker.ir.fair_classes import owed, steps
from angarium.checker.ir.formula import Fairness
from angarium.checker.ir.transition import TransitionSystem
from angarium.core.errors import LimitError

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
