"""Which steps are owed: the classes of steps that the demands of a guarantee make.

A demand groups the steps of its actions or processes: all together, by process, by action, or each instance
for itself. A step belongs to every process that takes part in it: a rendezvous to the one that sends and to
the one that receives. An action that is nobody's is a process of its own. A fault is owed only if it is
named itself: who names a process does not ask for its crashes.

Classes are bits of words, 64 to a chunk: for each label, the classes that its step belongs to. What is owed
of a class is in `weak` or `strong`. A step that changes nothing belongs to no class; that is seen in the
graph, where its target is its source. Nor does standing still, whose label has no bits here.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from angarium.errors import LimitError
from angarium.explore.graph import instances
from angarium.explore.interpret import combinations, evaluate
from angarium.model.formula import Fairness
from angarium.model.transition import Action, Lifeline, TransitionSystem

Masks = NDArray[np.uint64]
Process = tuple[str, tuple[int, ...]]
"""A process's name and its arguments."""
Strength = Literal["weak", "strong"]

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


@dataclass(frozen=True, slots=True)
class _Step:
    label: int
    action: Action
    arguments: tuple[int, ...]
    """Without the choices that the step makes by itself: nobody owes a coin to fall on each side."""
    processes: tuple[Process, ...]


def classes(system: TransitionSystem, demands: tuple[Fairness, ...]) -> Classes:
    """The classes of all demands together; the same steps are not owed twice.

    A name of an action that these parameters make impossible has no steps, and so no class.
    """
    steps = list(_steps(system)) if demands else []
    found = dict.fromkeys((each.strength, group) for each in demands for group in _groups(steps, each))
    weak = [group for strength, group in found if strength == "weak" and ("strong", group) not in found]
    strong = [group for strength, group in found if strength == "strong"]
    if len(weak) + len(strong) > MOST_CLASSES:
        raise _too_many(len(weak) + len(strong))
    return _packed(instances(system.actions), weak, strong)


def _packed(labels: int, weak: list[frozenset[int]], strong: list[frozenset[int]]) -> Classes:
    chunks = -(-(len(weak) + len(strong)) // CHUNK)
    members = np.zeros((chunks, labels + 1), np.uint64)
    owed = {"weak": np.zeros(chunks, np.uint64), "strong": np.zeros(chunks, np.uint64)}
    every = [*(("weak", group) for group in weak), *(("strong", group) for group in strong)]
    for number, (strength, group) in enumerate(every):
        chunk, bit = number // CHUNK, np.uint64(1 << number % CHUNK)
        members[chunk, list(group)] |= bit
        owed[strength][chunk] |= bit
    return Classes(members, **owed)


# --- groups of steps ------------------------------------------------------------------------------

_GROUPED: dict[str, Callable[[_Step, Process], Hashable]] = {
    "all": lambda step, process: None,
    "process": lambda step, process: process,
    "action": lambda step, process: step.action.name,
    "instance": lambda step, process: (step.action.name, step.arguments),
}


def _groups(steps: Iterable[_Step], demand: Fairness) -> list[frozenset[int]]:
    """The labels of each class that a demand makes."""
    groups: dict[Hashable, set[int]] = {}
    for step in steps:
        for process in step.processes:
            if _is_owed(step.action, process, demand.of):
                groups.setdefault(_GROUPED[demand.per](step, process), set()).add(step.label)
    return [frozenset(group) for group in groups.values()]


def _is_owed(action: Action, process: Process, of: tuple[str, ...]) -> bool:
    return action.name in of or (not action.fault and (not of or process[0] in of))


def _steps(system: TransitionSystem) -> Iterator[_Step]:
    """Every action instance, in the order of its label."""
    label = 0
    for action in system.actions:
        for arguments in combinations(action.parameters):
            given = zip(action.parameters, arguments, strict=True)
            own = tuple(value for parameter, value in given if not parameter.internal)
            yield _Step(label, action, own, _processes(system, action, arguments))
            label += 1


def _processes(system: TransitionSystem, action: Action, arguments: tuple[int, ...]) -> tuple[Process, ...]:
    """Who takes part in a step."""
    names = (parameter.name for parameter in action.parameters)
    local = dict(zip(names, arguments, strict=True))
    found = dict.fromkeys(
        (each.process, tuple(evaluate(system, argument, (), local) for argument in each.arguments))
        for each in _lifelines(action)
    )
    return tuple(found) or ((f"action {action.name}", ()),)


def _lifelines(action: Action) -> list[Lifeline]:
    ends = [end for message in action.messages for end in (message.sender, message.receiver)]
    return [each for each in (action.actor, *ends) if each is not None]


# --- what cannot be demanded ----------------------------------------------------------------------


def _too_many(count: int) -> LimitError:
    return LimitError(
        "ANG052",
        f"fairness makes {count:,} classes of steps",
        possible=f"at most {MOST_CLASSES:,}",
        remedy="demand it by action or by process, or name the actions that it is about",
    )
